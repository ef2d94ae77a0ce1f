"""A planned release and a published one in words: margins, costs, tables, method, citation."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from django.utils.translation import gettext

from analytics.pages.releases.stored import label_words, table_title
from analytics.privacy.accounting import Adjacency
from analytics.reports.amounts import plain, rounded_up, share_of
from analytics.reports.names import name_words
from analytics.reports.words import ANSWER_WORDS
from surveys.questionnaire.document import Questionnaire
from surveys.randomized_response.messages import sentence
from surveys.wording.language.messages import translated
from surveys.wording.language.numbers import day_words, grouped, localized
from surveys.wording.odds import odds_words
from surveys.wording.texts import audience_of

if TYPE_CHECKING:  # they load the noise library, which pages only need where they work
    from analytics.kinds.tables.asked import Variable
    from analytics.kinds.tables.released import ReleasedCell, TableRelease
    from analytics.services.releases import Outlook

# Rows on the page, of all tables together; the files hold all.
MOST_ROWS = 2_000
# Margins that differ by less, in units of the last digit shown, differ by the computer's rounding.
_ROUNDING = 1e-6
# Of what its ledger counts, and no more: totals of randomized questions are not in it.
ONE_BUDGET = sentence(
    "All reports on texts and tables of this survey draw on one budget, which was promised to "
    "respondents before they answered."
)
AT_EACH_OPENING = sentence(
    "These tables are made anew at each opening of the survey, from all answers that were opened "
    "until then. All openings together were charged to the budget when the survey was launched; "
    "how many there are was fixed then, and the last one is at the close."
)


@dataclass(frozen=True)
class ForecastRow:
    """A table with its 95 % margins, in people and in percentage points of all respondents."""

    title: str
    numbers: str
    typical: str
    largest: str
    points: str
    largest_points: str


@dataclass(frozen=True)
class OutlookRows:
    """What a release would publish and cost."""

    tables: tuple[ForecastRow, ...]
    margin: str
    best: str
    is_sharp: bool
    share: str
    epsilon: str
    odds: str
    spent_then: str
    promised: str
    left_then: str
    second: str
    fits: bool
    is_wide: bool


@dataclass(frozen=True)
class TableRows:
    """One released table: headings of its questions, and cells as (labels, numbers in words)."""

    title: str
    place: int
    headings: tuple[str, ...]
    cells: tuple["CellRow", ...]
    hidden: int


@dataclass(frozen=True)
class CellRow:
    """One number of a table."""

    labels: tuple[str, ...]
    people: str
    margin: str
    share: str
    share_margin: str


@dataclass(frozen=True)
class TotalsRows:
    """The reports of a randomized question as (report, count), and its shares in words."""

    text: str
    place: int
    people: str
    reports: tuple[tuple[str, str], ...]
    shares: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True)
class ReleaseRows:
    """A published release for its readers."""

    title: str
    organisation: str
    on: datetime | None
    audience: str
    tables: tuple[TableRows, ...]
    people: str
    people_margin: str
    epsilon: str
    odds: str
    promised: str
    promised_odds: str
    delta: str
    adjacency: str
    citation: str
    method: tuple[str, ...]
    totals: tuple[TotalsRows, ...] = ()
    totals_words: str = ""


def outlook_rows(outlook: "Outlook") -> OutlookRows:
    """A planned release in words. Raises BudgetError if the account is overspent."""
    account, planned, people = outlook.account, outlook.planned, outlook.respondents
    terms, cost = account.budget, outlook.aside
    before = account.taken
    fits = outlook.fits()
    after = before + cost
    least = planned.least_typical
    return OutlookRows(
        tables=tuple(_forecasts(outlook)),
        margin=in_people(planned.typical),
        best="" if least is None else at_least(least),
        is_sharp=planned.is_sharp,
        share=share_of(cost.mu_squared, terms.limit.mu_squared),
        epsilon=rounded_up(account.epsilon(cost), terms.epsilon),
        odds=odds_words(account.epsilon(cost)),
        spent_then=rounded_up(account.epsilon(after), terms.epsilon) if fits else "",
        promised=plain(terms.epsilon),
        left_then=share_of(terms.left(after).mu_squared, terms.limit.mu_squared) if fits else "",
        second=_second(outlook) if fits else "",
        fits=fits,
        is_wide=planned.typical > people,
    )


def release_rows(
    release: "TableRelease", questionnaire: Questionnaire, on: datetime | None, address: str
) -> ReleaseRows:
    """A published release in words. It names nothing of the survey but what was released."""
    from analytics.kinds.tables.planned import DEVIATIONS

    promised = questionnaire.budget
    epsilon = promised.nats if promised else release.epsilon
    people, error = release.people
    return ReleaseRows(
        title=questionnaire.title,
        organisation=questionnaire.organisation,
        on=on,
        audience=translated(audience_of(questionnaire)),
        tables=table_rows(release),
        people=whole(people),
        people_margin=in_people(DEVIATIONS * error) if error else "",
        epsilon=rounded_up(release.epsilon, epsilon),
        odds=odds_words(release.epsilon),
        promised=plain(epsilon),
        promised_odds=odds_words(epsilon),
        delta=plain(release.delta),
        adjacency=translated(ANSWER_WORDS[release.adjacency]),
        citation=citation(questionnaire, on, address),
        method=(*method(release, ONE_BUDGET), *at_openings(questionnaire)),
        totals=tuple(_totals(release)),
        totals_words=totals_statement(release),
    )


def totals_statement(release: "TableRelease") -> str:
    """What the totals of randomized questions together tell of one person; "" without any."""
    from surveys.wording.totals import totals_words  # loads the statistics

    found = release.totals
    return totals_words(found.statement) if found and found.statement else ""


def at_openings(questionnaire: Questionnaire) -> tuple[str, ...]:
    """What its method says besides, if these are the tables of a survey's openings."""
    return (translated(AT_EACH_OPENING),) if questionnaire.releases else ()


