"""BreakdownForm, RegressionForm, WeightsForm: outcome, predictors, link, margins; checked."""

import re
from abc import abstractmethod
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import combinations
from operator import itemgetter
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.text import format_lazy
from django.utils.translation import gettext, gettext_lazy

from surveys.kinds.levels.promise import LevelQuestion
from surveys.kinds.number.promise import NumberQuestion
from surveys.questionnaire.arms import FIELD
from surveys.questionnaire.kinds.question import Question
from surveys.questionnaire.kinds.registry import of_kind
from surveys.questionnaire.sharing import sharing_pair
from surveys.results.analyses.comparisons import Comparison
from surveys.results.analyses.queries import Grouping
from surveys.results.analyses.regressions import Choice
from surveys.results.analyses.weighting import WEIGHTED_METHODS
from surveys.results.reading import Reading, methods_for
from surveys.web.forms import LEVELS, AddressForm, refuse_thousands

USUAL = Reading()
NOTHING = ("", gettext_lazy("Nothing more"))
EVERY_PAIR = "pairs"
COMPARED = [
    ("", gettext_lazy("each group with the largest")),
    (EVERY_PAIR, gettext_lazy("every pair of groups")),
]
# Of more answers there are too many pairs to choose one from a list.
MOST_PAIRED = 12
LONGEST_CHOICE = 70


def numbered(items: Iterable[tuple[int, Question]]) -> list[tuple[str, str]]:
    """Questions as choices: their number, and their number with their words."""
    return [(str(number), f"{number}. {_shortened(item.text)}") for number, item in items]


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST_CHOICE else f"{text[: LONGEST_CHOICE - 1]}…"


def answerable(
    items: Iterable[Question], hidden: Collection[Question] = ()
) -> list[tuple[int, LevelQuestion]]:
    """Questions whose answers are levels with one channel, with their numbers.

    ``hidden`` ones are left out: no one reads their answers.
    """
    return [(n, item) for n, item in of_kind(LevelQuestion, items) if item not in hidden]


def groupable(
    items: Sequence[Question], hidden: Collection[Question] = ()
) -> list[tuple[int, Grouping]]:
    """Questions by which others can be broken down: those, and numbers (cut into ranges)."""
    numbers: list[tuple[int, Grouping]] = [
        (n, item) for n, item in of_kind(NumberQuestion, items) if item not in hidden
    ]
    return sorted([*answerable(items, hidden), *numbers], key=itemgetter(0))


class AnalysisForm(AddressForm):
    """What is asked of a survey's questions ``items``; the ``hidden`` ones are offered nowhere."""

    def __init__(
        self, query: QueryDict, *, items: tuple[Question, ...], hidden: Collection[Question] = ()
    ) -> None:
        super().__init__()
        self.items = items
        self._offer_questions(hidden)
        self.read_address(query)

    @abstractmethod
    def _offer_questions(self, hidden: Collection[Question]) -> None:
        """Fill the fields that name questions."""

    def _direct(self, hidden: Collection[Question]) -> list[tuple[str, str]]:
        """Questions asked directly, as choices."""
        offered = groupable(self.items, hidden)
        return numbered((n, item) for n, item in offered if not item.is_randomized)


