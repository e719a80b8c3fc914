"""Settings files: defaults of a command's options, below environment variables and flags.

    [check]                        # a command
    setup = "markdown:400t|headers"
    max-warnings = "5%"
    thresholds.C101.characters = 30

Every option may be set under its name; a name above the tables goes for each command that has
such an option. So do the variables `CHUNKWRIGHT_CHECK_SETUP` and `CHUNKWRIGHT_SETUP`.
"""

from __future__ import annotations

import shlex
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from chunkwright.errors import ChunkwrightError
from chunkwright.registry import nearest

FILE = "chunkwright.toml"
_PROJECT = "pyproject.toml"
# Tables that are easier to write than their options: the option, and how its values look.
_TABLES = {"thresholds": ("threshold", "{}={}"), "per-path-ignores": ("per-path-ignore", "{}:{}")}
Values = dict[str, Any]


class Parameter(NamedTuple):
    """What a setting sets: a parameter of a command, and whether it takes several values."""

    name: str
    several: bool


# By command, as `check` or `gold check`, the names of its settings and their parameters.
Options = Mapping[str, Mapping[str, Parameter]]


def find(folder: Path) -> Path | None:
    """The nearest settings file in a folder or one above it.

    In each, `chunkwright.toml` goes before a `pyproject.toml` with a table `tool.chunkwright`.
    """
    for each in (folder, *folder.parents):
        if (each / FILE).is_file():
            return each / FILE
        project = each / _PROJECT
        if project.is_file() and "[tool.chunkwright" in project.read_text("utf-8", "replace"):
            return project
    return None


def read(path: Path, options: Options) -> Values:
    """The defaults that a settings file gives to commands.

    Args:
        path: A `chunkwright.toml`, or a `pyproject.toml` with a table `tool.chunkwright`.
        options: What may be set of each command, and the parameter that it sets.

    Returns:
        What click takes as its `default_map`.

    Raises:
        ChunkwrightError: It is no TOML, or sets what no command has.
        OSError: There is no such file.
    """
    try:
        table = tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    except ValueError as problem:
        raise ChunkwrightError(f"{path}: not TOML: {problem}") from None
    if path.name == _PROJECT:
        table = table.get("tool", {}).get("chunkwright", {})
    found: Values = {}
    groups = {name.partition(" ")[0] for name in options}
    for name, value in table.items():
        if not (name in groups and isinstance(value, dict)):
            _set_for_all(path, found, options, name, value)
    for name, value in table.items():
        if name in groups and isinstance(value, dict):
            _set_for_one(path, found, options, (name,), value)
    return found


def _set_for_all(path: Path, found: Values, options: Options, name: str, value: Any) -> None:
    setting, given = _setting(name, value)
    having = [command for command, known in options.items() if setting in known]
    if not having:
        every = {each for known in options.values() for each in known} | set(_TABLES)
        hint = nearest(name, tuple(sorted(every | {part.split()[0] for part in options})))
        raise ChunkwrightError(f"{path}: no setting {name!r}: {hint}")
    for command in having:
        _put(found, command, options[command][setting], given)


def _set_for_one(
    path: Path,
    found: Values,
    options: Options,
    command: tuple[str, ...],
    values: Mapping[str, Any],
) -> None:
    known = options.get(" ".join(command), {})
    for name, value in values.items():
        deeper = (*command, name)
        if " ".join(deeper) in options and isinstance(value, dict):
            _set_for_one(path, found, options, deeper, value)
            continue
        setting, given = _setting(name, value)
        if setting not in known:
            tables = {table for table, (each, _) in _TABLES.items() if each in known}
            hint = nearest(name, tuple(sorted(known.keys() | tables)))
            raise ChunkwrightError(f"{path}: no setting {name!r} in [{'.'.join(command)}]: {hint}")
        _put(found, " ".join(command), known[setting], given)


def add_environment(found: Values, options: Options, environment: Mapping[str, str]) -> None:
    """Put what environment variables set over what a file has set.

    `CHUNKWRIGHT_CHECK_SETUP` is for one command and goes before `CHUNKWRIGHT_SETUP`, which is for
    all that have the option. Several values are parted by spaces, as a shell does.
    """
    for command, known in options.items():
        for setting, parameter in known.items():
            for words in (f"{command} {setting}", setting):
                name = words.upper().replace(" ", "_").replace("-", "_")
                value = environment.get(f"CHUNKWRIGHT_{name}")
                if value:
                    several = shlex.split(value) if parameter.several else value
                    _put(found, command, parameter, several)
                    break


def _put(found: Values, command: str, parameter: Parameter, value: Any) -> None:
    for name in command.split():
        found = found.setdefault(name, {})
    alone = parameter.several and not isinstance(value, list)
    found[parameter.name] = [value] if alone else value


def _setting(name: str, value: Any) -> tuple[str, Any]:
    """The setting that a name is for, and its value as the command line gives it."""
    if name in _TABLES and isinstance(value, dict):
        setting, form = _TABLES[name]
        return setting, [form.format(*pair) for pair in _pairs(value)]
    return name.replace("_", "-"), value


def _pairs(table: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    """Names and values of a table; `C101.characters = 30` is a table in it to TOML."""
    for name, value in table.items():
        if isinstance(value, dict):
            yield from _pairs(value, f"{above}{name}.")
        else:
            listed = ",".join(map(str, value)) if isinstance(value, list) else value
            yield f"{above}{name}", listed
