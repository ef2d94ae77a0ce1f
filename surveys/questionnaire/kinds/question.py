"""Question and Asked: what every kind of question offers; codes, field names, common fields."""

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Generic, Self, TypeVar
from urllib.parse import unquote_to_bytes

from surveys.questionnaire.logic.marks import plain, plain_line
from surveys.questionnaire.logic.quotes import quoted_in, unquoted
from surveys.questionnaire.logic.rules import Given, Rule, rule_from
from surveys.questionnaire.messages import message
from surveys.questionnaire.refusals import Malformed, OutsideAlphabet, Refused

NOT_ASKED = "--"
NOT_ASKED_LABEL = message("(not asked)")
DECLINED_LABEL = message("Prefer not to say")
CODE = re.compile(r"[a-z0-9.\-]*")
COMMON = ("id", "text", "help", "required", "kind", "design")  # fields of every question


@dataclass(frozen=True)
class Hidden:
    """What is sent, through the channel, of people from whom a protected answer hides a question.

    ``level`` is the index of the level that stands for their truth. If it ``is_own``, it means
    "does not apply" and is offered to no one in the page; if not, it is an answer as which they
    count. ``by_hand`` is false of a question that people with their own coin are not asked.
    """

    level: int
    is_own: bool
    by_hand: bool = True


@dataclass(frozen=True, kw_only=True)
class Question(ABC):
    """One question as it was promised, of any kind.

    What is not abstract is that of a direct question. ``kind`` is the kind in the author's words,
    as documents and codebooks name it. Without a ``rule`` it is asked of all. ``quoting`` is the
    text with its quotes of earlier answers, if it has any; ``text`` reads without them.
    ``marked_text`` and ``marked_help`` are the text and the help as they were typed, where their
    survey reads marks of emphasis and lists; ``text``, ``help`` and ``quoting`` read without them.
    ``known_yes`` is the share of yes to an anchor; None of all questions that find theirs out.
    ``hidden`` is there where a protected answer may hide it, and says what is sent then.
    ``stands_below`` is true of what belongs to the last answer of the question before; ``is_sent``
    is false of a page that is only read or agreed to, of which nothing is sent. ``name`` is what
    files call it, where its author chose that; what is sent never has it.
    """

    # For how many keys the page seals what is sent: of texts, where their survey says so.
    layers = 0
    stands_below: ClassVar[bool] = False
    is_sent: ClassVar[bool] = True

    id: str
    text: str
    help: str
    required: bool
    kind: str
    design: str
    rule: Rule | None = None
    quoting: str = ""
    known_yes: Fraction | None = None
    hidden: Hidden | None = None
    name: str = ""
    marked_text: str = ""
    marked_help: str = ""

    @cached_property
    def is_randomized(self) -> bool:
        """Whether what is sent leaves doubt about the true answer."""
        return False

    @cached_property
    def is_drawn(self) -> bool:
        """Whether a device draws what is sent: the browser, or the respondent's coin."""
        return self.is_randomized

    @cached_property
    def epsilon(self) -> float:
        """Local epsilon in nats; infinite for a direct question."""
        return math.inf

    @cached_property
    def is_offered_with_own_coin(self) -> bool:
        """Whether a respondent can answer it without the browser's draw."""
        return not self.is_drawn

    @property
    @abstractmethod
    def width(self) -> int:
        """Characters in a stored row of answers; 0 for a text, which is stored apart."""

    @cached_property
    def text_bytes(self) -> int:
        """The largest size of a text that is stored apart; 0 for answers in the row."""
        return 0

    @cached_property
    def not_asked(self) -> str:
        """The code of a respondent who was not asked."""
        return NOT_ASKED

    @property
    def fields_not_asked(self) -> tuple[str, ...]:
        """What each of its form fields says of a respondent who was not asked."""
        return (self.not_asked,)

    @cached_property
    def in_rules(self) -> "InRules[Any]":
        """Its answers as rules of later questions read them."""
        return InRules(self)

    def leaves_out(self, values: Sequence[str], *, own_coin: bool) -> list[bool]:
        """Of each of its form fields, whether it says that the respondent was not asked."""
        return [value == mark for value, mark in zip(values, self.fields_not_asked, strict=True)]

    def fields(self, index: int) -> list[str]:
        """The form fields of the question at this index."""
        return [field_name(index)]

    @abstractmethod
    def read(self, values: Sequence[str], *, own_coin: bool) -> str:
        """The code stored of what was sent. Raises Malformed, OutsideAlphabet or BadAnswer."""

    @abstractmethod
    def label(self, code: str) -> str:
        """What a code says, in the words of the question."""

    @abstractmethod
    def to_document(self) -> dict[str, Any]:
        """Its part of a launched document: the common fields and those of its kind alone.

        Texts of authors stand under the names in ``formats.launched.TEXTS``, fractions as "1/6".
        """

    @classmethod
    @abstractmethod
    def from_document(cls, entry: Mapping[str, Any]) -> Self:
        """The question that ``to_document`` wrote."""


