"""Variable: a column of the file of codes as statistics programs read it, with its labels.

A code is a number there. Why a code is no answer stays known: SPSS and Stata have codes for that.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_FLOOR, Decimal
from enum import Enum

from surveys.catalogues.queries import names_of
from surveys.kinds.day.promise import DayQuestion
from surveys.kinds.levels.promise import Level, Leveled
from surveys.kinds.long_list.promise import ListQuestion
from surveys.kinds.number.promise import NumberQuestion
from surveys.kinds.rating.promise import RatingQuestion
from surveys.questionnaire.arms import NAME as ARM
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.kinds.parts import PartsQuestion
from surveys.questionnaire.kinds.question import NOT_ASKED, Question
from surveys.questionnaire.kinds.registry import Table
from surveys.randomized_response.files.debiased import DebiasedColumn
from surveys.results.columns import ExportColumn, FileColumns


class Content(Enum):
    """What a column holds."""

    CODES = "codes"
    NUMBERS = "numbers"
    DAYS = "days"
    TEXTS = "texts"


class Reason(Enum):
    """Why a cell has no answer; the value is its label.

    Beside a number there are up to three special answers, such as “Do not know”: the words of a
    survey's author are their labels.
    """

    NOT_ASKED = "not asked"
    DECLINED = "declined"
    NOT_SENT = "not sent"
    FIRST = "special answer 1"
    SECOND = "special answer 2"
    THIRD = "special answer 3"


SPECIAL = (Reason.FIRST, Reason.SECOND, Reason.THIRD)


@dataclass(frozen=True)
class Variable:
    """``values``: what each code says that is an answer; ``missing``: why any other is none.

    Numbers, days and texts have no ``values``. ``least`` is the smallest number that can be an
    answer, and ``width`` the characters of the longest cell in the file of codes. ``special`` are
    the words of answers beside a number. ``reasons``: the column of that file which says why a cell
    is empty; where it has no name, the codes of reasons stand in the cells. ``is_report``: chance
    may have changed what it holds.
    """

    name: str
    label: str
    content: Content
    missing: Mapping[str, Reason]
    width: int
    values: Mapping[str, str] = field(default_factory=dict)
    decimals: int = 0
    least: int = 0
    special: Mapping[Reason, str] = field(default_factory=dict)
    reasons: str = ""
    is_report: bool = False

    def words_of(self, reason: Reason) -> str:
        """The label of a reason."""
        return self.special.get(reason, reason.value)

    @property
    def missing_numbers(self) -> dict[Reason, int]:
        """A number for each reason, none of which is an answer: -99, -98, -97 or further below."""
        digits, count = 2, len(Reason) if self.special else len(Reason) - len(SPECIAL)
        while self.least <= -(10**digits) + count:
            digits += 1
        numbers = {reason: -(10**digits) + 1 + at for at, reason in enumerate(Reason)}
        return {reason: numbers[reason] for reason in Reason if reason in self.missing.values()}


@dataclass(frozen=True)
class Described:
    """What files have of one question, in their order; ``number`` is 0 of the arm."""

    variables: tuple[Variable, ...]
    debiased: tuple[DebiasedColumn, ...] = ()
    number: int = 0


def described(questionnaire: Questionnaire) -> Iterator[Described]:
    """Everything in the file of codes, in its order."""
    files = FileColumns(questionnaire)
    for index, item in files.asked:
        columns = files.of_questions[index + 1]
        variables = tuple(VARIABLES(item, columns))
        yield Described(variables, tuple(files.debiased[index + 1]), index + 1)
    for arm in questionnaire.row.arm_items:
        values = {level.code: level.text for level in arm.levels}
        yield Described((Variable(arm.id, ARM, Content.CODES, {}, arm.width, values),))


def _label(item: Question, part: str = "") -> str:
    reported = "REPORTED, not true: " if item.is_randomized else ""
    return f"{reported}{item.text}{f' – {part}' if part else ''}"


def _values(item: Question, levels: Sequence[Level]) -> dict[str, str]:
    """What the codes of answers say. A report that declines may be chance: it is a report."""
    reported = "reported " if item.is_randomized else ""
    answers = (level for level in levels if item.is_randomized or not level.declines)
    return {level.code: f"{reported}{level.text}" for level in answers}


def _missing(item: Question, levels: Sequence[Level], not_asked: str) -> dict[str, Reason]:
    declined = () if item.is_randomized else (level.code for level in levels if level.declines)
    return {not_asked: Reason.NOT_ASKED, **dict.fromkeys(declined, Reason.DECLINED)}


def _coded(
    item: Leveled, column: ExportColumn, label: str, missing: Mapping[str, Reason]
) -> Variable:
    values = _values(item, item.reported_levels)
    width = max(map(len, (*values, *missing)))
    return Variable(
        column.heading,
        label,
        Content.CODES,
        missing,
        width,
        values,
        is_report=item.is_randomized,
    )


def _single(item: Leveled, columns: Sequence[ExportColumn]) -> Iterator[Variable]:
    (column,) = columns
    missing = _missing(item, item.reported_levels, item.not_asked)
    yield _coded(item, column, _label(item), missing)


def _parts(item: PartsQuestion, columns: Sequence[ExportColumn]) -> Iterator[Variable]:
    """One for each part, which may not have been sent."""
    missing = {**_missing(item, item.levels, NOT_ASKED), "": Reason.NOT_SENT}
    for column, part in zip(columns, item.parts, strict=True):
        yield _coded(item, column, _label(item, part), missing)


def _slots(item: RatingQuestion, columns: Sequence[ExportColumn]) -> Iterator[Variable]:
    """Two for each slot: which item was shown, and its rating."""
    width, names = item.slot_code.number_width, names_of(item)
    items = {f"{number:0{width}d}": name for number, name in names.items()}
    for at, column in enumerate(columns):
        slot = at // 2 + 1
        if at % 2:
            missing = _missing(item, item.levels, NOT_ASKED)
            yield _coded(item, column, _label(item, f"rating {slot}"), missing)
        else:
            label = f"{item.text} – item {slot}"
            missing = {"-" * width: Reason.NOT_ASKED}
            yield Variable(column.heading, label, Content.CODES, missing, width, items)


def _number(item: NumberQuestion, columns: Sequence[ExportColumn]) -> Iterator[Variable]:
    """The reason of a special answer is the code of its author."""
    (column,) = columns
    special = list(zip(SPECIAL, item.number.special, strict=False))
    yield Variable(
        column.heading,
        _label(item),
        Content.NUMBERS,
        {
            item.not_asked: Reason.NOT_ASKED,
            item.number.declined: Reason.DECLINED,
            **{each.code: reason for reason, each in special},
        },
        item.number.by_hand.width,
        decimals=item.number.decimal_places,
        least=int(Decimal(item.number.minimum).to_integral_value(ROUND_FLOOR)),
        special={reason: each.text for reason, each in special},
        reasons=column.reasons,
    )


def _day(item: DayQuestion, columns: Sequence[ExportColumn]) -> Iterator[Variable]:
    (column,) = columns
    missing = {item.not_asked: Reason.NOT_ASKED, item.declined: Reason.DECLINED}
    yield Variable(
        column.heading, _label(item), Content.DAYS, missing, item.width, reasons=column.reasons
    )


def _marks(item: ListQuestion, columns: Sequence[ExportColumn]) -> Iterator[Variable]:
    """The bits of the options that a report marks, in hexadecimal digits."""
    (column,) = columns
    missing = {item.not_asked: Reason.NOT_ASKED}
    label = _label(item)
    yield Variable(column.heading, label, Content.TEXTS, missing, item.width, is_report=True)


def _none(item: Question, columns: Sequence[ExportColumn]) -> Iterator[Variable]:
    return iter(())


VARIABLES: Table[[Sequence[ExportColumn]], Iterator[Variable]] = Table(
    levels=_single,
    long_scale=_single,
    paired=_single,
    compared=_single,
    grouped=_single,
    long_list=_marks,
    number=_number,
    text=_none,
    other=_none,
    rating=_slots,
    information=_none,
    consent=_none,
    ticks=_parts,
    matrix=_parts,
    rounded=_single,
    day=_day,
    ranking=_parts,
    ranked_pair=_parts,
    family=_single,
    follow_up=_none,
    counted=_none,
    picked=_single,
)
