"""The direct answers of a survey as levels to tabulate: which questions can be, and the rows."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from functools import partial
from itertools import combinations

import numpy as np

from analytics.kinds.settings import SettingsError
from analytics.kinds.tables.asked import MOST_LEVELS, NO_ANSWER, ORDERED, AskedTables, Variable
from analytics.kinds.tables.settings import TableQuestion, TableSettings
from analytics.privacy.checks import IntArray
from analytics.sources.survey_scales import has_scale
from surveys.kinds.levels.promise import Level, LevelQuestion
from surveys.kinds.number.promise import NumberQuestion
from surveys.models import Revision
from surveys.models.queries import opened_responses, questionnaire_of, read_opened
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.kinds.question import Question
from surveys.questionnaire.kinds.registry import Table
from surveys.randomized_response.messages import figure, sentence

Tabulated = LevelQuestion | NumberQuestion
Reader = Callable[[str], int]
NOT_TABULATED = sentence("choose direct questions with numbers or with answers to choose from")
_AT_ONCE = 5_000
# At openings: a number with more values is cut into so many ranges, for all to see before launch.
_MOST_VALUES, _RANGES = 20, 10


def asked_of(questionnaire: Questionnaire, settings: TableSettings) -> AskedTables:
    """The tables in words. Raises SettingsError (not tabulated, no order, cuts), WorkloadError."""
    variables = (
        VARIABLES(_item(questionnaire, question), question) for question in settings.questions
    )
    return AskedTables(tuple(variables), settings.places)


def rows_of(revision: Revision, settings: TableSettings) -> IntArray:
    """The level of each respondent for each question, respondents x questions, from 0."""
    stored = read_opened(opened_responses(revision.pk), revision.pk, "answers", at_once=_AT_ONCE)
    answers = (answers for (answers,) in stored)
    return levels_of(questionnaire_of(revision), settings, answers)


def levels_of(
    questionnaire: Questionnaire, settings: TableSettings, stored: Iterable[str]
) -> IntArray:
    """The same of rows of answers as they are stored."""
    readers = [_reader(questionnaire, question) for question in settings.questions]
    rows = [[read(answers) for read in readers] for answers in stored]
    return np.array(rows, dtype=np.int64).reshape(-1, len(readers))


def settings_at_openings(questionnaire: Questionnaire) -> TableSettings:
    """What a survey releases at its openings: its hidden questions, alone or also two by two.

    Numbers with more than 20 different values are cut into 10 ranges of one width. Raises
    SettingsError.
    """
    hidden = [
        (n, item)
        for n, item in questionnaire.numbered.tabulated
        if item in questionnaire.row.hidden
    ]
    questions = tuple(TableQuestion(n, cuts=EVEN_CUTS(item)) for n, item in hidden)
    most = questionnaire.releases.together if questionnaire.releases else 1
    numbers = [question.number for question in questions]
    tables = (table for size in range(1, most + 1) for table in combinations(numbers, size))
    return TableSettings(questions, tuple(tables))


def _even_cuts(item: NumberQuestion) -> tuple[str, ...]:
    """Where a number with many values is cut: on its grid, into ranges as equal as can be."""
    least, most = map(Decimal, item.number.bounds)
    values = int((most - least) / _step(item)) + 1
    if values <= _MOST_VALUES:
        return ()
    starts = (least + index * values // _RANGES * _step(item) for index in range(1, _RANGES))
    return tuple(str(start) for start in starts)


EVEN_CUTS: Table[[], tuple[str, ...]] = Table.mostly(lambda item: (), number=_even_cuts)


def _item(questionnaire: Questionnaire, asked: TableQuestion) -> Tabulated:
    item = dict(questionnaire.numbered.tabulated).get(asked.number)
    if item is None:
        raise SettingsError("questions", asked.number, NOT_TABULATED)
    if asked.ask in ORDERED and not has_scale(item):
        remedy = sentence(
            "the answers to this question have no order, so choose “Count each answer”"
        )
        raise SettingsError(
            "ask",
            sentence("{ask} of question {number}", ask=asked.ask, number=asked.number),
            remedy,
        )
    CHECK_CUTS(item, asked.cuts)
    return item


def _no_cuts(item: Question, cuts: Sequence[str]) -> None:
    if cuts:
        raise SettingsError(
            "cuts",
            ", ".join(cuts),
            sentence("only questions with numbers can be divided into groups"),
        )


# Those of a number are read where its levels are made.
CHECK_CUTS: Table[[Sequence[str]], None] = Table.mostly(_no_cuts, number=lambda item, cuts: None)


def _untabulated(item: Question, asked: TableQuestion) -> Variable:
    raise SettingsError("questions", item.text, NOT_TABULATED)


def _number_variable(item: NumberQuestion, asked: TableQuestion) -> Variable:
    """The last level is of people who gave no number, where there may be some."""
    without = () if item.always_has_number else (NO_ANSWER,)
    levels = (*_intervals(item, asked.cuts), *without)
    return Variable(item.text, levels, asked.ask, bool(without))


def _level_variable(item: LevelQuestion, asked: TableQuestion) -> Variable:
    texts = tuple(level.text for level in _placed(item))
    return Variable(item.text, texts, asked.ask, item.decline_level is not None)


VARIABLES: Table[[TableQuestion], Variable] = Table.with_levels(
    _level_variable, _untabulated, number=_number_variable
)


def _intervals(item: NumberQuestion, cuts: Sequence[str]) -> list[str]:
    """What each level of a number spans, in words. Raises SettingsError."""
    starts, most = _starts(item, cuts), Decimal(item.number.maximum)
    ends = [*(start - _step(item) for start in starts[1:]), most]
    return [
        str(low) if low == high else f"{low} to {high}"
        for low, high in zip(starts, ends, strict=True)
    ]


def _starts(item: NumberQuestion, cuts: Sequence[str]) -> list[Decimal]:
    """The least number of each level: the cuts, or every number where nothing is cut."""
    least, most = map(Decimal, item.number.bounds)
    if cuts:
        starts = [least, *(cut for cut in map(Decimal, cuts) if cut != least)]
        if not all(least <= cut <= most and cut % _step(item) == 0 for cut in starts):
            remedy = sentence(
                "new groups must begin between {least} and {most}. {fineness}",
                least=least,
                most=most,
                fineness=item.number.fineness,
            )
            raise SettingsError("cuts", ", ".join(cuts), remedy)
        return starts
    count = int((most - least) / _step(item)) + 1
    if count > MOST_LEVELS:
        remedy = sentence(
            "write the numbers at which new groups begin, because this question has {count} "
            "different numbers, too many for one table",
            count=figure(count),
        )
        raise SettingsError("cuts", item.text, remedy)
    return [least + index * _step(item) for index in range(count)]


def _step(item: NumberQuestion) -> Decimal:
    """How far apart two numbers are at least."""
    return Decimal(1).scaleb(-item.number.decimal_places)


def _reader(questionnaire: Questionnaire, asked: TableQuestion) -> Reader:
    """From a stored row of answers to the question's level."""
    item = _item(questionnaire, asked)
    start = questionnaire.row.place_of(item)
    code = slice(start, start + item.width)
    return READERS(item, asked, code)


def _unread(item: Question, asked: TableQuestion, code: slice) -> Reader:
    raise SettingsError("questions", item.text, NOT_TABULATED)


def _number_reader(item: NumberQuestion, asked: TableQuestion, code: slice) -> Reader:
    return partial(_number_level, item, code, _starts(item, asked.cuts))


def _level_reader(item: LevelQuestion, asked: TableQuestion, code: slice) -> Reader:
    places = {level.code: position for position, level in enumerate(_placed(item))}
    return lambda answers: places[answers[code]]


READERS: Table[[TableQuestion, slice], Reader] = Table.with_levels(
    _level_reader, _unread, number=_number_reader
)


def _placed(item: LevelQuestion) -> list[Level]:
    """The levels in their order, who declined last."""
    return sorted(item.levels, key=lambda level: level.declines)


def _number_level(
    item: NumberQuestion, code: slice, starts: Sequence[Decimal], answers: str
) -> int:
    value = answers[code]
    return bisect_right(starts, Decimal(value)) - 1 if item.has_number(value) else len(starts)
