"""What a control makes of a setup."""

from __future__ import annotations

import pytest

from chunkwright import registry
from chunkwright.lab.controls import in_strategy, in_unit
from chunkwright.setup import UNITS, Setup

NOTATIONS = [
    *("sentence:200t+1s", "sentence:3s+1s", "fixed:800c+160c", "fixed:40w+20%|min=5w"),
    *("recursive:1000c+200c", "header:400t|headers", "markdown:400t+10%|parents=section|repair"),
]


@pytest.mark.parametrize("notation", NOTATIONS)
@pytest.mark.parametrize("name", registry.names("strategies"))
def test_every_strategy_can_be_chosen(notation: str, name: str) -> None:
    assert in_strategy(Setup.parse(notation), name).strategy == name


@pytest.mark.parametrize("notation", NOTATIONS)
@pytest.mark.parametrize("unit", UNITS.values())
def test_every_unit_of_the_strategy_can_be_chosen(notation: str, unit: str) -> None:
    setup = Setup.parse(notation)
    strategy = registry.load("strategies", setup.strategy)
    if unit in strategy.units:
        made = in_unit(setup, unit)
        assert made.unit == unit
        assert (made.headers, made.parents) == (setup.headers, setup.parents)


def test_what_fits_stays() -> None:
    assert str(in_strategy(Setup.parse("sentence:200t+10%|headers"), "fixed")) == (
        "fixed:200t+10%|headers"
    )
    assert str(in_unit(Setup.parse("fixed:400t+10%"), "characters")) == "fixed:1600c+10%"
