"""An own-coin recipe in words: steps for a coin, a die or a number list."""

from collections.abc import Iterable

from django.utils.text import capfirst
from django.utils.translation import gettext

from surveys.kinds.levels.promise import ThroughChannel
from surveys.kinds.two_questions.promise import PairedQuestion
from surveys.randomized_response.drawing import Device
from surveys.wording.language.messages import isolated

COIN_SIDES = "HT"


def recipe_steps(item: ThroughChannel) -> list[str]:
    """What to do with a coin, a die or a number list, one instruction after the other."""
    recipe = item.recipe
    if recipe is None or recipe.device is None:
        return [gettext("Answer truthfully.")]
    instructions = [
        _instruction(item, level, _outcomes(recipe.device, ranges))
        for level, ranges in recipe.assignments
    ]
    action, choices = _action(recipe.device), "; ".join(instructions)
    if not recipe.first_coin:
        return [gettext("{action}.").format(action=action), f"{capfirst(choices)}."]
    again = (
        gettext("flip it again")
        if recipe.device is Device.COIN
        else action[:1].lower() + action[1:]
    )
    return [
        gettext("Flip a coin. Heads: answer truthfully."),
        gettext("Tails: {action}. Then {choices}.").format(action=again, choices=choices),
    ]


def _instruction(item: ThroughChannel, level: int | None, outcomes: str) -> str:
    if isinstance(item, PairedQuestion):
        if level is None:
            return gettext("{outcomes}: answer the first question").format(outcomes=outcomes)
        return gettext("{outcomes}: answer the second question").format(outcomes=outcomes)
    if level is None:
        return gettext("{outcomes}: answer truthfully").format(outcomes=outcomes)
    return gettext("{outcomes}: choose “{answer}”").format(
        outcomes=outcomes, answer=isolated(item.levels[level].text)
    )


def _action(device: Device) -> str:
    return {
        Device.COIN: gettext("Flip a coin"),
        Device.TWO_COINS: gettext("Flip a coin twice (H is heads, T is tails)"),
        Device.DIE: gettext("Throw a die"),
        Device.THREE_COINS: gettext("Flip a coin three times (H is heads, T is tails)"),
        Device.DIGIT: gettext(
            "Take the last digit of the serial number of a banknote that you have not used here "
            "yet, or the next digit of a printed table of random digits"
        ),
        Device.TWO_DICE: gettext(
            "Throw a die twice and write the two results side by side, such as 25"
        ),
        Device.TWO_DIGITS: gettext(
            "Take the last two digits of the serial number of a banknote that you have not used "
            "here yet, or the next two digits of a printed table of random digits"
        ),
        Device.THREE_DIGITS: gettext(
            "Take the last three digits of the serial number of a banknote that you have not used "
            "here yet, or the next three digits of a printed table of random digits"
        ),
    }[device]


def _outcomes(device: Device, ranges: Iterable[tuple[int, int]]) -> str:
    """The outcomes 1..size of a device as a person reads them off."""
    if device in (Device.TWO_COINS, Device.THREE_COINS):
        sides = [_sides(device, n) for first, last in ranges for n in range(first, last + 1)]
        return gettext(" or ").join(sides)
    shown = []
    for first, last in ranges:
        ends = [_outcome(device, first), _outcome(device, last)]
        shown.append(ends[0] if first == last else "–".join(ends))
    return gettext(", ").join(shown)


def _outcome(device: Device, number: int) -> str:
    if device is Device.COIN:
        return gettext("heads") if number == 1 else gettext("tails")
    if device is Device.TWO_DICE:
        first, second = divmod(number - 1, 6)
        return f"{first + 1}{second + 1}"
    if device is Device.DIE:
        return str(number)
    return f"{number - 1:0{len(str(device.value)) - 1}d}"


def _sides(device: Device, number: int) -> str:
    flips = device.value.bit_length() - 1
    return "".join(COIN_SIDES[(number - 1) >> coin & 1] for coin in reversed(range(flips)))
