"""Formula: a condition or a bound as other programs write it, as a tree.

One grammar reads three languages, which differ in how they name a field::

    XLSForm      ${age} >= 18 and selected(${b}, 'x')      . is the answer itself
    REDCap       [age] >= 18 and [b(2)] = '1'
    LimeSurvey   age.NAOK >= 18 && b_x.NAOK == "Y"

Curly quotation marks, which spreadsheets put there by themselves, are read as straight ones. Each
character is looked at once; brackets stand in one another at most ``DEEPEST_BRACKETS`` times.
"""

import string
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from surveys.randomized_response.messages import Message, sentence, shortened

DEEPEST_BRACKETS = 50
MOST_LEXEMES = 2000
STRAIGHT = str.maketrans({**dict.fromkeys("“”„‟″", '"'), **dict.fromkeys("‘’‚‛′", "'")})
MARKS = ("==", "!=", "<>", "<=", ">=", "&&", "||", *"=<>!()+-*/%,")
COMPARISONS = {
    "=": "=",
    "==": "=",
    "!=": "!=",
    "<>": "!=",
    "<": "<",
    "<=": "<=",
    ">": ">",
    ">=": ">=",
}
SUMS, PRODUCTS = ("+", "-"), ("*", "/", "%", "div", "mod")
LETTERS = frozenset(string.ascii_letters + "_")
DIGITS = frozenset(string.digits)
BRACKETS = {"${": "}", "[": "]"}


class BadFormula(ValueError):
    """A text that is no formula: the ``column`` from 1, and in ``words`` what is wrong there."""

    def __init__(self, column: int, words: Message) -> None:
        super().__init__(words)
        self.column, self.words = column, words


@dataclass(frozen=True)
class Formula:
    """One node.

    ``kind`` is "number" or "text" (a literal, in ``text``), "field" (``text`` names it, "." is the
    answer itself; ``option`` is the option of a checkbox), "call" (of the function ``text``),
    "compare" and "arithmetic" (with the sign ``text``), "and", "or" or "not".
    """

    kind: str
    text: str = ""
    option: str = ""
    parts: tuple["Formula", ...] = ()


@dataclass(frozen=True)
class Lexeme:
    """A part of the text: its ``kind`` is "mark", "word", "number", "text", "field" or "end"."""

    kind: str
    text: str
    column: int


def formula_of(text: str, *, has_bare_fields: bool = False) -> Formula:
    """The formula that a text writes. With ``has_bare_fields`` a word names a field (LimeSurvey).

    Raises BadFormula.
    """
    reader = _FormulaReader(_lexemes(text.translate(STRAIGHT), has_bare_fields), has_bare_fields)
    return reader.read_all()


def _lexemes(text: str, has_bare_fields: bool) -> Iterator[Lexeme]:
    at = count = 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        count += 1
        if count > MOST_LEXEMES:
            raise BadFormula(at + 1, sentence("The formula is too long"))
        lexeme, at = _lexeme(text, at, has_bare_fields)
        yield lexeme
    yield Lexeme("end", "", len(text) + 1)


def _lexeme(text: str, at: int, has_bare_fields: bool) -> tuple[Lexeme, int]:
    """What begins here, and where it ends."""
    opening = next((opening for opening in BRACKETS if text.startswith(opening, at)), "")
    if opening or text[at] in "\"'":
        closing = BRACKETS.get(opening, text[at])
        start = at + max(1, len(opening))
        end = text.find(closing, start)
        if end < 0:
            raise BadFormula(at + 1, sentence("“{mark}” is not closed", mark=opening or text[at]))
        kind = "field" if opening else "text"
        return Lexeme(kind, text[start:end], at + 1), end + len(closing)
    if text[at] in DIGITS or (text[at] == "." and text[at + 1 : at + 2] in DIGITS):
        end = _run(text, at, DIGITS | {"."})
        return Lexeme("number", text[at:end], at + 1), end
    if text[at] in LETTERS:
        within = LETTERS | DIGITS | {".", ":"} | (set() if has_bare_fields else {"-"})
        end = _run(text, at, within)
        return Lexeme("word", text[at:end], at + 1), end
    if text[at] == ".":
        end = _run(text, at, {"."})
        return Lexeme("word", text[at:end], at + 1), end
    mark = next((mark for mark in MARKS if text.startswith(mark, at)), "")
    if not mark:
        raise BadFormula(at + 1, sentence("“{mark}” is not allowed here", mark=text[at]))
    return Lexeme("mark", mark, at + 1), at + len(mark)


def _run(text: str, at: int, letters: frozenset[str] | set[str]) -> int:
    while at < len(text) and text[at] in letters:
        at += 1
    return at


