"""The text of a condition, as authors type it: ``(a is 1 and b is not 2) or c > 3``.

::

    any     = all { "or" all }
    all     = single { "and" single }
    single  = "not" single | "(" any ")" | atom
    atom    = name "is" ["not"] ( value | "missing" )
            | name ( "<" | "≤" | ">" | "≥" | "=" | "≠" ) value
            | "chosen" "(" name "," value ")"
            | "count" "(" name ")" ( "<" | "≤" | ">" | "≥" | "=" | "≠" ) number

``not`` binds closest, then ``and``, then ``or``. ``<=``, ``>=``, ``!=`` and ``<>`` are signs too.
A value stands in quotation marks where it would be a word of this language. Reading takes time in
proportion to the text: each token is looked at once, and nothing goes back.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from surveys.definitions.names import name_problem
from surveys.definitions.rules.tree import (
    MOST_TICKED,
    BadRuleTree,
    RuleTree,
    check_size,
    is_comparable,
    negated,
)
from surveys.questionnaire.logic.rules import JOINS
from surveys.randomized_response.messages import Message, sentence, shortened

LONGEST_TEXT = 4000
DEEPEST_BRACKETS = 32  # beyond, no condition is within its levels
WRITTEN = {"less": "<", "most": "≤", "more": ">", "least": "≥"}
SIGNS = {
    **{sign: name for name, sign in WRITTEN.items()},
    **{"<=": "most", ">=": "least", "=": "is", "≠": "is_not", "!=": "is_not", "<>": "is_not"},
}
MARKS = ("<=", ">=", "<>", "!=", *"<>=≤≥≠(),")  # the longer ones first
QUOTES = {'"': '"', "“": "”", "„": "“", "”": "”"}
PART_OF_MARKS = frozenset("<>=!≤≥≠(),").union(QUOTES)


class BadRuleText(ValueError):
    """A text that is no condition: the ``column`` from 1, and in ``words`` what to write there."""

    def __init__(self, column: int, words: Message) -> None:
        super().__init__(sentence("Column {column}: {words}", column=column, words=words))
        self.column, self.words = column, words


@dataclass(frozen=True)
class Token:
    """A word, a sign or a text in quotation marks; the last one of all is empty."""

    text: str
    column: int
    is_quoted: bool = False

    @property
    def word(self) -> str:
        """What it is in the language's own words; empty for a text in quotation marks."""
        return "" if self.is_quoted else self.text.casefold()


def written(condition: RuleTree) -> str:
    """The text that ``read`` makes the same condition of."""
    if condition.name == "not":
        (part,) = condition.parts
        return f"not {_written_within(part, part.name in ('not', 'chosen'))}"
    if condition.name in JOINS:
        word = " and " if condition.name == "all" else " or "
        return word.join(_written_within(part, part.name not in JOINS) for part in condition.parts)
    return _written_atom(condition)


def _written_within(condition: RuleTree, is_bare: bool) -> str:
    return written(condition) if is_bare else f"({written(condition)})"


def _written_atom(atom: RuleTree) -> str:
    value = f'"{atom.value}"' if atom.value.casefold() == "missing" else atom.value
    match atom.name:
        case "chosen":
            return f"chosen({atom.question}, {value})"
        case "marked":
            return f"count({atom.question}) ≥ {atom.least}"
        case "missing":
            return f"{atom.question} is missing"
        case "answered":
            return f"{atom.question} is not missing"
        case "is" | "is_not":
            return f"{atom.question} {atom.name.replace('_', ' ')} {value}"
    return f"{atom.question} {WRITTEN[atom.name]} {value}"


Check = Callable[[RuleTree], Message | None]


def read(text: str, problem_of: Check = lambda atom: None) -> RuleTree:
    """The condition that a text writes; ``problem_of`` says what is wrong with a comparison.

    Raises BadRuleText.
    """
    if len(text) > LONGEST_TEXT:
        raise BadRuleText(
            LONGEST_TEXT + 1,
            sentence(
                "A condition can have at most {most} characters. Shorten the condition.",
                most=LONGEST_TEXT,
            ),
        )
    reader = _TokenReader(_tokens(text), problem_of)
    condition = reader.read_any(0)
    reader.expect_end()
    try:
        check_size(condition)
    except BadRuleTree as problem:
        raise BadRuleText(1, problem.words) from None
    return condition


def number_of(text: str) -> str:
    """A number as this language writes it: ``03.50`` is ``3.5``. Empty if it is none."""
    sign, digits = ("-", text[1:]) if text.startswith("-") else ("", text)
    units, _, decimals = digits.partition(".")
    if not (units + decimals).isascii() or not (units + decimals).isdecimal():
        return ""
    units, decimals = units.lstrip("0") or "0", decimals.rstrip("0")
    number = f"{units}.{decimals}" if decimals else units
    return number if number == "0" else f"{sign}{number}"


def _tokens(text: str) -> Iterator[Token]:
    at = 0
    while at < len(text):
        letter = text[at]
        if letter.isspace():
            at += 1
        elif letter in QUOTES:
            end = text.find(QUOTES[letter], at + 1)
            if end < 0:
                words = sentence(
                    "The quotation mark is not closed. Write a quotation mark at the end of the "
                    "quoted text."
                )
                raise BadRuleText(at + 1, words)
            yield Token(text[at + 1 : end], at + 1, is_quoted=True)
            at = end + 1
        else:
            mark = next((mark for mark in MARKS if text.startswith(mark, at)), "")
            end = at + (len(mark) or _length_of_word(text, at))
            yield Token(text[at:end], at + 1)
            at = end
    yield Token("", len(text) + 1)


