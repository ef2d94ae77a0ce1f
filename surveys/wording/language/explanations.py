"""EXPLANATIONS: sentences of respondents' pages that promise nothing, which authors may replace.

One more is an entry here, and ``{% explanation %}`` where a template had the sentence. What
promises, says what is sent or kept, or tells how a coin randomizes, is never among them. Where such
a sentence stands in one text with an explanation, ``kept`` says it again, below an author's words.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.template.defaultfilters import linebreaks_filter
from django.utils.functional import Promise
from django.utils.html import conditional_escape, format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy, gettext_noop, ngettext_lazy

from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.explanations import LONGEST, LONGEST_LINE
from surveys.randomized_response.messages import Message, sentence
from surveys.wording.language.marked import marked_line, marked_text
from surveys.wording.language.messages import looked_up, translated

PRACTICE, CHECKS = sentence("The practice question"), sentence("The two checks of understanding")
LONG_LIST, SEND = sentence("Long lists"), sentence("Check and send")
NUMBER, DAY = sentence("How many numbers"), sentence("Dates")
NUMBER_BY_HAND = sentence("Numbers, with an own coin")
DAY_BY_HAND = sentence("Dates, with an own coin")
RECEIPT = sentence("The receipt, at the end")


@dataclass(frozen=True)
class Explained:
    """A sentence of ours: what it says and the page it stands on, for staff, and its words.

    ``values`` are what the page writes into it, each with an example. One that ``is_line`` stands
    within a line of the page, where no list can stand. ``kept`` is a promise in the same text.
    """

    says: Message
    page: Message
    usual: str | Promise
    values: Mapping[str, Any] = field(default_factory=dict)
    is_line: bool = False
    kept: str = ""

    @property
    def called(self) -> str:
        """The page and what it says there, in the language of staff: no two are called the same."""
        return f"{translated(self.page)}: {translated(self.says)}"

    @property
    def longest(self) -> int:
        return LONGEST_LINE if self.is_line else LONGEST

    def words(self, **values: Any) -> str:
        """Our words in the language of the page, with these values in it or with the examples."""
        written = values or self.values
        return str(self.usual % written if written else self.usual)

    def kept_words(self) -> str:
        """What we promise below an author's words, in the language of the page."""
        return looked_up(self.kept) if self.kept else ""