Q = TypeVar("Q", bound=Question)


@dataclass(frozen=True, eq=False)
class InRules(Generic[Q]):
    """The answers to a question as rules of later questions read them; here they read nothing."""

    question: Q

    @property
    def is_quotable(self) -> bool:
        """Whether later questions may quote an answer in their words."""
        return False

    @property
    def readable(self) -> frozenset[str]:
        """What rules of later questions may say of an answer: names of atoms in ``logic.rules``."""
        return frozenset()

    @property
    def readable_in_page(self) -> frozenset[str]:
        """The same of true answers, which rules read in the page alone where they are protected."""
        return self.readable

    @property
    def nameable(self) -> Mapping[str, str]:
        """The answers that a rule can name: each code, as in ``given``, with its words."""
        return {}

    def given(self, code: str) -> Given | None:
        """A stored answer as rules read it; None if there is none, or rules may not read it."""
        return None

    def true_given(self, code: str) -> Given | None:
        """A true answer as rules read it in the page; None if there is none that they read."""
        return self.given(code)

    def told_apart(self, limits: Collection[int]) -> tuple[Given | None, ...]:
        """The true answers between which rules tell that compare an answer with these limits.

        The limits of a number, or the codes of the answers that rules name.
        """
        return (None,)

    def answer_text(self, code: str) -> str:
        """A true answer, as rules name it, in the words of the question."""
        return self.question.label(code)


def was_asked(question: Question, code: str) -> bool:
    """Whether a code is an answer, and not the mark of a question that was not asked.

    Nothing marks a text, which is stored apart. But one that people with their own coin are not
    asked is sealed by the page, even where nothing was written: so who has an empty code was not.
    """
    is_unmarked = question.text_bytes > 0 and question.is_offered_with_own_coin
    return is_unmarked or code != question.not_asked


def field_name(index: int) -> str:
    """The form field of the question at this index: equally wide for all questions."""
    return f"q{index + 1:03d}"


def names_in_files(questions: Iterable[Question]) -> list[str]:
    """What files, codebook and commands call each of a survey's questions."""
    return [question.name or field_name(index) for index, question in enumerate(questions)]


def common_document(question: Question) -> dict[str, Any]:
    """What all kinds write into a document."""
    rule = {} if question.rule is None else {"rule": question.rule.to_document()}
    known = {} if question.known_yes is None else {"known_yes": str(question.known_yes)}
    named = {"name": question.name} if question.name else {}
    quotes = {"quotes": list(quoted_in(question.quoting))} if question.quoting else {}
    common = {name: getattr(question, name) for name in COMMON}
    common["text"] = question.marked_text or question.quoting or question.text
    common["help"] = question.marked_help or question.help
    return {**common, **rule, **known, **named, **quotes}


def common_fields(entry: Mapping[str, Any]) -> dict[str, Any]:
    """What all kinds read from a document."""
    rule = rule_from(entry["rule"]) if "rule" in entry else None
    known = Fraction(entry["known_yes"]) if "known_yes" in entry else None
    common = {**{name: entry[name] for name in COMMON}, "rule": rule, "known_yes": known}
    common["name"] = entry.get("name", "")
    if "quotes" not in entry:  # braces are braces where launch did not read them as quotes
        return common
    return {**common, "text": unquoted(entry["text"]), "quoting": entry["text"]}


def with_marks(question: Q) -> Q:
    """A question whose text and help are read with their marks."""
    typed = question.quoting or question.text
    quoting, text = plain_line(question.quoting), plain_line(typed)
    return replace(
        question,
        text=unquoted(text) if quoting else text,
        help=plain(question.help),
        quoting=quoting,
        marked_text=typed,
        marked_help=question.help,
    )


def refusal_of(code: str) -> Refused:
    """Why a code is not accepted: it cannot be one at all, or it is none of this question."""
    return OutsideAlphabet() if CODE.fullmatch(code) else Malformed()


def plain_bytes(value: str) -> bytes:
    """Undo a form's encoding."""
    return unquote_to_bytes(value.replace("+", " "))
