"""DraftedQuestionForm in the admin: all fields, options as lines, what was stored at opening."""

import unicodedata
from collections.abc import Iterator
from typing import Any, ClassVar, NamedTuple

from django import forms
from django.utils.text import format_lazy
from django.utils.translation import gettext, gettext_lazy

from surveys.authoring.draft.names import refusal_of_name
from surveys.authoring.editor.rule_texts import OWN_RULE, RULE_TEXTS, SECTION_RULE, RuleTexts
from surveys.authoring.editor.versions import is_same_version, version_of
from surveys.definitions.names import LONGEST_NAME, same_values, split_line, valued_line
from surveys.definitions.rules.text import BadRuleText
from surveys.kinds.long_list.promise import MOST_OPTIONS as MOST_MARKED
from surveys.kinds.picked.promise import MOST_OPTIONS
from surveys.kinds.rating.draft import LEAST_ADAPTIVE_EPSILON
from surveys.models import Condition, Option, Question
from surveys.questionnaire.ratings import MOST_SHOWN
from surveys.staff.locks import lock_survey
from surveys.wording.language.messages import message_of, translated

LONGEST_OPTION = Option._meta.get_field("text").max_length or 0
# Arabic, Persian and Indic words need these signs: they join letters, or say which way they run.
INVISIBLE_LETTERS = {"\u200c", "\u200d", "\u200e", "\u200f"}
CHANGED = gettext_lazy(
    "Another person changed this question since you opened it, so nothing was saved yet. What you "
    "typed is below. {stored}Save again to put yours in its place."
)


class OptionLine(NamedTuple):
    """An option as it is typed; ``value`` is what files call it, empty for its number."""

    text: str
    value: str = ""


class OptionLinesField(forms.CharField):
    """One option on each line; cells that were copied from a table are options too."""

    def __init__(self, *, rows: int = 8, **kwargs: Any) -> None:
        super().__init__(widget=forms.Textarea(attrs={"rows": rows}), **kwargs)

    def clean(self, value: Any) -> Any:
        """A list of ``OptionLine``. Raises ValidationError that names the line."""
        lines = [_option_line(cell) for cell in _cells(super().clean(value))]
        if len(lines) > MOST_OPTIONS:
            refusal = gettext("These are {count} options: offer at most {most}.")
            raise forms.ValidationError(refusal.format(count=len(lines), most=MOST_OPTIONS))
        first_of: dict[str, int] = {}
        for number, (line, _) in enumerate(lines, start=1):
            _check_line(number, line)
            first = first_of.setdefault(_as_read(line), number)
            if first != number:
                refusal = gettext("Options {first} and {number} read the same: {line}")
                raise forms.ValidationError(refusal.format(first=first, number=number, line=line))
        if same := same_values([line.value for line in lines]):
            refusal = gettext(
                "Options {first} and {number} have the same value. Write another in the brackets "
                "before one of them; an option without brackets has its number."
            )
            raise forms.ValidationError(refusal.format(first=same[0], number=same[1]))
        return lines

    def has_changed(self, initial: Any, data: Any) -> bool:
        return list(_cells(initial or "")) != list(_cells(data or ""))


class RuleTextField(forms.CharField):
    """A rule in one line, however it is broken where it is typed."""

    def __init__(self, **kwargs: Any) -> None:
        widget = forms.Textarea(attrs={"rows": 2, "spellcheck": "false", "dir": "ltr"})
        # A text that is typed is read, and so not too long; one that conditions say may be longer.
        super().__init__(widget=widget, required=False, **kwargs)

    def clean(self, value: Any) -> Any:
        """In single blanks."""
        return in_one_line(super().clean(value))

    def has_changed(self, initial: Any, data: Any) -> bool:
        return in_one_line(initial or "") != in_one_line(data or "")


