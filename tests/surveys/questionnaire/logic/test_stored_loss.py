"""The loss that a document stores: that of its questions with rules, families and hidden levels."""

import random
from fractions import Fraction
from itertools import product
from math import prod

import pytest

from surveys.authoring.drafts import draft_questionnaire
from surveys.kinds.family.promise import FamilyQuestion, FollowUpQuestion
from surveys.kinds.levels.promise import Level, LevelQuestion, level_code
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.families import ways_through
from surveys.questionnaire.kinds.question import NOT_ASKED, Hidden
from surveys.questionnaire.logic.rules import Rule, asked_of, rule_from
from tests.factories import add_condition, add_question, make_survey

COMMON = {"text": "", "help": "", "required": True, "design": "two_coins"}


def drafted(owner, answers: int, behind: str | None, *rules: tuple[int, str]) -> Questionnaire:
    """A filter of so many answers, then yes or no questions behind (number, answer)."""
    draft = make_survey(owner)
    options = [f"Answer {n}" for n in range(answers)]
    asked = [add_question(draft, *options, kind="choice", required=True)]
    for source, answer in rules:
        question = add_question(draft, required=True, behind=behind)
        add_condition(question, asked[source - 1], value=answer)
        asked.append(question)
    return draft_questionnaire(draft)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("answers", "behind", "rules", "expected"),
    [
        (2, "counts", [(1, "Answer 1")], 9),
        (2, "own", [(1, "Answer 1")], 12),
        (2, None, [(1, "Answer 1")], 4),
        (2, "counts", [(1, "Answer 1"), (1, "Answer 0")], 27),
        (3, "counts", [(1, f"Answer {n}") for n in range(3)], 36),
        (3, "own", [(1, f"Answer {n}") for n in range(3)], 64),
        (4, "counts", [(1, f"Answer {n}") for n in range(4)], 45),
        (2, "counts", [(1, "Answer 1"), (2, "Yes")], 27),
        (2, "own", [(1, "Answer 1"), (2, "Yes")], 48),
    ],
)
def test_a_draft_has_the_loss_of_the_table_and_freezes_it(owner, answers, behind, rules, expected):
    found = drafted(owner, answers, behind, *rules)
    assert found.loss.ratio == expected
    stored = found.to_document()["loss"]
    assert stored == {"odds": str(expected), "is_exact": True}
    assert enumerated(found.items) == expected


def enumerated(items) -> Fraction:
    """The largest ratio of two people's chances of one row, from rows of true answers alone.

    People with the same unprotected answers are compared; rules are read as the page reads them.
    """
    people: dict[tuple, set[tuple]] = {}
    choices = [[level.code for level in item.choices] for item in items]
    for codes in product(*choices):
        given = [item.in_rules.true_given(code) for item, code in zip(items, codes, strict=True)]
        asked = asked_of([item.rule for item in items], given)
        open_answers, truths = sent_of(items, codes, asked)
        people.setdefault(open_answers, set()).add(truths)
    ratios = {n: ratios_of(item) for n, item in enumerate(items) if item.is_randomized}
    return max(
        prod(ratios[place][s, t] for (place, s), (_, t) in zip(one, other, strict=True))
        for group in people.values()
        for one in group
        for other in group
    )


def sent_of(items, codes, asked) -> tuple[tuple, tuple]:
    """What is sent openly, and (place, level that is true) of each report, of one person."""
    open_answers, truths = [], []
    shown = {n: c if a else NOT_ASKED for n, (c, a) in enumerate(zip(codes, asked, strict=True), 1)}
    for place, item in enumerate(items):
        if isinstance(item, FollowUpQuestion):
            continue
        if isinstance(item, FamilyQuestion):
            truths.append((place, item.ways.index(tuple(shown[n] for n in item.members))))
        elif not item.is_randomized:
            open_answers.append(shown[place + 1])
        elif asked[place]:
            truths.append((place, int(codes[place])))
        elif item.hidden:
            truths.append((place, item.hidden.level))
        else:
            open_answers.append(place)
    return tuple(open_answers), tuple(truths)


def ratios_of(item: LevelQuestion) -> dict[tuple[int, int], Fraction]:
    """The largest ratio of a report's chances for each two levels."""
    return {
        (a, b): max(Fraction(p, q) for p, q in zip(item.weights[a], item.weights[b], strict=True))
        for a, b in product(range(len(item.levels)), repeat=2)
    }


def leveled(chance: random.Random, number: int, rule: Rule | None, **fields) -> LevelQuestion:
    """A question of two or three answers, one of which may decline, direct or through weights."""
    count = fields.pop("count", None) or chance.randint(2, 3)
    declines = chance.random() < 0.3
    levels = tuple(
        Level(level_code(n), f"{number}.{n}", declines and n == count - 1) for n in range(count)
    )
    return LevelQuestion(
        **COMMON,
        id=str(number),
        kind="choice",
        rule=rule,
        levels=levels,
        display=tuple(range(count)),
        **fields,
    )


def random_weights(chance: random.Random, size: int) -> tuple[tuple[int, ...], ...]:
    """Whole weights over one denominator; each report possible for each truth."""
    columns = []
    for _ in range(size):
        first = [chance.randint(1, 5) for _ in range(size - 1)]
        columns.append((*first, 60 - sum(first)))
    return tuple(columns)


def random_rule(chance: random.Random, sources) -> Rule:
    atoms = [
        {"is": [source, level_code(chance.randint(0, 2))]}
        if chance.random() < 0.8
        else {"answered": [source]}
        for source in chance.sample(sources, min(len(sources), chance.randint(1, 2)))
    ]
    turned = [{"not": atom} if chance.random() < 0.25 else atom for atom in atoms]
    return rule_from({chance.choice(["all", "any"]): turned})


def random_items(chance: random.Random) -> list:
    """A direct question, a family of two or three, and questions with levels for "hidden"."""
    items: list = [leveled(chance, 1, None)]
    head = leveled(chance, 2, None)
    follow = leveled(chance, 3, rule_from({"is": [2, chance.choice(["00", "01"])]}))
    members = {2: head, 3: follow}
    ways = tuple(ways_through(members))
    follow_up = FollowUpQuestion(
        **COMMON, id="3", kind="choice", rule=follow.rule, levels=follow.levels, family=2
    )
    family = FamilyQuestion(
        **COMMON,
        id="2",
        kind="family",
        levels=tuple(Level(level_code(n), str(n)) for n in range(len(ways))),
        display=tuple(range(len(ways))),
        answers=head.levels,
        members=(2, 3),
        ways=ways,
        weights=random_weights(chance, len(ways)),
        denominator=60,
    )
    items += [family, follow_up]
    for number in (4, 5):
        rule = random_rule(chance, range(1, number)) if chance.random() < 0.8 else None
        is_own, count = chance.random() < 0.5, 3
        hidden = Hidden(count - 1 if is_own else 0, is_own=is_own)
        items.append(
            leveled(
                chance,
                number,
                rule,
                count=count,
                hidden=hidden if rule and rule.questions & {2, 3, 4} else None,
                weights=random_weights(chance, count),
                denominator=60,
            )
        )
    return items


@pytest.mark.parametrize("count", [60, pytest.param(200, marks=pytest.mark.audit)])
def test_random_questionnaires_store_what_enumeration_finds(count):
    chance = random.Random(171)
    for _ in range(count):
        items = random_items(chance)
        questionnaire = Questionnaire("", "", "", "", 1, tuple(items))
        assert questionnaire.loss.is_exact
        assert questionnaire.loss.ratio == enumerated(items)
