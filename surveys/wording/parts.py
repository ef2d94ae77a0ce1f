"""Questions with several parts, in words: which parts are sent, and how a die draws the one."""

from collections.abc import Iterator

from django.utils.translation import gettext, ngettext

from surveys.kinds.ticks.promise import TicksQuestion
from surveys.questionnaire.kinds.parts import PartsQuestion
from surveys.wording.language.messages import translated


def sending_line(item: PartsQuestion) -> str:
    """What becomes of the answers to a question with several parts."""
    if not item.is_randomized:
        return gettext("Not protected: sent as you give it")
    if not item.draws_parts:
        return gettext(
            "Your answers stay in this browser. For each part, only the result of its own coins "
            "is sent."
        )
    return ngettext(
        "Your answers stay in this browser. Chance draws one of the {size} parts, and only the "
        "result of the coins for that part is sent.",
        "Your answers stay in this browser. Chance draws {count} of the {size} parts, and only "
        "the results of the coins for those parts are sent.",
        item.slots,
    ).format(count=item.slots, size=item.size)


def alone_line(item: TicksQuestion) -> str:
    """Which answers can only be ticked alone; empty without any."""
    return _named(
        gettext(
            "Each of these answers can be ticked only if no other answer is ticked: {answers}."
        ),
        item,
    )


def alone_truth_line(item: TicksQuestion) -> str:
    """The same for a person who answers for each part with a coin of their own."""
    return _named(
        gettext("Each of these answers can be true only if no other answer is true: {answers}."),
        item,
    )


def _named(words: str, item: TicksQuestion) -> str:
    answers = ", ".join(f"“{translated(item.parts[number - 1])}”" for number in item.alone)
    return words.format(answers=answers) if answers else ""


def part_results(item: PartsQuestion) -> Iterator[tuple[str, str]]:
    """Each part with the results of a die that draw it; none without a draw by die."""
    if item.die is None:
        return
    for index, part in enumerate(item.parts):
        yield translated(part), "–".join(dict.fromkeys(item.die.results(index)))


def part_steps(item: PartsQuestion) -> list[str]:
    """How a person draws the one part that is sent."""
    if item.die is None:
        return []
    throwing = {
        1: gettext("Throw a die: its result names the part that you answer here."),
        2: gettext(
            "Throw a die twice and write the two results side by side, such as 25. This number "
            "shows the part that you answer here."
        ),
    }[item.die.throws]
    again = gettext("If no part has this number, throw again. Tell no one which part you drew.")
    return [throwing, again]
