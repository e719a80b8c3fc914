"""Charts: one Altair definition each, shown as SVG."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from chunkwright.evaluation.experiment import Evaluation
from chunkwright.report.tables import cutoffs
from chunkwright.tuning.choice import Choice

if TYPE_CHECKING:
    import altair

    AnyChart = altair.LayerChart | altair.FacetChart | altair.Chart

# Okabe and Ito's palette: told apart by everyone.
_COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"]


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
            axis=altair.Axis(tickCount=8, labelOverlap=True),
        ),
        y=altair.Y("low:Q", scale=scale, title=title),
        y2="high:Q",
    )
    points = base.mark_point(filled=True, size=45).encode(x="stored:Q", y="value:Q", color=colour)
    chosen = _chart(best)
    ring = chosen.mark_point(size=220, strokeWidth=2, color="#000").encode(
        x="stored:Q", y="value:Q"
    )
    name = chosen.mark_text(dy=-16, dx=14, align="left", fontWeight="bold").encode(
        x="stored:Q", y="value:Q", text="setup:N"
    )
    return altair.layer(bars, points, ring, name).properties(width=860, height=360)


def by_size(evaluations: Sequence[Evaluation]) -> AnyChart:
    """The same hits at equal k and at equal tokens: size wins the first, not the second."""
    import altair

    budget, k = cutoffs(evaluations[0])
    rows = [
        {
            "strategy": each.setup.strategy,
            "size": each.statistics.mean_tokens,
            "value": 100 * each.mean(f"hit_rate{cutoff}"),
            "at": f"hit_rate{cutoff}",
        }
        for each in evaluations
        for cutoff in (k, budget)
    ]
    return (
        _chart(rows)
        .mark_point(filled=True, size=40, opacity=0.8)
        .encode(
            x=altair.X("size:Q", title="mean tokens of a chunk"),
            y=altair.Y("value:Q", scale=altair.Scale(zero=False), title="questions (%)"),
            color=_colour([str(row["strategy"]) for row in rows]),
            column=altair.Column("at:N", title=None, sort=[f"hit_rate{k}", f"hit_rate{budget}"]),
        )
        .properties(width=400, height=260)
    )


def svg(chart: AnyChart) -> str:
    """A chart as SVG, made without a browser or the network."""
    import vl_convert

    drawn: str = vl_convert.vegalite_to_svg(chart.to_dict())
    return drawn
