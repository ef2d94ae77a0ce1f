"""What the protection means, in words; every number in them is computed from the channel."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from django.utils.formats import date_format
from django.utils.translation import gettext, ngettext

from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.kinds import Item
from surveys.questionnaire.long_lists import Marking
from surveys.randomized_response import Device
from surveys.wording.odds import factor_words

LITTLE, MUCH = 5, 20
BASES = (100, 1000, 10_000, 1_000_000)
COIN_SIDES = "HT"


@dataclass(frozen=True)
class OddsLine:
    """What a report says about one person, for all questions with the same channel."""

    questions: str
    sentences: tuple[str, ...]


@dataclass(frozen=True)
class ChannelRow:
    """Of 100 people with this true answer: how many send each answer."""

    truth: str
    shares: tuple[str, ...]


def odds_lines(questionnaire: Questionnaire) -> list[OddsLine]:
    """One line for each different channel, naming its questions."""
    groups: dict[object, list[tuple[int, Item]]] = {}
    for number, item in enumerate(questionnaire.items, start=1):
        if item.is_randomized:
            shares = item.second and item.second.shares
            weights = (item.weights, item.pairs, item.marking)
            channel = (item.levels, item.reports, *weights, shares, item.slots)
            groups.setdefault(channel, []).append((number, item))
    return [
        OddsLine(_question_numbers(n for n, _ in group), tuple(_sentences(group[0][1])))
        for group in groups.values()
    ]


def leaves_doubt(questionnaire: Questionnaire) -> bool:
    """Whether every protected report proves little, so that nobody can learn a true answer."""
    return all(_largest_ratio(item) <= LITTLE for item in questionnaire.randomized)


def who_learns(questionnaire: Questionnaire) -> str:
    """Whether those who see what was sent can learn a true answer from it."""
    if not leaves_doubt(questionnaire):
        return gettext("Not for sure")
    return gettext("Not from this") if second_questions(questionnaire) else gettext("No")


def second_questions(questionnaire: Questionnaire) -> str:
    """The numbers of the questions that a second one hides; empty if there are none."""
    numbered = enumerate(questionnaire.items, start=1)
    return _question_numbers(n for n, item in numbered if item.second)


def hiding_lines(questionnaire: Questionnaire) -> list[str]:
    """How a second question hides the first, for each way of doing so that is used."""
    lines = {
        _hiding(item): None for item in questionnaire.items if item.is_randomized and item.second
    }
    return list(lines)


def _hiding(item: Item) -> str:
    if item.is_compared:
        return gettext(
            "Two questions, compared: you never give your answers. You say only whether they are "
            "the same, and that is sent as you say it. Nothing is drawn: what hides you is that "
            "nobody knows your answer to the second question. How many people would say Yes to it "
            "is known, so the share for the first one can be worked out over many people."
        )
    if item.is_grouped:
        return gettext(
            "Two questions in two groups: your browser draws a group, then sends your answer to "
            "one of the two questions, by chance, and never says which. The two groups differ in "
            "how often it is the first one, so both shares can be worked out over many people."
        )
    return gettext(
        "Two questions: your browser sends your answer to one of them, by chance, and never says "
        "which. How many people would say Yes to the second one is known, so the share for the "
        "first one can be worked out over many people."
    )


def direct_questions(questionnaire: Questionnaire) -> str:
    """The numbers of the questions that are not protected; empty if there are none."""
    numbered = enumerate(questionnaire.items, start=1)
    return _question_numbers(n for n, item in numbered if not item.is_randomized)


def total_odds(questionnaire: Questionnaire) -> str:
    """What all protected answers of one person together can reveal; epsilons add up."""
    count = len(questionnaire.randomized)
    if not count:
        return gettext("Nothing is protected: every answer is sent as you give it.")
    return ngettext(
        "All in all: your protected answer can change anybody's odds about you {times}.",
        "All in all: your {count} protected answers together can change anybody's odds about "
        "you {times}.",
        count,
    ).format(count=count, times=_times(questionnaire.total_epsilon))


def keeping_lines(questionnaire: Questionnaire) -> list[str]:
    """How the answers are stored and for how long, as it was frozen at launch."""
    lines = [
        gettext(
            "No name, address, time or device is stored beside your answers. They wait, "
            "encrypted, until at least {count} people have sent theirs, and are then stored in "
            "random order. When the survey closes, the last ones may be stored with fewer."
        ).format(count=questionnaire.batch_size)
    ]
    if questionnaire.invitation_only:
        lines.append(
            gettext(
                "Of your invitation two things are stored, apart from the answers: a fingerprint "
                "of its code, and whether it was used. If it was mailed, your address is kept "
                "apart from both. All of this is erased when the survey closes."
            )
        )
    else:
        lines.append(gettext("Everybody who has the link of this survey can answer it."))
    lines.append(_deletion(questionnaire))
    return lines


def _deletion(questionnaire: Questionnaire) -> str:
    if questionnaire.deleted_by is None:
        return gettext("No date is set on which the answers are deleted.")
    day = date_format(questionnaire.deleted_by, "DATE_FORMAT")
    if questionnaire.texts:
        line = gettext(
            "All answers, and whatever internal reports took from your texts, are deleted on {day} "
            "at the latest."
        ).format(day=day)
        return f"{line} {gettext('Blurred reports stay.')}" if questionnaire.text_budget else line
    return gettext("All answers are deleted on {day} at the latest.").format(day=day)


def channel_rows(item: Item) -> list[ChannelRow]:
    """The channel as a table; levels and columns in the order in which they are shown."""
    return [
        ChannelRow(told, tuple(_number(100 * Fraction(column[y])) for y in item.report_order))
        for told, column in _columns(item)
    ]


def _columns(item: Item) -> Iterator[tuple[str, list[Fraction]]]:
    """The probabilities of every report, for each true answer or each pair of answers."""
    texts = [level.text for level in item.levels]
    for truth in item.display:
        if not item.pairs:
            yield texts[truth], [Fraction(w, item.denominator) for w in item.weights[truth]]
            continue
        for other in item.display:
            told = gettext("{answer}, and {other} to the second question")
            weights = item.pairs[len(texts) * truth + other]
            yield (
                told.format(answer=texts[truth], other=texts[other]),
                [Fraction(w, item.denominator) for w in weights],
            )


def _times(epsilon: float) -> str:
    if epsilon > math.log(1e6):
        return gettext("more than a million-fold, which hardly protects")
    return gettext("at most {factor}-fold").format(factor=factor_words(epsilon))


def _sentences(item: Item) -> Iterator[str]:
    """For yes or no, one sentence on each report that differs; otherwise the worst report."""
    if item.marking:
        yield marking_sentence(item.marking)
        return
    if item.is_rating:
        yield from _rating_sentences(item)
        return
    if item.kind != "yes_no":
        yield _worst_sentence(item)
        return
    no, yes = 0, 1
    towards_yes, towards_no = _pointing(item, yes), _pointing(item, no)
    yield _binary_sentence(item, truth=no, report=towards_yes)
    if _share(item, no, towards_yes) != _share(item, yes, towards_no):
        yield _binary_sentence(item, truth=yes, report=towards_no)
    if _worst(item) == item.decline_level:
        yield _worst_sentence(item)
    if item.second:
        yield gettext("This holds for whoever does not know your answer to the second question.")


def _rating_sentences(item: Item) -> Iterator[str]:
    """Each slot on its own, then all of them together: what one person reveals at the most."""
    report = _worst(item)
    rarest = min(_share(item, truth, report) for truth in range(len(item.levels)))
    yield gettext(
        "Of {base} people with any other rating of an item, about {count} send “{report}” anyway."
    ).format(**_out_of(rarest), report=item.levels[report].text)
    yield ngettext(
        "What is sent for the item {verdict}.",
        "You rate {count} items, each with a coin of its own: together, what is sent {verdict}.",
        item.slots,
    ).format(count=item.slots, verdict=_verdict(_ratio(item, report)))


def showing_line(item: Item) -> str:
    """How the items were chosen that a respondent is asked to rate."""
    if item.rated is None:
        return ""
    if item.rated.shown == item.rated.size:
        return gettext("All {size} items, in an order drawn by chance.").format(
            size=item.rated.size
        )
    line = gettext(
        "{shown} of {size} items, drawn by chance when this page was opened: every item is equally "
        "likely, whoever you are, and nobody notes which ones you were shown."
    )
    if item.rated.adaptive:
        line = gettext(
            "{shown} of {size} items, drawn by chance when this page was opened: items that were "
            "rated well before are shown more often. It does not depend on who you are, and nobody "
            "notes which ones you were shown."
        )
    return line.format(shown=item.rated.shown, size=f"{item.rated.size:,}")


def _pointing(item: Item, truth: int) -> int:
    """The report that speaks most for this answer to a yes or no, and against the other one."""
    answering = [i for i in range(len(item.reported_levels)) if i != item.decline_level]
    return max(answering, key=lambda report: _speaks_for(item, truth, report))


def _speaks_for(item: Item, truth: int, report: int) -> Fraction:
    rows = [channel.rows[report] for channel in item.channels]
    return max(Fraction(row[truth]) / Fraction(row[1 - truth]) for row in rows)


def _binary_sentence(item: Item, *, truth: int, report: int) -> str:
    words = dict(
        **_out_of(_share(item, truth, report)),
        truth=item.levels[truth].text,
        report=item.reported_levels[report].text,
        verdict=_verdict(_ratio(item, report)),
    )
    if item.is_compared:
        return gettext(
            "Of {base} people whose answer is {truth}, about {count} send “{report}” as well, so "
            "this {verdict}."
        ).format(**words)
    if item.is_grouped:
        return gettext(
            "Of {base} people whose answer is {truth}, at least about {count} send “{report}” "
            "anyway, so this {verdict}."
        ).format(**words)
    return gettext(
        "Of {base} people whose answer is {truth}, about {count} send {report} anyway, so a "
        "{report} {verdict}."
    ).format(**words)


def _worst(item: Item) -> int:
    return max(range(len(item.reported_levels)), key=lambda report: _ratio(item, report))


def _worst_sentence(item: Item) -> str:
    report = _worst(item)
    rarest = min(_share(item, truth, report) for truth in range(len(item.levels)))
    return gettext(
        "Of {base} people with any other answer, about {count} send “{report}” anyway, and the "
        "other answers are at least as safe: what is sent {verdict}."
    ).format(
        **_out_of(rarest), report=item.levels[report].text, verdict=_verdict(_ratio(item, report))
    )


def _share(item: Item, truth: int, report: int) -> Fraction:
    """P[report | truth]; at least, where the second question's share is not known."""
    return min(Fraction(channel.rows[report][truth]) for channel in item.channels)


