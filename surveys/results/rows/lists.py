"""Long lists: every option, sorted; marked by chance, with intervals that hold together."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from surveys.kinds.long_list.promise import ListQuestion
from surveys.kinds.picked.promise import PickedQuestion
from surveys.randomized_response.estimates import FrequencyEstimate, estimate_frequencies
from surveys.results.queries import ItemCounts
from surveys.results.reading import Reading
from surveys.results.shares import ShareReport, ShareRow, share_report, share_row

DRAWN = 10
FIRST = 20
SORTED = gettext_lazy(
    "Sorted by estimate. The largest of many estimates is often the largest only by chance, and "
    "is then too large. So the intervals are wider: at the chosen level, all of them together "
    "contain the true shares."
)
SORTED_ALONE = gettext_lazy(
    "Sorted by estimate. The largest of many estimates is often the largest only by chance, and "
    "is then too large. The intervals do not allow for this: each interval is valid only on its "
    "own."
)
MARKS = gettext_lazy(
    "“Marked” counts how many reported answers mark the option. An option is marked by chance or "
    "because it is true. Each reported answer marks several options."
)

APART = gettext_lazy(
    "Questions with long lists cannot be used in break-downs, weights, regressions and "
    "simulations. These analyses need a table of probabilities (the channel matrix) for each "
    "question. For a list with k options, this table would have up to 2^k rows."
)


@dataclass(frozen=True)
class SortedReport(ShareReport):
    """A long list; its rows are sorted by their estimates, the largest first."""

    @property
    def drawn_rows(self) -> tuple[ShareRow, ...]:
        return self.rows[:DRAWN]

    @property
    def table_rows(self) -> tuple[ShareRow, ...]:
        return self.rows[:FIRST]

    @property
    def other_rows(self) -> tuple[ShareRow, ...]:
        return self.rows[FIRST:]


@dataclass(frozen=True)
class PickedReport(SortedReport):
    """A long list that was asked directly."""

    @property
    def notes(self) -> tuple[str, ...]:
        return (str(SORTED_ALONE), *super().notes)


@dataclass(frozen=True)
class ListReport(SortedReport):
    """A long list of which each report marks some options."""

    counted: ClassVar[Promise] = gettext_lazy("Marked")

    @property
    def notes(self) -> tuple[str, ...]:
        return (str(SORTED), str(MARKS), *super().notes, str(APART))


def list_report(
    item: ListQuestion, number: int, counts: ItemCounts, reading: Reading
) -> ListReport:
    """Counts of marks, worked back to shares: f = (c / n - q) / (p - q) for every option."""
    n = counts.by_code["asked"]
    not_asked = counts.by_code[item.not_asked]
    if n == 0:
        return ListReport(number, item, reading, 0, not_asked)
    estimate = estimate_frequencies(item.marks.protocol, counts.marks, n)
    false_reports = reading.false_reports_among(n)
    rows = _sorted(_rows(item, estimate, reading))
    return ListReport(
        number,
        item,
        reading,
        n,
        not_asked,
        rows=rows,
        false_reports=false_reports,
        movement=false_reports / n / float(estimate.support.slope),
    )


def picked_report(
    item: PickedQuestion, number: int, counts: ItemCounts, reading: Reading
) -> ShareReport:
    """What was picked, as it was given."""
    report = share_report(item, number, counts, reading, kind=PickedReport)
    return replace(report, rows=_sorted(report.rows))


def _sorted(rows: Iterable[ShareRow]) -> tuple[ShareRow, ...]:
    return tuple(sorted(rows, key=lambda row: row.share or 0.0, reverse=True))


def _rows(item: ListQuestion, estimate: FrequencyEstimate, reading: Reading) -> Iterator[ShareRow]:
    errors = estimate.standard_errors
    intervals = estimate.intervals(reading.level, reading.way, simultaneous=True)
    for position in item.display:
        yield share_row(
            label=item.levels[position].text,
            reported=estimate.counts[position],
            share=float(estimate.frequencies[position]),
            standard_error=None if errors is None else float(errors[position]),
            interval=intervals[position],
        )
