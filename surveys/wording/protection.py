"""The questionnaire's protection in words: what hides, odds, least protected, when deleted.

Every number in them is computed from the channel.
"""

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from itertools import groupby

from django.utils.formats import date_format
from django.utils.translation import gettext, ngettext

from surveys.kinds.levels.promise import ThroughChannel
from surveys.kinds.rating.promise import RatingQuestion
from surveys.kinds.two_questions.promise import ComparedQuestion, GroupedQuestion, PairedQuestion
from surveys.questionnaire.document import Questionnaire, may_publish_rows
from surveys.questionnaire.kinds.parts import PartsQuestion
from surveys.questionnaire.kinds.question import Question
from surveys.questionnaire.kinds.registry import Table, in_folders
from surveys.wording.language.numbers import grouped
from surveys.wording.odds import factor_words
from surveys.wording.openings import opening_details
from surveys.wording.reports import SENTENCES, WORST_SENTENCES, largest_ratio
from surveys.wording.vouchers import kept_of_codes, voucher_lines


@dataclass(frozen=True)
class OddsLine:
    """What a report says about one person, for all questions with the same channel.

    ``ratio`` is how much what is sent can change the odds at most.
    """

    questions: str
    sentences: tuple[str, ...]
    ratio: Fraction


def odds_lines(questionnaire: Questionnaire) -> list[OddsLine]:
    """One line for each different channel, naming its questions."""
    return _odds_lines(questionnaire, SENTENCES)


def _odds_lines(
    questionnaire: Questionnaire, words: Callable[[Question], Iterator[str]]
) -> list[OddsLine]:
    groups: dict[object, list[tuple[int, Question]]] = {}
    for number, item in enumerate(questionnaire.items, start=1):
        if item.is_randomized:
            groups.setdefault((type(item), RANDOMIZED_BY(item)), []).append((number, item))
    return [
        OddsLine(
            question_numbers(n for number, item in group for n in COVERED(item, number)),
            tuple(words(group[0][1])),
            largest_ratio(group[0][1]),
        )
        for group in groups.values()
    ]


# The questions of which one report tells: all of a family.
COVERED: Table[[int], tuple[int, ...]] = Table.mostly(
    lambda item, number: (number,), family=lambda item, number: item.members
)


def _channel(item: ThroughChannel) -> object:
    return (item.levels, item.weights, item.denominator)


def _channel_of_parts(item: PartsQuestion) -> object:
    return (_channel(item), item.slots, item.size, item.differing)


def _nothing(item: Question) -> object:
    return None


# Equal for questions of one kind whose reports say the same about a person.
RANDOMIZED_BY: Table[[], object] = Table(
    levels=_channel,
    long_scale=_channel,
    paired=lambda item: (_channel(item), item.pairs, item.second.shares),
    compared=lambda item: (_channel(item), item.reports, item.second.shares),
    grouped=lambda item: (
        item.levels,
        item.reports,
        item.pairs,
        item.denominator,
        item.second.shares,
    ),
    long_list=lambda item: (item.levels, item.marks),
    number=_nothing,
    text=_nothing,
    other=_nothing,
    rating=lambda item: (_channel(item), item.slots),
    information=_nothing,
    consent=_nothing,
    ticks=_channel_of_parts,
    matrix=_channel_of_parts,
    rounded=_channel,
    day=_nothing,
    ranking=_nothing,
    ranked_pair=_channel_of_parts,
    family=_channel,
    follow_up=_nothing,
    counted=_nothing,
    picked=_nothing,
    **in_folders("wording", "RANDOMIZED_BY"),
)


def least_protected(questionnaire: Questionnaire) -> OddsLine | None:
    """What the report that proves most says; the first page has room for no more."""
    return max(
        _odds_lines(questionnaire, WORST_SENTENCES), key=lambda line: line.ratio, default=None
    )


def second_questions(questionnaire: Questionnaire) -> str:
    """The numbers of the questions that a second one hides; empty if there are none."""
    numbered = enumerate(questionnaire.items, start=1)
    return question_numbers(n for n, item in numbered if HIDING(item))


def hiding_lines(questionnaire: Questionnaire) -> list[str]:
    """How a second question hides the first, for each way of doing so that is used."""
    lines = (HIDING(item) for item in questionnaire.items)
    return list(dict.fromkeys(line for line in lines if line))


