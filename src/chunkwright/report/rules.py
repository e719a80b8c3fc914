"""Rules, explained: for the terminal and for the page in the documentation, from one source."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from chunkwright.quality.rule import Rule

FAMILIES = {
    "C": "Completeness: does a chunk say by itself what it says?",
    "S": "Structure: was something cut that belongs together, or kept that belongs to no text?",
    "Z": "Size: is a chunk too large or too small?",
    "D": "Duplication: is the same text stored more often than it has to be?",
    "T": "Text health: can the text be read at all?",
}


def explain(rule: Rule) -> str:
    """A rule in full, as Markdown."""
    parts = [f"## {rule.code} {rule.name}", f"{rule.why}"]
    facts = [f"- Severity: {rule.severity}" + ("" if rule.default else ", off by default")]
    for name, value in rule.thresholds.items():
        facts.append(f"- Threshold: `{rule.code}.{name}` = {value:g}")
    if rule.repair:
        safe = "safe" if rule.safe else "changes what is embedded or more: unsafe"
        facts.append(f"- Repair: `{rule.repair}` ({safe})")
    examples = [f"Bad:\n\n{_block(rule.bad)}", f"Good:\n\n{_block(rule.good)}"]
    return "\n\n".join([*parts, *examples, "\n".join(facts)])


def _block(text: str) -> str:
    return "\n".join(f"    {line}" if line else "" for line in text.split("\n"))


def page(rules: Sequence[Rule]) -> str:
    """All rules as one page of Markdown."""
    parts = [
        "# Rules",
        "Made from the rules themselves by `python -m tests.report.test_rules`; "
        "`chunkwright rule CODE` shows one of them. In the examples a `|` is where one chunk ends "
        "and the next starts.",
        "| code | rule | severity | repair |\n|---|---|---|---|\n"
        + "\n".join(
            f"| [{rule.code}](#{rule.code.lower()}-{rule.name}) | {rule.name} | {rule.severity} "
            f"| {f'`{rule.repair}`' if rule.repair else '–'} |"
            for rule in rules
        ),
    ]
    for family, several in groupby(rules, key=lambda rule: rule.code[:1]):
        parts.append(f"# {FAMILIES.get(family, family)}")
        parts.extend(explain(rule) for rule in several)
    return "\n\n".join(parts) + "\n"
