"""The settings and formats that the documentation shows are those that there are."""

from __future__ import annotations

import re
from pathlib import Path

from typer.main import get_command

from chunkwright import registry
from chunkwright.cli.app import app, parameters
from chunkwright.cli.config import read

CHECK = Path(__file__).resolve().parents[1] / "docs" / "check.md"


def test_the_settings_shown_can_be_set(tmp_path: Path) -> None:
    shown = re.findall(r"```toml\n(.*?)```", CHECK.read_text(encoding="utf-8"), re.DOTALL)
    assert shown
    for text in shown:
        path = tmp_path / "chunkwright.toml"
        path.write_text(text)
        assert read(path, parameters(get_command(app)))["check"]["max_warnings"] == "5%"


def test_every_format_and_option_is_named() -> None:
    text = CHECK.read_text(encoding="utf-8").lower().replace("-", "")
    for name in registry.names("chunk_files"):
        assert name.replace("-", "") in text or name == "plain"
