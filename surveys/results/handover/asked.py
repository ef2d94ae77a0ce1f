"""How a question was asked: its answers, ranges and parts, and its design, in a report's words.

All of it is what respondents read, so that nothing here depends on what they answered.
"""

from collections.abc import Iterable, Iterator

from django.utils.translation import gettext

from surveys.kinds.counted.promise import CountedQuestion
from surveys.kinds.day.promise import DayQuestion
from surveys.kinds.family.promise import FamilyQuestion, FollowUpQuestion
from surveys.kinds.levels.promise import Leveled
from surveys.kinds.number.promise import NumberQuestion, RoundedQuestion
from surveys.kinds.ranking.promise import RankedPairQuestion, RankingQuestion
from surveys.kinds.rating.promise import RatingQuestion
from surveys.kinds.text.promise import TextQuestion
from surveys.kinds.two_questions.promise import ComparedQuestion, GroupedQuestion, PairedQuestion
from surveys.models import Question as Drafted
from surveys.questionnaire.kinds.parts import PartsQuestion
from surveys.questionnaire.kinds.question import Question
from surveys.questionnaire.kinds.registry import Table
from surveys.results.reading import interval_words
from surveys.wording.language.numbers import count_words, localized

MOST_NAMED = 24  # answers; of a longer list the codebook has all


def asked_lines(item: Question) -> list[str]:
    """What people could answer: answers, the range of a number, what was ranked or rated."""
    return list(OFFERED(item))


def design_words(item: Question) -> str:
    """The design of a randomized question by its author's name for it, and if it is required."""
    words = []
    if item.is_randomized:
        names = {str(design): name for design, name in Drafted.Design.choices}
        design = names.get(item.design, item.design)
        words.append(gettext("Design: {design}.").format(design=design))
    if item.is_sent and item.required:
        words.append(gettext("This question could not be declined."))
    return " ".join(words)


def _named(texts: Iterable[str]) -> str:
    """Answers in their order; of very many the first and the last."""
    named = list(map(str, texts))
    if len(named) <= MOST_NAMED:
        return " · ".join(named)
    return gettext("{first} … {last} ({count} in all)").format(
        first=named[0], last=named[-1], count=count_words(len(named))
    )


def _answers(texts: Iterable[str]) -> str:
    return gettext("Answers: {answers}").format(answers=_named(texts))


def _levels(item: Leveled) -> Iterator[str]:
    yield _answers(level.text for level in item.shown_levels)


def _choices(item: FamilyQuestion | FollowUpQuestion | CountedQuestion) -> Iterator[str]:
    yield _answers(level.text for level in item.choices)


def _two_questions(item: PairedQuestion | ComparedQuestion | GroupedQuestion) -> Iterator[str]:
    yield from _levels(item)
    yield gettext("The second question: {text}").format(text=item.second.text)


def _parts(item: PartsQuestion) -> Iterator[str]:
    """Ticks have options; a matrix has rows, and its columns are the answers."""
    yield gettext("Options or rows: {parts}").format(parts=_named(item.parts))
    yield from _levels(item)


def _ranked(item: RankingQuestion | RankedPairQuestion) -> Iterator[str]:
    yield gettext("To be ranked: {things}").format(things=_named(item.ranked))


def _rated(item: RatingQuestion) -> Iterator[str]:
    words = gettext("Each person rates {shown} of {size} items.")
    yield words.format(shown=count_words(item.items.shown), size=count_words(item.items.size))
    yield from _levels(item)


def _number(item: NumberQuestion | RoundedQuestion) -> Iterator[str]:
    low, high = map(localized, item.number.bounds)
    yield gettext("Numbers: {range}").format(range=interval_words(low, high))


def _days(item: DayQuestion) -> Iterator[str]:
    yield gettext("Days: {range}").format(range=interval_words(item.days.first, item.days.last))


def _text(item: TextQuestion) -> Iterator[str]:
    words = gettext("A text of up to {longest} characters.")
    yield words.format(longest=count_words(item.longest))


OFFERED: Table[[], Iterator[str]] = Table.with_levels(
    _levels,
    lambda item: iter(()),
    paired=_two_questions,
    compared=_two_questions,
    grouped=_two_questions,
    long_list=_levels,
    number=_number,
    rounded=_number,
    day=_days,
    text=_text,
    other=_text,
    rating=_rated,
    ticks=_parts,
    matrix=_parts,
    ranking=_ranked,
    ranked_pair=_ranked,
    family=_choices,
    follow_up=_choices,
    counted=_choices,
)
