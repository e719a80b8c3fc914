"""Fixtures of the tests on bug reports."""

from tests.cli.conftest import command

__all__ = ["command"]