class BreakdownForm(AddressForm):
    """Which question, by which others, read how."""

    asks_with = "question"

    question = forms.ChoiceField(label=gettext_lazy("Question"))
    by = forms.ChoiceField(label=gettext_lazy("Broken down by"))
    also_by = forms.ChoiceField(label=gettext_lazy("And by"), required=False)
    compare = forms.ChoiceField(label=gettext_lazy("Differences"), required=False)
    method = forms.ChoiceField(label=gettext_lazy("Interval"))
    level = forms.ChoiceField(label=gettext_lazy("Level"), choices=LEVELS, initial="95")
    hold = forms.ChoiceField(
        label=gettext_lazy("The intervals hold"),
        choices=[
            ("together", gettext_lazy("together (wider)")),
            ("each", gettext_lazy("each on its own")),
        ],
        initial="together",
    )

    def __init__(
        self,
        query: QueryDict,
        *,
        items: tuple[Question, ...],
        hidden: Collection[Question] = (),
        usual: Reading = USUAL,
    ) -> None:
        """``usual`` is how the survey is read unless its reader chooses."""
        super().__init__()
        self.looks = usual.looks
        questions, groups = answerable(items, hidden), groupable(items, hidden)
        self.items = items
        # An arm is drawn, so that only others are broken down by it.
        _offer(self, "question", numbered(pair for pair in questions if pair[1].id != FIELD))
        _offer(self, "by", numbered(groups))
        _offer(self, "also_by", [NOTHING, *numbered(groups)])
        _offer(self, "method", methods_for(self.looks))
        self.fields["method"].initial = usual.method
        _offer(self, "compare", [*COMPARED, *self._pairs(query)])
        self.read_address(query)

    def _pairs(self, query: QueryDict) -> list[tuple[str, str]]:
        """Pairs of the groups, by the places of their answers; of one question with few of them."""
        asked = {str(number): item for number, item in answerable(self.items)}
        by = asked.get(query.get("by", ""))
        if by is None or query.get("also_by") or len(by.display) > MOST_PAIRED:
            return []
        words = gettext("“{group}” with “{other}”")
        return [
            (f"{group}-{other}", words.format(group=texts[group], other=texts[other]))
            for texts in [[level.text for level in by.levels]]
            for other, group in combinations(by.display, 2)
        ]

    @property
    def comparison(self) -> Comparison:
        """What is set against what; a pair by the names of its groups."""
        chosen = self.cleaned_data["compare"]
        if chosen in dict(COMPARED):
            return Comparison(every_pair=chosen == EVERY_PAIR)
        by = dict(answerable(self.items))[int(self.cleaned_data["by"])]
        group, other = (by.levels[int(place)].text for place in chosen.split("-"))
        return Comparison(pair=(group, other))

    def clean(self) -> dict[str, Any]:
        """The same question twice says nothing."""
        chosen = [self.cleaned_data.get(name) for name in ("question", "by", "also_by")]
        given = [number for number in chosen if number]
        if len(set(given)) < len(given):
            self.add_error(
                "by", gettext("Choose different questions: the same one twice says nothing.")
            )
        _refuse_sharing(self, "by", self.items, given)
        return self.cleaned_data

    @property
    def numbers(self) -> list[int]:
        """The questions, the one that is broken down first."""
        chosen = (self.cleaned_data[name] for name in ("question", "by", "also_by"))
        return [int(number) for number in chosen if number]

    @property
    def reading(self) -> Reading:
        return Reading.chosen(self.cleaned_data, self.looks)

    @property
    def together(self) -> bool:
        return bool(self.cleaned_data["hold"] == "together")


def _refuse_sharing(
    form: forms.Form, field: str, items: Sequence[Question], numbers: Iterable[str]
) -> None:
    """All analyses take the reports of one person as independent, given the truths."""
    if pair := sharing_pair(items, map(int, numbers)):
        form.add_error(
            field,
            gettext(
                "Questions {one} and {other} share a second question, so that their reports are "
                "not independent and no estimate of both holds: choose one of them."
            ).format(one=pair[0], other=pair[1]),
        )


def _offer(form: forms.Form, name: str, choices: list[tuple[str, Any]]) -> None:
    field: Any = form.fields[name]
    field.choices = choices


LINK_NAMES = {
    "logit": gettext_lazy("logit (odds ratios)"),
    "probit": "probit",
    "cloglog": gettext_lazy("complementary log-log"),
    "cauchit": "cauchit",
}
MOST_PREDICTORS = 8


class RegressionForm(AnalysisForm):
    """One answer of one question, explained by others."""

    asks_with = "outcome"

    outcome = forms.ChoiceField(
        label=gettext_lazy("Outcome"),
        help_text=gettext_lazy("The answer whose share is explained, against all others."),
    )
    predictors = forms.MultipleChoiceField(
        label=gettext_lazy("Predictors"),
        widget=forms.CheckboxSelectMultiple,
        help_text=format_lazy(
            gettext_lazy("Questions asked directly, at most {most}."), most=MOST_PREDICTORS
        ),
    )
    link = forms.ChoiceField(
        label=gettext_lazy("Link"), choices=list(LINK_NAMES.items()), initial="logit"
    )
    level = forms.ChoiceField(label=gettext_lazy("Level"), choices=LEVELS, initial="95")

    def _offer_questions(self, hidden: Collection[Question]) -> None:
        _offer(self, "outcome", list(_outcomes(self.items, hidden)))
        _offer(self, "predictors", self._direct(hidden))

    def clean_predictors(self) -> list[str]:
        """Not too many: each takes a number of coefficients."""
        chosen: list[str] = self.cleaned_data["predictors"]
        if len(chosen) > MOST_PREDICTORS:
            raise forms.ValidationError(
                gettext("Choose at most {most} questions.").format(most=MOST_PREDICTORS)
            )
        return chosen

    def clean(self) -> dict[str, Any]:
        """A question cannot explain itself."""
        outcome = str(self.cleaned_data.get("outcome", "")).partition("-")[0]
        if outcome in self.cleaned_data.get("predictors", []):
            self.add_error(
                "predictors", gettext("A question cannot explain itself: choose others.")
            )
        chosen = [outcome, *self.cleaned_data.get("predictors", [])]
        _refuse_sharing(self, "predictors", self.items, filter(None, chosen))
        return self.cleaned_data

    @property
    def numbers(self) -> list[int]:
        """The questions, the outcome first."""
        outcome = self.cleaned_data["outcome"].partition("-")[0]
        return [int(number) for number in (outcome, *self.cleaned_data["predictors"])]

    @property
    def choice(self) -> Choice:
        answer = int(self.cleaned_data["outcome"].partition("-")[2])
        reading = Reading("wald", int(self.cleaned_data["level"]) / 100)
        return Choice(answer, self.cleaned_data["link"], reading)