def _hides_by_comparing(item: ComparedQuestion) -> str:
    return gettext(
        "Two questions are compared: you never give your answers. You say only whether the two "
        "answers are the same, and your choice is sent exactly as you make it. Nothing is drawn. "
        "You are hidden because no one knows your answer to the second question. It is known how "
        "many people would say Yes to the second question. So the share for the first question "
        "can be worked out over many people."
    )


def _hides_by_groups(item: GroupedQuestion) -> str:
    return gettext(
        "Two questions in two groups: your browser draws a group. Then it sends your answer to "
        "one of the two questions, by chance, and never says to which question. In one group, the "
        "first question is chosen more often than in the other group. So both shares can be "
        "worked out over many people."
    )


def _hides_by_choosing(item: PairedQuestion) -> str:
    return gettext(
        "Two questions: your browser sends your answer to one of the two questions, by chance, "
        "and never says to which question. It is known how many people would say Yes to the "
        "second question. So the share for the first question can be worked out over many people."
    )


# How a second question hides the first; empty where there is none.
HIDING: Table[[], str] = Table.mostly(
    lambda item: "",
    paired=_hides_by_choosing,
    compared=_hides_by_comparing,
    grouped=_hides_by_groups,
)


def direct_questions(questionnaire: Questionnaire) -> str:
    """The numbers of the questions that are not protected; empty if there are none."""
    numbered = enumerate(questionnaire.items, start=1)
    return question_numbers(n for n, item in numbered if item.is_sent and not item.is_randomized)


def total_odds(questionnaire: Questionnaire) -> str:
    """What all protected answers of one person together can reveal; epsilons add up."""
    count = questionnaire.draw.count
    if not count and questionnaire.tally:
        return _with_locked(questionnaire)
    if not count and questionnaire.releases and questionnaire.seals:
        return gettext(
            "Every answer is sent as you give it, except what you write. What you write is "
            "locked. All other answers are shown only in blurred tables."
        )
    if not count and questionnaire.releases and questionnaire.numbered.texts:
        return gettext(
            "Every answer is sent as you give it. Texts are read by people. All other answers are "
            "shown only in blurred tables."
        )
    if not count and questionnaire.releases:
        return gettext("Every answer is sent as you give it, and shown only in blurred tables.")
    if not count:
        return gettext("Nothing is protected: every answer is sent as you give it.")
    if any(item.rule for item in questionnaire.randomized):  # not all people answer as many
        return gettext(
            "All in all: your protected answers together can change the odds of any guess about "
            "you {times}."
        ).format(times=_times(questionnaire.loss.epsilon))
    return ngettext(
        "All in all: your protected answer can change the odds of any guess about you {times}.",
        "All in all: your {count} protected answers together can change the odds of any guess "
        "about you {times}.",
        count,
    ).format(count=count, times=_times(questionnaire.loss.epsilon))


def publishing_line(questionnaire: Questionnaire) -> str:
    """That rows of answers may be published; empty where they never are."""
    if not may_publish_rows(questionnaire):
        return ""
    return " ".join(_published(questionnaire))


def _published(questionnaire: Questionnaire) -> Iterator[str]:
    yield gettext(
        "Your protected answers may be published as they are sent: one row for each person, "
        "without name or time."
    )
    if second_questions(questionnaire):
        yield gettext(
            "These odds hold for anyone reading the rows without knowing your answer to a "
            "second question."
        )
    else:
        yield gettext("These odds hold for all readers.")
    if questionnaire.arms:
        yield gettext("Your row shows the group that chance put you in.")
    if questionnaire.numbered.texts:
        yield gettext("Texts that you write are never in these rows.")


def _with_locked(questionnaire: Questionnaire) -> str:
    """The same where no answer is protected by chance and some are counted while locked."""
    if not questionnaire.direct:
        return gettext("Every answer is locked in your browser before it is sent.")
    words = gettext(
        "Every answer is sent as you give it, except answers that are locked in your browser."
    )
    if not questionnaire.releases:
        return words
    blurred = gettext("All other answers are shown only in blurred tables.")
    if questionnaire.numbered.texts and not questionnaire.seals:
        blurred = gettext(
            "Texts are read by people. All other answers are shown only in blurred tables."
        )
    return f"{words} {blurred}"


