"""The picture of a plan of reminders: how often each sender's law uses each day."""

from surveys.web.drawing.pictures import BLUE, GROUND, ORANGE
from surveys.web.drawing.vega import Document, either, field, layered, marks, stacked

Bar = tuple[int, float, float, bool]


def laws(bars: tuple[Bar, ...], width: int) -> Document:
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
        drawn = marks(
            own,
            "bar",
            {"stroke": colour, "strokeWidth": 1.2},
            x=field("slot:O", title="Day", axis={"labelAngle": 0, "values": named}),
            y=field("chance:Q", title=f"{who} send", axis={"format": "%", "tickCount": 4}),
            color=either("datum.full", colour, GROUND),
        )
        parts.append(layered([drawn], width - 90, 120))
    return stacked(parts)
