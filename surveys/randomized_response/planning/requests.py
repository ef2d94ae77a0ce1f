"""PlanRequest: what a plan is asked with, each field once, for page, command and package."""

from dataclasses import dataclass, fields
from fractions import Fraction
from functools import cached_property
from math import floor

from ..designs.design import Design
from ..designs.rounded import MOST as MOST_NUMBERS
from ..designs.rounded import RoundedNumber
from ..errors import StatisticsError
from ..messages import sentence
from .design_effects import DesignEffects
from .planned_designs import PLANNED_DESIGNS, PlannedDesign, fields_of_design
from .planning import PLANNING_METHODS, Meaning
from .readings import Reading
from .request_fields import (
    OfferedNames,
    RequestError,
    RequestField,
    TypedChance,
    TypedChances,
    TypedCount,
    TypedDraw,
    TypedEpsilon,
    TypedFailure,
    TypedLevelCounts,
    TypedLevels,
    TypedNumber,
    TypedShare,
    asked_field,
    check_fields,
)
from .sampled_people import SAMPLING_FIELDS, SampledPeople

MOST_OPENINGS = 400  # a year and a month of days
METHOD_LABELS = {
    "chebyshev": sentence("Chebyshev"),
    "hoeffding": "Hoeffding",
    "normal": sentence("Normal approximation"),
    "exact": sentence("Exact (Clopper-Pearson)"),
}
# By which a plan is made that is read more often than once; the others are methods for one look.
METHODS_OF_MANY_LOOKS = {Reading.ALWAYS: "sequence", Reading.AT_OPENINGS: "group-sequential"}
READINGS = (Reading.ONCE, Reading.AT_OPENINGS, Reading.ALWAYS)
# Arguments of designs, plans and readings whose name is not that of the field they come from.
_FIELDS_OF_ARGUMENTS = {
    "p_direct": "p",
    "p_sensitive": "p",
    "q_other_yes": "other",
    "p_harmless_yes": "other",
    "options": "levels",
    "points": "numbers",
    "largest_epsilon": "epsilon",
    "p_truth": "epsilon",
    "truth": "epsilon",
    "p_forced": "forced",
    "failure_probability": "failure",
    "n": "responses",
}
_OWN_NAMES = {
    *("epsilon", "error", "method", "meaning", "population", "parts", "sent"),
    *("cluster_size", "cluster_variation", "intraclass_correlation", "response_rate", "arms"),
}


