"""ranking_figure: the first items of a ranking with their intervals, as one picture."""

from functools import partial

import numpy as np
from django.utils.translation import gettext

from ranking.pages.charts import scores
from ranking.pages.exports import Listing
from surveys.web.drawing.figures import Figure
from surveys.wording.language.numbers import localized

SHOWN = 10  # items: the first ones are what a talk shows


def ranking_figure(question: str, level: str, listing: Listing) -> Figure | None:
    """The first of the listed items; None where none is listed. ``level`` is in percent."""
    table = listing.table
    shown = np.asarray(listing.items[:SHOWN], dtype=np.int64)
    if not len(shown):
        return None
    items = tuple(
        (
            f"{table.ranking.ranks[item]}. {listing.names[item]}",
            float(table.posterior.scores[item]),
            float(low),
            float(high),
        )
        for item, (low, high) in zip(shown.tolist(), table.intervals(shown), strict=True)
    )
    ends = (float(table.posterior.low), float(table.posterior.high))
    words = "; ".join(
        gettext("{name} {score} ({low} to {high})").format(
            name=name,
            score=localized(f"{score:.3g}"),
            low=localized(f"{low:.3g}"),
            high=localized(f"{high:.3g}"),
        )
        for name, score, low, high in items
    )

    return Figure(
        "ranking",
        question,
        gettext("The first {count} items with their scores: {words}.").format(
            count=len(items), words=words
        ),
        partial(scores, items, ends),
        gettext("The first {count} items, with {level} % intervals.").format(
            count=len(items), level=level
        ),
    )
