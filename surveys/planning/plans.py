"""PlanReport: a plan in words: its number, readings, people and errors by method, and its curve."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from django.utils.translation import gettext

from surveys.models import Survey
from surveys.planning.samples import SampleReport
from surveys.planning.tests_and_prices import PlanExtras, extras
from surveys.questionnaire.plans.readings import expected_looks
from surveys.randomized_response.designs import Direct
from surveys.randomized_response.errors import PlanError, StatisticsError
from surveys.randomized_response.messages import sentence
from surveys.randomized_response.planning import (
    METHOD_LABELS,
    Meaning,
    MethodNumbers,
    PlanRequest,
    Reading,
    SurveyPlan,
    plan_survey,
)
from surveys.randomized_response.planning.request_fields import RequestError
from surveys.wording import odds
from surveys.wording.language.messages import translated
from surveys.wording.language.numbers import count_words, localized, number_words
from surveys.wording.readings import READING_WORDS, error_words

METHOD_NAMES = {
    **METHOD_LABELS,
    "sequence": sentence("Confidence sequence (all looks)"),
    "group-sequential": sentence("Group-sequential (at openings)"),
}


@dataclass(frozen=True)
class Answer:
    """A number, or the reason why there is none; ``unit`` is that of an error in percent."""

    value: float | None
    words: str
    unit: str = ""

    @classmethod
    def of(cls, number: float | StatisticsError, unit: str = "") -> "Answer":
        """What a plan has in the place of a number."""
        if isinstance(number, StatisticsError):
            return cls(None, in_words(number))
        return cls(number, "", unit)

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


@dataclass(frozen=True)
class PlanRow:
    """One method under both meanings."""

    method: str
    is_chosen: bool
    respondents: Answer
    population: Answer

    @property
    def name(self) -> str:
        return translated(METHOD_NAMES[self.method])

    @property
    def answers(self) -> tuple[tuple[Answer, Meaning], ...]:
        return (self.respondents, Meaning.RESPONDENTS), (self.population, Meaning.POPULATION)


@dataclass(frozen=True)
class CurvePoint:
    """Sample sizes by every method at one error; None where a method has none."""

    error: float
    sizes: tuple[tuple[str, float | None], ...]
    is_chosen: bool
    unit: str

    @property
    def error_words(self) -> str:
        return f"± {number_words(100 * self.error, 6)} {self.unit}"

    @property
    def shown(self) -> tuple[str, ...]:
        return tuple("–" if n is None else localized(f"{n:,.0f}") for _, n in self.sizes)


@dataclass(frozen=True)
class PlanWords:
    """What was asked of a plan, and its answer in sentences."""

    plan: SurveyPlan

    @property
    def request(self) -> PlanRequest:
        return self.plan.request

    @property
    def n(self) -> int:
        return self.plan.n

    @property
    def people(self) -> int:
        return self.plan.people

    @property
    def assumption(self) -> str:
        return translated(self.plan.assumption)

    @property
    def unit(self) -> str:
        """What an error counts, times 100: shares lie points apart, not percent of each other."""
        return gettext("% of the range") if self.request.is_mean else gettext("points")

    @property
    def epsilon(self) -> float:
        return self.request.person_epsilon

    @property
    def epsilon_words(self) -> str:
        if isinstance(self.request.channel_design, Direct):
            return gettext("not protected: every answer is sent as given")
        if math.isinf(self.epsilon):
            return gettext(
                "infinite: some reported answers would prove what is not true of a person"
            )
        return f"{localized(f'{self.epsilon:.4f}')} ({odds.odds_words(self.epsilon)})"

    @property
    def people_words(self) -> str:
        return count_words(self.people)

    @cached_property
    def sample(self) -> SampleReport | None:
        """How the answers come about; None where nothing is said of how people are sampled."""
        sample = self.plan.sample
        return None if sample is None else SampleReport(self.plan, sample)

    @property
    def drawn_words(self) -> str:
        """That chance draws who is asked; empty where all people are."""
        asked = self.request
        if asked.share_answering == 1:
            return ""
        if asked.arms:
            return gettext(
                "The numbers below count only people in the smallest arm (group drawn by "
                "chance) who are asked this question. “The people who take part” also include "
                "people in the other arms, and people who are not asked this question."
            )
        if asked.is_in_parts:
            return gettext(
                "Each person's answer has {parts} parts (options or rows). Chance draws {sent} "
                "of them, and nothing else is sent. Each part gets about {n} answers, and "
                "slightly fewer in half of all surveys. The numbers below count only people who "
                "send one particular part. “The people who take part” also include people who do "
                "not send this part."
            ).format(sent=asked.sent, parts=asked.parts, n=count_words(self.n))
        return gettext(
            "Chance decides who is asked this question: about {n} people, and slightly fewer in "
            "half of all surveys. The numbers below count only people who are asked this "
            "question. “The people who take part” also include people who are not asked."
        ).format(n=count_words(self.n))

    @property
    def design_words(self) -> str:
        return translated(self.request.channel_design.label)

    @property
    def meaning_words(self) -> str:
        """Whose share is meant."""
        return translated(self.request.meaning.value)


@dataclass(frozen=True)
class PlanReport(PlanWords):
    """Everything that the planner's page and command say about one plan: its tables too."""

    @cached_property
    def readings(self) -> Readings:
        unit = self.unit
        rows = (
            ReadingRow(
                row.reading,
                row.reading is self.request.reading,
                Answer.of(row.people),
                Answer.of(row.error, unit),
            )
            for row in self.plan.readings
        )
        error = f"± {error_words(float(self.request.error), unit)}"
        return Readings(error, count_words(self.plan.compared_people), tuple(rows))

    @cached_property
    def sizes(self) -> tuple[PlanRow, ...]:
        return tuple(self._rows(self.plan.sizes))

    @cached_property
    def errors(self) -> tuple[PlanRow, ...]:
        return tuple(self._rows(self.plan.errors, self.unit))

    def _rows(self, numbers: tuple[MethodNumbers, ...], unit: str = "") -> Iterator[PlanRow]:
        for row in numbers:
            respondents, population = (Answer.of(row.of(meaning), unit) for meaning in Meaning)
            is_chosen = row.method == self.request.leading
            yield PlanRow(row.method, is_chosen, respondents, population)

    @cached_property
    def extras(self) -> PlanExtras:
        return extras(self.plan)

    @property
    def beside(self) -> str:
        """What the exact number means and what Chebyshev's buys, whichever of them leads."""
        asked = self.request
        if asked.reading is not Reading.ONCE:
            return str(READING_WORDS[asked.reading])
        if not asked.effects.is_none:
            return self._beside_by_design
        level = number_words(100 * float(1 - asked.failure), 6)
        error = number_words(100 * float(asked.error), 6)
        if asked.method == "exact":
            exact = gettext(
                "With {n} answers, the {level} % interval of any share is at most ± {error} points."
            ).format(n=self._size_by("exact"), level=level, error=error)
            return f"{exact} {self._guaranteed}".strip()
        size = self._size_by("exact")
        words = gettext(
            "The exact method needs {n} answers. With {n} answers, the {level} % interval of any "
            "share is at most ± {error} points."
        )
        return words.format(n=size, level=level, error=error) if size else ""

    @property
    def _beside_by_design(self) -> str:
        """The numbers by the exact method and by Chebyshev, where the design has effects."""
        exact, guaranteed = self._size_by("exact"), self._size_by("chebyshev")
        if not exact or not guaranteed:
            return ""
        return gettext(
            "With these design effects, the exact method needs {exact} answers, and Chebyshev's "
            "inequality needs {guaranteed} answers."
        ).format(exact=exact, guaranteed=guaranteed)

    @property
    def _guaranteed(self) -> str:
        size = self._size_by("chebyshev")
        words = gettext(
            "Chebyshev's inequality needs {n} answers. This method uses only the variance of "
            "the estimate. Its guarantee therefore applies to every design, every true share and "
            "every number of people."
        )
        return words.format(n=size) if size else ""

    def _size_by(self, method: str) -> str:
        """The number of people under the meaning that was asked for; empty where there is none."""
        row = next(row for row in self.plan.sizes if row.method == method)
        size = row.of(self.request.meaning)
        return "" if isinstance(size, StatisticsError) else Answer.of(size).shown

    @property
    def method_names(self) -> tuple[str, ...]:
        return tuple(row.name for row in self.sizes)

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why a method has no answer, each once."""
        reasons = (
            f"{row.name}, {translated(meaning.value)}: {answer.words}"
            for row in (*self.sizes, *self.errors)
            for answer, meaning in row.answers
            if answer.value is None
        )
        return tuple(dict.fromkeys(reasons))

    @cached_property
    def curve(self) -> tuple[CurvePoint, ...]:
        """How many people each error needs."""
        return tuple(
            CurvePoint(
                float(error),
                tuple((method, Answer.of(n).value) for method, n in sizes),
                error == self.request.error,
                self.unit,
            )
            for error, sizes in self.plan.curve
        )

    @property
    def summary(self) -> str:
        """The curve in words."""
        leading = self.request.leading
        parts = (
            f"{point.error_words} {localized(f'{dict(point.sizes)[leading]:,.0f}')}"
            for point in self.curve
            if dict(point.sizes)[leading] is not None
        )
        return gettext("People needed for each error with the method “{method}”: {sizes}.").format(
            method=translated(METHOD_NAMES[leading]), sizes="; ".join(parts)
        )


def plan_report(request: PlanRequest) -> PlanReport:
    """Answer the planner's question by every method. Raises StatisticsError for the chosen one."""
    return PlanReport(plan_survey(request, expected_looks(request.openings)))


def in_words(problem: StatisticsError) -> str:
    """The remedy as a page says it, without the names of the programming interface."""
    words = translated(problem.remedy)
    if isinstance(problem, RequestError):
        return words  # a whole sentence already
    for meaning in Meaning:
        words = words.replace(f" ({meaning})", "")
    if isinstance(problem, PlanError) and problem.argument == "method":
        words = words.replace("this design", "The design")
    return words[:1].upper() + words[1:] + "."
