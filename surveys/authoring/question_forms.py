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
    "Nothing was saved yet, because another person changed this question since you opened it. "
    "What you typed is below. {stored}Save again to replace the other version with yours."
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
            refusal = gettext("You entered {count} options. Offer at most {most} options.")
            raise forms.ValidationError(refusal.format(count=len(lines), most=MOST_OPTIONS))
        first_of: dict[str, int] = {}
        for number, (line, _) in enumerate(lines, start=1):
            _check_line(number, line)
            first = first_of.setdefault(_as_read(line), number)
            if first != number:
                refusal = gettext("Options {first} and {number} have the same words: {line}")
                raise forms.ValidationError(refusal.format(first=first, number=number, line=line))
        if same := same_values([line.value for line in lines]):
            refusal = gettext(
                "Options {first} and {number} have the same value. Write another value in "
                "brackets before one of these options. An option without brackets has its number "
                "as its value."
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
                "Enter one option on each line, in the order in which respondents see them. You "
                "can paste many lines. Empty lines are left out. At most 20 options. A single "
                "choice can have more options, in a list that respondents can search: up to "
                "{most} if the question is asked directly, up to {marked} with a design for long "
                "lists. In files, the value of each option is its number, from 1 on. To use "
                "another value, write a name or a number in brackets before the option, as in "
                "[often] Every day."
            ),
            most=MOST_OPTIONS,
            marked=MOST_MARKED,
        ),
    )
    alone = OptionLinesField(
        rows=3,
        label=gettext_lazy("Options that exclude all others"),
        required=False,
        help_text=gettext_lazy(
            "Multiple choice only. Enter one option on each line, with the same words as above, "
            "such as None of these. If a person ticks one of these options, all other ticks are "
            "cleared. If the person later ticks any other option, the tick at the option entered "
            "here is cleared."
        ),
    )
    rule_text = RuleTextField(
        label=gettext_lazy("The rule as a text"),
        help_text=gettext_lazy(
            "A rule can use names of earlier questions and values of their answers. The end of "
            "this page lists these names and values. If the conditions below can express the "
            "rule, they show the rule too. Change the rule either here or in the conditions, not "
            "in both places."
        ),
    )
    section_rule = RuleTextField(
        label=gettext_lazy("The section is asked if"),
        help_text=gettext_lazy(
            "Write this rule in the same way as “The rule as a text”. The rule can use answers "
            "to direct questions that come before this question. The rules of the section’s "
            "questions apply as well. If this field is empty, all people are asked the section."
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
                "Ask a harmless question directly, because protection would only cost precision. "
                "Choose protection, such as two coins, if an answer could harm the person who "
                "gives it."
            ),
            "help": format_lazy(
                gettext_lazy(
                    "At most {most} characters. A page of information or consent can have up to "
                    "4,000 characters and several paragraphs."
                ),
                most=Question.LONGEST_HELP,
            ),
            "rule_joins": gettext_lazy(
                "Without conditions, all people are asked the question. Conditions in the same "
                "bracket count as one condition. If all conditions must be met, a bracket is met "
                "as soon as one condition in it is met. If one condition is enough, a bracket is "
                "met when all conditions in it are met."
            ),
            "unfinished": gettext_lazy(
                "A part of this question, such as its rule, could not be imported. Check the "
                "question, and remove this tick. The survey cannot be launched as long as this "
                "tick is set."
            ),
            "text": gettext_lazy(
                "You can quote the answer to an earlier question, as in: Why do you like {your "
                "answer to question 3}? If “Emphasis and lists in texts” is chosen for the "
                "survey, *word* is shown in italics."
            ),
            "name": format_lazy(
                gettext_lazy(
                    "At most {most} letters from A to Z, digits and _, beginning with a letter. "
                    "For example, for the name affair, the column affair_rep contains the "
                    "reported answers. The mean of the column affair_yes estimates the share of "
                    "Yes. The survey's public document contains the name. No page for "
                    "respondents shows the name."
                ),
                most=LONGEST_NAME,
            ),
            "shown": format_lazy(
                gettext_lazy(
                    "Ratings: how many items each respondent rates. Chance draws these items. "
                    "Enter 0 for all items, if there are at most {most} items. Protected "
                    "multiple choice and tables: how many options or rows each respondent sends. "
                    "Chance draws these options or rows. Enter 0 to send one."
                ),
                most=MOST_SHOWN,
            ),
            "adaptive": format_lazy(
                gettext_lazy(
                    "Ratings only. Items that were rated well are shown more often (Thompson "
                    "sampling), so that fewer people are needed to find the best items. This "
                    "works in surveys without invitations, if each person rates a few items "
                    "drawn by chance. The ratings must be asked directly, or each item shown "
                    "must have an epsilon of at least {least}. With this choice, the means of "
                    "single items are biased. If you need these means, show all items equally "
                    "often."
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
            "epsilon": gettext_lazy("Epsilon of this question"),
            "minimum": gettext_lazy("Minimum"),
            "maximum": gettext_lazy("Maximum"),
            "decimal_places": gettext_lazy("Decimal places"),
            "special": gettext_lazy("Special answers"),
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
            field.choices = [("", gettext("Choose how the question is protected")), *field.choices]
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
            words = gettext(
                "This text has {count} characters. Shorten the text to {most} characters."
            )
            self.add_error(
                "help", words.format(most=Question.LONGEST_HELP, count=len(cleaned["help"]))
            )

    def _clean_alone(self, cleaned: dict[str, Any]) -> None:
        """One that was renamed above, or is mistyped, would be lost without a word."""
        unknown = set(cleaned.get("alone") or ()) - set(cleaned.get("option_lines") or ())
        for text in sorted(unknown) if "option_lines" in cleaned else ():
            words = gettext(
                "There is no option “{text}” above. Use exactly the same words as above."
            )
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
                words = gettext(
                    "Special answer {number} has invisible characters. Remove these characters."
                )
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
                words = gettext(
                    "The question “{question}” already has this name. Choose another name."
                )
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
        refusal = gettext(
            "Option {number} has {count} characters. Shorten the option to {most} characters."
        )
        raise forms.ValidationError(
            refusal.format(number=number, count=len(line), most=LONGEST_OPTION)
        )
    if not is_printable(line):
        refusal = gettext("Option {number} has invisible characters. Remove these characters.")
        raise forms.ValidationError(refusal.format(number=number))


def is_printable(line: str) -> bool:
    """Whether a line has no invisible characters but those that some scripts need."""
    return all(sign.isprintable() or sign in INVISIBLE_LETTERS for sign in line)


def alone_of(question: Question) -> list[str]:
    """The words of the options that can only be ticked alone."""
    return [option.text for option in question.options.all() if option.stands_alone]
