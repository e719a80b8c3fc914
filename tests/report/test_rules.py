"""The page of the rules says what the rules say. `python -m tests.report.test_rules` writes it."""

from __future__ import annotations

from pathlib import Path

from chunkwright.quality.rule import rules
from chunkwright.report.rules import FAMILIES, explain, page

PAGE = Path(__file__).resolve().parents[2] / "docs" / "rules.md"


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(rules())


def test_every_rule_is_explained_in_full() -> None:
    for rule in rules():
        text = explain(rule)
        for part in (rule.code, rule.name, rule.why, str(rule.severity), rule.repair):
            assert part in text
        assert all(
            f"`{rule.code}.{name}` = {value:g}" in text for name, value in rule.thresholds.items()
        )
        assert rule.code[:1] in FAMILIES


if __name__ == "__main__":
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(page(rules()), encoding="utf-8")
