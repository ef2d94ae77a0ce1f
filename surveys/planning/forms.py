"""PlanForm, with all help texts: design, error or people, budget, power; SavePlanForm. Checked."""

from collections.abc import Mapping
from typing import Any, Self

from django import forms
from django.db.models import QuerySet
from django.utils.translation import gettext, gettext_lazy

from surveys.kinds.matrix.promise import MOST_ROWS
from surveys.kinds.ticks.promise import MOST_TICKS_OPTIONS
from surveys.models import Survey
from surveys.planning.fields import (
    AnswersField,
    DrawnField,
    EpsilonField,
    FailureField,
    FractionField,
    FractionsField,
    LevelsField,
    ProbabilityField,
    ShareField,
)
from surveys.planning.plans import (
    MEANING_NAMES,
    MEANING_WORDS,
    PLANNING_NAMES,
    PlanQuestion,
    PlanReport,
    Sending,
    in_words,
    plan_report,
)
from surveys.planning.tests_and_prices import (
    ALTERNATIVE_NAMES,
    OBJECTIVE_CHOICES,
    SAMPLE_NAMES,
    BudgetRequest,
    PowerQuestion,
)
from surveys.randomized_response.designs import (
    Crosswise,
    Design,
    Direct,
    ForcedResponseOptions,
    KAry,
    OptimisedScale,
    Purpose,
    RoundedNumber,
    TwoCoins,
    UnrelatedQuestion,
    Warner,
)
from surveys.randomized_response.designs.rounded import MOST as MOST_NUMBERS
from surveys.randomized_response.errors import StatisticsError
from surveys.randomized_response.planning import Reading
from surveys.web.forms import CountField, QuestionForm
from surveys.wording.language.numbers import parted_lazy

LONG_SCALES = {
    "long-scale-histogram": Purpose.HISTOGRAM,
    "long-scale-cdf": Purpose.CDF,
    "long-scale-mean": Purpose.MEAN,
}
# Questions of which a drawn few parts are sent: of multiple choice each option is a yes or no.
IN_PARTS = ("multiple-choice", "table")
MOST_PARTS = {"multiple-choice": MOST_TICKS_OPTIONS, "table": MOST_ROWS}
PARAMETERS = {
    "two-coins": ("levels",),
    "warner": ("p",),
    "forced-response": ("forced",),
    "k-ary": ("levels", "epsilon"),
    "unrelated-question": ("p", "other"),
    "crosswise": ("other",),
    **dict.fromkeys(LONG_SCALES, ("levels", "epsilon")),
    "multiple-choice": ("parts", "sent", "epsilon"),
    "table": ("parts", "sent", "levels", "epsilon"),
    "rounded-number": ("numbers", "epsilon"),
    "direct": ("levels",),
}


FIELD_OF_ARGUMENT = {
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
    "epsilon": "epsilon",
    "error": "error",
    "failure_probability": "failure",
    "method": "method",
    "meaning": "meaning",
    "population": "population",
    "n": "responses",
}
MOST_OPENINGS = 400  # a year and a month of days


