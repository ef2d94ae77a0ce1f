"""Forms: ask for a report (kind, question, cost, words, language), name its topics, compare two."""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, cast

from django import forms
from django.utils.text import format_lazy
from django.utils.translation import get_language_info, gettext, gettext_lazy, ngettext

from analytics.kinds.registry import DEFAULT, KINDS, ReportKind
from analytics.kinds.settings import MOST_TOPICS, Settings, SettingsError
from analytics.pages.ledger_rows import DEFAULT_SHARE, Offer
from analytics.queries import AskedText
from analytics.reports.asking import LONGEST_QUESTION, OnceForm
from analytics.reports.topics.finds import numbered
from analytics.services.requests import LONGEST_NAME
from analytics.text.tokens import languages
from surveys.wording.language.messages import said_by, translated
from surveys.wording.language.numbers import grouped

if TYPE_CHECKING:
    from django.utils.functional import _StrOrPromise

DEFAULTS = Settings()
NUMBERS = ("most_words", "most_used", "seed")
LISTS = ("stop_words", "vocabulary")
TICKED = ("whole_words", "non_answers")
FURTHER = (*TICKED, "longest_phrase", *NUMBERS, *LISTS)
PHRASES = (
    ("1", gettext_lazy("Single words")),
    ("2", gettext_lazy("Also pairs of words")),
    ("3", gettext_lazy("Also pairs and threes of words")),
)
LONGEST_LIST = 200_000
NO_LANGUAGE = "none"
# Those that Django does not name.
LANGUAGES = {
    "gu": gettext_lazy("Gujarati"),
    "ha": gettext_lazy("Hausa"),
    "ku": gettext_lazy("Kurdish"),
    "la": gettext_lazy("Latin"),
    "so": gettext_lazy("Somali"),
    "st": gettext_lazy("Sotho"),
    "tl": gettext_lazy("Tagalog"),
    "yo": gettext_lazy("Yoruba"),
    "zu": gettext_lazy("Zulu"),
}


def _number(label: "_StrOrPromise", default: int, help_text: "_StrOrPromise") -> forms.IntegerField:
    """A whole number that may be left out; what it may be, the settings know."""
    widget = forms.NumberInput(attrs={"autocomplete": "off"})
    return forms.IntegerField(
        label=label, required=False, initial=default, help_text=help_text, widget=widget
    )


