"""Downloads of a ranking: CSV rows, JSON and Parquet, each with the method."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ranking.methods.tables import IntegerArray, RankedTable
from surveys.web.downloads import table_parquet

# Plausible ranks cost a pass over all items for each of these, so that long files go without them.
MOST_PLAUSIBLE = 1000
COMPARED = ("mean", "wilson", "weighted", "corrected mean")


@dataclass(frozen=True)
class Listing:
    """Some items of a table, by their places in it, in the order in which they are told."""

    table: RankedTable
    names: Sequence[str]
    items: IntegerArray

    def rows(self) -> Iterator[dict[str, Any]]:
        """One row of plain values for each item, all with the same columns."""
        yield from map(self._row, *self._columns().values())

    def document(self, **about: Any) -> dict[str, Any]:
        """Everything as one object, with the method in words and what all items share."""
        table = self.table
        ghosts = table.average_ghosts
        return {
            **about,
            "method": {
                "code": table.method.code,
                "words": table.method.words,
                "utilities": list(table.method.utilities),
                "level": table.method.level,
                "order": table.method.order,
                "ghost_ratings": None if ghosts is None else [float(count) for count in ghosts],
                "prior": self._prior(),
                "note": table.prior.note if table.prior else "",
            },
            "items_ranked": len(table),
            "items": list(self.rows()),
        }

    def _prior(self) -> dict[str, Any] | None:
        """The prior of an average item; pseudocounts and strength are None if without limit."""
        table, ghosts = self.table, self.table.average_ghosts
        if table.prior is None or table.prior_means is None:
            return None
        (mean,) = _plain(table.prior_means.mean(keepdims=True))
        return {
            "code": table.method.prior.code,
            "pseudocounts": None if ghosts is None else [float(count) for count in ghosts],
            "strength": None if table.prior.is_limit else table.prior.strength,
            "mean": mean,
        }

    def _columns(self) -> dict[str, Sequence[Any]]:
        table, items = self.table, self.items
        ends = table.intervals(items)
        compared = {
            name: _plain(values[items])
            for name, values in table.comparison.items()
            if name in COMPARED
        }
        return {
            "rank": table.ranking.ranks[items].tolist(),
            "is_tied": table.is_tied[items].tolist(),
            "item": items.tolist(),
            "ratings": table.sizes[items].tolist(),
            "score": table.posterior.scores[items].tolist(),
            "standard_deviation": table.posterior.standard_deviations[items].tolist(),
            "low": ends[:, 0].tolist(),
            "high": ends[:, 1].tolist(),
            "prior_mean": self._prior_means(),
            "plausible": self._plausible(),
            "compared": _by_item(compared, len(items)),
            "counts": table.counts[items].tolist(),
        }

    def _prior_means(self) -> Sequence[float | None]:
        means = self.table.prior_means
        return [None] * len(self.items) if means is None else _plain(means[self.items])

    def _plausible(self) -> Sequence[tuple[int | None, int | None]]:
        if not 0 < len(self.items) <= MOST_PLAUSIBLE:
            return [(None, None)] * len(self.items)
        best, worst = self.table.plausible_ranks(self.items)
        return list(zip(best.tolist(), worst.tolist(), strict=True))

    def _row(self, *values: Any) -> dict[str, Any]:
        (rank, tied, item, ratings, score, deviation, low, high, prior_mean, *others) = values
        plausible, compared, counts = others
        return {
            "rank": rank,
            "tied": tied,
            "name": self.names[item],
            "ratings": _count(ratings),
            "score": score,
            "standard_deviation": deviation,
            "low": low,
            "high": high,
            "prior_mean": prior_mean,
            "best_plausible_rank": plausible[0],
            "worst_plausible_rank": plausible[1],
            **{name.replace(" ", "_"): value for name, value in compared.items()},
            **{f"count_{level}": _count(count) for level, count in enumerate(counts, start=1)},
            "method": self.table.method.code,
        }


def json_text(document: dict[str, Any]) -> str:
    """JSON for people and programs: numbers that are none are null."""
    return json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False)


def parquet(listing: Listing) -> bytes:
    """The rows as one Parquet file, with the method in words in its metadata.

    Raises ParquetMissing.
    """
    return table_parquet(listing.rows(), {"method": listing.table.method.words})


def _by_item(columns: dict[str, list[float | None]], items: int) -> list[dict[str, Any]]:
    if not columns:
        return [{}] * items
    rows = zip(*columns.values(), strict=True)
    return [dict(zip(columns, row, strict=True)) for row in rows]


def _plain(values: Any) -> list[float | None]:
    return [None if np.isnan(value) else value for value in values.tolist()]


def _count(value: float) -> float | int:
    return int(value) if value.is_integer() else value
