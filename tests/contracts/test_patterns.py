"""Every pattern over text is linear: 10^5 hostile letters take less than a tenth of a second.

The patterns are read from the code, with the way in which each is used. What is fed to each follows
from the pattern itself: its alphabet has one letter for each set of letters that it does not tell
apart, and a text is a way up to a repetition, then one or two letters again and again, then a
letter that fits nothing.
"""

import ast
import importlib
import re
import time
from collections.abc import Callable, Iterator
from functools import cache
from itertools import combinations
from pathlib import Path
from re import _compiler, _constants, _parser  # type: ignore[attr-defined]
from typing import Any

import pytest
import regex

from surveys.kinds.number.promise import NumberRange, Special

ROOT = Path(__file__).parents[2]
MOST_SECONDS = 0.1
# In steps, so that a slow pattern is known before it takes minutes.
LENGTHS = (22, 34, 400, 2_000, 10_000, 100_000)
SCREENED = 400  # letters; the texts that take longest at this length are fed at those beyond
USES = {
    "fullmatch",
    "match",
    "search",
    "sub",
    "subn",
    "split",
    "findall",
    "finditer",
}
ANCHORED = {"fullmatch", "match"}
FIELDS = {"RegexValidator", "RegexField"}
# Beyond ASCII: two letters, a digit, a blank, and what pictures are made of.
CANDIDATES = [chr(n) for n in range(128)] + list("éß٣\u00a0漢😀\u200d\U0001f3fb\ufe0f\u0301")
# Patterns that are made while the program runs, by where: what they are for some values.
NUMBERS = (
    NumberRange("0", "120", 0),
    NumberRange("-40.5", "99.5", 1),
    NumberRange("0", "120", 0, (Special("999", "Do not know"), Special("-9", "Refused"))),
)
MADE: dict[str, Callable[[], list[str]]] = {
    "surveys/kinds/number/promise.py: self.pattern": lambda: [n.pattern for n in NUMBERS],
    "surveys/kinds/number/promise.py: self.typed_pattern": lambda: [
        n.by_hand.typed_pattern for n in NUMBERS
    ],
    "surveys/web/forms.py: f'[0-9]{{1,3}}({separator}[0-9]{{3}}){{1,3}}'": lambda: [
        f"[0-9]{{1,3}}({separator}[0-9]{{3}}){{1,3}}" for separator in (",", r"\.", "\u202f")
    ],
    "surveys/web/forms.py: separator": lambda: [",", r"\.", "\u202f"],
    "surveys/web/respondents.py: f'(?:/({languages}))?/s/({UUIDConverter.regex})/(.*)'": lambda: [
        "(?:/(de|en))?/s/([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})/(.*)"
    ],
}

Pattern = Any  # of ``re`` or of ``regex``


def _modules() -> Iterator[tuple[str, ast.Module]]:
    """Each module of the product that has to do with patterns."""
    for room in ("config", "surveys", "ranking", "analytics"):
        for path in sorted((ROOT / room).rglob("*.py")):
            text = path.read_text(encoding="utf-8")
            known = ("re.", "regex.", *FIELDS)
            if "migrations" not in path.parts and any(name in text for name in known):
                yield str(path.relative_to(ROOT)), ast.parse(text)


@cache
def _found() -> tuple[dict[tuple[Pattern, bool], str], list[str]]:
    """Patterns, each with whether it is anchored and where it stands; those not understood."""
    patterns: dict[tuple[Pattern, bool], str] = {}
    compiled: dict[Pattern, str] = {}
    unknown: list[str] = []
    for path, tree in _modules():
        for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
            if not isinstance(call.func, ast.Attribute | ast.Name):
                continue
            name = call.func.attr if isinstance(call.func, ast.Attribute) else call.func.id
            owner = ast.unparse(call.func.value) if isinstance(call.func, ast.Attribute) else ""
            if (owner in ("re", "regex") and name in {*USES, "compile"}) or name in FIELDS:
                where = f"{path}: {ast.unparse(call.args[0])}"
                made = _made(where, call, owner, name, _names_of(path))
                if made is None:
                    unknown.append(where)
                for pattern in made or ():
                    if name == "compile":
                        compiled[pattern] = where
                    else:
                        patterns[pattern, name in ANCHORED] = where
            elif name in USES and owner.rpartition(".")[2].isupper():  # a constant
                pattern = _value(call.func.value, _names_of(path))
                if isinstance(pattern, re.Pattern | regex.Pattern):
                    patterns[pattern, name in ANCHORED] = f"{path}: {owner}.{name}"
    used = {pattern for pattern, _ in patterns}
    loose = {(pattern, True): where for pattern, where in compiled.items() if pattern not in used}
    return patterns | loose, unknown


@cache
def _names_of(path: str) -> dict[str, Any]:
    """What a module with patterns defines; others, such as the one that starts, stay unread."""
    module = path.removesuffix(".py").replace("/", ".").removesuffix(".__init__")
    return vars(importlib.import_module(module))


def _made(
    where: str, call: ast.Call, owner: str, name: str, names: dict[str, Any]
) -> list[Pattern] | None:
    """The pattern of a call, or those that are listed for it."""
    library = regex if owner == "regex" else re
    if where in MADE:
        return [library.compile(one) for one in MADE[where]()]
    value = _value(call.args[0], names)
    if not isinstance(value, str | bytes):
        return None
    flags = call.args[1:2] if name == "compile" else call.args[2:3] if name in ANCHORED else []
    return [library.compile(value, *(_value(one, names) for one in flags))]


