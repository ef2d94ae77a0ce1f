"""TableSettings: which questions a survey's release tabulates, how, in which tables, for whom.

They are chosen before any answer is read: all of it is public.
"""

from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from itertools import pairwise
from typing import Any

from analytics.kinds.settings import PlainSettings, SettingsError
from analytics.kinds.tables.asked import ASKS, MOST_LEVELS
from analytics.workloads.asks import Ask
from surveys.randomized_response.messages import sentence

MOST_QUESTIONS = 40
# The statement about so many totals together takes a worker half a minute.
MOST_TOTALS = 10


@dataclass(frozen=True)
class TableQuestion:
    """One question by its number, what is asked of it, and where a number is cut.

    ``cuts`` are decimals as they are written, ascending: each is the least number of a new level.
    Raises SettingsError.
    """

    number: int
    ask: Ask = Ask.COUNTS
    cuts: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.ask not in ASKS:
            raise SettingsError(
                "ask", self.ask, sentence("give one of {kinds}", kinds=", ".join(ASKS))
            )
        values = [_number(cut) for cut in self.cuts]
        if len(values) >= MOST_LEVELS:
            raise SettingsError(
                "cuts", len(values), sentence("give fewer than {most} numbers", most=MOST_LEVELS)
            )
        if any(low >= high for low, high in pairwise(values)):
            raise SettingsError(
                "cuts", ", ".join(self.cuts), sentence("write the numbers from low to high")
            )


@dataclass(frozen=True)
class TableSettings(PlainSettings):
    """Questions, and tables of their numbers. ``is_public``: its page needs no login.

    ``totals`` are the numbers of randomized questions whose reports are counted beside them.
    Raises SettingsError.
    """

    remedy = sentence("these are not settings for tables")

    questions: tuple[TableQuestion, ...]
    tables: tuple[tuple[int, ...], ...]
    is_public: bool = False
    totals: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        numbers = [question.number for question in self.questions]
        if not 1 <= len(numbers) <= MOST_QUESTIONS or len(set(numbers)) < len(numbers):
            remedy = sentence(
                "choose 1 to {most} questions, and each question only once", most=MOST_QUESTIONS
            )
            raise SettingsError("questions", numbers, remedy)
        if not self.tables or len(set(self.tables)) < len(self.tables):
            raise SettingsError(
                "tables",
                len(self.tables),
                sentence("choose at least one table, and each table only once"),
            )
        for table in self.tables:
            self._check_table(table, numbers)
        if len(set(self.totals)) < len(self.totals) or len(self.totals) > MOST_TOTALS:
            remedy = sentence(
                "choose up to {most} randomized questions, and each question only once",
                most=MOST_TOTALS,
            )
            raise SettingsError("totals", list(self.totals), remedy)
        if unused := set(numbers) - {number for table in self.tables for number in table}:
            raise SettingsError(
                "questions",
                sorted(unused),
                sentence(
                    "put each of these questions into at least one table, or leave the question out"
                ),
            )

    @property
    def places(self) -> tuple[tuple[int, ...], ...]:
        """The tables by positions among ``questions``."""
        position_of = {
            question.number: position for position, question in enumerate(self.questions)
        }
        return tuple(tuple(sorted(position_of[n] for n in table)) for table in self.tables)

    def to_data(self) -> dict[str, Any]:
        """Plain values for JSON; ``from_data`` reads them."""
        data = super().to_data()
        # Left out where there are none, as in releases from before there were any.
        return data if self.totals else {name: data[name] for name in data if name != "totals"}

    def _check_table(self, table: tuple[int, ...], numbers: list[int]) -> None:
        if not table or list(table) != sorted(set(table)) or not set(table) <= set(numbers):
            remedy = sentence(
                "list each question of a table only once, and only numbers of questions that you "
                "chose"
            )
            raise SettingsError("tables", table, remedy)


def _number(cut: str) -> Decimal:
    try:
        value = Decimal(cut)
    except InvalidOperation:
        value = Decimal("NaN")
    if not value.is_finite():
        raise SettingsError("cuts", cut, sentence("write numbers, such as 30"))
    return value
