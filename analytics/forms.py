"""What somebody asks of a report, checked; every refusal says what to write instead."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any, cast

from django import forms
from django.conf.locale import LANG_INFO

from analytics.choices import MOST_TOPICS
from analytics.kinds import DEFAULT, KINDS, ReportKind, Settings, SettingsError
from analytics.ledgers import DEFAULT_SHARE, Offer
from analytics.selectors import TextQuestion
from analytics.services.requests import LONGEST_NAME
from analytics.text.tokens import languages

NO_LANGUAGE = "none"
LONGEST_QUESTION = 80


class ReportForm(forms.Form):
    """A new report: of which question, of which kind, and for how much of the budget."""

    question = forms.ChoiceField(label="Question")
    kind = forms.ChoiceField(label="Kind of report", widget=forms.RadioSelect)
    share = forms.ChoiceField(
        label="How much it may cost", required=False, widget=forms.RadioSelect
    )
    topics = forms.IntegerField(
        label="At most so many topics",
        min_value=1,
        max_value=MOST_TOPICS,
        initial=10,
        help_text=f"1 to {MOST_TOPICS}. A report shows fewer where the noise hides the rest.",
        widget=forms.NumberInput(attrs={"autocomplete": "off"}),
    )
    language = forms.ChoiceField(
        label="Language of the answers",
        help_text="For a public list of words that say nothing, and for the stems of words.",
        initial="en",
    )
    refine = forms.BooleanField(
        label="Look at the texts a second time",
        required=False,
        help_text="For long texts, with private topics. It takes half of what the report may cost.",
    )

    def __init__(
        self,
        data: Any = None,
        *,
        questions: Sequence[TextQuestion],
        kinds: Iterable[ReportKind],
        offers: Iterable[Offer] = (),
    ) -> None:
        super().__init__(data)
        self.offers = {offer.value: offer for offer in offers if offer.fits}
        allowed = [(kind.name, kind.title) for kind in kinds]
        self._choose("question", [(one.item.id, _question_words(one)) for one in questions])
        self._choose("kind", allowed, DEFAULT)
        self._choose(
            "share", [(o.value, o.words) for o in self.offers.values()], str(DEFAULT_SHARE)
        )
        self._choose("language", _language_choices(), "en")

    def _choose(self, name: str, choices: list[tuple[str, str]], default: str = "") -> None:
        field = cast(forms.ChoiceField, self.fields[name])
        field.choices = choices
        values = [value for value, _ in choices]
        field.initial = default if default in values else next(iter(values), None)

    def clean(self) -> dict[str, Any]:
        """A private report needs a share; one without privacy takes none."""
        kind = KINDS.get(self.cleaned_data.get("kind", ""))
        if (
            kind
            and kind.is_private
            and not self.cleaned_data.get("share")
            and "share" not in self.errors
        ):
            self.add_error("share", "Choose how much of the budget this report may cost.")
        if kind and not kind.can_refine and self.cleaned_data.get("refine"):
            self.add_error("refine", f"{kind.title} does not look twice: leave this out.")
        if not self.errors:
            self._read_settings()
        return self.cleaned_data

    def _read_settings(self) -> None:
        given = self.cleaned_data
        language = given["language"]
        data = {
            "topics": given["topics"],
            "refine": given["refine"],
            "language": None if language == NO_LANGUAGE else language,
        }
        try:
            given["settings"] = Settings.from_data(data)
        except SettingsError as problem:
            self.add_error(None, str(problem))

    @property
    def chosen_kind(self) -> ReportKind:
        """The kind that was chosen, of a valid form."""
        return KINDS[self.cleaned_data["kind"]]

    @property
    def asked(self) -> dict[str, Any]:
        """What the service needs, of a valid form."""
        return {
            "question": self.cleaned_data["question"],
            "kind": self.chosen_kind.name,
            "settings": self.cleaned_data["settings"],
            "share": self.chosen_share,
        }

    @property
    def chosen_share(self) -> Fraction | None:
        """The share of the budget; None for an internal report."""
        if not self.chosen_kind.is_private:
            return None
        return self.offers[self.cleaned_data["share"]].share


class NamesForm(forms.Form):
    """A name for each topic; an empty one gives the topic's words back their place."""

    def __init__(self, data: Any = None, *, topics: int, names: Sequence[str] = ()) -> None:
        super().__init__(data)
        for number in range(1, topics + 1):
            self.fields[f"name{number}"] = forms.CharField(
                label=f"Topic {number}",
                required=False,
                max_length=LONGEST_NAME,
                initial=names[number - 1] if number <= len(names) else "",
                widget=forms.TextInput(attrs={"autocomplete": "off"}),
            )

    def _clean_one(self, name: str) -> str:
        written = " ".join(self.cleaned_data[name].split())
        if not written.isprintable():
            self.add_error(name, "Write letters that can be seen: this holds a control character.")
        return written

    def clean(self) -> dict[str, Any]:
        """One line each, without what cannot be printed."""
        self.cleaned_data["names"] = [self._clean_one(name) for name in list(self.cleaned_data)]
        return self.cleaned_data


class CompareForm(forms.Form):
    """Two finished reports."""

    first = forms.ChoiceField(label="One report")
    second = forms.ChoiceField(label="Another report")

    def __init__(
        self, data: Any, *, own: list[tuple[str, str]], others: list[tuple[str, str]]
    ) -> None:
        super().__init__(data)
        for name, choices in (("first", own), ("second", others)):
            cast(forms.ChoiceField, self.fields[name]).choices = choices

    def clean(self) -> dict[str, Any]:
        """Two different ones."""
        first, second = self.cleaned_data.get("first"), self.cleaned_data.get("second")
        if first and first == second:
            self.add_error("second", "Choose another report: this is the same one.")
        return self.cleaned_data


def _question_words(question: TextQuestion) -> str:
    told = f"{question.number}. {question.item.text}"
    short = told if len(told) <= LONGEST_QUESTION else f"{told[: LONGEST_QUESTION - 1]}…"
    return f"{short} ({question.comments:,} text{'' if question.comments == 1 else 's'})"


def _language_choices() -> list[tuple[str, str]]:
    named = [(code, str(LANG_INFO.get(code, {}).get("name", code))) for code in languages()]
    rest = (NO_LANGUAGE, "Another one: neither a list nor stems")
    return [*sorted(named, key=lambda one: one[1]), rest]