def citation(questionnaire: Questionnaire, on: datetime | None, address: str) -> str:
    """How a release is quoted."""
    undated = gettext("n. d.")
    day = day_words(on) if on else undated
    year = f"{on:%Y}" if on else undated
    return gettext(
        "{organisation} ({year}). {title}: release of tables with differential privacy, {day}. "
        "{address}"
    ).format(
        organisation=questionnaire.organisation,
        year=year,
        title=questionnaire.title,
        day=day,
        address=address,
    )


def method(release: "TableRelease", promised: str = "") -> tuple[str, ...]:
    """How the numbers came about, and what they do and do not say.

    ``promised`` is what respondents read of a budget: a survey's, ``ONE_BUDGET``. A file's were
    promised nothing that is known here.
    """
    differ = (
        gettext("by the answers of one respondent")
        if release.adjacency is Adjacency.REPLACE
        else gettext("by one respondent more or fewer")
    )
    same = (
        gettext("the same tables of direct answers")
        if release.totals
        else gettext("the same release")
    )
    counted = gettext(
        "Every answer was counted, and random whole numbers were added before anything was shown "
        "(discrete Gaussian noise, drawn once from the system’s cryptographic source)."
    )
    known = gettext("The number of people who answered is exact: it is not hidden.")
    kept = gettext(
        "Two data sets that differ {differ} give nearly {same}: (ε, δ)-differential privacy with "
        "ε = {epsilon} and δ = {delta}."
    ).format(
        differ=differ, same=same, epsilon=rounded_up(release.epsilon), delta=plain(release.delta)
    )
    _, error = release.people
    return (
        counted if error else f"{counted} {known}",
        f"{kept} {translated(promised)}".rstrip(),
        gettext(
            "Estimates are unbiased. So a small count can come out below 0; please do not cut it "
            "off before you add numbers up."
        ),
        gettext(
            "Margins are those of 95 % intervals. They are about the noise alone: what is known "
            "from a sample about a population is less sure than that."
        ),
        gettext(
            "All tables follow from the same noisy numbers, so their totals agree. The files hold "
            "these, and how the numbers of a table vary together, except where that would be too "
            "long."
        ),
        gettext("Who gave no answer is counted as a group of its own."),
    )


