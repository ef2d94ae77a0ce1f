"""ranking_figure: the first items of a ranking with their intervals, as one picture."""

from functools import partial

import numpy as np

from ranking.pages.charts import scores
from ranking.pages.exports import Listing
from surveys.web.drawing.figures import Figure

SHOWN = 10  # items: the first ones are what a talk shows


def ranking_figure(question: str, level: str, listing: Listing) -> Figure | None:
    """The first of the listed items; None where none is listed. ``level`` is in percent."""
    table = listing.table
    places = np.asarray(listing.items[:SHOWN], dtype=np.int64)
    if not len(places):
        return None
    items = tuple(
        (
            f"{table.ranking.ranks[place]}. {listing.names[place]}",
            float(table.posterior.scores[place]),
            float(low),
            float(high),
        )
        for place, (low, high) in zip(places.tolist(), table.intervals(places), strict=True)
    )
    ends = (float(table.posterior.low), float(table.posterior.high))
    words = "; ".join(
        f"{name} {score:.3g} ({low:.3g} to {high:.3g})" for name, score, low, high in items
    )

    return Figure(
        "ranking",
        question,
        f"The first {len(items)} items with their scores: {words}.",
        partial(scores, items, ends),
        f"The first {len(items)} items, with {level} % intervals.",
    )