class ReportForm(OnceForm):
    """A new report: of which question, of which kind, and for how much of the budget."""

    question = forms.ChoiceField(label=gettext_lazy("Question"))
    kind = forms.ChoiceField(label=gettext_lazy("Kind of report"), widget=forms.RadioSelect)
    share = forms.ChoiceField(
        label=gettext_lazy("What the report may cost"), required=False, widget=forms.RadioSelect
    )
    topics = forms.IntegerField(
        label=gettext_lazy("Largest number of topics"),
        min_value=1,
        max_value=MOST_TOPICS,
        initial=10,
        help_text=format_lazy(
            gettext_lazy("1 to {most}. A report shows fewer topics where noise hides the others."),
            most=MOST_TOPICS,
        ),
        widget=forms.NumberInput(attrs={"autocomplete": "off"}),
    )
    language = forms.ChoiceField(
        label=gettext_lazy("Language of the answers"),
        help_text=gettext_lazy(
            "The language selects the public list of words that say nothing (stop words). The "
            "language also selects the rule that cuts words to their stems."
        ),
        initial="en",
    )
    refine = forms.BooleanField(
        label=gettext_lazy("Look at the texts a second time"),
        required=False,
        help_text=gettext_lazy(
            "For long texts, in reports of the kind “Private topics”. The second look takes half "
            "of what the report may cost."
        ),
    )
    whole_words = forms.BooleanField(
        label=gettext_lazy("Leave words as they were written"),
        required=False,
        help_text=gettext_lazy(
            "Without this tick, words are cut to their stems: “honesti” counts honest, honesty "
            "and honestly."
        ),
    )
    non_answers = forms.BooleanField(
        label=gettext_lazy("Count texts such as “don't know” too"),
        required=False,
        help_text=gettext_lazy(
            "Without this tick, a text that is on a public list of non-answers counts as a text "
            "without words."
        ),
    )
    longest_phrase = forms.ChoiceField(
        label=gettext_lazy("What counts as a word"),
        required=False,
        choices=PHRASES,
        initial=str(DEFAULTS.longest_phrase),
        help_text=gettext_lazy(
            "Phrases say more than single words. But each phrase is rarer than its words and is "
            "lost in the noise sooner."
        ),
    )
    most_words = _number(
        gettext_lazy("Different words counted per respondent"),
        DEFAULTS.most_words,
        gettext_lazy(
            "1 to 10,000. Only private reports use this limit. If a respondent wrote more "
            "words, a public rule decides which of these words count."
        ),
    )
    most_used = _number(
        gettext_lazy("Number of words in the report"),
        DEFAULTS.most_used,
        gettext_lazy("2 to 5,000. The report uses the most frequent words."),
    )
    seed = _number(
        gettext_lazy("Seed"),
        DEFAULTS.seed,
        gettext_lazy(
            "Start value of the random numbers in internal reports. The noise of private reports "
            "has no seed."
        ),
    )
    stop_words = forms.CharField(
        label=gettext_lazy("Further words to leave out"),
        required=False,
        max_length=LONGEST_LIST,
        widget=forms.Textarea(attrs={"rows": 3, "autocomplete": "off"}),
        help_text=gettext_lazy(
            "Write one word a line. The report shows these words, so do not choose words that "
            "you saw in the answers."
        ),
    )
    vocabulary = forms.CharField(
        label=gettext_lazy("Use only these words"),
        required=False,
        max_length=LONGEST_LIST,
        widget=forms.Textarea(attrs={"rows": 3, "autocomplete": "off"}),
        help_text=gettext_lazy(
            "Write one word a line, from a public source such as a glossary. With a list, no "
            "budget is spent on finding words. A list made from the answers would break the "
            "promise to respondents."
        ),
    )

    def __init__(
        self,
        data: Any = None,
        *,
        questions: Sequence[AskedText],
        kinds: Iterable[ReportKind],
        offers: Iterable[Offer] = (),
    ) -> None:
        super().__init__(data)
        self.offers = {offer.value: offer for offer in offers if offer.fits}
        allowed = [(kind.name, translated(kind.title)) for kind in kinds]
        choose(
            self,
            "question",
            [(question.item.id, _question_words(question)) for question in questions],
        )
        choose(self, "kind", allowed, DEFAULT)
        choose(
            self, "share", [(o.value, o.words) for o in self.offers.values()], str(DEFAULT_SHARE)
        )
        choose(self, "language", _language_choices(), "en")

    @property
    def kind_groups(self) -> list[tuple[str, list[forms.boundfield.BoundWidget]]]:
        """The kinds that are offered: those that may be published, and those that never are."""
        headings = {
            True: gettext("Reports to publish (paid from the budget)"),
            False: gettext("Internal reports (not charged, never to be published)"),
        }
        offered = list(self["kind"])
        groups = (
            (heading, [one for one in offered if KINDS[one.data["value"]].is_private is is_private])
            for is_private, heading in headings.items()
        )
        return [group for group in groups if group[1]]

    @property
    def priced_shares(self) -> list[tuple[forms.boundfield.BoundWidget, float]]:
        """The shares that are offered, each with the part of mu² that is then used."""
        return [(one, self.offers[one.data["value"]].part_then) for one in self["share"]]

    def clean(self) -> dict[str, Any]:
        """A private report needs a share; one without privacy takes none."""
        kind = KINDS.get(self.cleaned_data.get("kind", ""))
        if (
            kind
            and kind.is_private
            and not self.cleaned_data.get("share")
            and "share" not in self.errors
        ):
            self.add_error("share", gettext("Choose how much of the budget this report may cost."))
        if kind and not kind.can_refine and self.cleaned_data.get("refine"):
            self.add_error(
                "refine",
                gettext(
                    "A report “{title}” cannot look at the texts a second time. Remove the tick."
                ).format(title=translated(kind.title)),
            )
        if not self.errors:
            self._read_settings()
        return self.cleaned_data

    def _read_settings(self) -> None:
        values = self.cleaned_data
        numbers = {name: values[name] for name in NUMBERS if values[name] is not None}
        data = {
            "topics": values["topics"],
            "refine": values["refine"],
            "language": None if values["language"] == NO_LANGUAGE else values["language"],
            "stems": not values["whole_words"],
            "skip_non_answers": not values["non_answers"],
            "longest_phrase": int(values["longest_phrase"] or DEFAULTS.longest_phrase),
            **numbers,
            **{name: _lines(values[name]) for name in LISTS},
        }
        try:
            values["settings"] = Settings.from_data(data)
        except SettingsError as problem:
            field = problem.argument if problem.argument in self.fields else None
            self.add_error(field, said_by(problem))

    @property
    def has_further(self) -> bool:
        """Whether any of the further settings was changed or refused: then they are shown."""
        changed = set(self.changed_data) if self.is_bound else set()
        return any(name in self.errors or name in changed for name in FURTHER)

    @property
    def further(self) -> list[forms.BoundField]:
        """The further settings that are not ticked."""
        return [self[name] for name in FURTHER if name not in TICKED]

    @property
    def ticked(self) -> list[forms.BoundField]:
        """Those that are."""
        return [self[name] for name in TICKED]

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
            "key": self.cleaned_data["key"],
        }

    @property
    def chosen_share(self) -> Fraction | None:
        """The share of the budget; None for an internal report."""
        if not self.chosen_kind.is_private:
            return None
        return self.offers[self.cleaned_data["share"]].share


