"""PartsReport: shares of each part of a question, among those of whom that part was sent."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from django.utils.translation import gettext_lazy

from surveys.kinds.matrix.promise import MatrixQuestion
from surveys.kinds.ticks.promise import TicksQuestion
from surveys.questionnaire.kinds.parts import PartsQuestion
from surveys.randomized_response.estimates import DistributionEstimate
from surveys.results.queries import ItemCounts
from surveys.results.reading import Reading
from surveys.results.shares import ShareReport, ShareRow, share_row
from surveys.wording.language.numbers import count_words

DRAWN = 40
OWN_N = gettext_lazy(
    "Each respondent sent {sent} of the {size} parts of this question (options or rows). Chance "
    "chose the parts, all equally often and independently of the answers. The number in brackets "
    "shows how many people sent a part. The part is estimated from these people."
)
NONE_SENT = gettext_lazy("Not yet sent by any respondent: {parts}.")


@dataclass(frozen=True)
class PartsReport(ShareReport):
    """Several parts; each row is one level of one part."""

    draw: str = ""
    empty: tuple[str, ...] = ()
    own_n: tuple[int, ...] = ()  # of each row: of how many its part was sent

    @property
    def sizes(self) -> tuple[int, ...]:
        return self.own_n

    @property
    def drawn_rows(self) -> tuple[ShareRow, ...]:
        return self.rows[:DRAWN]

    @property
    def table_rows(self) -> tuple[ShareRow, ...]:
        return self.rows[:DRAWN]

    @property
    def other_rows(self) -> tuple[ShareRow, ...]:
        return self.rows[DRAWN:]

    @property
    def notes(self) -> tuple[str, ...]:
        missing = (str(NONE_SENT).format(parts="; ".join(self.empty)),) if self.empty else ()
        return tuple(note for note in (self.draw, *missing, *super().notes) if note)


def ticks_report(
    item: TicksQuestion, number: int, counts: ItemCounts, reading: Reading
) -> PartsReport:
    """For each option the share of people who would tick it."""
    return parts_report(item, number, counts, reading, levels=(1,))


def matrix_report(
    item: MatrixQuestion, number: int, counts: ItemCounts, reading: Reading
) -> PartsReport:
    """For each row the share of people with each answer."""
    return parts_report(item, number, counts, reading, levels=item.display)


def parts_report(
    item: PartsQuestion,
    number: int,
    counts: ItemCounts,
    reading: Reading,
    levels: Iterable[int],
) -> PartsReport:
    """Shares of these levels for every part, each with an n of its own."""
    n, not_asked = counts.by_code["asked"], counts.by_code[item.not_asked]
    if n == 0:
        return PartsReport(number, item, reading, 0, not_asked)
    chosen = tuple(levels)
    sent = [(part, row) for part, row in zip(item.parts, counts.parts, strict=True) if any(row)]
    estimates = [(part, DistributionEstimate(item.channel, row)) for part, row in sent]
    false_reports = reading.false_reports_among(n)
    of_a_part = reading.planned_for(counts.planned_of_part)
    return PartsReport(
        number,
        item,
        reading,
        n,
        not_asked,
        rows=tuple(
            row
            for part, estimate in estimates
            for row in _rows(item, part, estimate, of_a_part, chosen)
        ),
        false_reports=false_reports,
        movement=max(_movement(estimate, false_reports) for _, estimate in estimates),
        draw=str(OWN_N).format(sent=item.slots, size=item.size) if item.draws_parts else "",
        empty=tuple(
            part for part, row in zip(item.parts, counts.parts, strict=True) if not any(row)
        ),
        own_n=tuple(estimate.n for _, estimate in estimates for _ in chosen),
    )


def _movement(estimate: DistributionEstimate, false_reports: int) -> float:
    """What so many false reports could do to this part's shares, if they were all about it."""
    return float(estimate.influence(min(false_reports, estimate.n)).max())


def _rows(
    item: PartsQuestion,
    part: str,
    estimate: DistributionEstimate,
    reading: Reading,
    levels: tuple[int, ...],
) -> Iterator[ShareRow]:
    errors = estimate.standard_errors
    intervals = estimate.intervals(reading.level, reading.way)
    asked = f" (n = {count_words(estimate.n)})" if item.draws_parts else ""
    for level in levels:
        name = part if len(levels) == 1 else f"{part}: {item.levels[level].text}"
        row = share_row(
            label=f"{name}{asked}",
            reported=estimate.counts[level],
            share=float(estimate.shares[level]),
            standard_error=None if errors is None else float(errors[level]),
            interval=intervals[level],
        )
        yield replace(row, part=name if asked else "")
