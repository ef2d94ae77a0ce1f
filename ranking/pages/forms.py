"""RankingForm: utilities, prior, order, level and a search for names, all in the page's address."""

from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext, gettext_lazy

from ranking.methods.registry import (
    PLAIN,
    FixedPrior,
    Method,
    Origin,
    Prior,
    check_origin,
    read_number,
    read_prior,
    read_utilities,
    shortest,
)
from ranking.posterior.errors import PriorError, UtilityError
from ranking.queries import RatedQuestion
from surveys.web.forms import read_parts
from surveys.wording.language.messages import translated
from surveys.wording.language.numbers import parted

LEVELS = [("90", "90 %"), ("95", "95 %"), ("99", "99 %")]
ORDERS = [
    ("score", gettext_lazy("Score")),
    ("cautious", gettext_lazy("Cautious order: surely good items come first")),
]
PRIORS = [
    ("empirical", gettext_lazy("Learned: average of the other items; the data decide how many")),
    ("popularity", gettext_lazy("Learned: average of items rated about as often as this item")),
    ("average", gettext_lazy("Average of the other items; I choose how many")),
    ("ml", gettext_lazy("Learned: maximum likelihood")),
    ("fixed", gettext_lazy("Fixed by me")),
]
LINEAR, GIBBS = "linear", "gibbs"
CORRECTIONS = [
    (LINEAR, gettext_lazy("Linear Bayes: immediate")),
    (GIBBS, gettext_lazy("Gibbs sampling over the hidden ratings: takes seconds")),
]
STRENGTH = "10"
NUMBER_INPUT = {"inputmode": "decimal", "autocomplete": "off", "maxlength": "20"}