EXPLANATIONS: Mapping[str, Explained] = {
    "practice": Explained(
        sentence("How to try it out"),
        PRACTICE,
        gettext_lazy(
            "Pick any answer. On heads, your browser would send your answer. On tails, a second "
            "coin would decide. In this trial nothing is sent. In the survey, each question has "
            "its own odds, which you have just read."
        ),
        kept=gettext_noop(
            "Half the time your browser sends your answer; half the time a second coin decides. "
            "Here nothing is sent. In the survey, each question has its own odds; you have just "
            "read them."
        ),
    ),
    "practice_question": Explained(
        sentence("What it asks"),
        PRACTICE,
        gettext_lazy("Do you like the sea better than the mountains?"),
        is_line=True,
    ),
    "check": Explained(
        sentence("What the checks are for"),
        CHECKS,
        gettext_lazy("This checks our explanation, not you. Your answer here is never sent."),
        kept=gettext_noop("Your answer here is never sent."),
    ),
    "tick": Explained(
        sentence("How to tick answers"),
        sentence("Multiple choice, any number of answers"),
        gettext_lazy("Tick all that apply, or none."),
    ),
    "tick_most": Explained(
        sentence("How to tick a limited number of answers"),
        sentence("Multiple choice, limited number of answers"),
        ngettext_lazy(
            "Tick at most %(most)s answer, or none.",
            "Tick at most %(most)s answers, or none.",
            "most",
        ),
        {"most": 3},
    ),
    "rank": Explained(
        sentence("How to rank"),
        sentence("Rankings"),
        gettext_lazy("Use each rank once. Rank 1 comes first."),
    ),
    "rate": Explained(
        sentence("What to do without an opinion"),
        sentence("Ratings that may be left out"),
        gettext_lazy("Leave “Not rated” where you have no opinion."),
    ),
    "find": Explained(
        sentence("How to find an answer"),
        LONG_LIST,
        gettext_lazy("Find your answer in the list (you may type a part of it)"),
        is_line=True,
    ),
    "number": Explained(
        sentence("What to write"),
        NUMBER,
        gettext_lazy("A number from %(low)s to %(high)s"),
        {"low": "0", "high": "100"},
        is_line=True,
    ),
    "number_by_hand": Explained(
        sentence("How to write it"),
        NUMBER_BY_HAND,
        gettext_lazy("Write the number as you like, such as %(example)s."),
        {"example": "50"},
        is_line=True,
    ),
    "whole_number": Explained(
        sentence("That decimals are not accepted"),
        NUMBER_BY_HAND,
        gettext_lazy("Whole numbers only."),
        is_line=True,
    ),
    "day": Explained(
        sentence("What to write"),
        DAY,
        gettext_lazy("A date from %(first)s to %(last)s"),
        {"first": "2026-01-01", "last": "2026-12-31"},
        is_line=True,
    ),
    "day_by_hand": Explained(
        sentence("How to write it"),
        DAY_BY_HAND,
        gettext_lazy("Write it as year, month and day, such as %(first)s."),
        {"first": "2026-01-01"},
        is_line=True,
    ),
    "review": Explained(
        sentence("How to hide the list of answers"),
        SEND,
        gettext_lazy("Your answers (press here to hide or to show them)"),
        is_line=True,
    ),
    "sending": Explained(
        sentence("While answers are being sent"), SEND, gettext_lazy("One moment, please.")
    ),
    "thanks": Explained(
        sentence("Thanks"),
        RECEIPT,
        gettext_lazy("Thank you. Your answers have arrived."),
        kept=gettext_noop("Your answers have arrived."),
    ),
    "end_link": Explained(
        sentence("What comes before your link"),
        RECEIPT,
        gettext_lazy("The people who run this survey offer you this link:"),
        is_line=True,
    ),
}


def explanation(
    questionnaire: Questionnaire,
    name: str,
    *,
    css: str = "",
    key: str = "",
    then: str = "",
    **values: Any,
) -> SafeString:
    """What a page says here: the survey's own words, or ours; in a line, or as an element.

    ``css`` and ``key`` are the class and the id of the element. ``then`` is a sentence of ours that
    follows in it and is never replaced.
    """
    explained = EXPLANATIONS[name]
    own = _with(values, own_text(questionnaire, name))
    if explained.is_line and not own:
        return conditional_escape(explained.words(**values))
    if explained.is_line:
        return format_html("<bdi>{}</bdi>", marked_line(own) if questionnaire.marked_up else own)
    attributes = format_html_join("", ' {}="{}"', _named(css=css, key=key))
    if not own:
        return format_html("<p{}>{}</p>", attributes, _joined(explained.words(**values), then))
    theirs = marked_text(own) if questionnaire.marked_up else linebreaks_filter(own)
    below = _joined(explained.kept_words(), then)
    ours = format_html("<p>{}</p>", below) if below else ""
    return format_html('<div{}><div dir="auto">{}</div>{}</div>', attributes, theirs, ours)


def own_text(questionnaire: Questionnaire, name: str) -> str:
    """The survey's own words as they were typed; empty where it has none."""
    return next((each.text for each in questionnaire.explanations if each.name == name), "")


def _with(values: Mapping[str, Any], text: str) -> str:
    """A text with values where it names them in braces; all other braces stay."""
    for name, value in values.items():
        text = text.replace(f"{{{name}}}", str(value))
    return text


def _named(*, css: str, key: str) -> Iterator[tuple[str, str]]:
    """The attributes of an element that are there."""
    yield from ((name, value) for name, value in (("class", css), ("id", key)) if value)


def _joined(*sentences: str) -> str:
    return " ".join(filter(None, sentences))