def _ratio(item: Item, report: int) -> Fraction:
    """How much a report can change the odds; every entry of a launched channel is positive.

    Of a rating: the same report for every item that is shown.
    """
    rows = [[Fraction(p) for p in channel.rows[report]] for channel in item.channels]
    return max(max(row) / min(row) for row in rows) ** item.slots


def _largest_ratio(item: Item) -> Fraction:
    """How much the worst report can change the odds."""
    if item.marking:
        return item.marking.largest_ratio
    return max(_ratio(item, report) for report in range(len(item.reported_levels)))


def marking_sentence(marking: Marking) -> str:
    """How often the true option of a long list is marked, and any other one."""
    told = gettext(
        "Your browser sends the list with options marked by chance: the true one for {true} of 100 "
        "people, any other one for {other} of 100."
    )
    if marking.size:
        told = gettext(
            "Your browser sends the list with exactly {size} of {options} options marked by "
            "chance: the true one for {true} of 100 people, any other one for {other} of 100."
        )
    verdict = _verdict(marking.largest_ratio)
    return (told + " " + gettext("So what is sent {verdict}.")).format(
        size=marking.size,
        options=marking.options,
        true=_number(100 * marking.p_true),
        other=_number(100 * marking.p_other),
        verdict=verdict,
    )


