"""Families of questions that are sent as one answer: their ways, and rules put in terms of ways."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from surveys.kinds.family.promise import STEP, FamilyQuestion, FollowUpQuestion, Way
from surveys.kinds.levels.promise import LevelQuestion
from surveys.questionnaire.kinds.question import NOT_ASKED, Question
from surveys.questionnaire.logic.rules import Given, Rule, replaced

Member = LevelQuestion | FollowUpQuestion  # what can be in a family


def ways_through(members: Mapping[int, Member]) -> Iterator[Way]:
    """All ways through a family that its rules allow, in the order in which answers are shown.

    ``members`` are its questions by their numbers. The first is asked of all; the rule of each
    other one reads members before it alone.
    """
    return _ways(tuple(members.items()), (), {})


def _ways(
    members: Sequence[tuple[int, Member]], begun: Way, answered: Mapping[int, Given | None]
) -> Iterator[Way]:
    if len(begun) == len(members):
        yield begun
        return
    number, member = members[len(begun)]
    is_asked = not begun or member.rule is None or member.rule.holds(answered)
    for code in [level.code for level in member.choices] if is_asked else [NOT_ASKED]:
        answer = member.in_rules.true_given(code)
        yield from _ways(members, (*begun, code), {**answered, number: answer})


def way_text(members: Mapping[int, Member], way: Way) -> str:
    """A way in words: the answers that were given, one after the other."""
    pairs = zip(members.values(), way, strict=True)
    asked = ((member, code) for member, code in pairs if code != NOT_ASKED)
    return STEP.join(member.in_rules.answer_text(code) for member, code in asked)


def in_ways(items: Sequence[Question]) -> list[Question]:
    """The same questions, with rules that read families as one answer: the way through each.

    So a rule reads questions that are sent, each with one true answer.
    """
    families = {
        number: item
        for item in items
        if isinstance(item, FamilyQuestion)
        for number in item.members
    }

    def change(atom: Rule) -> Rule:
        family = families.get(atom.question)
        return atom if family is None else _in_ways(atom, family, items)

    return [replace(item, rule=item.rule and replaced(item.rule, change)) for item in items]


def _in_ways(atom: Rule, family: FamilyQuestion, items: Sequence[Question]) -> Rule:
    """The ways of a family on which an atom about one of its members is true."""
    member, position = items[atom.question - 1], family.members.index(atom.question)
    codes = [
        level.code
        for level, way in zip(family.levels, family.ways, strict=True)
        if atom.holds({atom.question: member.in_rules.true_given(way[position])})
    ]
    return Rule("is", family.members[0], codes=tuple(codes))


def protected_numbers(items: Sequence[Question]) -> frozenset[int]:
    """The numbers of questions whose true answers stay in the page, all of a family included."""
    return frozenset(
        number
        for number, item in enumerate(items, start=1)
        if item.is_randomized or isinstance(item, FollowUpQuestion)
    )
