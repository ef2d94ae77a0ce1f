"""A locked table in words: how far its opening is, its counts with their margins, how to check it.

The dashboard shows the counts of a question by the same table as the page of locked tables.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from django.utils.translation import gettext, gettext_lazy

from surveys.models import Survey
from surveys.reports.documents import (
    Block,
    Fold,
    Items,
    ResultColumn,
    ResultTable,
    Row,
    SubCard,
    number_column,
)
from surveys.results.locked.counts import LEVEL, CountedCell, OpenedTable
from surveys.results.locked.queries import NOISE, SHARE, State, TallyState
from surveys.trust.tally.noises import noise_bits
from surveys.wording.language.numbers import count_words, day_words, decimal, number_words, percent

STATE_WORDS = {
    State.WAITING: gettext_lazy(
        "The answers are locked and wait until the survey closes. After the close, the trustees "
        "can open the totals."
    ),
    State.DESTROYED: gettext_lazy(
        "The locked answers were destroyed unread: fewer than {least} different answers arrived, "
        "or the survey was stopped. Nothing was charged to the privacy budget for these answers."
    ),
    State.NOISE: gettext_lazy(
        "The list of {people} locked answers is ready. Noise files received: {noises} of "
        "{trustees}."
    ),
    State.SHARES: gettext_lazy(
        "All noise files for the {people} locked answers were received. Share files received: "
        "{shares} of {trustees}."
    ),
    State.OPENED: gettext_lazy(
        "Opened on {day}: totals of {people} locked answers, with noise from {trustees} trustees."
    ),
    State.GONE: gettext_lazy("The answers were deleted before all trustees had opened this table."),
}
NOT_ASKED = gettext_lazy("Not asked")


@dataclass(frozen=True)
class TrusteeRow:
    """One trustee, from 1, and which of their files are here."""

    number: int
    name: str
    has_noise: bool
    has_share: bool


@dataclass(frozen=True)
class TableRow:
    """One locked table of the page. ``number`` is the table's, from 1."""

    number: int
    title: str
    words: str
    state: TallyState
    trustees: tuple[TrusteeRow, ...]
    blocks: tuple[Block, ...]

    @property
    def is_opened(self) -> bool:
        return self.state.opened is not None

    @property
    def noise_command(self) -> str:
        """What a trustee runs first."""
        return f"deniable trustee noise KEY table-{self.number}.ballots --into noise.json"

    @property
    def share_command(self) -> str:
        """What a trustee runs with all noise files, in their order."""
        noises = " ".join(f"noise-{one.number}.json" for one in self.trustees)
        return f"deniable trustee open KEY table-{self.number}.ballots {noises} --into share.json"


def table_row(state: TallyState) -> TableRow:
    """A table in words."""
    noises, shares = state.given(NOISE), state.given(SHARE)
    trustees = tuple(
        TrusteeRow(number, name, number in noises, number in shares)
        for number, name in enumerate(state.trustees, start=1)
    )
    title = gettext("Locked table {table}").format(table=state.table.table)
    return TableRow(
        state.table.table,
        title,
        state_words(state),
        state,
        trustees,
        tuple(_blocks(state)),
    )


def state_words(state: TallyState) -> str:
    """How far the opening is, in one sentence or two."""
    tally = state.tally
    return str(STATE_WORDS[state.state]).format(
        least=count_words(state.questionnaire.batch_size),
        people=count_words(tally.ballots if tally else 0),
        noises=len(state.given(NOISE)),
        shares=len(state.given(SHARE)),
        trustees=len(state.trustees),
        day=day_words(tally.opened_on) if tally and tally.opened_on else "",
    )


def margin_table(opened: OpenedTable, question: int) -> ResultTable:
    """The counts of one question's answers, as pages and files show them."""
    return _table(
        opened,
        opened.margin(question),
        gettext("Answers to question {number}").format(number=question),
    )


def file_table(opened: OpenedTable) -> ResultTable:
    """Each question's counts and, where several are counted together, each cell's."""
    margins = [cell for number in opened.table.questions for cell in opened.margin(number)]
    cells = list(opened.cells) if len(opened.items) > 1 else []
    return _table(opened, [*margins, *cells], "")


def facts(survey: Survey, state: TallyState) -> dict[str, Any]:
    """What the JSON file says before the rows."""
    opened, tally = state.opened, state.tally
    if opened is None or tally is None:
        return {}
    return {
        "survey": survey.title,
        "cite": citation(survey, state),
        "table": opened.table.table,
        "questions": dict(zip(map(str, opened.table.questions), _texts(opened), strict=True)),
        "ballots": tally.ballots,
        "list": tally.digest,
        "trustees": list(state.trustees),
        "sigma": opened.table.sigma,
        "counts": list(opened.counts),
        "how_to_read": list(_method(opened)),
    }


def citation(survey: Survey, state: TallyState) -> str:
    """How to cite the counts of a table."""
    day = state.tally.opened_on if state.tally else None
    questionnaire = state.questionnaire
    return gettext(
        "{organisation} ({year}). {title}: totals of locked answers, table {table}, opened on "
        "{day}."
    ).format(
        organisation=questionnaire.organisation or gettext("The survey's authors"),
        year=day.year if day else gettext("n. d."),
        title=survey.title,
        table=state.table.table,
        day=day.isoformat() if day else "",
    )


