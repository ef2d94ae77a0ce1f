"""What the protection means, in words; every number in them is computed from the channel."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from django.utils.formats import date_format
from django.utils.translation import gettext, ngettext

from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.kinds.compared import ComparedQuestion
from surveys.questionnaire.kinds.grouped import GroupedQuestion
from surveys.questionnaire.kinds.levels import Leveled, LevelQuestion, ThroughChannel, Weights
from surveys.questionnaire.kinds.long_list import ListQuestion, Marking
from surveys.questionnaire.kinds.paired import PairedQuestion
from surveys.questionnaire.kinds.question import Question
from surveys.questionnaire.kinds.rating import RatingQuestion
from surveys.questionnaire.kinds.registry import Table
from surveys.wording.odds import factor_words

LITTLE, MUCH = 5, 20
BASES = (100, 1000, 10_000, 1_000_000)

Channelled = LevelQuestion | GroupedQuestion | RatingQuestion  # reports of known probability


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
    groups: dict[object, list[tuple[int, Question]]] = {}
    for number, item in enumerate(questionnaire.items, start=1):
        if item.is_randomized:
            groups.setdefault(item.device, []).append((number, item))
    return [
        OddsLine(_question_numbers(n for n, _ in group), tuple(SENTENCES(group[0][1])))
        for group in groups.values()
    ]


def leaves_doubt(questionnaire: Questionnaire) -> bool:
    """Whether every protected report proves little, so that nobody can learn a true answer."""
    return all(LARGEST_RATIO(item) <= LITTLE for item in questionnaire.randomized)


def who_learns(questionnaire: Questionnaire) -> str:
    """Whether those who see what was sent can learn a true answer from it."""
    if not leaves_doubt(questionnaire):
        return gettext("Not for sure")
    return gettext("Not from this") if second_questions(questionnaire) else gettext("No")


def second_questions(questionnaire: Questionnaire) -> str:
    """The numbers of the questions that a second one hides; empty if there are none."""
    numbered = enumerate(questionnaire.items, start=1)
    return _question_numbers(n for n, item in numbered if HIDING(item))


def hiding_lines(questionnaire: Questionnaire) -> list[str]:
    """How a second question hides the first, for each way of doing so that is used."""
    lines = (HIDING(item) for item in questionnaire.items)
    return list(dict.fromkeys(line for line in lines if line))


def _hides_nothing(item: Question) -> str:
    return ""


def _hides_by_comparing(item: ComparedQuestion) -> str:
    return gettext(
        "Two questions, compared: you never give your answers. You say only whether they are "
        "the same, and that is sent as you say it. Nothing is drawn: what hides you is that "
        "nobody knows your answer to the second question. How many people would say Yes to it "
        "is known, so the share for the first one can be worked out over many people."
    )


def _hides_by_groups(item: GroupedQuestion) -> str:
    return gettext(
        "Two questions in two groups: your browser draws a group, then sends your answer to "
        "one of the two questions, by chance, and never says which. The two groups differ in "
        "how often it is the first one, so both shares can be worked out over many people."
    )


def _hides_by_choosing(item: PairedQuestion) -> str:
    return gettext(
        "Two questions: your browser sends your answer to one of them, by chance, and never says "
        "which. How many people would say Yes to the second one is known, so the share for the "
        "first one can be worked out over many people."
    )


# How a second question hides the first; empty where there is none.
HIDING: Table[[], str] = Table(
    levels=_hides_nothing,
    paired=_hides_by_choosing,
    compared=_hides_by_comparing,
    grouped=_hides_by_groups,
    long_list=_hides_nothing,
    number=_hides_nothing,
    text=_hides_nothing,
    rating=_hides_nothing,
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


def channel_rows(item: Question) -> list[ChannelRow]:
    """The channel as a table; levels and columns in the order in which they are shown.

    Empty for questions without such a table.
    """
    return CHANNEL_ROWS(item)


def _no_rows(item: Question) -> list[ChannelRow]:
    return []


def _rows(item: ThroughChannel) -> list[ChannelRow]:
    """A row for each true answer."""
    return [
        _row(item.levels[truth].text, item.weights[truth], item.denominator, item.display)
        for truth in (item.display if item.is_randomized else ())
    ]


def _rows_of_pairs(item: PairedQuestion) -> list[ChannelRow]:
    return _pair_rows(item, item.pairs, item.display)


def _rows_of_groups(item: GroupedQuestion) -> list[ChannelRow]:
    return _pair_rows(item, item.pairs, range(len(item.reports)))


def _pair_rows(item: Leveled, pairs: Weights, order: Iterable[int]) -> list[ChannelRow]:
    """A row for each pair of answers, the one to the question itself first."""
    columns = tuple(order)
    words = gettext("{answer}, and {other} to the second question")
    return [
        _row(
            words.format(answer=item.levels[truth].text, other=item.levels[other].text),
            pairs[len(item.levels) * truth + other],
            item.denominator,
            columns,
        )
        for truth in item.display
        for other in item.display
    ]


def _row(truth: str, weights: Sequence[int], denominator: int, order: Sequence[int]) -> ChannelRow:
    shares = tuple(_number(Fraction(100 * weights[report], denominator)) for report in order)
    return ChannelRow(truth, shares)


CHANNEL_ROWS: Table[[], list[ChannelRow]] = Table(
    levels=_rows,
    paired=_rows_of_pairs,
    compared=_rows,
    grouped=_rows_of_groups,
    long_list=_no_rows,
    number=_no_rows,
    text=_no_rows,
    rating=_rows,
)


def _times(epsilon: float) -> str:
    if epsilon > math.log(1e6):
        return gettext("more than a million-fold, which hardly protects")
    return gettext("at most {factor}-fold").format(factor=factor_words(epsilon))


def _no_sentences(item: Question) -> Iterator[str]:
    return iter(())


def _list_sentences(item: ListQuestion) -> Iterator[str]:
    yield marking_sentence(item.marking)


def _level_sentences(item: LevelQuestion) -> Iterator[str]:
    """For yes or no, one sentence on each report that differs; otherwise the worst report."""
    if item.kind != "yes_no":
        return iter([_worst_sentence(item)])
    return _binary_sentences(
        item,
        gettext(
            "Of {base} people whose answer is {truth}, about {count} send {report} anyway, so a "
            "{report} {verdict}."
        ),
    )


def _paired_sentences(item: PairedQuestion) -> Iterator[str]:
    yield from _level_sentences(item)
    yield _unless_known()


def _compared_sentences(item: ComparedQuestion) -> Iterator[str]:
    words = gettext(
        "Of {base} people whose answer is {truth}, about {count} send “{report}” as well, so "
        "this {verdict}."
    )
    yield from _binary_sentences(item, words)
    yield _unless_known()


def _grouped_sentences(item: GroupedQuestion) -> Iterator[str]:
    words = gettext(
        "Of {base} people whose answer is {truth}, at least about {count} send “{report}” "
        "anyway, so this {verdict}."
    )
    yield from _binary_sentences(item, words)
    yield _unless_known()


def _unless_known() -> str:
    return gettext("This holds for whoever does not know your answer to the second question.")


def _binary_sentences(item: LevelQuestion | GroupedQuestion, words: str) -> Iterator[str]:
    no, yes = 0, 1
    towards_yes, towards_no = _pointing(item, yes), _pointing(item, no)
    yield _binary_sentence(item, words, truth=no, report=towards_yes)
    if _share(item, no, towards_yes) != _share(item, yes, towards_no):
        yield _binary_sentence(item, words, truth=yes, report=towards_no)
    if _worst(item) == item.decline_level:
        yield _worst_sentence(item)


def _rating_sentences(item: RatingQuestion) -> Iterator[str]:
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
    ).format(count=item.slots, verdict=_verdict(_largest_rating_ratio(item)))


# What a report says about one person.
SENTENCES: Table[[], Iterator[str]] = Table(
    levels=_level_sentences,
    paired=_paired_sentences,
    compared=_compared_sentences,
    grouped=_grouped_sentences,
    long_list=_list_sentences,
    number=_no_sentences,
    text=_no_sentences,
    rating=_rating_sentences,
)


def showing_line(item: RatingQuestion) -> str:
    """How the items were chosen that a respondent is asked to rate."""
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


def _pointing(item: Channelled, truth: int) -> int:
    """The report that speaks most for this answer to a yes or no, and against the other one."""
    answering = [i for i in range(len(item.reported_levels)) if i != item.decline_level]
    return max(answering, key=lambda report: _speaks_for(item, truth, report))


def _speaks_for(item: Channelled, truth: int, report: int) -> Fraction:
    rows = [channel.rows[report] for channel in item.channels]
    return max(Fraction(row[truth]) / Fraction(row[1 - truth]) for row in rows)


def _binary_sentence(
    item: LevelQuestion | GroupedQuestion, words: str, *, truth: int, report: int
) -> str:
    return words.format(
        **_out_of(_share(item, truth, report)),
        truth=item.levels[truth].text,
        report=item.reported_levels[report].text,
        verdict=_verdict(_ratio(item, report)),
    )


def _worst(item: Channelled) -> int:
    return max(range(len(item.reported_levels)), key=lambda report: _ratio(item, report))


def _worst_sentence(item: Channelled) -> str:
    report = _worst(item)
    rarest = min(_share(item, truth, report) for truth in range(len(item.levels)))
    return gettext(
        "Of {base} people with any other answer, about {count} send “{report}” anyway, and the "
        "other answers are at least as safe: what is sent {verdict}."
    ).format(
        **_out_of(rarest), report=item.levels[report].text, verdict=_verdict(_ratio(item, report))
    )


def _share(item: Channelled, truth: int, report: int) -> Fraction:
    """P[report | truth]; at least, where the second question's share is not known."""
    return min(Fraction(channel.rows[report][truth]) for channel in item.channels)


def _ratio(item: Channelled, report: int) -> Fraction:
    """How much a report can change the odds; every entry of a launched channel is positive."""
    rows = [[Fraction(p) for p in channel.rows[report]] for channel in item.channels]
    return max(max(row) / min(row) for row in rows)


def _largest_ratio(item: Channelled) -> Fraction:
    """How much the worst report can change the odds."""
    return _ratio(item, _worst(item))


def _largest_rating_ratio(item: RatingQuestion) -> Fraction:
    """The worst report for every item that is shown."""
    return _largest_ratio(item) ** item.slots


def _largest_list_ratio(item: ListQuestion) -> Fraction:
    return item.marking.largest_ratio


def _no_ratio(item: Question) -> Fraction:
    raise ValueError(f"Question {item.id} is sent as it is, which proves it.")


LARGEST_RATIO: Table[[], Fraction] = Table(
    levels=_largest_ratio,
    paired=_largest_ratio,
    compared=_largest_ratio,
    grouped=_largest_ratio,
    long_list=_largest_list_ratio,
    number=_no_ratio,
    text=_no_ratio,
    rating=_largest_rating_ratio,
)


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