class _FormulaReader:
    """Reads lexemes from left to right, one of them ahead."""

    def __init__(self, lexemes: Iterator[Lexeme], has_bare_fields: bool) -> None:
        self._lexemes = lexemes
        self._has_bare_fields = has_bare_fields
        self._next = next(lexemes)
        self._depth = 0

    def read_all(self) -> Formula:
        formula = self._or()
        if self._next.kind != "end":
            words = sentence("“{mark}” is not allowed here", mark=shortened(self._next.text))
            raise BadFormula(self._next.column, words)
        return formula

    def _or(self) -> Formula:
        parts = [self._and()]
        while self._skip("or", "||"):
            parts.append(self._and())
        return Formula("or", parts=tuple(parts)) if len(parts) > 1 else parts[0]

    def _and(self) -> Formula:
        parts = [self._comparison()]
        while self._skip("and", "&&"):
            parts.append(self._comparison())
        return Formula("and", parts=tuple(parts)) if len(parts) > 1 else parts[0]

    def _comparison(self) -> Formula:
        left = self._arithmetic(SUMS, PRODUCTS)
        sign = COMPARISONS.get(self._next.text) if self._next.kind == "mark" else None
        if sign is None:
            return left
        self._advance()
        return Formula("compare", sign, parts=(left, self._arithmetic(SUMS, PRODUCTS)))

    def _arithmetic(self, signs: tuple[str, ...], *tighter: tuple[str, ...]) -> Formula:
        """One node for all of a row of signs: what is computed is never asked of people."""
        parts = [self._arithmetic(*tighter) if tighter else self._single()]
        first = ""
        while sign := self._skip(*signs):
            first = first or sign
            parts.append(self._arithmetic(*tighter) if tighter else self._single())
        return Formula("arithmetic", first, parts=tuple(parts)) if first else parts[0]

    def _single(self) -> Formula:
        if self._skip("!"):
            return Formula("not", parts=(self._within(self._single),))
        if self._skip("-"):
            part = self._within(self._single)
            if part.kind == "number":
                return Formula("number", f"-{part.text}")
            return Formula("arithmetic", "-", parts=(part,))
        if self._skip("("):
            formula = self._within(self._or)
            self._require_closed()
            return formula
        return self._literal_or_field()

    def _literal_or_field(self) -> Formula:
        lexeme = self._next
        if lexeme.kind in ("end", "mark"):
            raise BadFormula(lexeme.column, sentence("Something is missing here"))
        self._advance()
        if lexeme.kind in ("number", "text"):
            return Formula(lexeme.kind, lexeme.text)
        if lexeme.kind == "field":
            return self._bracketed(lexeme)
        word = lexeme.text.casefold()
        if word == "not":
            return Formula("not", parts=(self._within(self._single),))
        if self._skip("("):
            return Formula("call", word, parts=self._arguments())
        if set(lexeme.text) == {"."}:
            return Formula("field", lexeme.text)
        if self._has_bare_fields:  # q.NAOK, q.shown and q.value are the answer to q
            return Formula("field", lexeme.text.partition(".")[0])
        words = sentence("“{mark}” is not allowed here", mark=shortened(lexeme.text))
        raise BadFormula(lexeme.column, words)

    def _bracketed(self, lexeme: Lexeme) -> Formula:
        """``${x}``, ``[x]`` or ``[x(2)]``; REDCap's ``[event][x]`` is a field of another event."""
        if self._next.kind == "field" and self._next.column == lexeme.column + len(lexeme.text) + 2:
            raise BadFormula(lexeme.column, sentence("Rules cannot use events of REDCap"))
        name, bracket, option = lexeme.text.strip().partition("(")
        return Formula("field", name.strip(), option.rpartition(")")[0].strip() if bracket else "")

    def _arguments(self) -> tuple[Formula, ...]:
        if self._skip(")"):
            return ()
        parts = [self._within(self._or)]
        while self._skip(","):
            parts.append(self._within(self._or))
        self._require_closed()
        return tuple(parts)

    def _require_closed(self) -> None:
        if not self._skip(")"):
            raise BadFormula(self._next.column, sentence("A bracket is not closed"))

    def _within(self, read: Callable[[], Formula]) -> Formula:
        self._depth += 1
        if self._depth > DEEPEST_BRACKETS:
            words = sentence("Too many brackets are nested inside each other.")
            raise BadFormula(self._next.column, words)
        formula = read()
        self._depth -= 1
        return formula

    def _skip(self, *marks: str) -> str:
        """The next lexeme's text if it is one of these marks or words, which is then read."""
        text = self._next.text.casefold() if self._next.kind in ("mark", "word") else ""
        if text not in marks or not text:
            return ""
        self._advance()
        return text

    def _advance(self) -> None:
        self._next = next(self._lexemes)