def in_people(margin: float) -> str:
    """A margin as people act on it, rounded up: tenths, or whole people from 100 on."""
    digits = 1 if margin < 100 else 0
    return localized(f"±{_up(margin, digits):,.{digits}f}")


def at_least(margin: float) -> str:
    """A bound that no margin goes below, rounded down: otherwise like ``in_people``."""
    digits = 1 if margin < 100 else 0
    return localized(f"±{abs(_up(-margin, digits)):,.{digits}f}")


def _up(margin: float, digits: int) -> float:
    """Rounded up to so many digits after the point; 0.3 computed as 0.30000000000000004 stays."""
    scale = 10.0**digits
    return math.ceil(margin * scale - _ROUNDING) / scale


def whole(people: float) -> str:
    """An estimate of people, without pretending to tenths."""
    shown = f"{people:,.0f}"
    return localized(shown.replace("-0", "0") if abs(people) < 0.5 else shown)


def _forecasts(outlook: "Outlook") -> Iterator[ForecastRow]:
    planned, people = outlook.planned, outlook.respondents
    for one in planned.forecasts:
        yield ForecastRow(
            title=table_title(planned.asked, one.table),
            numbers=grouped(one.numbers),
            typical=in_people(one.typical),
            largest=in_people(one.largest),
            points=in_points(100 * one.typical / people),
            largest_points=in_points(100 * one.largest / people),
        )


def in_points(margin: float) -> str:
    """A margin in percentage points, rounded up: tenths, or two digits where it is smaller."""
    if margin < _ROUNDING:
        return "±0"
    digits = 1 if margin >= 0.1 else 1 - math.floor(math.log10(margin))
    return localized(f"±{_up(margin, digits):.{digits}f}")


def _second(outlook: "Outlook") -> str:
    """What the same tables would cost once more, later."""
    account = outlook.account
    if not outlook.fits(2):
        return gettext(
            "more than is left then: with these margins, no second release could be paid"
        )
    twice = account.taken + outlook.aside + outlook.aside
    left = account.budget.left(twice)
    return gettext("the same again: epsilon {epsilon} spent then, and {share} left").format(
        epsilon=rounded_up(account.epsilon(twice), account.budget.epsilon),
        share=share_of(left.mu_squared, account.budget.limit.mu_squared),
    )


def _totals(release: "TableRelease") -> Iterator[TotalsRows]:
    for place, one in enumerate(release.totals.questions if release.totals else (), start=1):
        shares = (
            (
                name_words(row.answer),
                localized(f"{row.share:.1f} %"),
                in_points(row.margin) if row.margin else "",
            )
            for row in one.shares
        )
        counts = zip(one.reports, one.counts, strict=True)
        yield TotalsRows(
            text=one.text,
            place=place,
            people=grouped(one.people),
            reports=tuple((name_words(report), grouped(count)) for report, count in counts),
            shares=tuple(shares),
        )


def table_rows(release: "TableRelease") -> tuple[TableRows, ...]:
    """Every table in words, as many rows as a page has room for."""
    return tuple(_tables(release))


def _tables(release: "TableRelease") -> Iterator[TableRows]:
    left = MOST_ROWS
    for place, table in enumerate(release.asked.tables, start=1):
        cells = release.cells(table) if left else []
        asked = [release.asked.variables[one] for one in table]
        shown = tuple(_cell(cell, asked) for cell in cells[:left])
        left -= len(shown)
        yield TableRows(
            title=table_title(release.asked, table),
            place=place,
            headings=tuple(one.name for one in asked),
            cells=shown,
            hidden=release.asked.size_of(table) - len(shown),
        )


def _cell(cell: "ReleasedCell", asked: "Sequence[Variable]") -> CellRow:
    return CellRow(
        labels=tuple(map(label_words, asked, cell.labels)),
        people=whole(cell.people),
        margin=in_people(cell.margin),
        share="–" if cell.share is None else localized(f"{cell.share:.1f} %"),
        share_margin="" if cell.share_margin is None else in_points(cell.share_margin),
    )
