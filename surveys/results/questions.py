"""question_report: what one question's counts say, for every kind: its Report."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

from surveys.counts.looks import Look
from surveys.kinds.counted.promise import CountedQuestion
from surveys.kinds.rating.promise import RatingQuestion
from surveys.kinds.silent.promise import InformationQuestion
from surveys.kinds.text.promise import TextQuestion
from surveys.models import Revision
from surveys.models.queries import questionnaire_of
from surveys.questionnaire.kinds.question import Question
from surveys.questionnaire.kinds.registry import Table, in_folders
from surveys.reports.documents import ResultTable
from surveys.results.locked.queries import TallyState, tally_states
from surveys.results.locked.rows import margin_table, state_words
from surveys.results.queries import ItemCounts, item_counts, response_count
from surveys.results.reading import Reading
from surveys.results.routes import Route, route_of
from surveys.results.rows.asked import follow_up_report, level_report
from surveys.results.rows.days import DayReport, day_report
from surveys.results.rows.families import family_report
from surveys.results.rows.groups import group_report
from surveys.results.rows.lists import list_report, picked_report
from surveys.results.rows.numbers import NumberReport, number_report
from surveys.results.rows.parts import matrix_report, ticks_report
from surveys.results.rows.ranks import RankReport, pair_report, ranking_report
from surveys.results.rows.rounded import RoundedReport, rounded_report
from surveys.results.rows.scales import scale_report
from surveys.results.shares import ShareReport, share_report
from surveys.trust.sealed_files import opening_command
from surveys.wording import odds


@dataclass(frozen=True)
class TextReport:
    """A free text: how many wrote something. The texts themselves are a download of their own."""

    template: ClassVar[str] = "surveys/results/texts.html"
    number: int
    item: TextQuestion
    written: int


@dataclass(frozen=True)
class LockedReport:
    """A free text that the page sealed: nothing is known of it here, not even who wrote one."""

    template: ClassVar[str] = "surveys/results/locked_texts.html"
    number: int
    item: TextQuestion

    @property
    def command(self) -> str:
        """What opens the downloaded file, on the computer of those who have the keys."""
        return opening_command(self.number, self.item.layers)


@dataclass(frozen=True)
class RatingReport:
    """Items that were rated: how many ratings there are. Their order is a page of its own."""

    template: ClassVar[str] = "surveys/results/ratings.html"
    number: int
    item: RatingQuestion
    ratings: int

    @property
    def epsilon_words(self) -> str:
        return odds.epsilon_words(self.item)


@dataclass(frozen=True)
class PageReport:
    """A page of which nothing is sent."""

    template: ClassVar[str] = "surveys/results/page.html"
    number: int
    item: InformationQuestion
    is_consent: bool = False


@dataclass(frozen=True)
class CountedReport:
    """A question that is counted while it is locked: trustees open its totals, and nothing else.

    ``tally`` says how far that is; None where only the question itself is asked for.
    """

    template: ClassVar[str] = "surveys/results/counted.html"
    number: int
    item: CountedQuestion
    tally: TallyState | None = None

    @property
    def words(self) -> str:
        return state_words(self.tally) if self.tally else ""

    @property
    def table(self) -> ResultTable | None:
        """The counts of its answers, as the page of locked tables shows them."""
        opened = self.tally.opened if self.tally else None
        return margin_table(opened, self.number) if opened else None


@dataclass(frozen=True)
class HiddenReport:
    """A direct question whose answers no one reads: released tables are on a page of their own."""

    template: ClassVar[str] = "surveys/results/hidden.html"
    number: int
    item: Question


Report = (
    ShareReport
    | NumberReport
    | TextReport
    | LockedReport
    | RatingReport
    | PageReport
    | CountedReport
    | RoundedReport
    | DayReport
    | HiddenReport
    | RankReport
)


def question_report(number: int, counts: ItemCounts, reading: Reading) -> Report:
    """What one question's counts say; ``number`` counts from 1."""
    if counts.is_hidden:
        return HiddenReport(number, counts.item)
    return REPORTS(counts.item, number, counts, reading.planned_for(counts.planned))


def all_reports(
    revision: Revision, reading: Reading, look: Look | None = None
) -> list[tuple[Report, Route]]:
    """Every question's report, in order, and of whom it was asked; now, or as it was at a look."""
    questionnaire = questionnaire_of(revision)
    responses = look.responses if look else response_count(revision)
    counted = item_counts(revision, look.cells if look else None)
    states = tally_states(revision.survey, revision) if questionnaire.tally else []
    tallies = {one.table.table: one for one in states}
    return [
        (
            _with_tally(question_report(number, counts, reading), tallies),
            route_of(questionnaire, counts, responses),
        )
        for number, counts in enumerate(counted, start=1)
    ]


def _with_tally(report: Report, tallies: Mapping[int, TallyState]) -> Report:
    if not isinstance(report, CountedReport):
        return report
    return replace(report, tally=tallies[report.item.table])


def _texts(item: TextQuestion, number: int, counts: ItemCounts, reading: Reading) -> Report:
    if item.is_locked:
        return LockedReport(number, item)
    return TextReport(number, item, counts.written)


REPORTS: Table[[int, ItemCounts, Reading], Report] = Table(
    levels=level_report,
    long_scale=scale_report,
    paired=share_report,
    compared=share_report,
    grouped=group_report,
    long_list=list_report,
    number=number_report,
    text=_texts,
    other=_texts,
    rating=lambda item, number, counts, reading: RatingReport(number, item, counts.written),
    information=lambda item, number, counts, reading: PageReport(number, item),
    consent=lambda item, number, counts, reading: PageReport(number, item, is_consent=True),
    ticks=ticks_report,
    matrix=matrix_report,
    rounded=rounded_report,
    day=day_report,
    ranking=ranking_report,
    ranked_pair=pair_report,
    family=family_report,
    follow_up=follow_up_report,
    counted=lambda item, number, counts, reading: CountedReport(number, item),
    picked=picked_report,
    **in_folders("results", "REPORTS"),
)