class RankingForm(forms.Form):
    """Utilities for each level, the prior, the order, and what is shown."""

    q = forms.CharField(
        label=gettext_lazy("Name contains"), required=False, max_length=200, widget=forms.TextInput
    )
    order = forms.ChoiceField(label=gettext_lazy("Order by"), choices=ORDERS)
    level = forms.ChoiceField(label=gettext_lazy("Confidence level"), choices=LEVELS)
    prior = forms.ChoiceField(label=gettext_lazy("Ghost ratings"), choices=PRIORS)
    strength = forms.CharField(
        label=gettext_lazy("How many"),
        max_length=20,
        required=False,
        help_text=gettext_lazy("Only for “Average of the other items; I choose how many”."),
        widget=forms.TextInput(attrs=NUMBER_INPUT),
    )
    fixed = forms.CharField(
        label=gettext_lazy("Ghost ratings per scale level, lowest first"),
        max_length=250,
        required=False,
        help_text=gettext_lazy("Only for “Fixed by me”. Separate the numbers with commas."),
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    how = forms.ChoiceField(label=gettext_lazy("Correction method"), choices=CORRECTIONS)
    compare = forms.BooleanField(label=gettext_lazy("Also show other scores"), required=False)

    def __init__(
        self, query: QueryDict, *, question: RatedQuestion, chosen: Method, origin: Origin = ""
    ) -> None:
        super().__init__()
        self.question, self.chosen, self.origin = question, chosen, origin
        self.utility_names = [f"u{level}" for level in range(1, len(question.scale) + 1)]
        for name, label in zip(self.utility_names, question.scale, strict=True):
            widget = forms.TextInput(attrs=NUMBER_INPUT)
            self.fields[name] = forms.CharField(label=label, max_length=20, widget=widget)
        if question.channel is not None:
            for name in ("prior", "strength", "fixed"):
                del self.fields[name]
        elif origin:
            offered = [choice for choice in PRIORS if choice[0] != "popularity"]
            self.fields["prior"].widget = forms.Select(choices=offered)
        if not question.offers_sampling:
            del self.fields["how"]
        self.is_bound = True
        self.data = {**self._defaults(), **query.dict()}

    def _defaults(self) -> dict[str, str]:
        """The method that was saved for all readers."""
        name, _, rest = self.chosen.prior.code.partition(":")
        utilities = dict(zip(self.utility_names, map(shortest, self.chosen.utilities), strict=True))
        return {
            **utilities,
            "order": self.chosen.order,
            "level": shortest(100 * self.chosen.level),
            "prior": name,
            "how": LINEAR,
            "strength": rest if name == "average" else STRENGTH,
            "fixed": parted(rest.split(",") if name == "fixed" else [1] * len(self.question.scale)),
        }

    def clean(self) -> dict[str, Any]:
        """Read utilities and prior; what cannot be used is said at its field."""
        texts = [str(self.cleaned_data.get(name, "")) for name in self.utility_names]
        if all(texts):
            self._read_utilities(texts)
        if "prior" in self.cleaned_data:
            self._read_prior()
        return self.cleaned_data

    def _read_utilities(self, texts: list[str]) -> None:
        """One by one first, so that a wrong one is marked."""
        for name, text in zip(self.utility_names, texts, strict=True):
            if read_number(text) is None:
                self.add_error(name, gettext("Write a number, such as 3 or -2.5."))
        if not self.errors:
            try:
                self.cleaned_data["utilities"] = read_utilities(",".join(texts))
            except UtilityError as problem:
                self.add_error(
                    None,
                    gettext("What a rating is worth: {remedy}.").format(
                        remedy=translated(problem.remedy)
                    ),
                )

    def _read_prior(self) -> None:
        name = self.cleaned_data["prior"]
        field = {"average": "strength", "fixed": "fixed"}.get(name)
        try:
            text = f"{name}:{self._numbers(field)}" if field else name
            prior = read_prior(text)
            check_origin(prior, self.origin)
            if isinstance(prior, FixedPrior) and len(prior.pseudocounts) != len(self.utility_names):
                raise PriorError(
                    "prior",
                    text,
                    gettext("write {count} numbers, one for each level").format(
                        count=len(self.utility_names)
                    ),
                )
        except forms.ValidationError as problem:
            self.add_error(field, problem)
        except PriorError as problem:
            remedy = translated(problem.remedy)
            self.add_error(field or "prior", f"{remedy[0].upper()}{remedy[1:]}.")
        else:
            self.cleaned_data["chosen_prior"] = prior

    def _numbers(self, field: str) -> str:
        """What was typed, as a prior's code has it: with commas between."""
        return ",".join(read_parts(self.cleaned_data.get(field, "")))

    @property
    def method(self) -> Method:
        """What was asked for, or what was saved for all readers while something is wrong."""
        if not self.is_valid():
            return self.chosen
        prior: Prior = self.cleaned_data.get("chosen_prior", PLAIN["empirical"])
        level = int(self.cleaned_data["level"]) / 100
        utilities = self.cleaned_data["utilities"]
        hidden = self.cleaned_data.get("how") == GIBBS
        order = self.cleaned_data["order"]
        return self.question.method(utilities, prior, order, level, hidden=hidden)

    @property
    def text(self) -> str:
        """What names have to contain."""
        return self.cleaned_data["q"].strip() if self.is_valid() else ""

    @property
    def compares(self) -> bool:
        return self.is_valid() and bool(self.cleaned_data["compare"])

    @property
    def fields_to_save(self) -> dict[str, str]:
        """What has to be sent so that this method is saved."""
        kept = [*self.utility_names, "order", "prior", "strength", "fixed"]
        return {name: str(self.data[name]) for name in kept if name in self.fields}

    @property
    def permalink(self) -> str:
        """A query string that asks the same again, even if another method is saved later."""
        query = QueryDict(mutable=True)
        for name in self.fields:
            if self.data.get(name):
                query[name] = str(self.data[name])
        return query.urlencode()

    def utility_fields(self) -> list[forms.BoundField]:
        """The fields of the levels, lowest first."""
        return [self[name] for name in self.utility_names]

    def other_fields(self) -> list[forms.BoundField]:
        """All fields but those and the box to tick."""
        return [self[name] for name in self.fields if name not in (*self.utility_names, "compare")]