@dataclass(frozen=True)
class PlanRequest(SampledPeople):
    """What a plan is asked with. ``responses`` counts all people, asked the question or not.

    ``design``: a name, or a design such as ``Warner(0.7)``, which stands for its parameters too; a
    parameter of another design is refused. Of a question with parts, it is that of one part.
    ``openings`` are those up to the
    close. How people are sampled is in SampledPeople. Raises StatisticsError that names an
    argument; ``field_of`` has the field it came from.

    >>> from randomized_response.planning import PlanRequest
    >>> asked = PlanRequest(design="k-ary", levels=3, epsilon=1.0, error=0.04)
    >>> asked.error, asked.failure, asked.leading
    (Fraction(1, 25), Fraction(1, 20), 'exact')
    """

    design: str | Design = asked_field(
        OfferedNames(
            sentence("Design"),
            "two-coins",
            labels={name: design.label for name, design in PLANNED_DESIGNS.items()},
        )
    )
    p: Fraction = asked_field(
        TypedNumber(
            sentence("Probability of the direct statement"),
            "3/4",
            sentence(
                'Warner: how often a person is asked "I have" instead of "I have not". Unrelated '
                "question: how often the answer to the sensitive question is sent."
            ),
        )
    )
    other: Fraction = asked_field(
        TypedNumber(
            sentence("Share of yes to the other question"),
            "1/4",
            sentence(
                "For the unrelated question and crosswise: the known share, such as 1/4 for a "
                "birthday in spring."
            ),
        )
    )
    levels: int = asked_field(
        TypedLevels(
            sentence("Number of answers"),
            "2",
            sentence('How many options the question has. Also count "prefer not to say".'),
        )
    )
    parts: int = asked_field(
        TypedLevels(
            sentence("Number of options or rows"),
            "6",
            sentence(
                "For multiple choice, the number of options. For a table, the number of rows."
            ),
        )
    )
    sent: int = asked_field(
        TypedLevels(
            sentence("Options or rows sent"),
            "1",
            sentence(
                "How many options or rows are sent per person, drawn by chance. 1 or 2 work best."
            ),
            least=1,
        )
    )
    numbers: int = asked_field(
        TypedLevels(
            sentence("How many numbers are possible"),
            "101",
            sentence(
                "How many numbers there are from the least to the largest. From 0 to 100 there "
                "are 101."
            ),
            most=MOST_NUMBERS,
        )
    )
    forced: tuple[Fraction, ...] = asked_field(
        TypedChances(
            sentence("Forced probabilities"),
            "1/4, 1/4",
            sentence("How often each option is sent regardless of the truth."),
        )
    )
    epsilon: float = asked_field(
        TypedEpsilon(
            sentence("Epsilon"),
            "ln 3",
            sentence(
                "The local epsilon of one answer, such as 1.1 or ln 3. For multiple choice and "
                "tables: the epsilon of everything that one person sends. Two coins have an "
                "epsilon of ln 3 for each yes or no that is sent."
            ),
        )
    )
    reading: Reading = asked_field(
        OfferedNames(
            sentence("Results are read"),
            "once",
            sentence(
                "“once” means that results are read at the first opening with the planned "
                "number of responses, or otherwise at the close. Reading results more often "
                "needs more people. The page compares how many people each choice needs."
            ),
            labels={reading.value: reading.name.lower() for reading in READINGS},
            read_name=Reading,
        )
    )
    openings: int = asked_field(
        TypedCount(
            sentence("Openings up to the close"),
            "4",
            sentence(
                "If results are read at openings: the number of openings, including the close."
            ),
            most=MOST_OPENINGS,
        )
    )
    error: Fraction = asked_field(
        TypedChance(
            sentence("Error"),
            "0.05",
            sentence(
                "How far an estimated share may be from the true share: 0.05 is 5 percentage "
                "points. For a number, how far the estimated mean may be from the true mean: 0.05 "
                "is 5 percent of the range from the least to the largest number."
            ),
        )
    )
    failure: Fraction = asked_field(
        TypedFailure(
            sentence("Failure probability"),
            "0.05",
            sentence(
                "How often an estimate may be further from the truth than the error allows: 0.05 "
                "is once in 20 surveys."
            ),
        )
    )
    method: str = asked_field(OfferedNames(sentence("Method"), "exact", labels=METHOD_LABELS))
    meaning: Meaning = asked_field(
        OfferedNames(
            sentence("Whom the estimate describes"),
            "population",
            labels={meaning.name.lower(): meaning.value for meaning in Meaning},
            read_name=lambda name: Meaning[name.upper()],
        )
    )
    population: int | None = asked_field(
        TypedCount(
            sentence("Population size"),
            help=sentence(
                "Enter the size only if it is known and finite. Otherwise leave this field empty."
            ),
        )
    )
    responses: int | None = asked_field(
        TypedCount(
            sentence("Responses you can get"),
            help=sentence(
                "Needed only to see the error with this number of responses. Otherwise leave "
                "this field empty."
            ),
        )
    )
    drawn: Fraction = asked_field(
        TypedDraw(
            sentence("Share of respondents who get the question"),
            "1",
            sentence(
                "Write a number below 1 if each person is asked only some of the protected "
                "questions, drawn by chance. For 2 of 10 questions, write 2/10."
            ),
        )
    )
    share: Fraction | None = asked_field(
        TypedShare(
            sentence("Share you expect"),
            help=sentence(
                "Needed only to plan a test and to compare designs. Otherwise leave this field "
                "empty. 0.2 is 20 %. If a question has more than two options, write the share of "
                "one option."
            ),
        )
    )
    null_share: Fraction = asked_field(TypedShare(sentence("Share to compare with"), "0"))
    samples: str = asked_field(
        OfferedNames(
            sentence("What is tested"),
            "one",
            labels={
                "one": sentence("One group, against a fixed share"),
                "two": sentence("Two groups of equal size"),
            },
        )
    )
    power: Fraction = asked_field(
        TypedChance(
            sentence("Power"),
            "0.8",
            sentence("How often the test should find the difference: 0.8 is 4 times out of 5."),
        )
    )
    significance: Fraction = asked_field(
        TypedFailure(
            sentence("Significance level"),
            "0.05",
            sentence("How often the test may find a difference although there is none."),
        )
    )
    alternative: str = asked_field(
        OfferedNames(
            sentence("Alternative hypothesis"),
            "two-sided",
            labels={
                "two-sided": sentence("Two-sided"),
                "one-sided": sentence("One-sided, towards the expected share"),
            },
        )
    )
    budget: float | None = asked_field(
        TypedEpsilon(
            sentence("Epsilon for several questions together"),
            help=sentence(
                "Needed only to divide this epsilon among the questions. Otherwise leave this "
                "field empty."
            ),
        )
    )
    answers: tuple[int, ...] = asked_field(
        TypedLevelCounts(
            sentence("Answers per question"),
            "2, 2, 2",
            sentence("How many options each question has that shares this epsilon."),
        )
    )
    objective: str = asked_field(
        OfferedNames(
            sentence("Goal of sharing epsilon"),
            "sum",
            labels={
                "sum": sentence("smallest sum of variances"),
                "maximum": sentence("smallest maximum of the variances"),
            },
        )
    )

    def __post_init__(self) -> None:
        self._take_design()
        check_fields(self, REQUEST_FIELDS)
        self._refuse_parameters_of_others()
        self._check_parts()
        self._check_clusters()
        # A design refuses parameters when it is made, so that every request has one.
        _ = self.channel_design

    def _take_design(self) -> None:
        """A design itself stands for its name and its parameters. Raises RequestError."""
        design: object = self.design
        if isinstance(design, Design):
            for name, value in fields_of_design(design).items():
                object.__setattr__(self, name, value)

    def _refuse_parameters_of_others(self) -> None:
        """What a design does not have would be ignored. Raises RequestError."""
        used = self.planned_design.parameters
        for name in _PARAMETERS:
            usual = REQUEST_FIELDS[name]
            value = getattr(self, name)
            if name not in used and value != usual.read(name, usual.usual):
                remedy = f"{self.design} takes {', '.join(used) or 'no parameters'}: leave it out"
                raise RequestError(name, value, remedy)

    def _check_parts(self) -> None:
        """No more parts than a question has, and none is sent twice."""
        most = self.planned_design.most_parts
        words = sentence("Write a number from {least} to {most}.")
        if most and self.parts > most:
            raise RequestError("parts", self.parts, words.format(least=2, most=most))
        if most and self.sent > self.parts:
            raise RequestError("sent", self.sent, words.format(least=1, most=self.parts))

    @property
    def planned_design(self) -> PlannedDesign:
        """That of its name: what was given as a design has one, too."""
        return PLANNED_DESIGNS[str(self.design)]

    @cached_property
    def channel_design(self) -> Design | RoundedNumber:
        """The design of the question, or of one of its parts."""
        return self.planned_design.make(self)

    @property
    def is_in_parts(self) -> bool:
        """Whether a drawn few parts of the question are sent of each person."""
        return self.planned_design.most_parts > 0

    @property
    def is_mean(self) -> bool:
        """Whether the mean of a number is planned for; otherwise it is shares."""
        return isinstance(self.channel_design, RoundedNumber)

    @property
    def share_asked(self) -> Fraction:
        """The share of people who are asked the question, or a given part of it."""
        return self.drawn * Fraction(self.sent, self.parts) if self.is_in_parts else self.drawn

    @property
    def share_answering(self) -> Fraction:
        """The share of people of whom there is an answer, or a part of it, in the smallest arm."""
        return self.share_asked * min(self.arm_shares)

    @cached_property
    def effects(self) -> DesignEffects:
        """The design effects of the answers: those of clusters and of unequal weights."""
        return self.effects_of(self.share_answering)

    @property
    def responses_answering(self) -> int | None:
        """How many of the responses have an answer to the question, on average; at least 1."""
        return max(1, floor(self.responses * self.share_answering)) if self.responses else None

    @property
    def person_epsilon(self) -> float:
        """Of all that is sent of one person."""
        return self.channel_design.epsilon * (self.sent if self.is_in_parts else 1)

    @property
    def leading(self) -> str:
        """The method whose number is asked for: one for one look, or that of its many looks."""
        return METHODS_OF_MANY_LOOKS.get(self.reading, self.method)

    @property
    def methods(self) -> tuple[str, ...]:
        """Those of which a plan has a number."""
        once = tuple(PLANNING_METHODS)
        return once if self.reading is Reading.ONCE else (self.leading, *once)


_PARAMETERS = tuple(
    dict.fromkeys(name for design in PLANNED_DESIGNS.values() for name in design.parameters)
)
# Those of the sample come last: a dataclass has the fields of its base first.
REQUEST_FIELDS: dict[str, RequestField] = {
    own.name: own.metadata["asked"]
    for own in sorted(fields(PlanRequest), key=lambda own: own.name in SAMPLING_FIELDS)
}


def field_of(design: str, problem: StatisticsError) -> str | None:
    """The field that a refused argument came from; None for the request as a whole.

    >>> from randomized_response.errors import DesignError
    >>> from randomized_response.planning import field_of
    >>> field_of("warner", DesignError("p_direct", 0.5, "choose another value"))
    'p'
    """
    argument = problem.argument.partition("[")[0]
    if argument == "channel":
        return PLANNED_DESIGNS[design].parameters[-1]
    return argument if argument in _OWN_NAMES else _FIELDS_OF_ARGUMENTS.get(argument)
