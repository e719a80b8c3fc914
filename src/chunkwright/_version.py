"""The version of chunkwright, in one place: the build and the program both read it here.

And the versions of what decides texts, cuts and figures beside it.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

__version__ = "0.1.0"

_PACKAGES = (
    *("charset-normalizer", "html-to-markdown", "markdown-it-py"),
    *("regex", "sentencex", "tiktoken", "tokenizers"),
    *("numpy", "scipy", "wordllama"),
)
# Rules of languages stand in tables.
_CODE = (".py", ".toml")


def package_versions() -> dict[str, str]:
    """The version of each package on which texts, cuts or figures depend.

    >>> "numpy" in package_versions()
    True
    """
    from importlib import metadata

    return {name: metadata.version(name) for name in _PACKAGES}


def code_hash(paths: Iterable[Path]) -> str:
    """A hash of code and of the tables it reads: a version says too little while it is worked on.

    Args:
        paths: Files, and folders of which all files with code or a table count.

    >>> code_hash([Path(__file__)]) == code_hash([Path(__file__)])
    True
    """
    from hashlib import blake2b

    digest = blake2b(digest_size=12)
    for path in paths:
        files = path.rglob("*") if path.is_dir() else [path]
        for file in sorted(each for each in files if each.suffix in _CODE):
            name = file.relative_to(path.parent).as_posix()
            digest.update(f"{name}\0{file.stat().st_size}\0".encode() + file.read_bytes())
    return digest.hexdigest()