class PlanForm(QuestionForm):
    """The planner's question; the page and the command ask through the same fields."""

    design = forms.ChoiceField(
        label=gettext_lazy("Design"),
        choices=[
            ("two-coins", gettext_lazy("Two coins")),
            ("warner", gettext_lazy("Warner")),
            ("forced-response", gettext_lazy("Forced response")),
            ("k-ary", gettext_lazy("k-ary, by epsilon")),
            ("unrelated-question", gettext_lazy("Unrelated question")),
            ("crosswise", gettext_lazy("Crosswise")),
            ("long-scale-histogram", gettext_lazy("Long scale, best for the share of each answer")),
            ("long-scale-cdf", gettext_lazy("Long scale, best for the shares up to each answer")),
            ("long-scale-mean", gettext_lazy("Long scale, best for the mean")),
            ("multiple-choice", gettext_lazy("Multiple choice, a drawn few options are sent")),
            ("table", gettext_lazy("Table, a drawn few rows are sent")),
            ("rounded-number", gettext_lazy("Number, rounded by chance")),
            ("direct", gettext_lazy("Direct: not protected")),
        ],
        initial="two-coins",
    )
    p = FractionField(
        label=gettext_lazy("Probability of the direct statement"),
        initial="3/4",
        help_text=gettext_lazy(
            'Warner: how often a person is asked "I have", not "I have not". Unrelated question: '
            "how often the sensitive question is the one that counts."
        ),
    )
    other = FractionField(
        label=gettext_lazy("Share of yes to the other question"),
        initial="1/4",
        help_text=gettext_lazy(
            "Unrelated and crosswise: the known share, such as 1/4 for a birthday in spring."
        ),
    )
    levels = LevelsField(
        label=gettext_lazy("Number of answers"),
        initial="2",
        help_text=gettext_lazy('Count "prefer not to say" too.'),
    )
    parts = LevelsField(
        label=gettext_lazy("Number of options or rows"),
        initial="6",
        help_text=gettext_lazy("Multiple choice: its options. Table: its rows."),
    )
    sent = LevelsField(
        least=1,
        label=gettext_lazy("Sent of each person"),
        initial="1",
        help_text=gettext_lazy(
            "How many of them are sent of each person, drawn by chance; 1 or 2 serve best."
        ),
    )
    numbers = LevelsField(
        most=MOST_NUMBERS,
        label=gettext_lazy("Numbers that can be given"),
        initial="101",
        help_text=gettext_lazy(
            "How many there are from the least to the largest: 101 from 0 to 100."
        ),
    )
    forced = FractionsField(
        label=gettext_lazy("Forced probabilities"),
        initial=parted_lazy(["1/4", "1/4"]),
        help_text=gettext_lazy("For each answer, how often it is sent no matter what is true."),
    )
    epsilon = EpsilonField(
        label=gettext_lazy("Epsilon"),
        initial="ln 3",
        help_text=gettext_lazy(
            "Local epsilon of one answer: 1.1, or ln 3. Of multiple choice and tables, that of all "
            "that is sent of a person; two coins have ln 3 for each yes or no that is sent."
        ),
    )
    reading = forms.ChoiceField(
        label=gettext_lazy("Results are read"),
        choices=Survey.Reading.choices,
        initial="once",
        help_text=gettext_lazy(
            "Once: at the first opening with the planned number, else at the close. More looks "
            "need more people: the page compares them."
        ),
    )
    openings = CountField(
        label=gettext_lazy("Openings up to the close"),
        most=MOST_OPENINGS,
        initial="4",
        help_text=gettext_lazy("Read at openings: how many there are, the close among them."),
    )
    error = ProbabilityField(
        label=gettext_lazy("Error"),
        initial="0.05",
        help_text=gettext_lazy(
            "How far off an estimated share may be: 0.05 is 5 percentage points. Of a number, how "
            "far off the mean: 0.05 is 5 percent of the range from the least to the largest."
        ),
    )
    failure = FailureField(
        label=gettext_lazy("Failure probability"),
        initial="0.05",
        help_text=gettext_lazy("How often it may be further off: 0.05 is once in 20 surveys."),
    )
    method = forms.ChoiceField(
        label=gettext_lazy("Method"), choices=list(PLANNING_NAMES.items()), initial="exact"
    )
    meaning = forms.ChoiceField(
        label=gettext_lazy("Whose share is meant"),
        choices=[(name, MEANING_WORDS[meaning]) for name, meaning in MEANING_NAMES.items()],
        initial="population",
    )
    population = CountField(
        label=gettext_lazy("Population size"),
        required=False,
        help_text=gettext_lazy("Only if it is known and finite; otherwise leave it empty."),
    )
    responses = CountField(
        label=gettext_lazy("Responses you can get"),
        required=False,
        help_text=gettext_lazy(
            "To see the error that this many responses buy; otherwise leave it empty."
        ),
    )

    drawn = DrawnField(
        label=gettext_lazy("Share of people asked it"),
        initial="1",
        help_text=gettext_lazy(
            "Below 1 if each person is asked some of the protected questions, drawn by chance: 2 "
            "of 10 is 2/10."
        ),
    )

    share = ShareField(
        label=gettext_lazy("Share you expect"),
        required=False,
        help_text=gettext_lazy(
            "To plan a test and to compare designs; otherwise leave it empty. 0.2 is 20 %. "
            "With more than two answers it is the share of one of them."
        ),
    )
    null_share = ShareField(label=gettext_lazy("Share to tell it from"), initial="0")
    samples = forms.ChoiceField(
        label=gettext_lazy("What is tested"), choices=list(SAMPLE_NAMES.items()), initial="one"
    )
    power = ProbabilityField(
        label=gettext_lazy("Power"),
        initial="0.8",
        help_text=gettext_lazy(
            "How often the test should find the difference: 0.8 is 4 times in 5."
        ),
    )
    significance = FailureField(
        label=gettext_lazy("Level of the test"),
        initial="0.05",
        help_text=gettext_lazy("How often it may find a difference where there is none."),
    )
    alternative = forms.ChoiceField(
        label=gettext_lazy("Alternative"),
        choices=list(ALTERNATIVE_NAMES.items()),
        initial="two-sided",
    )
    budget = EpsilonField(
        label=gettext_lazy("Epsilon for several questions together"),
        required=False,
        help_text=gettext_lazy("To share it out over the questions; otherwise leave it empty."),
    )
    answers = AnswersField(
        label=gettext_lazy("Answers of each question"),
        initial=parted_lazy([2, 2, 2]),
        help_text=gettext_lazy("The number of answers of every question that shares the budget."),
    )
    objective = forms.ChoiceField(
        label=gettext_lazy("Share it out for the"),
        choices=list(OBJECTIVE_CHOICES.items()),
        initial="sum",
    )

    report: PlanReport

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> Self:
        """Complete what was asked with the defaults, so that every address is a whole plan."""
        given = {name: value for name, value in query.items() if name in cls.base_fields}
        return cls({**cls.defaults(), **given})

    @classmethod
    def defaults(cls) -> dict[str, str]:
        """What each field holds before anybody types."""
        return {name: str(field.initial or "") for name, field in cls.base_fields.items()}

    @property
    def parameters(self) -> list[forms.BoundField]:
        """The fields that belong to some designs only."""
        names = ("parts", "sent", "levels", "numbers", "p", "other", "forced", "epsilon")
        return [self[name] for name in names]

    @property
    def goals(self) -> list[forms.BoundField]:
        """The fields that every design has."""
        names = ("reading", "openings", "error", "failure", "method", "meaning", "population")
        return [self[name] for name in (*names, "responses", "drawn")]

    @property
    def test(self) -> list[forms.BoundField]:
        """The fields about a test of the share."""
        names = ("share", "null_share", "samples", "power", "significance", "alternative")
        return [self[name] for name in names]

    @property
    def sharing(self) -> list[forms.BoundField]:
        """The fields about one epsilon for several questions."""
        return [self[name] for name in ("budget", "answers", "objective")]

    def clean(self) -> dict[str, Any]:
        """Answer the question; what statistics refuses is said at the field it is about."""
        self._forget_other_designs()
        self._check_parts()
        if not self.errors:
            try:
                self.report = plan_report(self._question())
            except StatisticsError as problem:
                self.add_error(self._field_of(problem), in_words(problem))
        return self.cleaned_data

    def _forget_other_designs(self) -> None:
        """A parameter of another design is not used, so it cannot be wrong."""
        used = PARAMETERS.get(self.cleaned_data.get("design", ""), ())
        for field in self.parameters:
            if field.name not in used:
                self.errors.pop(field.name, None)

    def _check_parts(self) -> None:
        """No more parts than a question has, and none is sent twice."""
        chosen = self.cleaned_data
        design = chosen.get("design", "")
        if self.errors or design not in IN_PARTS:
            return
        if chosen["parts"] > MOST_PARTS[design]:
            self.add_error("parts", _from_to(2, MOST_PARTS[design]))
        elif chosen["sent"] > chosen["parts"]:
            self.add_error("sent", _from_to(1, chosen["parts"]))

    def _sending(self) -> Sending | None:
        chosen = self.cleaned_data
        is_in_parts = chosen["design"] in IN_PARTS
        return Sending(chosen["sent"], chosen["parts"]) if is_in_parts else None

    def _question(self) -> PlanQuestion:
        chosen = self.cleaned_data
        return PlanQuestion(
            design=self._design(),
            sending=self._sending(),
            error=chosen["error"],
            failure=chosen["failure"],
            method=chosen["method"],
            meaning=MEANING_NAMES[chosen["meaning"]],
            population=chosen["population"],
            responses=chosen["responses"],
            asked=chosen["drawn"],
            reading=Reading(chosen["reading"]),
            openings=chosen["openings"],
            power=self._power(),
            budget=self._budget(),
        )

    def _power(self) -> PowerQuestion | None:
        names = ("share", "null_share", "power", "significance", "alternative", "samples")
        chosen = {name: self.cleaned_data[name] for name in names}
        return None if chosen["share"] is None else PowerQuestion(**chosen)

    def _budget(self) -> BudgetRequest | None:
        chosen = self.cleaned_data
        if chosen["budget"] is None:
            return None
        return BudgetRequest(chosen["budget"], chosen["answers"], chosen["objective"])

    def _design(self) -> Design | RoundedNumber:
        chosen = self.cleaned_data
        match chosen["design"]:
            case "multiple-choice":
                return KAry.from_epsilon(2, chosen["epsilon"] / chosen["sent"])
            case "table":
                return KAry.from_epsilon(chosen["levels"], chosen["epsilon"] / chosen["sent"])
            case "rounded-number":
                return RoundedNumber.from_epsilon(chosen["numbers"], chosen["epsilon"])
            case "warner":
                return Warner(chosen["p"])
            case "forced-response":
                return ForcedResponseOptions(chosen["forced"])
            case "k-ary":
                return KAry.from_epsilon(chosen["levels"], chosen["epsilon"])
            case scale if scale in LONG_SCALES:
                return OptimisedScale(chosen["levels"], LONG_SCALES[scale], chosen["epsilon"])
            case "unrelated-question":
                return UnrelatedQuestion(chosen["p"], chosen["other"])
            case "crosswise":
                return Crosswise(chosen["other"])
            case "direct":
                return Direct(chosen["levels"])
        return TwoCoins(chosen["levels"])

    def _field_of(self, problem: StatisticsError) -> str | None:
        """The field that a refused argument came from; None for the question as a whole."""
        if problem.argument == "channel":
            return PARAMETERS[self.cleaned_data["design"]][-1]
        return FIELD_OF_ARGUMENT.get(problem.argument.partition("[")[0])


def _from_to(least: int, most: int) -> str:
    return gettext("Write a number from {least} to {most}.").format(least=least, most=most)


class SavePlanForm(forms.Form):
    """Make a number of responses a survey's plan, with its reading and its error."""

    survey: Any = forms.ModelChoiceField(
        label=gettext_lazy("Survey"), queryset=None, empty_label=None
    )
    responses = CountField(widget=forms.HiddenInput)
    reading = forms.ChoiceField(choices=Survey.Reading.choices, widget=forms.HiddenInput)
    error = ProbabilityField(required=False, widget=forms.HiddenInput)
    failure = FailureField(widget=forms.HiddenInput)

    def __init__(self, *args: Any, surveys: QuerySet[Any], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["survey"].queryset = surveys  # type: ignore[attr-defined]
