"""Files and folders that appear under their name whole or not at all, even if a run is killed.

They are written under another name beside it and renamed at the end. What a killed run left there
is taken over by the next one; what a living run holds is not touched.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from chunkwright.errors import SourceError

try:
    import fcntl
except ImportError:  # no such lock on this system
    _LOCKS = False
else:
    _LOCKS = True


@contextmanager
def whole_file(path: Path) -> Iterator[IO[bytes]]:
    """A file to write, which replaces the one of that name when the block ends well.

    Raises:
        SourceError: Another run is writing it.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    # Hidden, so that a folder that is read while it is written to does not hold it.
    part = path.with_name(f".{path.name}.part")
    file = _claimed_file(part, path)
    try:
        file.truncate(0)
        yield file
        file.flush()
        os.fsync(file.fileno())
        if not _LOCKS:
            file.close()  # such systems rename no open file
        # While it is locked: nobody else may claim the name in between.
        part.replace(path)
    except BaseException:
        if not _LOCKS:
            file.close()
        part.unlink(missing_ok=True)
        raise
    finally:
        file.close()


@contextmanager
def whole_folder(path: Path) -> Iterator[Path]:
    """A folder to fill, which takes its name when the block ends well; at most empty before.

    Raises:
        SourceError: Another run is writing it.
    """
    partial = path.with_name(f".{path.name}.partial")
    partial.parent.mkdir(parents=True, exist_ok=True)
    handle = _claimed_folder(partial, path)
    try:
        _clear(partial)
        yield partial
        if path.exists():
            path.rmdir()
        partial.rename(path)
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        raise
    finally:
        if handle is not None:
            os.close(handle)


def _claimed_file(part: Path, path: Path) -> IO[bytes]:
    while True:
        file = part.open("a+b")
        try:
            _lock(file.fileno(), path)
            if _is_at(file.fileno(), part):
                return file
        except BaseException:
            file.close()
            raise
        file.close()


def _claimed_folder(partial: Path, path: Path) -> int | None:
    while True:
        partial.mkdir(exist_ok=True)
        if not _LOCKS:
            return None
        handle = os.open(partial, os.O_RDONLY)
        try:
            _lock(handle, path)
            if _is_at(handle, partial):
                return handle
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)


def _lock(handle: int, path: Path) -> None:
    if not _LOCKS:
        return
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise SourceError(f"{path}: another run is writing it; wait, or name another") from None
    except OSError:
        return  # a file system without locks


def _is_at(handle: int, path: Path) -> bool:
    """Whether what was opened still has that name: a run may have ended between the two."""
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except FileNotFoundError:
        return False


def _clear(folder: Path) -> None:
    for left in folder.iterdir():
        if left.is_dir() and not left.is_symlink():
            shutil.rmtree(left)
        else:
            left.unlink()