def _outcomes(
    items: tuple[Question, ...], hidden: Collection[Question]
) -> Iterator[tuple[str, str]]:
    """Every answer of every question; yes alone where no says the same."""
    for number, item in answerable(items, hidden):
        for place in (1,) if item.is_binary else item.display:
            words = f"{number}. {_shortened(item.text)}: {_shortened(item.levels[place].text)}"
            yield f"{number}-{place}", words


class WeightsForm(AnalysisForm):
    """Where the weights come from: a number, or the known shares of a question's answers."""

    asks_with = "by"

    by = forms.ChoiceField(
        label=gettext_lazy("Weights from"),
        help_text=gettext_lazy(
            "A number is taken as each person's weight; for other questions write shares."
        ),
    )
    margins = forms.CharField(
        label=gettext_lazy("Shares in the population"),
        required=False,
        max_length=4000,
        widget=forms.Textarea(attrs={"rows": 4, "spellcheck": "false"}),
        help_text=gettext_lazy(
            "One line for each answer: North: 32.5 (in %, or counts of people)."
        ),
    )
    method = forms.ChoiceField(
        label=gettext_lazy("Interval"), choices=list(WEIGHTED_METHODS.items()), required=False
    )
    level = forms.ChoiceField(label=gettext_lazy("Level"), choices=LEVELS, initial="95")

    def _offer_questions(self, hidden: Collection[Question]) -> None:
        _offer(self, "by", self._direct(hidden))

    def clean(self) -> dict[str, Any]:
        """Shares belong to questions with answers; every answer has one."""
        if "by" in self.cleaned_data and "margins" in self.cleaned_data:
            levels = dict(answerable(self.items)).get(self.number)
            written = self.cleaned_data["margins"].strip()
            try:
                self.population = _margins(levels, written) if levels else None
            except forms.ValidationError as problem:
                self.add_error("margins", problem)
            if written and levels is None:
                self.add_error(
                    "margins", gettext("A number is the weight itself: leave this empty.")
                )
        by = self.cleaned_data.get("by", "")
        for number, _ in answerable(self.items) if by else ():
            _refuse_sharing(self, "by", self.items, {str(number), by})
        return self.cleaned_data

    population: dict[str, float] | None = None

    @property
    def number(self) -> int:
        return int(self.cleaned_data["by"])

    @property
    def reading(self) -> Reading:
        return Reading.chosen(self.cleaned_data)


SHARE = re.compile(r"[0-9]{1,12}(?:\.[0-9]{1,9})?")


def _read_margin(line: str) -> tuple[str, str] | None:
    """An answer and its share, which stands behind the last colon, semicolon, = or tab.

    Read from the end, so that no part of a long line is looked at twice.
    """
    written = line.removesuffix("%").rstrip()
    before = written.rstrip("0123456789.")
    share, answer = written[len(before) :], before.rstrip()
    if answer.endswith((":", ";", "=")):
        answer = answer[:-1].rstrip()
    elif "\t" not in before[len(answer) :]:
        return None
    return (answer, share) if answer and SHARE.fullmatch(share) else None


def _margins(item: LevelQuestion, written: str) -> dict[str, float]:
    """Share of the population by code of the answer. Raises ValidationError."""
    codes = {level.text.casefold(): level.code for level in item.levels}
    found: dict[str, float] = {}
    for line in filter(None, map(str.strip, written.splitlines())):
        read = _read_margin(line)
        code = codes.get(read[0].casefold()) if read else None
        if read is None or code is None:
            raise forms.ValidationError(
                gettext(
                    "“{line}” is not understood: write one of the answers, a colon and a number, "
                    "such as “{answer}: 32.5”."
                ).format(line=_shortened(line), answer=item.levels[0].text)
            )
        if code in found:
            raise forms.ValidationError(
                gettext("“{answer}” stands there twice.").format(answer=read[0])
            )
        refuse_thousands([read[1]])
        found[code] = float(read[1])
    # Who declined is in no census, so that answer may go without a share.
    asked = [level for level in item.levels if level.code not in found and not level.declines]
    if asked:
        missing = ", ".join(level.text for level in asked)
        raise forms.ValidationError(
            gettext("Write a share for each answer; missing: {answers}.").format(answers=missing)
        )
    if sum(found.values()) <= 0:
        raise forms.ValidationError(gettext("Some share must be above 0."))
    return found
