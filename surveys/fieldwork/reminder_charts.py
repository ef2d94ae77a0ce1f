"""The picture of a plan of reminders: how often each sender's law uses each day."""

from functools import lru_cache
from typing import Any

import altair as alt

from surveys.web.pictures import BLUE, GROUND, ORANGE, data_of

Bar = tuple[int, float, float, bool]


@lru_cache(maxsize=64)
def laws(bars: tuple[Bar, ...], width: int) -> Any:
    """Both laws, one below the other; the drawn days are full."""
    values = [
        {"slot": slot, "chance": chance, "full": is_drawn, "who": who}
        for slot, ours, rivals, is_drawn in bars
        for who, chance, is_drawn in (("You", ours, is_drawn), ("The rival", rivals, False))
    ]
    # A few days are named: more would touch each other on a telephone.
    named = [bar[0] for bar in bars[:: max(1, len(bars) // 7)]]
    parts = []
    for who, colour in (("You", BLUE), ("The rival", ORANGE)):
        own = [value for value in values if value["who"] == who]
        base = alt.Chart(data_of(own)).mark_bar(stroke=colour, strokeWidth=1.2)
        parts.append(
            base.encode(
                x=alt.X("slot:O", title="Day", axis=alt.Axis(labelAngle=0, values=named)),
                y=alt.Y("chance:Q", title=f"{who} send", axis=alt.Axis(format="%", tickCount=4)),
                color=alt.condition("datum.full", alt.value(colour), alt.value(GROUND)),
            ).properties(width=width - 90, height=120)
        )
    return alt.vconcat(*parts)
