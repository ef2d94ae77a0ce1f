"""The picture of a plan of reminders: how often each sender's law uses each day."""

from django.utils.translation import gettext

from surveys.web.drawing.pictures import BLUE, GROUND, ORANGE
from surveys.web.drawing.vega import Document, Marks, either, field, layered, stacked

Bar = tuple[int, float, float, bool]


def laws(bars: tuple[Bar, ...], width: int) -> Document:
    """Both laws, one below the other; the drawn days are full."""
    values = [
        {"slot": slot, "chance": chance, "full": is_drawn, "who": who}
        for slot, ours, rivals, is_drawn in bars
        for who, chance, is_drawn in (
            (gettext("You"), ours, is_drawn),
            (gettext("The rival"), rivals, False),
        )
    ]
    # A few days are named: more would touch each other on a telephone.
    named = [bar[0] for bar in bars[:: max(1, len(bars) // 7)]]
    parts = []
    for who, title, colour in (
        (gettext("You"), gettext("You send"), BLUE),
        (gettext("The rival"), gettext("The rival send"), ORANGE),
    ):
        own = [value for value in values if value["who"] == who]
        drawn = Marks(
            own,
            "bar",
            {"stroke": colour, "strokeWidth": 1.2},
            x=field("slot:O", title=gettext("Day"), axis={"labelAngle": 0, "values": named}),
            y=field("chance:Q", title=title, axis={"format": "%", "tickCount": 4}),
            color=either("datum.full", colour, GROUND),
        )
        parts.append(layered([drawn], width - 90, 120))
    return stacked(parts)
