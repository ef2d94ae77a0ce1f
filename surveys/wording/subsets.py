"""Which protected questions a person is asked, in words: who draws them, and how with a die."""

from django.utils.translation import gettext, ngettext

from surveys.questionnaire.document import Questionnaire, count_answered
from surveys.randomized_response.drawing import DieSubset


def subset_lines(questionnaire: Questionnaire) -> list[str]:
    """What a respondent reads of it first; empty where everybody is asked everything."""
    if questionnaire.asked is None:
        return []
    return [
        ngettext(
            "You are asked {asked} of the {size} protected questions. Chance draws your question "
            "before you answer anything. Nothing is sent about the other questions.",
            "You are asked {asked} of the {size} protected questions. Chance draws your questions "
            "before you answer anything. Nothing is sent about the other questions.",
            questionnaire.asked,
        ).format(asked=questionnaire.asked, size=len(questionnaire.randomized)),
        gettext(
            "What is sent shows which protected questions you were asked. Do not tell anyone: a "
            "person who knows these questions might recognise what you sent."
        ),
    ]


def asked_words(questionnaire: Questionnaire) -> str:
    """How many questions a respondent is asked, how many of them chance draws, and of groups.

    It says too to keep to oneself which ones; ``subset_lines`` and ``arms.arm_lines`` say more.
    """
    answered = count_answered(questionnaire)
    size, always = str(answered), answered - len(questionnaire.randomized)
    if questionnaire.asked is None:
        words = gettext("at most {size}") if questionnaire.routes.has_rules else "{size}"
        return _with_groups(questionnaire, words.format(size=size))
    if questionnaire.arms:  # of direct questions: those that chance draws are asked of every group
        words = gettext(
            "At most {count} of {size}. Chance draws {asked} and your group. Tell no one which."
        )
    elif questionnaire.routes.has_rules:  # of direct questions, in the same way
        words = gettext("At most {count} of {size}. Chance draws {asked}. Tell no one which.")
    elif not always:
        words = ngettext(
            "{asked} of {size}. Chance draws it. Tell no one which.",
            "{asked} of {size}. Chance draws them. Tell no one which.",
            questionnaire.asked,
        )
    else:
        words = gettext("{count} of {size}. Chance draws {asked}. Tell no one which.")
    count = always + questionnaire.draw.count
    return words.format(count=count, size=size, asked=questionnaire.asked)


def _with_groups(questionnaire: Questionnaire, size: str) -> str:
    if not questionnaire.arms:
        return size
    words = gettext("{size}. Chance puts you into one of {groups} groups. Tell no one which.")
    return words.format(size=size, groups=len(questionnaire.arms))


def subset_steps(questionnaire: Questionnaire) -> list[str]:
    """How to draw one's questions with a die, one instruction after the other."""
    die = questionnaire.draw.die
    if die is None:
        return []
    meaning = (
        gettext("The question with this number is one that you leave out.")
        if die.leaves_out
        else gettext("The question with this number is one that you answer.")
    )
    steps = [
        ngettext(
            "First draw which one of the {size} protected questions you answer. The numbers of "
            "each question are shown next to it.",
            "First draw which {asked} of the {size} protected questions you answer. The numbers "
            "of each question are shown next to it.",
            die.count,
        ).format(asked=die.count, size=die.size),
        f"{throwing(die)} {meaning}",
        _again(die),
        _filling(die),
    ]
    if questionnaire.own_coin.left_out:
        steps.append(
            gettext(
                "If you draw a question that is not asked on this page, it counts as drawn. Do not "
                "draw another one for it."
            )
        )
    steps.append(
        gettext("Keep the questions that you drew, and tell no one which questions they are.")
    )
    return steps


def die_results(questionnaire: Questionnaire) -> dict[int, str]:
    """By the number of each protected question, the results of a die that draw it."""
    die = questionnaire.draw.die
    if die is None:
        return {}
    protected = [n for n, item in enumerate(questionnaire.items, 1) if item.is_randomized]
    results = [dict.fromkeys(die.results(index)) for index in range(die.size)]
    return {n: "–".join(ends) for n, ends in zip(protected, results, strict=True)}


def throwing(die: DieSubset) -> str:
    """How to throw a die so often as a drawing needs it."""
    return {
        1: gettext("Throw a die."),
        2: gettext("Throw a die twice and write the two results side by side, such as 25."),
        3: gettext("Throw a die three times and write the results side by side, such as 254."),
    }[die.throws]


def _again(die: DieSubset) -> str:
    if die.drawn == 1 and die.share * die.size == 6**die.throws:
        return gettext("You draw only one question.")
    return ngettext(
        "If no question has this number, draw again, until you have one question.",
        "If no question has this number, or you have drawn it already, draw again, until you have "
        "{count} questions.",
        die.drawn,
    ).format(count=die.drawn)


def _filling(die: DieSubset) -> str:
    if die.leaves_out:
        return gettext(
            "Leave out the questions that you drew: keep “Not drawn”. Answer all other "
            "protected questions."
        )
    return gettext(
        "Answer the questions that you drew, and leave “Not drawn” at all other protected "
        "questions."
    )
