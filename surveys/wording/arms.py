"""Arms in words: which there are, what each is asked, and how a die draws one."""

from collections.abc import Iterator

from django.utils.translation import gettext

from surveys.kinds.counted.promise import CountedQuestion, sends_something
from surveys.questionnaire.arms import (
    Arm,
    die_of,
    die_results,
    statements_counted,
    total_weight,
)
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.kinds.question import Question
from surveys.questionnaire.kinds.registry import of_kind
from surveys.wording.protection import question_numbers
from surveys.wording.subsets import throwing


def drawing_line(questionnaire: Questionnaire) -> str:
    """What respondents read first of arms; empty where there are none."""
    if not questionnaire.arms:
        return ""
    return gettext(
        "When you press Start, chance puts you into one of these groups. Tell nobody which one."
    )


def arm_lines(questionnaire: Questionnaire) -> list[str]:
    """Each arm with how many people it gets and what it is asked that others are not."""
    return [_arm_line(questionnaire, arm) for arm in questionnaire.arms]


def _arm_line(questionnaire: Questionnaire, arm: Arm) -> str:
    parts = list(_of_its_own(questionnaire, arm)) or [gettext("no additional questions")]
    return gettext("{group} ({share} of people): {questions}.").format(
        group=arm.text,
        share=f"{arm.weight}/{total_weight(questionnaire.arms)}",
        questions="; ".join(parts),
    )


def _of_its_own(questionnaire: Questionnaire, arm: Arm) -> Iterator[str]:
    """The questions that some arm is not asked and this one is, by whether they are protected."""
    own = [
        (number, item)
        for number, item in enumerate(questionnaire.items, start=1)
        if arm.code in (codes := questionnaire.routes.arms_asked(item))
        and len(codes) < len(questionnaire.arms)
    ]
    ways = (
        (gettext("{questions}, protected"), questionnaire.randomized),
        (gettext("{questions}, not protected"), questionnaire.direct),
        (
            gettext("{questions}, to read"),
            [item for item in questionnaire.items if not sends_something(item)],
        ),
        (
            gettext("{questions}, counted while locked"),
            [item for _, item in of_kind(CountedQuestion, questionnaire.items)],
        ),
    )
    for words, items in ways:
        if numbers := [number for number, item in own if item in items]:
            yield words.format(questions=question_numbers(numbers))


def count_note(item: Question) -> str:
    """What respondents read below a list of statements that they count; empty elsewhere."""
    most = statements_counted(item)
    if most is None or item.is_randomized:
        return ""
    return gettext(
        "Only the number is sent, not which statements you counted. But 0 or {most} gives you "
        "away: 0 means none of the statements, {most} means all of them."
    ).format(most=most)


def arm_steps(questionnaire: Questionnaire) -> list[str]:
    """How to draw one's arm with a die, one instruction after the other."""
    if not questionnaire.arms:
        return []
    die = die_of(questionnaire.arms)
    steps = [
        gettext("First draw your group. {throwing}").format(throwing=throwing(die)),
        gettext("Choose the group that has this number, even if you do not like it."),
    ]
    if die.share * die.size < 6**die.throws:
        steps.append(gettext("If no group has this number, draw again."))
    steps.append(
        gettext(
            "Answer the questions for all people and the questions for your group. Tell no one "
            "which group it is."
        )
    )
    return steps


def arm_choices(questionnaire: Questionnaire) -> list[tuple[str, str, str]]:
    """The code and name of each arm, and the results of a die that draw it."""
    if not questionnaire.arms:
        return []
    results = die_results(questionnaire.arms)
    return [
        (arm.code, arm.text, "–".join(dict.fromkeys(ends)))
        for arm, ends in zip(questionnaire.arms, results, strict=True)
    ]