class PermitForm(OnceForm):
    """A permit: for the locked texts of which question, which kind, for how much of the budget."""

    question = forms.TypedChoiceField(label=gettext_lazy("Question"), coerce=int)
    kind = forms.ChoiceField(label=gettext_lazy("Kind of report"), widget=forms.RadioSelect)
    share = forms.TypedChoiceField(
        label=gettext_lazy("What the report may cost"), coerce=Fraction, widget=forms.RadioSelect
    )

    def __init__(
        self, data: Any = None, *, questions: Sequence[AskedText], offers: Iterable[Offer]
    ) -> None:
        super().__init__(data)
        private = [kind for kind in KINDS.values() if kind.is_private]
        choose(self, "question", [(str(one.number), _question_words(one)) for one in questions])
        choose(self, "kind", [(one.name, translated(one.title)) for one in private], DEFAULT)
        choose(self, "share", [(o.value, o.words) for o in offers if o.fits], str(DEFAULT_SHARE))


class HandInForm(forms.Form):
    """The report that a permit paid for, as the command wrote it."""

    report = forms.FileField(
        label=gettext_lazy("Report file"),
        max_length=200,
        help_text=gettext_lazy(
            "The .json file that the command “topics” wrote. You can hand in one report only."
        ),
    )


class NamesForm(forms.Form):
    """A name for each topic; an empty one gives the topic's words back their place."""

    def __init__(
        self, data: Any = None, *, topics: int, names: Sequence[str] = (), finds: str = "topic"
    ) -> None:
        super().__init__(data)
        for number in range(1, topics + 1):
            self.fields[f"name{number}"] = forms.CharField(
                label=numbered(finds, number),
                required=False,
                max_length=LONGEST_NAME,
                initial=names[number - 1] if number <= len(names) else "",
                widget=forms.TextInput(attrs={"autocomplete": "off"}),
            )

    def _clean_one(self, name: str) -> str:
        written = " ".join(self.cleaned_data[name].split())
        if not written.isprintable():
            self.add_error(
                name, gettext("Use visible characters only: the text contains a control character.")
            )
        return written

    def clean(self) -> dict[str, Any]:
        """One line each, without what cannot be printed."""
        self.cleaned_data["names"] = [self._clean_one(name) for name in list(self.cleaned_data)]
        return self.cleaned_data


class CompareForm(forms.Form):
    """Two finished reports."""

    first = forms.ChoiceField(label=gettext_lazy("First report"))
    second = forms.ChoiceField(label=gettext_lazy("Second report"))

    def __init__(self, data: Any, *, own: Mapping[str, str], others: Mapping[str, str]) -> None:
        """What reports of this survey, and those of any, are called, by their keys."""
        super().__init__(data)
        self.own, self.others = own, others
        for name, labels in (("first", own), ("second", others)):
            cast(forms.ChoiceField, self.fields[name]).choices = list(labels.items())

    @property
    def keys(self) -> tuple[str, str]:
        """Those of a valid form."""
        return self.cleaned_data["first"], self.cleaned_data["second"]

    def clean(self) -> dict[str, Any]:
        """Two different ones."""
        first, second = self.cleaned_data.get("first"), self.cleaned_data.get("second")
        if first and first == second:
            self.add_error(
                "second", gettext("Choose a different report: both reports are the same.")
            )
        return self.cleaned_data


def choose(form: forms.Form, name: str, choices: list[tuple[str, str]], default: str = "") -> None:
    """Offer these in a form's field, the default chosen, else the first."""
    field = cast(forms.ChoiceField, form.fields[name])
    field.choices = choices
    values = [value for value, _ in choices]
    field.initial = default if default in values else next(iter(values), None)


def _question_words(question: AskedText) -> str:
    text = f"{question.number}. {question.item.text}"
    short = text if len(text) <= LONGEST_QUESTION else f"{text[: LONGEST_QUESTION - 1]}…"
    return ngettext(
        "{question} ({count} text)", "{question} ({count} texts)", question.comments
    ).format(question=short, count=grouped(question.comments))


def _lines(text: str) -> list[str]:
    """Words, one a line, without those that are empty."""
    return [line.strip() for line in text.splitlines() if line.strip()]


def _language_choices() -> list[tuple[str, str]]:
    named = [(code, _language(code)) for code in languages()]
    rest = (
        NO_LANGUAGE,
        gettext("Another language with spaces between words (no word list, no stems)"),
    )
    return [*sorted(named, key=lambda choice: choice[1]), rest]


def _language(code: str) -> str:
    if code in LANGUAGES:
        return str(LANGUAGES[code])
    try:
        return str(get_language_info(code)["name_translated"])
    except KeyError:
        return code
