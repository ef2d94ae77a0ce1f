"""Readings: what each way of reading costs, in people and in errors, side by side; an Answer."""

from dataclasses import dataclass
from fractions import Fraction

from surveys.models import Survey
from surveys.randomized_response.designs import Design, RoundedNumber
from surveys.randomized_response.errors import PlanError, StatisticsError
from surveys.randomized_response.intervals import PlannedLooks
from surveys.randomized_response.planning import (
    Meaning,
    Reading,
    half_width,
    people_needed,
    scores_shown,
)
from surveys.wording.language.messages import translated
from surveys.wording.language.numbers import count_words, localized
from surveys.wording.readings import READING_WORDS, error_words

Planned = Design | RoundedNumber


@dataclass(frozen=True)
class Answer:
    """A number, or the reason why there is none; ``unit`` is that of an error in percent."""

    value: float | None
    words: str
    unit: str = ""

    @property
    def shown(self) -> str:
        """A sample size."""
        return "–" if self.value is None else localized(f"{self.value:,.0f}")

    @property
    def shown_error(self) -> str:
        """An error with its unit; one above 100 excludes nothing."""
        if self.value is None:
            return "–"
        words = error_words(self.value, self.unit)
        return words if self.value >= 1 else f"± {words}"


@dataclass(frozen=True)
class ReadingRow:
    """What one reading costs: people for the wanted error, and the error of a number of people."""

    reading: Reading
    is_chosen: bool
    people: Answer
    error: Answer

    @property
    def name(self) -> str:
        return str(Survey.Reading(self.reading.value).label)

    @property
    def words(self) -> str:
        """What the reading is for."""
        return str(READING_WORDS[self.reading])


@dataclass(frozen=True)
class Readings:
    """All readings side by side: people for the wanted ``error``, and the error of ``answers``."""

    error: str
    answers: str
    rows: tuple[ReadingRow, ...]


def people_in(
    design: Planned, reading: Reading, error: Fraction, failure: Fraction, looks: PlannedLooks
) -> int:
    """How many answers make no interval wider than this in a reading. Raises PlanError.

    ``looks`` are all openings, for the reading at them.
    """
    scores = scores_shown(design)
    return people_needed(
        scores, error=error, reading=reading, failure_probability=failure, looks=looks
    )


def error_in(
    design: Planned,
    reading: Reading,
    n: int,
    failure: Fraction,
    unit: str,
    looks: PlannedLooks,
) -> Answer:
    """Half the width that no interval of n answers exceeds in a reading."""
    scores = scores_shown(design)
    found = half_width(scores, n=n, reading=reading, failure_probability=failure, looks=looks)
    return Answer(found, "", unit)


def readings_of(
    design: Planned,
    error: Fraction,
    failure: Fraction,
    *,
    chosen: Reading,
    answers: int,
    unit: str,
    looks: PlannedLooks,
) -> Readings:
    """People for the wanted error, and the error of so many answers, in each reading."""
    rows = [
        ReadingRow(
            reading,
            reading is chosen,
            _people(design, reading, error, failure, looks),
            error_in(design, reading, answers, failure, unit, looks),
        )
        for reading in READING_WORDS
    ]
    return Readings(f"± {error_words(float(error), unit)}", count_words(answers), tuple(rows))


def _people(
    design: Planned, reading: Reading, error: Fraction, failure: Fraction, looks: PlannedLooks
) -> Answer:
    try:
        return Answer(people_in(design, reading, error, failure, looks), "")
    except StatisticsError as problem:
        return Answer(None, in_words(problem))


def in_words(problem: StatisticsError) -> str:
    """The remedy as a page says it, without the names of the programming interface."""
    words = translated(problem.remedy)
    for meaning in Meaning:
        words = words.replace(str(meaning), f'"{meaning.value}"')
    if isinstance(problem, PlanError) and problem.argument == "method":
        words = words.replace("this design", "The design")
    return words[:1].upper() + words[1:] + "."