def _length_of_word(text: str, start: int) -> int:
    """At least one letter, so that a sign which begins no mark is a word by itself."""
    end = start + 1
    while end < len(text) and not text[end].isspace() and text[end] not in PART_OF_MARKS:
        end += 1
    return end - start


class _TokenReader:
    """Reads tokens from left to right, one of them ahead."""

    def __init__(self, tokens: Iterator[Token], problem_of: Check) -> None:
        self._tokens, self._problem_of = tokens, problem_of
        self._next = next(tokens)

    def read_any(self, depth: int) -> RuleTree:
        parts = [self._read_all(depth)]
        while self._skip("or"):
            parts.append(self._read_all(depth))
        return RuleTree("any", parts=tuple(parts)) if len(parts) > 1 else parts[0]

    def expect_end(self) -> None:
        if self._next.text or self._next.is_quoted:
            raise self._refusal(
                sentence(
                    "Write “and” or “or” before this part of the condition, or remove the part."
                )
            )

    def _read_all(self, depth: int) -> RuleTree:
        parts = [self._read_single(depth)]
        while self._skip("and"):
            parts.append(self._read_single(depth))
        return RuleTree("all", parts=tuple(parts)) if len(parts) > 1 else parts[0]

    def _read_single(self, depth: int) -> RuleTree:
        if depth > DEEPEST_BRACKETS:
            raise self._refusal(sentence("Too many brackets are nested inside each other."))
        if self._skip("not"):
            return negated(self._read_single(depth + 1))
        if self._skip("("):
            condition = self.read_any(depth + 1)
            self._require(")")
            return condition
        column, atom = self._next.column, self._read_atom()
        for _, comparison in atom.walked():
            problem = self._problem_of(comparison) if comparison.question else None
            if problem:
                raise BadRuleText(column, problem)
        return atom

    def _read_atom(self) -> RuleTree:
        first = self._take(sentence("Write the name of a question here."))
        if self._next.word == "(" and first.word in ("chosen", "count"):
            self._require("(")
            question = _name_of(self._take(sentence("Write the name of a question here.")))
            if first.word == "count":
                self._require(")")
                return self._read_count(question)
            self._require(",")
            value = self._value()
            self._require(")")
            return RuleTree("chosen", question, value)
        question = _name_of(first)
        if self._skip("is"):
            name = "is_not" if self._skip("not") else "is"
            if self._skip("missing"):
                return RuleTree("answered" if name == "is_not" else "missing", question)
        else:
            name = self._sign()
        return RuleTree(name, question, self._value())

    def _read_count(self, question: str) -> RuleTree:
        """A comparison with a number of ticks, by "at least so many" alone."""
        name, number = self._sign(), self._whole_number()
        if name in ("least", "less"):
            return _turned(_at_least(question, number), name == "less")
        more = _at_least(question, number, plus=1)
        if name in ("more", "most"):
            return _turned(more, name == "most")
        if not int(number.text):
            return _turned(more, name == "is")
        exactly = RuleTree("all", parts=(_at_least(question, number), negated(more)))
        return _turned(exactly, name == "is_not")

    def _whole_number(self) -> Token:
        token = self._take(sentence("Write a number of ticked options here."))
        if not token.text.isascii() or not token.text.isdecimal() or len(token.text) > 3:
            words = sentence("Write a whole number here: the number of ticked options.")
            raise BadRuleText(token.column, words)
        return token

    def _sign(self) -> str:
        name = SIGNS.get(self._next.word)
        if name is None:
            raise self._refusal(sentence("Write “is”, “is not”, <, ≤, > or ≥ here."))
        self._advance()
        return name

    def _value(self) -> str:
        token = self._take(sentence("Write a value, a number or a day here."))
        is_word_of_ours = token.word in ("and", "or", "not", "is", "missing")
        value = number_of(token.text) or token.text
        if not is_word_of_ours and is_comparable(value):
            return value
        words = sentence("“{text}” cannot be a value.", text=shortened(token.text))
        raise BadRuleText(token.column, words)

    def _take(self, missing: Message) -> Token:
        """The next token, which must not be the end, or a sign."""
        token = self._next
        if not token.is_quoted and (not token.text or token.text in MARKS):
            raise BadRuleText(token.column, missing)
        self._advance()
        return token

    def _skip(self, word: str) -> bool:
        is_next = self._next.word == word
        if is_next:
            self._advance()
        return is_next

    def _require(self, mark: str) -> None:
        if not self._skip(mark):
            raise self._refusal(sentence("Write “{mark}” here.", mark=mark))

    def _advance(self) -> None:
        self._next = next(self._tokens)

    def _refusal(self, words: Message) -> BadRuleText:
        return BadRuleText(self._next.column, words)


def _turned(condition: RuleTree, is_turned: bool) -> RuleTree:
    return negated(condition) if is_turned else condition


def _name_of(token: Token) -> str:
    words = sentence("Write the name of a question here, without quotation marks.")
    problem = words if token.is_quoted else name_problem(token.text)
    if problem:
        raise BadRuleText(token.column, problem)
    return token.text


def _at_least(question: str, number: Token, plus: int = 0) -> RuleTree:
    least = int(number.text) + plus
    if not 1 <= least <= MOST_TICKED:
        words = sentence("Compare with a number from 1 to {most}.", most=MOST_TICKED)
        raise BadRuleText(number.column, words)
    return RuleTree("marked", question, least=least)
