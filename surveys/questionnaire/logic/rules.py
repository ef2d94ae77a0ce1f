"""Rule: which answers ask a question, as a tree; read from JSON, checked, written, evaluated.

The same language is evaluated in the page, by ``static/surveys/collecting/logic.js``. A question is
named by its number, from 1; a number is a whole number in units of its last decimal place::

    {"is": [4, "01", "02"]}       the answer to question 4 is one of these codes, or they are ticked
    {"less": [2, 185]}            the number is below 18.5, where one decimal place is asked
    {"most": [2, 185]}            the number is at most 18.5
    {"marked": [5, 2]}            at least two are ticked
    {"answered": [3]}             there is an answer
    {"arm": ["direct"]}           the person is in this arm
    {"not": rule} {"all": [rule, ...]} {"any": [rule, ...]}

Rules have two values: what is said of an answer that is missing, declined or hidden is false, and
``not`` turns it over.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from surveys.randomized_response.messages import sentence

DEEPEST = 8  # levels of a rule, an atom being one
MOST_NODES = 64
LARGEST_NUMBER = 2**53 - 1  # that of which a browser knows each digit
JOINS = ("all", "any")


class BadRule(ValueError):
    """A rule that is not one of this language, or asks for what cannot be known."""


@dataclass(frozen=True)
class Given:
    """What a person answered: the codes that were chosen or ticked, or a number.

    A person who declined, left out or was not asked a question has none of it: None.
    """

    codes: tuple[str, ...] = ()
    number: int | None = None


@dataclass(frozen=True)
class Rule:
    """One node: an atom about the answer to a question, or rules that are joined.

    ``name`` is its key in JSON. ``question`` is 0 and ``codes`` are the arms where it is ``arm``.
    """

    name: str
    question: int = 0
    codes: tuple[str, ...] = ()
    number: int = 0
    parts: tuple["Rule", ...] = field(default=())

    def holds(self, answers: Mapping[int, Given | None], arm: str = "") -> bool:
        """Whether it is true of a person's answers, by the numbers of the questions."""
        if self.name == "not":
            return not self.parts[0].holds(answers, arm)
        if self.name in JOINS:
            every = (part.holds(answers, arm) for part in self.parts)
            return all(every) if self.name == "all" else any(every)
        if self.name == "arm":
            return arm in self.codes
        answer = answers.get(self.question)
        return answer is not None and ATOMS[self.name](self, answer)

    def atoms(self) -> Iterator["Rule"]:
        """The atoms, from left to right."""
        if not self.parts:
            yield self
        for part in self.parts:
            yield from part.atoms()

    @property
    def questions(self) -> frozenset[int]:
        """The numbers of the questions that it reads."""
        return frozenset(atom.question for atom in self.atoms() if atom.name != "arm")

    @property
    def depth(self) -> int:
        return 1 + max((part.depth for part in self.parts), default=0)

    @property
    def nodes(self) -> int:
        return 1 + sum(part.nodes for part in self.parts)

    def to_document(self) -> dict[str, Any]:
        """The JSON that ``rule_from`` reads."""
        if self.name == "not":
            return {"not": self.parts[0].to_document()}
        if self.name in JOINS:
            return {self.name: [part.to_document() for part in self.parts]}
        if self.name == "arm":
            return {"arm": list(self.codes)}
        numbers = [self.number] if self.name in NUMBERED else []
        return {self.name: [self.question, *self.codes, *numbers]}


# What an atom says of an answer that there is.
ATOMS: dict[str, Callable[[Rule, Given], bool]] = {
    "is": lambda rule, given: not set(rule.codes).isdisjoint(given.codes),
    "less": lambda rule, given: given.number is not None and given.number < rule.number,
    "most": lambda rule, given: given.number is not None and given.number <= rule.number,
    "marked": lambda rule, given: len(given.codes) >= rule.number,
    "answered": lambda rule, given: True,
}
NUMBERED = ("less", "most", "marked")
NEVER = Rule("arm")  # the arm is one of none


def rule_from(entry: Any) -> Rule:
    """Read a rule from JSON. Raises BadRule for anything that is not one, or is too large."""
    rule = _read(entry, DEEPEST)
    if rule.nodes > MOST_NODES:
        raise BadRule(f"A rule has at most {MOST_NODES} parts; this one has {rule.nodes}.")
    return rule


def _read(entry: Any, levels: int) -> Rule:
    if not levels:
        raise BadRule(f"A rule has at most {DEEPEST} levels.")
    if not isinstance(entry, Mapping) or len(entry) != 1:
        raise BadRule("Each part of a rule is one name with its arguments.")
    ((name, arguments),) = entry.items()
    if name == "not":
        return Rule("not", parts=(_read(arguments, levels - 1),))
    if not isinstance(arguments, list) or not 1 <= len(arguments) <= MOST_NODES:
        raise BadRule(f"“{name}” needs a list of 1 to {MOST_NODES} arguments.")
    if name in JOINS:
        return Rule(name, parts=tuple(_read(part, levels - 1) for part in arguments))
    if name == "arm":
        return Rule("arm", codes=_codes(name, arguments))
    if name not in ATOMS:
        raise BadRule(f"There is no rule named “{name}”.")
    return _atom(name, _whole(name, arguments[0]), arguments[1:])


