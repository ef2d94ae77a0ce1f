"""release_blocks: the page of released tables: margins, totals, method, citation.

What loads the noise library is imported where it is needed.
"""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

from django.utils.html import format_html
from django.utils.translation import gettext

from analytics.privacy.accounting import Adjacency
from analytics.reports.amounts import plain, rounded_up
from analytics.reports.kind import ReportFacts
from analytics.reports.names import name_words
from analytics.reports.words import ANSWER_WORDS
from analytics.workloads.asks import Ask
from surveys.questionnaire.document import Questionnaire
from surveys.randomized_response.messages import sentence
from surveys.reports.documents import (
    Block,
    Card,
    Fold,
    Heading,
    Items,
    Lead,
    Part,
    ResultColumn,
    ResultTable,
    Row,
    Text,
)
from surveys.wording.language.messages import translated
from surveys.wording.language.numbers import (
    day_words,
    decimal,
    grouped,
    localized,
    number_words,
)
from surveys.wording.odds import odds_words
from surveys.wording.texts import audience_of

if TYPE_CHECKING:
    from analytics.kinds.tables.asked import AskedTables, Variable
    from analytics.kinds.tables.released import TableRelease
    from analytics.kinds.tables.totals import ReleasedTotals

# Rows on the page, of all tables together; the files hold all.
MOST_ROWS = 2_000
# Margins that differ by less, in units of the last digit shown, differ by the computer's rounding.
_ROUNDING = 1e-6
# Of what its ledger counts, and no more: totals of randomized questions are not in it.
ONE_BUDGET = sentence(
    "All reports on texts and tables of this survey are paid from one budget, which was promised "
    "to respondents before they answered."
)
AT_EACH_OPENING = sentence(
    "These tables are made again at each opening of the survey, from all answers opened up to "
    "that day. The last opening is at the close. The number of openings was fixed at launch, and "
    "all openings together were charged to the budget at launch."
)
UP_TO = "up to "
# Groups of numbers; an author who names an answer so means the same.
SPAN = re.compile(r"(-?[0-9.]+) to (-?[0-9.]+)")


def release_blocks(release: "TableRelease", facts: ReportFacts) -> Iterator[Block]:
    """A published release for its readers. It names nothing of the survey but what was released.

    Raises ValueError without the questionnaire of its survey.
    """
    questionnaire = facts.questionnaire
    if questionnaire is None:
        raise ValueError("give the questionnaire: a release says what was promised")
    promised = questionnaire.budget
    epsilon = promised.nats if promised else release.epsilon
    yield Text(translated(audience_of(questionnaire)))
    yield Lead(_people_sentence(release))
    yield Text(_blurred(release, rounded_up(release.epsilon, epsilon)))
    for number, (title, blocks) in enumerate(table_blocks(release), start=1):
        yield Card(f"table-{number}", title, blocks)
    if release.totals:
        title = gettext("Questions with randomized answers")
        yield Card("totals", title, tuple(_totals(release, release.totals)))
    yield Card("files", gettext("Files"), (Part("analytics/releases/_files.html"),))
    method_lines = (*method(release, ONE_BUDGET), *at_openings(questionnaire))
    together = gettext(
        "All reports on texts and tables of this survey together stay within epsilon {epsilon} "
        "for ever ({odds}), except with a chance of {delta}."
    ).format(epsilon=plain(epsilon), odds=odds_words(epsilon), delta=plain(release.delta))
    yield Card(
        "method", gettext("How these numbers were made"), (Items(method_lines), Text(together))
    )
    quote = citation(questionnaire, facts.finished_at, facts.address)
    yield Card(
        "quote",
        gettext("How to quote this release"),
        (Part("analytics/releases/_quote.html", quote),),
    )


def table_blocks(release: "TableRelease") -> Iterator[tuple[str, tuple[Block, ...]]]:
    """The title of every table, and its rows in words, as many as a page has room for."""
    left = MOST_ROWS
    for table in release.asked.tables:
        title = table_title(release.asked, table)
        cells = release.cells(table) if left else []
        rows = tuple(asdict(cell) for cell in cells[:left])
        left -= len(rows)
        hidden = release.asked.size_of(table) - len(rows)
        more = gettext("The files contain {hidden} more rows.").format(hidden=hidden)
        asked = [release.asked.variables[number] for number in table]
        shown = ResultTable("", tuple(_columns(asked)), rows, title, names=len(asked))
        yield title, (shown, Text(more)) if hidden else (shown,)


def _columns(asked: "Sequence[Variable]") -> Iterator[ResultColumn]:
    for position, variable in enumerate(asked):
        yield ResultColumn("", variable.name, partial(_label, position, variable))
    yield ResultColumn("people", gettext("People and margin"), _people_and_margin, is_number=True)
    yield ResultColumn(
        "share", gettext("Share and margin (points)"), _share_and_margin, is_number=True
    )


def _label(position: int, variable: "Variable", row: Row) -> str:
    return label_words(variable, row["labels"][position])


def _people_and_margin(row: Row) -> str:
    people, margin = people_words(row["people"]), in_people(row["margin"])
    return format_html("<strong>{}</strong> {}", people, _margin(margin))


def _margin(words: str) -> str:
    """A part of a cell that is as wide in all rows, so that the numbers before it line up."""
    return format_html('<span class="margin">{}</span>', words)


def _share_and_margin(row: Row) -> str:
    margin = "" if row["share_margin"] is None else in_points(row["share_margin"])
    share = "–" if row["share"] is None else f"{decimal(row['share'], 1)} %"
    return format_html("{} {}", share, _margin(margin))


