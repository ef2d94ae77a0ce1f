"""Random questionnaires of rules and answers, and how the page evaluates them."""

import json
import random
from typing import Any

from django.contrib.staticfiles.storage import staticfiles_storage

from surveys.questionnaire.logic.rules import DEEPEST, MOST_NODES, Given, Rule, asked_of, rule_from

CODES = ("00", "01", "02")
EVALUATE_ALL = """async ([url, cases]) => {
    const { askedOf } = await import(url);
    return cases.map(({ rules, given, arm }) => askedOf(rules, given, arm));
}"""


def random_rule(chance: random.Random, number: int, levels: int = DEEPEST - 1) -> dict[str, Any]:
    """A rule of question ``number`` about earlier ones, as JSON."""
    kind = chance.random()
    if levels and kind < 0.15:
        return {"not": random_rule(chance, number, levels - 1)}
    if levels and kind < 0.5:
        # Narrower further down: few rules have more nodes than they may.
        width = chance.randint(1, 3 if levels > 4 else 2)
        parts = [random_rule(chance, number, chance.randrange(levels)) for _ in range(width)]
        return {chance.choice(["all", "any"]): parts}
    name = chance.choice(["is", "less", "most", "marked", "answered", "arm"])
    question = chance.randrange(1, number)
    arguments = {
        "is": [question, *chance.sample(CODES, chance.randint(1, 2))],
        "less": [question, chance.randint(-20, 20)],
        "most": [question, chance.randint(-20, 20)],
        "marked": [question, chance.randint(0, 3)],
        "answered": [question],
        "arm": [chance.choice(["direct", "coins"])],
    }
    return {name: arguments[name]}


def small_rule(chance: random.Random, number: int) -> dict[str, Any]:
    """A random rule that has no more nodes than a rule may have."""
    while True:
        entry = random_rule(chance, number)
        if json.dumps(entry).count("{") <= MOST_NODES:
            return entry


def random_given(chance: random.Random) -> Given | None:
    if chance.random() < 0.2:
        return None
    if chance.random() < 0.4:
        return Given(number=chance.randint(-20, 20))
    return Given(codes=tuple(chance.sample(CODES, chance.randint(0, 3))))


class Case:
    """One questionnaire of rules with one person's answers."""

    def __init__(self, chance: random.Random, questions: int = 6) -> None:
        self.rules = [
            small_rule(chance, number) if number > 1 and chance.random() < 0.8 else None
            for number in range(1, questions + 1)
        ]
        self.given = [random_given(chance) for _ in self.rules]
        self.arm = chance.choice(["direct", "coins", ""])

    def asked(self) -> list[bool]:
        """Which questions are asked, by the server's evaluation."""
        rules: list[Rule | None] = [entry and rule_from(entry) for entry in self.rules]
        return list(asked_of(rules, self.given, self.arm))

    def for_page(self) -> dict[str, Any]:
        given = [one and {"codes": one.codes, "number": one.number} for one in self.given]
        return {"rules": self.rules, "given": given, "arm": self.arm}


def differences(page: Any, seed: int, pairs: int) -> tuple[list[int], list[list[bool]]]:
    """The cases that the page evaluates otherwise, and all its results.

    The page must have loaded a survey's start. A rule and the answers it is about are a pair.
    """
    chance = random.Random(seed)
    cases: list[Case] = []
    while sum(rule is not None for case in cases for rule in case.rules) < pairs:
        cases.append(Case(chance))
    url = staticfiles_storage.url("surveys/collecting/logic.js")
    sent = json.loads(json.dumps([case.for_page() for case in cases]))
    found = page.evaluate(EVALUATE_ALL, [url, sent])
    assert len(found) == len(cases)
    return [n for n, case in enumerate(cases) if case.asked() != found[n]], found
