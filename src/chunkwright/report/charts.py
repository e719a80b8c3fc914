"""Charts: one Altair definition each, for the report as SVG and for the page as Vega-Lite.

A definition holds no colour that depends on what is behind it, but those of the palette: what
shows it gives the rest, as `svg` does. Beside each stands what it shows in a sentence.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from chunkwright.evaluation.experiment import Evaluation
from chunkwright.report.tables import cutoffs, percent
from chunkwright.setup import Setup
from chunkwright.spans import Integers
from chunkwright.tuning.choice import Choice

if TYPE_CHECKING:
    import altair

    AnyChart = altair.LayerChart | altair.FacetChart | altair.ConcatChart | altair.Chart

# Okabe and Ito's palette: told apart by everyone.
_COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"]
# What stands out is drawn in this style; its colour is that of the ink.
RING = "cw-ring"
# Bars of a histogram at most.
_BARS = 32
# Cells of a heat map, in pixels.
_WIDE, _HIGH = 46, 24
# Above this share of the way to the best, a cell is so dark that its figure is white.
_DARK = 0.55


def _chart(rows: list[dict[str, Any]]) -> altair.Chart:
    import altair

    return altair.Chart(altair.InlineData(values=rows))


def _colour(kinds: Sequence[str]) -> Any:
    import altair

    domain = sorted(set(kinds))
    scale = altair.Scale(
        domain=domain, range=[_COLOURS[at % len(_COLOURS)] for at in range(len(domain))]
    )
    return altair.Color("strategy:N", scale=scale, title=None)


def frontier(evaluations: Sequence[Evaluation], choice: Choice) -> AnyChart:
    """What answers cost: the deciding figure against stored tokens, with its interval."""
    import altair

    rows = [
        {
            "setup": str(each.setup),
            "strategy": each.setup.strategy,
            "stored": each.statistics.stored_tokens,
            "value": 100 * standing.mean,
            "low": 100 * standing.low,
            "high": 100 * standing.high,
        }
        for each, standing in zip(evaluations, choice.field.standings, strict=True)
    ]
    best = [row for at, row in enumerate(rows) if at == choice.best]
    title = f"{choice.metric} (%)"
    colour = _colour([str(row["strategy"]) for row in rows])
    scale = altair.Scale(zero=False)
    base = _chart(rows)
    # Bars of one grey, so that the legend shows the full colours of the points.
    bars = base.mark_rule(opacity=0.25).encode(
        x=altair.X(
            "stored:Q",
            scale=scale,
            title="stored tokens",
            axis=altair.Axis(tickCount=8, labelOverlap=True, labelSeparation=8),
        ),
        y=altair.Y("low:Q", scale=scale, title=title),
        y2="high:Q",
    )
    points = base.mark_point(filled=True, size=45).encode(
        x="stored:Q",
        y="value:Q",
        color=colour,
        tooltip=[
            altair.Tooltip("setup:N"),
            altair.Tooltip("value:Q", title=title, format=".1f"),
            altair.Tooltip("low:Q", title="95 % from", format=".1f"),
            altair.Tooltip("high:Q", title="to", format=".1f"),
            altair.Tooltip("stored:Q", title="stored tokens", format=",.0f"),
        ],
    )
    chosen = _chart(best)
    ring = chosen.mark_point(size=220, strokeWidth=2, style=RING).encode(x="stored:Q", y="value:Q")
    name = chosen.mark_text(
        dy=-16, dx=_aside(rows, best, 14), align=_towards(rows, best), fontWeight="bold"
    ).encode(x="stored:Q", y="value:Q", text="setup:N")
    return altair.layer(bars, points, ring, name).properties(width=860, height=360)


def _towards(rows: list[dict[str, Any]], best: list[dict[str, Any]]) -> Any:
    """Where there is room for the name beside the recommended point."""
    most = max(row["stored"] for row in rows)
    least = min(row["stored"] for row in rows)
    return "right" if best[0]["stored"] > (most + least) / 2 else "left"


def _aside(rows: list[dict[str, Any]], best: list[dict[str, Any]], pixels: int) -> int:
    return -pixels if _towards(rows, best) == "right" else pixels


def frontier_in_words(evaluations: Sequence[Evaluation], choice: Choice) -> str:
    """What `frontier` shows, in a sentence."""
    best = evaluations[choice.best]
    stored = [each.statistics.stored_tokens for each in evaluations]
    means = [standing.mean for standing in choice.field.standings]
    return (
        f"{choice.metric} of {len(evaluations)} setups against the tokens that they store: from "
        f"{percent(min(means))} to {percent(max(means))} %, from {min(stored):,} to "
        f"{max(stored):,} tokens; {best.setup} is recommended with "
        f"{percent(means[choice.best])} % and {best.statistics.stored_tokens:,} tokens."
    )


def by_size(evaluations: Sequence[Evaluation]) -> AnyChart:
    """The same hits at equal k and at equal tokens: size wins the first, not the second."""
    import altair

    budget, k = cutoffs(evaluations[0])
    rows = [
        {
            "setup": str(each.setup),
            "strategy": each.setup.strategy,
            "size": each.statistics.mean_tokens,
            "value": 100 * each.mean(f"hit_rate{cutoff}"),
            "at": f"hit_rate{cutoff}",
        }
        for each in evaluations
        for cutoff in (k, budget)
    ]
    points = (
        _chart(rows)
        .mark_point(filled=True, size=40, opacity=0.8)
        .encode(
            x=altair.X("size:Q", title="mean tokens of a chunk"),
            y=altair.Y("value:Q", scale=altair.Scale(zero=False), title="questions (%)"),
            color=_colour([str(row["strategy"]) for row in rows]),
            tooltip=[
                altair.Tooltip("setup:N"),
                altair.Tooltip("value:Q", title="questions (%)", format=".1f"),
                altair.Tooltip("size:Q", title="mean tokens", format=".0f"),
            ],
        )
        .properties(width=400, height=260)
    )
    facet = altair.Facet("at:N", title=None, sort=[f"hit_rate{k}", f"hit_rate{budget}"])
    return points.facet(facet=facet, columns=2)


def by_size_in_words(evaluations: Sequence[Evaluation]) -> str:
    """What `by_size` shows, in a sentence."""
    budget, k = cutoffs(evaluations[0])

    def top(cutoff: str) -> str:
        found = max(evaluations, key=lambda each: each.mean(f"hit_rate{cutoff}"))
        return f"{found.statistics.mean_tokens:.0f} tokens ({found.setup})"

    return (
        f"The hit rate of {len(evaluations)} setups against the mean tokens of their chunks. It is "
        f"highest with {top(k)} for hit_rate{k}, and with {top(budget)} for hit_rate{budget}."
    )


def _place(setup: Setup) -> tuple[str, str]:
    """Where it is in the heat map: its size, and all that its notation says after that."""
    head, bar, options = str(setup).partition("|")
    size, plus, overlap = head.partition(":")[2].partition("+")
    return size, f"{plus}{overlap}{bar}{options}" or "none"


def _edges(setups: Sequence[Setup]) -> tuple[list[str], list[str]]:
    """The names of the rows and of the columns of the heat map of some setups, in their order."""

    def height(setup: Setup) -> tuple[str, int]:
        return setup.unit, setup.size

    def across(setup: Setup) -> tuple[str, str, float]:
        # No overlap comes before some, whatever its unit.
        options = str(setup).partition("|")[2]
        return options, setup.overlap_unit if setup.overlap else "", setup.overlap

    rows = [_place(setup)[0] for setup in sorted(setups, key=height)]
    columns = [_place(setup)[1] for setup in sorted(setups, key=across)]
    return list(dict.fromkeys(rows)), list(dict.fromkeys(columns))


def heat_map(evaluations: Sequence[Evaluation], choice: Choice) -> AnyChart:
    """The deciding figure by size and overlap, a map for each strategy.

    Options of the notation stand beside the overlap, so that each setup has a cell of its own.
    """
    import altair

    means = [100 * standing.mean for standing in choice.field.standings]
    low, high = min(means), max(means)
    rows = [
        {
            "setup": str(each.setup),
            "strategy": each.setup.strategy,
            **dict(zip(("size", "more"), _place(each.setup), strict=True)),
            "value": mean,
            "figure": f"{mean:.1f}",
            "dark": high > low and (mean - low) / (high - low) > _DARK,
            "best": at == choice.best,
        }
        for at, (each, mean) in enumerate(zip(evaluations, means, strict=True))
    ]
    title = f"{choice.metric} (%)"
    maps = [
        _map([row for row in rows if row["strategy"] == strategy], strategy, title)
        for strategy in dict.fromkeys(each.setup.strategy for each in evaluations)
    ]
    return altair.concat(*maps, columns=3)


def _map(rows: list[dict[str, Any]], strategy: str, title: str) -> AnyChart:
    """The heat map of one strategy."""
    import altair

    sizes, columns = _edges([Setup.parse(str(row["setup"])) for row in rows])
    base = _chart(rows).encode(
        x=altair.X("more:N", sort=columns, title=None, axis=altair.Axis(labelAngle=-35)),
        y=altair.Y("size:N", sort=sizes, title=None),
        tooltip=[
            altair.Tooltip("setup:N"),
            altair.Tooltip("value:Q", title=title, format=".1f"),
        ],
    )
    scale = altair.Scale(scheme="blues", zero=False, nice=False)
    ink = altair.condition("datum.dark", altair.value("white"), altair.value("black"))
    ring = base.transform_filter("datum.best")
    return (
        altair.layer(
            # The figures stand in the cells, so that no legend is needed.
            base.mark_rect().encode(color=altair.Color("value:Q", scale=scale, legend=None)),
            base.mark_text(fontSize=10).encode(text="figure:N", color=ink),
            ring.mark_rect(filled=False, strokeWidth=2.5, style=RING),
        )
        .properties(width=altair.Step(_WIDE), height=altair.Step(_HIGH))
        .properties(title=strategy)
    )


def heat_map_in_words(evaluations: Sequence[Evaluation], choice: Choice) -> str:
    """What `heat_map` shows, in a sentence."""
    tops: dict[str, int] = {}
    for at in choice.ranked:
        tops.setdefault(evaluations[at].setup.strategy, at)
    listed = ", ".join(
        f"{evaluations[at].setup} {percent(choice.field.standings[at].mean)} %"
        for at in tops.values()
    )
    return f"{choice.metric} by size and overlap. The best of each strategy: {listed}."


def sizes(tokens: Integers, limit: int | None = None) -> AnyChart:
    """How many chunks there are of each size.

    Args:
        tokens: Tokens of the chunks.
        limit: The size of their setup, where it is in tokens; it is marked.
    """
    import altair

    rows = [
        {"low": low, "high": high, "chunks": count, "tokens": f"{low + 1:,}–{high:,}"}
        for low, high, count in histogram(tokens, limit)
    ]
    # An axis without data has no end, unless it is given one.
    ends: Any = altair.Undefined if rows else [0, 1]
    bars = (
        _chart(rows)
        .mark_bar(binSpacing=1, color=_COLOURS[0])
        .encode(
            x=altair.X(
                "low:Q",
                bin="binned",
                title="tokens of a chunk",
                axis=altair.Axis(tickCount=6),
                scale=altair.Scale(nice=False, zero=True, domain=ends),
            ),
            x2="high:Q",
            y=altair.Y(
                "chunks:Q",
                title="chunks",
                axis=altair.Axis(tickMinStep=1, tickCount=4),
                scale=altair.Scale(nice=True, domain=ends),
            ),
            tooltip=["tokens:N", altair.Tooltip("chunks:Q", format=",.0f")],
        )
    )
    layers: list[altair.Chart] = [bars]
    if limit is not None:
        marked = _chart([{"limit": limit, "name": "size"}])
        line = marked.mark_rule(strokeWidth=2, strokeDash=[4, 3]).encode(x="limit:Q")
        name = marked.mark_text(align="right", baseline="bottom", dy=-3).encode(
            x="limit:Q", y=altair.value(0), text="name:N"
        )
        layers += [line, name]
    return altair.layer(*layers).properties(width=260, height=120)


def histogram(tokens: Integers, limit: int | None = None) -> list[tuple[int, int, int]]:
    """After which size each bar starts, where it ends, and how many chunks it holds.

    Widths are round numbers, and a chunk of just the size is left of its mark.

    >>> histogram(np.array([3, 5, 80]), limit=100)
    [(0, 5, 2), (75, 80, 1)]
    """
    if not len(tokens):
        return []
    most = max(int(tokens.max()), limit or 0, 1)
    steps = (step * 10**power for power in range(10) for step in (1, 2, 5))
    width = next(step for step in steps if step * _BARS >= most)
    counts = np.bincount(np.maximum(tokens - 1, 0) // width)
    return [
        (at * width, (at + 1) * width, count) for at, count in enumerate(counts.tolist()) if count
    ]


def sizes_in_words(tokens: Integers, limit: int | None = None) -> str:
    """What `sizes` shows, in a sentence.

    >>> sizes_in_words(np.array([3, 4, 80]), limit=100)
    'Tokens of 3 chunks: from 3 to 80, half of them up to 4; the size of the setup is 100.'
    """
    if not len(tokens):
        return "There are no chunks."
    half = int(np.sort(tokens)[(len(tokens) - 1) // 2])
    marked = "" if limit is None else f"; the size of the setup is {limit:,}"
    return (
        f"Tokens of {len(tokens):,} chunk{'' if len(tokens) == 1 else 's'}: from "
        f"{int(tokens.min()):,} to {int(tokens.max()):,}, half of them up to {half:,}{marked}."
    )


def svg(chart: AnyChart) -> str:
    """A chart as SVG on white, made without a browser or the network."""
    import vl_convert

    ink = {"style": {RING: {"color": "#000"}}}
    drawn: str = vl_convert.vegalite_to_svg(chart.to_dict(), config=ink)
    return drawn