def _value(expression: ast.expr, names: dict[str, Any]) -> Any:
    """What an expression is at the head of its module; None where it is known later alone."""
    try:
        return eval(compile(ast.Expression(expression), "pattern", "eval"), dict(names))
    except (NameError, AttributeError, TypeError, KeyError):
        return None


def _recipes(pattern: Pattern) -> list[tuple[str, str, str]]:
    """Texts that a pattern with a choice would go through often: a way, what repeats, an end."""
    ways, alphabet = _ways(pattern)
    pumps = [*alphabet, *(one + other for one, other in combinations(alphabet, 2))]
    return [(way, pump, end) for way in ways for pump in pumps for end in ("", "\0", " ")]


@cache
def _ways(pattern: Pattern) -> tuple[list[str], list[str]]:
    """How each repetition is reached, and one letter of each kind."""
    if isinstance(pattern, regex.Pattern):
        return [""], list("aZ0' é漢😀\u200d\U0001f3fb\ufe0f\u0301!")
    source = pattern.pattern
    tree = _parser.parse(source.decode() if isinstance(source, bytes) else source, pattern.flags)
    atoms: list[re.Pattern[str]] = []
    ways = set(_reached(tree, "", atoms, tree.state))
    kinds: dict[tuple[bool, ...], str] = {}
    for letter in CANDIDATES[:128] if isinstance(source, bytes) else CANDIDATES:
        kinds.setdefault(tuple(bool(atom.fullmatch(letter)) for atom in atoms), letter)
    return sorted({"", *ways}), list(kinds.values())


def _reached(tree: Any, before: str, atoms: list[re.Pattern[str]], state: Any) -> Iterator[str]:
    for kind, content in tree:
        match str(kind):
            case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
                least, most, body = content
                if most is _constants.MAXREPEAT:
                    yield before
                yield from _reached(body, before, atoms, state)
                before += _shortest(body, state) * least
            case "BRANCH":
                for branch in content[1]:
                    yield from _reached(branch, before, atoms, state)
                before += _shortest(content[1][0], state)
            case "SUBPATTERN" | "ASSERT" | "ASSERT_NOT" | "ATOMIC_GROUP":
                body = content if str(kind) == "ATOMIC_GROUP" else content[-1]
                yield from _reached(body, before, atoms, state)
                if not str(kind).startswith("ASSERT"):
                    before += _shortest(body, state)
            case "AT" | "GROUPREF":
                pass
            case _:
                atoms.append(_atom((kind, content), state))
                before += _letter(atoms[-1])


def _shortest(tree: Any, state: Any) -> str:
    """A short text that a part of a pattern takes."""
    *_, last = ["", *_ends(tree, state)]
    return last


def _ends(tree: Any, state: Any) -> Iterator[str]:
    text = ""
    for kind, content in tree:
        match str(kind):
            case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
                text += _shortest(content[2], state) * content[0]
            case "BRANCH":
                text += _shortest(content[1][0], state)
            case "SUBPATTERN" | "ATOMIC_GROUP":
                text += _shortest(content[-1] if str(kind) == "SUBPATTERN" else content, state)
            case "AT" | "GROUPREF" | "ASSERT" | "ASSERT_NOT":
                pass
            case _:
                text += _letter(_atom((kind, content), state))
        yield text


def _atom(part: Any, state: Any) -> re.Pattern[str]:
    flags = state.flags & (re.IGNORECASE | re.DOTALL | re.ASCII)
    return _compiler.compile(_parser.SubPattern(state, [part]), flags)  # type: ignore[no-any-return]


def _letter(atom: re.Pattern[str]) -> str:
    return next((letter for letter in CANDIDATES[33:] if atom.fullmatch(letter)), " ")


def _seconds(
    pattern: Pattern, recipe: tuple[str, str, str], letters: int, *, anchored: bool
) -> float:
    way, pump, end = recipe
    written = way + pump * (letters // len(pump)) + end
    text = written.encode() if isinstance(pattern.pattern, bytes) else written
    start = time.process_time()
    if anchored:
        pattern.fullmatch(text)
        pattern.match(text)
    else:
        pattern.sub(text[:0], text)
    return time.process_time() - start


def _slow(pattern: Pattern, *, anchored: bool) -> str:
    """A text that takes too long, in a few words; empty if there is none."""
    recipes = _recipes(pattern)
    for letters in LENGTHS:
        times = []
        for recipe in recipes:
            seconds = _seconds(pattern, recipe, letters, anchored=anchored)
            if seconds >= MOST_SECONDS:
                return f"{letters:,} letters like {recipe} take {seconds:.2f} s of CPU"
            times.append((seconds, recipe))
        if letters >= SCREENED:
            recipes = [recipe for _, recipe in sorted(times)[-2:]]
    return ""


def test_every_pattern_that_is_made_while_the_program_runs_is_listed() -> None:
    _, unknown = _found()
    assert not unknown, f"list in MADE what these are for some values: {unknown}"


def test_each_pattern_reads_100_000_hostile_letters_in_a_tenth_of_a_second() -> None:
    patterns, _ = _found()
    assert len(patterns) > 60
    slow = {
        where: words
        for (pattern, anchored), where in patterns.items()
        if (words := _slow(pattern, anchored=anchored))
    }
    assert not slow, "\n".join(f"{where}: {words}" for where, words in slow.items())


@pytest.mark.parametrize(
    ("pattern", "anchored"),
    [
        (r"(.+?)\s*[:;\t=]\s*([0-9]{1,12})\s*%?", True),
        (r"(?:a|a)+b", True),
        (r"\s+%", False),
    ],
)
def test_a_pattern_that_looks_twice_is_seen(pattern: str, anchored: bool) -> None:
    assert _slow(re.compile(pattern), anchored=anchored)
