"""FileColumns: what each question's columns are called in files, no two of them alike.

A column of reports never has the bare name of its question: averaged, it is no estimate.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

from surveys.definitions.names import numbered
from surveys.kinds.rating.promise import RatingQuestion
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.kinds.parts import PartsQuestion
from surveys.questionnaire.kinds.question import Question, names_in_files
from surveys.questionnaire.kinds.registry import Table
from surveys.randomized_response.files.debiased import DebiasedColumn
from surveys.randomized_response.files.tables import REPORTED
from surveys.results.debiasing.columns import Place, debiased_columns

SLOT = ("item", "rating")  # what is known of each item that a respondent was shown
MISSING = "_missing"  # ends the name of the column that says why a number or a date is not there
LONGEST = 32  # characters of a column's name, Stata's limit, which is the lowest


@dataclass(frozen=True)
class ExportColumn:
    """``name`` is made of the question's, and was all that files said; ``heading`` is in files.

    ``reasons`` is the column beside it which says why there is no number, or no date.
    """

    name: str
    heading: str
    reasons: str = ""


def _column(item: Question, name: str) -> ExportColumn:
    return ExportColumn(name, f"{name}{REPORTED}" if item.is_randomized else name)


def _with_reasons(item: Question, name: str) -> list[ExportColumn]:
    return [replace(_column(item, name), reasons=f"{name}{MISSING}")]


def _two_a_slot(item: RatingQuestion, name: str) -> list[ExportColumn]:
    """Two columns for each item that is shown: which one, which no coin hides, and its rating."""
    which, rating = SLOT
    return [
        column
        for slot in item.slot_names(f"{name}_" if item.name else name)
        for column in (ExportColumn(*[f"{slot}_{which}"] * 2), _column(item, f"{slot}_{rating}"))
    ]


def _one_a_part(item: PartsQuestion, name: str) -> list[ExportColumn]:
    """A column for each part, whether it is sent or not."""
    numbers = range(1, item.size + 1)
    return [_column(item, f"{name}_{_called(item, number)}") for number in numbers]


def _called(item: PartsQuestion, number: int) -> str:
    """By its value, or by its number, as it is sent."""
    return item.value_of(number) or item.slot_code.of_number(number)


COLUMNS: Table[[str], list[ExportColumn]] = Table.mostly(
    lambda item, name: [_column(item, name)],
    number=_with_reasons,
    day=_with_reasons,
    rating=_two_a_slot,
    ticks=_one_a_part,
    matrix=_one_a_part,
    ranking=_one_a_part,
    ranked_pair=_one_a_part,
)


class _Names:
    """Names of columns that are derived: one that is there, in any case, is cut and numbered."""

    def __init__(self, reserved: Iterable[str]) -> None:
        self._used = {name.casefold() for name in reserved}

    def different(self, name: str) -> str:
        """Return the name, cut and numbered where that is needed; it is used from now on."""
        shown = numbered(name, self._used, LONGEST)
        self._used.add(shown.casefold())
        return shown


@dataclass(frozen=True)
class FileColumns:
    """All columns of a survey's files: names of questions stay, what is derived gives way."""

    questionnaire: Questionnaire

    @cached_property
    def names(self) -> list[str]:
        """What files call each question of the survey."""
        return names_in_files(self.questionnaire.items)

    @cached_property
    def asked(self) -> tuple[tuple[int, Question], ...]:
        """The questions that have a column, with their places."""
        hidden = self.questionnaire.row.hidden
        return tuple(
            (at, item)
            for at, item in enumerate(self.questionnaire.items)
            if item.width and item not in hidden
        )

    @property
    def has_reports(self) -> bool:
        """Whether a column holds reports, which are no true answers."""
        return any(item.is_randomized for _, item in self.asked)

    @cached_property
    def of_questions(self) -> dict[int, list[ExportColumn]]:
        """The columns of each question that has some, by its number."""
        return {
            at + 1: [self._named(column, own) for column in COLUMNS(item, own)]
            for at, item in self.asked
            for own in [self.names[at]]
        }

    @cached_property
    def debiased(self) -> dict[int, list[DebiasedColumn]]:
        """The debiased columns of each of these questions, by its number."""
        headings = {
            number: [column.heading for column in columns]
            for number, columns in self.of_questions.items()
        }
        return {
            at + 1: [
                replace(column, name=self._names.different(column.name))
                for column in debiased_columns(item, Place(self.questionnaire, at + 1, headings))
            ]
            for at, item in self.asked
        }

    @cached_property
    def _names(self) -> _Names:
        return _Names([*self.names, *(arm.id for arm in self.questionnaire.row.arm_items)])

    def _named(self, column: ExportColumn, own: str) -> ExportColumn:
        """A column in files, of the question that is called ``own``."""
        names = self._names
        heading = own if column.heading == own else names.different(column.heading)
        reasons = names.different(column.reasons) if column.reasons else ""
        return replace(column, heading=heading, reasons=reasons)