def verifying(state: TallyState, printed: str) -> Iterator[tuple[str, str]]:
    """What a person does who checks the counts without this server, each step with its command."""
    numbers = range(1, len(state.trustees) + 1)
    table = state.table.table
    noises = " ".join(f"noise-{n}.json" for n in numbers)
    shares = " ".join(f"share-{n}.json" for n in numbers)
    owner = gettext(
        "Ask the survey's owner for the file of locked answers, and for all noise files and share "
        "files of this table."
    )
    command = f"deniable tally verify table-{table}.ballots {noises} {shares}"
    run = gettext(
        "Check every proof with this command, which prints the counts that this page shows:"
    )
    named = gettext(
        "The command also prints the code of this survey. The survey's code sheets and mails "
        "show the same code:"
    )
    compare = gettext(
        "Compare the checksum (SHA-256) of each locked answer in the file with audit.json, which "
        "everyone can read. In audit.json, people can find the checksum of their own locked "
        "answer."
    )
    yield from ((owner, ""), (run, command), (named, printed), (compare, ""))


def _blocks(state: TallyState) -> Iterator[Block]:
    opened = state.opened
    if opened is None or state.tally is None:
        return
    for number, item in zip(opened.table.questions, opened.items, strict=True):
        name = f"table-{opened.table.table}-question-{number}"
        yield SubCard(name, f"{number}. {item.text}", (margin_table(opened, number),))
    if len(opened.items) > 1:
        label = gettext("All combinations of answers")
        yield Fold(label, (_table(opened, opened.cells, label),))
    yield Fold(gettext("How these numbers were made"), (Items(tuple(_method(opened))),))


def _table(opened: OpenedTable, cells: Sequence[CountedCell], label: str) -> ResultTable:
    rows = tuple(_row(opened, cell) for cell in cells)
    return ResultTable("", tuple(_columns()), rows, label=label)


def _row(opened: OpenedTable, cell: CountedCell) -> Row:
    counted = cell.counted
    return {
        "table": opened.table.table,
        "questions": " ".join(map(str, cell.questions)),
        "codes": " ".join(cell.codes),
        "answers": " · ".join(cell.answers) or str(NOT_ASKED),
        "count": counted.count,
        "low": counted.low,
        "high": counted.high,
        "level": LEVEL,
        "probability": counted.noise.coverage(counted.half_width),
        "standard_deviation": counted.noise.sd,
        "share": counted.share,
        "people": counted.people,
    }


def _columns() -> Iterator[ResultColumn]:
    yield ResultColumn("table")
    yield ResultColumn("questions")
    yield ResultColumn("codes")
    yield ResultColumn("answers", gettext("Answer"), is_quoted=True)
    yield number_column("count", gettext("People"), _people, is_strong=True)
    yield ResultColumn("", gettext("95 % interval"), _interval, is_number=True)
    yield number_column("share", gettext("Share"), percent)
    yield number_column("standard_deviation", gettext("Standard deviation"), _deviation)
    yield ResultColumn("low")
    yield ResultColumn("high")
    yield ResultColumn("level")
    yield ResultColumn("probability")
    yield ResultColumn("people")


def _people(count: int) -> str:
    return number_words(count, 0)


def _interval(row: Row) -> str:
    ends = {"low": count_words(row["low"]), "high": count_words(row["high"])}
    return gettext("{low} to {high}").format(**ends)


def _deviation(sd: float) -> str:
    return decimal(sd, 1)


def _method(opened: OpenedTable) -> Iterator[str]:
    """How the numbers came about, and what they say and do not say."""
    cell = opened.noise(1)
    width = cell.half_width(LEVEL)
    yield gettext(
        "Each of {trustees} trustees added random whole numbers with standard deviation {sigma} "
        "to every cell (discrete Gaussian noise). The error of one cell has standard deviation "
        "{sd}. For a sum of cells, multiply {sd} by the square root of the number of cells."
    ).format(trustees=opened.trustees, sigma=opened.table.sigma, sd=_deviation(cell.sd))
    yield gettext(
        "Each interval contains the true count with a probability of at least 95 %. This "
        "probability is computed exactly from the sum of all noise, without approximation. The "
        "error of a single cell is at most ± {width} with probability {probability}."
    ).format(width=count_words(width), probability=percent(cell.coverage(width), 2))
    yield gettext(
        "Chance can make a count fall below 0, or rise above the number of people. Use such a "
        "count unchanged when you add up counts. Intervals end at 0 and at the number of people."
    )
    yield gettext(
        "The intervals cover only the noise. What a sample says about a population is less "
        "certain than these intervals show. A trustee who cheats can change each cell by up to "
        "{most} people, and no one notices."
    ).format(most=count_words(2 ** (noise_bits(Fraction(opened.table.sigma)) - 1)))
    yield gettext("Locked answers that are exact copies of each other count as one answer.")


def _texts(opened: OpenedTable) -> list[str]:
    return [item.text for item in opened.items]