def _verdict(ratio: Fraction) -> str:
    if ratio <= LITTLE:
        return gettext("proves little")
    return gettext("proves something") if ratio <= MUCH else gettext("says a lot")


def _out_of(share: Fraction) -> dict[str, str]:
    """A share as a count out of a round number of people that is large enough to show it."""
    base = next((base for base in BASES if share * base >= 1), BASES[-1])
    return {"base": f"{base:,}", "count": f"{round(share * base):,}"}


def _number(share: Fraction) -> str:
    return f"{float(share):.1f}".removesuffix(".0")


def _question_numbers(numbers: Iterable[int]) -> str:
    """Question 1; Questions 1 and 4; Questions 1, 2 and 4."""
    found = [str(number) for number in numbers]
    if len(found) < 2:
        return gettext("Question {number}").format(number=found[0]) if found else ""
    first = ", ".join(found[:-1])
    return gettext("Questions {first} and {last}").format(first=first, last=found[-1])


# ---- Own coin ------------------------------------------------------------------------------


def recipe_steps(item: Item) -> list[str]:
    """What to do with a coin, a die or a number list, one instruction after the other."""
    recipe = item.recipe
    if recipe is None or recipe.device is None:
        return [gettext("Answer truthfully.")]
    told = [
        _told(item, level, _outcomes(recipe.device, ranges)) for level, ranges in recipe.assignments
    ]
    action, choices = _action(recipe.device), "; ".join(told)
    if not recipe.first_coin:
        return [gettext("{action}.").format(action=action), f"{_upper(choices)}."]
    again = gettext("flip it again") if recipe.device is Device.COIN else _lower(action)
    return [
        gettext("Flip a coin. Heads: answer truthfully."),
        gettext("Tails: {action}. Then {choices}.").format(action=again, choices=choices),
    ]


def _told(item: Item, level: int | None, outcomes: str) -> str:
    if level is None:
        if item.pairs:
            return gettext("{outcomes}: answer the first question").format(outcomes=outcomes)
        return gettext("{outcomes}: answer truthfully").format(outcomes=outcomes)
    if item.pairs:
        return gettext("{outcomes}: answer the second question").format(outcomes=outcomes)
    return gettext("{outcomes}: choose “{answer}”").format(
        outcomes=outcomes, answer=item.levels[level].text
    )


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]


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
    return ", ".join(shown)


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
    return "".join(COIN_SIDES[(number - 1) >> place & 1] for place in reversed(range(flips)))