def keeping_lines(questionnaire: Questionnaire, last_day: date | None = None) -> list[str]:
    """How the answers are stored and for how long, as it was frozen at launch."""
    lines = [_storing(questionnaire), *opening_details(questionnaire, last_day)]
    if questionnaire.invitation_only:
        lines += [kept_of_codes(questionnaire), *voucher_lines(questionnaire)]
    else:
        lines.append(gettext("Anyone who has the link of this survey can answer it."))
    lines.append(_deletion(questionnaire))
    return lines


def _storing(questionnaire: Questionnaire) -> str:
    if questionnaire.opening is not None:
        return gettext("No name, address, time or device is stored with your answers.")
    return gettext(
        "No name, address, time or device is stored with your answers. Your answers wait, "
        "encrypted, until at least {count} people have sent answers. Then the answers of these "
        "people are stored in random order. When the survey closes, the last answers may be "
        "stored in a smaller group."
    ).format(count=questionnaire.batch_size)


def _deletion(questionnaire: Questionnaire) -> str:
    if questionnaire.delete_on is None:
        line = gettext("No date is set for deleting the answers.")
        return f"{line} {_rows_staying(questionnaire)}".rstrip()
    day = date_format(date.fromisoformat(questionnaire.delete_on), "DATE_FORMAT")
    if questionnaire.numbered.texts and not questionnaire.seals:
        line = gettext(
            "All answers are deleted on {day} at the latest, and so is everything that "
            "internal reports took from your texts."
        ).format(day=day)
        return f"{line} {_staying(questionnaire)}".rstrip()
    line = gettext("All answers are deleted on {day} at the latest.").format(day=day)
    return f"{line} {_staying(questionnaire)}".rstrip()


def _staying(questionnaire: Questionnaire) -> str:
    """What was blurred or published outlives the answers; empty where nothing is."""
    return " ".join(filter(None, (_blurred_staying(questionnaire), _rows_staying(questionnaire))))


def _rows_staying(questionnaire: Questionnaire) -> str:
    return gettext("Published rows are not deleted.") if may_publish_rows(questionnaire) else ""


def _blurred_staying(questionnaire: Questionnaire) -> str:
    budget = questionnaire.budget
    if budget is None:
        return ""
    if budget.pays_for_tables:
        return gettext("Blurred reports and tables are not deleted.")
    return gettext("Blurred reports are not deleted.")


def _times(epsilon: float) -> str:
    if epsilon > math.log(1e6):
        return gettext("more than a million-fold, which is hardly any protection")
    return gettext("at most {factor}-fold").format(factor=factor_words(epsilon))


def showing_line(item: RatingQuestion) -> str:
    """How the items were chosen that a respondent is asked to rate."""
    if item.items.shown == item.items.size:
        return gettext("All {size} items are shown, in an order drawn by chance.").format(
            size=item.items.size
        )
    line = gettext(
        "You are shown {shown} of {size} items, which were drawn by chance when this page was "
        "opened. Every item is equally likely for every person. No one notes which items you were "
        "shown."
    )
    if item.items.adaptive:
        line = gettext(
            "You are shown {shown} of {size} items, which were drawn by chance when this page "
            "was opened. Items with good earlier ratings are shown more often. The draw does not "
            "depend on who you are. No one notes which items you were shown."
        )
    return line.format(shown=item.items.shown, size=grouped(item.items.size))


def question_numbers(numbers: Iterable[int]) -> str:
    """Question 1; Questions 1 and 4; Questions 1, 2 and 4; Questions 1 to 4 and 7."""
    runs = list(_runs(numbers))
    if len(runs) < 2:
        return _one_run(runs[0]) if runs else ""
    first = gettext(", ").join(map(_run_words, runs[:-1]))
    return gettext("Questions {first} and {last}").format(first=first, last=_run_words(runs[-1]))


def _one_run(run: list[int]) -> str:
    if len(run) == 1:
        return gettext("Question {number}").format(number=run[0])
    return gettext("Questions {numbers}").format(numbers=_run_words(run))


def _runs(numbers: Iterable[int]) -> Iterator[list[int]]:
    """Three or more numbers in a row together, all others each on its own."""
    ordered = sorted(numbers)
    for _, group in groupby(enumerate(ordered), key=lambda pair: pair[1] - pair[0]):
        run = [number for _, number in group]
        yield from [run] if len(run) > 2 else [[number] for number in run]


def _run_words(run: list[int]) -> str:
    if len(run) == 1:
        return str(run[0])
    return gettext("{first} to {last}").format(first=run[0], last=run[-1])