class DraftedQuestionForm(forms.ModelForm):
    """All fields of a question, and its options as lines."""

    option_lines = OptionLinesField(
        label=gettext_lazy("Options"),
        required=False,
        help_text=format_lazy(
            gettext_lazy(
                "One on each line, in the order to be shown; paste as many as you like. Empty "
                "lines are left out. At most 20. A single choice has a list to search in where it "
                "has more: up to {most} asked directly, {marked} with a design for long lists. "
                "Files number options from 1, unless a value stands before one in brackets, as in "
                "[often] Every day: a name, or a number."
            ),
            most=MOST_OPTIONS,
            marked=MOST_MARKED,
        ),
    )
    alone = OptionLinesField(
        rows=3,
        label=gettext_lazy("Options that can only be ticked alone"),
        required=False,
        help_text=gettext_lazy(
            "Multiple choice only: one on each line, worded as above, such as None of these. "
            "Ticking one clears all others, and ticking another clears it."
        ),
    )
    rule_text = RuleTextField(
        label=gettext_lazy("The rule as a text"),
        help_text=gettext_lazy(
            "Any rule over names of questions before this one and values of their answers, which "
            "the end of this page lists. A rule that the conditions below can say stands there "
            "too: change it in one of the two places."
        ),
    )
    section_rule = RuleTextField(
        label=gettext_lazy("The section is asked if"),
        help_text=gettext_lazy(
            "A rule over direct answers before this question, written as “The rule as a text” is. "
            "It joins those of the section’s questions. Empty: the section is asked of all."
        ),
    )
    as_read = forms.CharField(widget=forms.HiddenInput, required=False, max_length=64)

    class Meta:
        model = Question
        fields: tuple[str, ...] = ()  # the admin says which
        widgets: ClassVar[dict[str, Any]] = {
            name: forms.Textarea(attrs={"rows": rows}) for name, rows in (("text", 3), ("help", 3))
        }
        # A column that may be null would ask for Yes, No or nothing.
        field_classes: ClassVar[dict[str, Any]] = {"unfinished": forms.BooleanField}
        help_texts: ClassVar[dict[str, Any]] = {
            "design": gettext_lazy(
                "Ask a harmless question directly: a device would only cost precision. Choose a "
                "device, such as two coins, where an answer could harm the person who gives it."
            ),
            "help": format_lazy(
                gettext_lazy(
                    "At most {most} characters; on pages of information and consent, 4,000 with "
                    "paragraphs."
                ),
                most=Question.LONGEST_HELP,
            ),
            "rule_joins": gettext_lazy(
                "For the conditions below; without conditions the question is asked of all. Rows "
                "in one bracket are read as one condition, joined by the other word: where all "
                "conditions must hold, one row of a bracket is enough; where one condition is "
                "enough, all rows of a bracket must hold."
            ),
            "unfinished": gettext_lazy(
                "An import lost something of this question, such as its rule. Look at it, and "
                "remove this mark: until then the survey is not launched."
            ),
            "text": gettext_lazy(
                "To quote the answer to an earlier question: Why do you like {your answer to "
                "question 3}? If the survey has emphasis and lists, *word* is shown in italics."
            ),
            "name": format_lazy(
                gettext_lazy(
                    "At most {most} letters from A to Z, digits and _; a letter begins it. With "
                    "the name affair, reports stand in the column affair_rep, and the mean of the "
                    "column affair_yes estimates the share of Yes. The survey's public document "
                    "has the name; no page for respondents shows it."
                ),
                most=LONGEST_NAME,
            ),
            "shown": format_lazy(
                gettext_lazy(
                    "Ratings: how many items each respondent rates, drawn by chance; 0 for all, if "
                    "there are at most {most}. Multiple choice and tables with a device: how many "
                    "options or rows are sent of each respondent, drawn by chance; 0 for one."
                ),
                most=MOST_SHOWN,
            ),
            "adaptive": format_lazy(
                gettext_lazy(
                    "Ratings only: items that were rated well are shown more often (Thompson "
                    "sampling), so that the best ones are found with fewer people. For ratings "
                    "of a drawn few that are asked directly or with an epsilon of {least} for each "
                    "item shown, in surveys without invitations. Means of single items are then "
                    "biased: show items evenly if you need those."
                ),
                least=LEAST_ADAPTIVE_EPSILON,
            ),
        }
        # Fields whose names in the model are their labels in English.
        labels: ClassVar[dict[str, Any]] = {
            "survey": gettext_lazy("Survey"),
            "name": gettext_lazy("Name in files"),
            "unfinished": gettext_lazy("Not finished"),
            "text": gettext_lazy("Text"),
            "help": gettext_lazy("Help"),
            "required": gettext_lazy("Required"),
            "kind": gettext_lazy("Kind"),
            "design": gettext_lazy("Design"),
            "epsilon": gettext_lazy("Epsilon to ask with"),
            "minimum": gettext_lazy("Minimum"),
            "maximum": gettext_lazy("Maximum"),
            "decimal_places": gettext_lazy("Decimal places"),
            "special": gettext_lazy("Answers beside the number"),
            "catalogue": gettext_lazy("Catalogue"),
            "first_day": gettext_lazy("First day"),
            "last_day": gettext_lazy("Last day"),
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.new_values: list[str] = []  # of the options that were typed, empty without one
        self.new_rules: dict[str, list[Condition]] = {}  # by field, of the rules that were typed
        super().__init__(*args, **kwargs)
        for name in ("table_rows", "special", "known_share", "name"):
            field = self.fields.get(name)
            if isinstance(field, forms.CharField):
                # Left empty it stays what it was: the audit log would call "" a change.
                field.empty_value = None
        if self.instance._state.adding:
            self._ask_for_design()
        if self.instance._state.adding or "option_lines" not in self.fields:
            return
        self.initial["option_lines"] = option_lines_of(self.instance)
        self.initial["alone"] = "\n".join(alone_of(self.instance))
        self.initial["as_read"] = version_of(self.instance)
        texts = RuleTexts(self.instance.survey, self.instance)
        self.initial.update({OWN_RULE: texts.own, SECTION_RULE: texts.of_section})

    def _ask_for_design(self) -> None:
        """An author chooses it: coins would cost a harmless question its precision.

        The address may say what was chosen for the question before.
        """
        field: Any = self.fields.get("design")
        if field is not None:
            field.choices = [("", gettext("Choose how it is protected")), *field.choices]
            self.initial.setdefault("design", "")
            self.instance.design = Question.Design.DIRECT  # until then nothing is promised of it

    def clean(self) -> Any:
        """Refuse to write over what another person saved meanwhile, once, and say what it is.

        The survey is held from here on, so that of two who save at once the second one reads it.
        """
        cleaned = super().clean() or self.cleaned_data
        self._clean_help(cleaned)
        self._clean_alone(cleaned)
        self._clean_rules(cleaned)
        as_read = self.data.get("as_read")
        if self.instance._state.adding or not as_read:
            return cleaned
        lock_survey(self.instance.survey)
        now = version_of(self.instance)
        if not is_same_version(as_read, now, reads_names=bool(self.new_rules)):
            sent: Any = self.data
            self.data = _with(sent, "as_read", now)
            self.add_error(None, CHANGED.format(stored="".join(self._stored_words())))
        return cleaned

    def _clean_help(self, cleaned: dict[str, Any]) -> None:
        """What stands on a page keeps its paragraphs, and may be longer than help.

        Help keeps its lines where they may be a list.
        """
        text = cleaned.get("help", "")
        in_lines = "\n".join(line.strip() for line in text.splitlines()).strip()
        is_page = cleaned.get("kind") in Question.PAGES
        survey = cleaned.get("survey") or getattr(self.instance, "survey", None)
        is_marked = survey is not None and survey.marked_up
        cleaned["help"] = in_lines if is_page or is_marked else in_one_line(text)
        if is_page:
            return
        if len(cleaned["help"]) > Question.LONGEST_HELP:
            words = gettext("Shorten this to {most} characters: it has {count}.")
            self.add_error(
                "help", words.format(most=Question.LONGEST_HELP, count=len(cleaned["help"]))
            )

    def _clean_alone(self, cleaned: dict[str, Any]) -> None:
        """One that was renamed above, or is mistyped, would be lost without a word."""
        unknown = set(cleaned.get("alone") or ()) - set(cleaned.get("option_lines") or ())
        for text in sorted(unknown) if "option_lines" in cleaned else ():
            words = gettext("No option above reads “{text}”: word it as it stands there.")
            self.add_error("alone", words.format(text=text))

    def _clean_rules(self, cleaned: dict[str, Any]) -> None:
        """Read the rules that were typed. One that is emptied leaves lines of conditions."""
        survey = cleaned.get("survey") or getattr(self.instance, "survey", None)
        for name in RULE_TEXTS:
            is_typed = name in self.changed_data and name in self.data and name in cleaned
            if survey is None or not is_typed:
                continue
            texts = RuleTexts(survey, self.instance)
            try:
                self.new_rules[name] = texts.conditions_for(
                    cleaned[name], of_section=name == SECTION_RULE
                )
            except BadRuleText as problem:
                self.add_error(name, translated(message_of(problem)))
        if self.new_rules.get(OWN_RULE):
            cleaned["rule_joins"] = self.instance.rule_joins

    def clean_option_lines(self) -> list[str]:
        """The words; their values are kept apart."""
        lines: list[OptionLine] = self.cleaned_data["option_lines"]
        self.new_values = [line.value for line in lines]
        return [line.text for line in lines]

    def clean_alone(self) -> list[str]:
        """Only the words count."""
        return [line.text for line in self.cleaned_data["alone"]]

    def clean_special(self) -> str | None:
        """One on each line, with single blanks. Raises ValidationError that names the line."""
        lines = list(_cells(self.cleaned_data["special"] or ""))
        for number, line in enumerate(lines, start=1):
            if not is_printable(line):
                words = gettext("Answer {number} has invisible characters: remove them.")
                raise forms.ValidationError(words.format(number=number))
        return "\n".join(lines) or None

    def clean_text(self) -> str:
        return in_one_line(self.cleaned_data["text"])

    def clean_name(self) -> str | None:
        """Raises ValidationError for a name that files cannot use, or that another question has."""
        name: str | None = self.cleaned_data["name"]
        refusal = refusal_of_name(name) if name else None
        if refusal:
            raise forms.ValidationError(translated(refusal))
        survey = self.cleaned_data.get("survey") or getattr(self.instance, "survey", None)
        if name and survey:
            others = survey.questions.exclude(pk=self.instance.pk)
            if same := others.filter(name__iexact=name).first():
                words = gettext("“{question}” has this name already: choose another.")
                raise forms.ValidationError(words.format(question=same.text))
        return name

    @property
    def new_options(self) -> list[str] | None:
        """The options that were typed; None if the form that was sent has no field for them."""
        has_field = "option_lines" in self.fields and "option_lines" in self.data
        return self.cleaned_data["option_lines"] if has_field else None

    @property
    def new_alone(self) -> list[str]:
        """Those of the new options that can only be ticked alone."""
        return self.cleaned_data.get("alone") or []

    def _stored_words(self) -> Iterator[str]:
        """What is stored, where it differs from what was typed."""
        for name in self.changed_data:
            field = self.fields[name]
            stored = self.get_initial_for_field(field, name)
            words = dict(getattr(field, "choices", ())).get(stored, stored)
            if name != "as_read":
                shown = gettext("empty") if words in (None, "") else words
                yield gettext("{field} is now: {words}. ").format(
                    field=self[name].label, words=shown
                )


def in_one_line(text: str) -> str:
    """Line ends are blanks: pages and files show a question as one paragraph."""
    return " ".join(line.strip() for line in text.splitlines())


def _with(sent: Any, name: str, value: str) -> Any:
    """What was sent, with another value."""
    changed = sent.copy()
    changed[name] = value
    return changed


def _cells(text: str) -> Iterator[str]:
    """What stands between line ends and tabs, with single blanks; nothing that is empty."""
    for cell in text.replace("\t", "\n").splitlines():
        if words := unicodedata.normalize("NFC", " ".join(cell.split())):
            yield words


def _option_line(cell: str) -> OptionLine:
    value, text = split_line(cell)
    return OptionLine(text, value)


def option_lines_of(question: Question) -> str:
    """The options as they are typed, one on each line."""
    options = enumerate(question.options.all(), start=1)
    return "\n".join(valued_line(option.value, option.text, n) for n, option in options)


def _as_read(line: str) -> str:
    """Equal for lines that look alike."""
    return "".join(sign for sign in line.casefold() if sign not in INVISIBLE_LETTERS)


def _check_line(number: int, line: str) -> None:
    if len(line) > LONGEST_OPTION:
        refusal = gettext("Option {number} has {count} characters: shorten it to {most}.")
        raise forms.ValidationError(
            refusal.format(number=number, count=len(line), most=LONGEST_OPTION)
        )
    if not is_printable(line):
        refusal = gettext("Option {number} has invisible characters: remove them.")
        raise forms.ValidationError(refusal.format(number=number))


def is_printable(line: str) -> bool:
    """Whether a line has no invisible characters but those that some scripts need."""
    return all(sign.isprintable() or sign in INVISIBLE_LETTERS for sign in line)


def alone_of(question: Question) -> list[str]:
    """The words of the options that can only be ticked alone."""
    return [option.text for option in question.options.all() if option.stands_alone]