def _people_sentence(release: "TableRelease") -> str:
    from analytics.kinds.tables.planned import DEVIATIONS

    people, error = release.people
    if not error:
        exact = gettext("<strong>{people}</strong> people answered. This number is exact.")
        return format_html(exact, people=people_words(people))
    about = gettext("About <strong>{people}</strong> people answered ({margin}).")
    return format_html(about, people=people_words(people), margin=in_people(DEVIATIONS * error))


def _blurred(release: "TableRelease", epsilon: str) -> str:
    blurred = gettext(
        "Random noise was added to the numbers in these tables, so the tables reveal little about "
        "any one person."
    )
    alone = (
        gettext(
            "Limit for the tables of unprotected answers: {odds} (epsilon {epsilon}). These "
            "tables hide this change in the data: {hides}."
        )
        if release.totals
        else gettext(
            "Limit for this release: {odds} (epsilon {epsilon}). This release hides this change "
            "in the data: {hides}."
        )
    )
    hides = translated(ANSWER_WORDS[release.adjacency])
    words = alone.format(odds=odds_words(release.epsilon), epsilon=epsilon, hides=hides)
    return f"{blurred} {words}"


def _totals(release: "TableRelease", totals: "ReleasedTotals") -> Iterator[Block]:
    """The reports to randomized questions, and the shares of true answers behind them."""
    counted = gettext(
        "The device of each person drew at random what was sent, so one reported answer proves "
        "little. These tables count the reported answers exactly."
    )
    yield Text(f"{counted} {totals_statement(release)}")
    for number, question in enumerate(totals.questions, start=1):
        yield Heading(question.text, f"totals-{number}")
        caption = gettext("Estimated shares of the true answers among {people} people")
        shares = (
            ResultColumn("answer", gettext("Answer"), lambda row: name_words(row["answer"])),
            ResultColumn(
                "share", gettext("Share and margin (points)"), _share_and_margin, is_number=True
            ),
        )
        yield ResultTable(
            caption.format(people=grouped(question.people)),
            shares,
            tuple(
                {"answer": row.answer, "share": row.share, "share_margin": row.margin or None}
                for row in question.shares
            ),
            question.text,
        )
        counts = (
            ResultColumn("report", gettext("Reported"), lambda row: name_words(row["report"])),
            ResultColumn(
                "times",
                gettext("Times reported"),
                lambda row: grouped(row["times"]),
                is_number=True,
            ),
        )
        rows = tuple(
            {"report": report, "times": count}
            for report, count in zip(question.reports, question.counts, strict=True)
        )
        label = gettext("Reported answers to: {text}").format(text=question.text)
        fold = gettext("Reported answers to this question, counted")
        yield Fold(fold, (ResultTable("", counts, rows, label),))


def table_title(asked: "AskedTables", table: tuple[int, ...]) -> str:
    """What a table is of."""
    return gettext(" by ").join(asked.variables[number].name for number in table)


def label_words(variable: "Variable", label: str) -> str:
    """One of a variable's labels; an author's is as it was written."""
    if variable.ask is not Ask.CDF:
        return " … ".join(map(_level_words, label.split(" … ")))
    if label == variable.labels[-1]:
        return gettext("all")
    return gettext("up to {answer}").format(answer=_level_words(label.removeprefix(UP_TO)))


def _level_words(level: str) -> str:
    if span := SPAN.fullmatch(level):
        return gettext("{low} to {high}").format(low=span[1], high=span[2])
    return name_words(level)


def totals_statement(release: "TableRelease") -> str:
    """What the totals of randomized questions together tell of one person; "" without any."""
    from surveys.wording.totals import totals_words  # loads the statistics

    totals = release.totals
    return totals_words(totals.statement) if totals and totals.statement else ""


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
        "Every answer was counted. Random whole numbers were added to the counts before anything "
        "was shown (discrete Gaussian noise, drawn once from the system’s cryptographic source)."
    )
    known = gettext("The number of people who answered is exact and not hidden.")
    kept = gettext(
        "Two data sets that differ {differ} give nearly {same}. This is (ε, δ)-differential "
        "privacy with ε = {epsilon} and δ = {delta}."
    ).format(
        differ=differ, same=same, epsilon=rounded_up(release.epsilon), delta=plain(release.delta)
    )
    _, error = release.people
    return (
        counted if error else f"{counted} {known}",
        f"{kept} {translated(promised)}".rstrip(),
        gettext(
            "On average, these estimates are right (unbiased), but a small count can come out "
            "below 0. Do not replace a negative count by 0 before you add numbers up."
        ),
        gettext(
            "Margins are half the width of 95 % intervals and describe the noise only. If the "
            "respondents are a sample, conclusions about the population are less certain than "
            "these margins say."
        ),
        gettext(
            "All tables are computed from the same noisy numbers, so their totals agree. The "
            "files contain these numbers. Except for tables that are too long, the files also "
            "contain covariances, which say how the numbers of a table vary together."
        ),
        gettext("People who gave no answer are counted as a separate group."),
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


def people_words(people: float) -> str:
    """An estimate of people, without pretending to tenths."""
    return number_words(people, 0)


def in_points(margin: float) -> str:
    """A margin in percentage points, rounded up: tenths, or two digits where it is smaller."""
    if margin < _ROUNDING:
        return "±0"
    digits = 1 if margin >= 0.1 else 1 - math.floor(math.log10(margin))
    return localized(f"±{_up(margin, digits):.{digits}f}")