def _atom(name: str, question: int, arguments: Sequence[Any]) -> Rule:
    if name == "is" and arguments:
        return Rule(name, question, codes=_codes(name, arguments))
    if name in NUMBERED and len(arguments) == 1:
        return Rule(name, question, number=_whole(name, arguments[0]))
    if name == "answered" and not arguments:
        return Rule(name, question)
    raise BadRule(f"“{name}” has the wrong number of arguments.")


def _codes(name: str, arguments: Sequence[Any]) -> tuple[str, ...]:
    if not all(isinstance(code, str) for code in arguments):
        raise BadRule(f"“{name}” compares with codes, which are texts.")
    return tuple(arguments)


def _whole(name: str, argument: Any) -> int:
    # A truth value is a whole number to Python, and not to JSON.
    if type(argument) is not int or abs(argument) > LARGEST_NUMBER:
        raise BadRule(f"“{name}” needs whole numbers of at most {LARGEST_NUMBER}.")
    return argument


def joined(name: str, parts: Sequence[Rule | bool]) -> Rule | bool:
    """Rules joined by "not", "all" or "any", some of them known to be true or false."""
    if name == "not":
        (part,) = parts
        return not part if isinstance(part, bool) else Rule("not", parts=(part,))
    decisive = name == "any"  # one true part decides "any", one false part "all"
    if any(part is decisive for part in parts):
        return decisive
    left = tuple(part for part in parts if not isinstance(part, bool))
    return Rule(name, parts=left) if left else not decisive


def loosened(rule: Rule, unknown: Collection[int], *, most: bool = True) -> Rule | bool:
    """What a rule asks of known answers alone: false if no unknown ones could make it true.

    True if it asks nothing of them; never the constant false, as each atom can be true.

    Each atom about an unknown answer counts as what makes the rule hold; below a "not", as the
    opposite. These are the two bounds of Kleene's logic of three values (1952, section 64). With
    ``most`` false, it is false unless all unknown answers make the rule true.
    """
    if rule.name == "not":
        return joined("not", [loosened(rule.parts[0], unknown, most=not most)])
    if rule.name in JOINS:
        return joined(rule.name, [loosened(part, unknown, most=most) for part in rule.parts])
    return most if rule.question in unknown else rule


def replaced(rule: Rule, change: Callable[[Rule], Rule]) -> Rule:
    """A rule with each of its atoms changed."""
    if not rule.parts:
        return change(rule)
    return replace(rule, parts=tuple(replaced(part, change) for part in rule.parts))


def check_place(rule: Rule, number: int) -> None:
    """Refuse a rule of question ``number`` that reads anything but earlier questions.

    So there are no loops, and one pass over the questions evaluates all rules. Raises BadRule.
    """
    for other in sorted(rule.questions):
        if other == number:
            raise BadRule(
                sentence(
                    "The rule of this question depends on the answer to this question itself. Use "
                    "an earlier question in the rule."
                )
            )
        if not 1 <= other < number:
            raise BadRule(
                sentence(
                    "The rule of this question depends on question {other}, which does not come "
                    "earlier. Use an earlier question in the rule.",
                    other=other,
                )
            )


def check_size(rule: Rule) -> None:
    """Refuse a rule that no launched form holds. Raises BadRule."""
    if rule.depth > DEEPEST or rule.nodes > MOST_NODES:
        raise BadRule(
            sentence(
                "The rule of this question, together with the rule of its section, has {depth} "
                "nested levels and {nodes} parts. A rule may have at most {deepest} nested "
                "levels and {most} parts. Use fewer levels or parts, or split the question.",
                depth=rule.depth,
                nodes=rule.nodes,
                deepest=DEEPEST,
                most=MOST_NODES,
            )
        )


def asked_of(
    rules: Sequence[Rule | None], answered: Sequence[Given | None], arm: str = ""
) -> tuple[bool, ...]:
    """Which questions a person with these answers is asked, in the order of the questions.

    An answer to a question that is hidden counts as none.
    """
    known: dict[int, Given | None] = {}
    asked = []
    for number, (rule, answer) in enumerate(zip(rules, answered, strict=True), start=1):
        asked.append(rule is None or rule.holds(known, arm))
        known[number] = answer if asked[-1] else None
    return tuple(asked)


def reduced(rule: Rule, known: Mapping[int, Given | None], arm: str = "") -> Rule | bool:
    """A rule with the known answers and the arm put in: a truth value, or what is left of it."""
    if rule.parts or rule.name in JOINS:
        return joined(rule.name, [reduced(part, known, arm) for part in rule.parts])
    return rule.holds(known, arm) if rule.name == "arm" or rule.question in known else rule


def within(rule: Rule | None, arm: str) -> Rule | None:
    """What is left of a rule for the people of one arm: None asks all of them."""
    left = True if rule is None else reduced(rule, {}, arm)
    if isinstance(left, bool):
        return None if left else NEVER
    return left
