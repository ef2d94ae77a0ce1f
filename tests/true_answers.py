"""What is true of one person: an answer to each question, and what gives it in the page."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal

from surveys.kinds.counted.promise import CountedQuestion
from surveys.kinds.day.promise import DayQuestion
from surveys.kinds.family.promise import FollowUpQuestion
from surveys.kinds.levels.promise import LevelQuestion
from surveys.kinds.long_scale.promise import ScaleQuestion
from surveys.kinds.matrix.promise import MatrixQuestion
from surveys.kinds.number.promise import NumberQuestion, RoundedQuestion
from surveys.kinds.ranking.promise import RankedPairQuestion, RankingQuestion
from surveys.kinds.rating.promise import RatingQuestion
from surveys.kinds.silent.promise import ConsentQuestion, InformationQuestion
from surveys.kinds.text.promise import TextQuestion
from surveys.kinds.ticks.promise import TicksQuestion
from surveys.kinds.two_questions.promise import ComparedQuestion, PairedQuestion
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.kinds.question import Question, field_name
from surveys.questionnaire.kinds.registry import Table
from surveys.questionnaire.logic.rules import asked_of
from tests.bodies import rating_code

DECLINES = 0.2  # how often a person declines who may
DECLINED, SECOND = "declined", "second"


@dataclass(frozen=True)
class TrueAnswer:
    """``code`` is what a direct question sends of it, and what rules read in the page.

    ``given`` says what is chosen or typed, by part of the question: "" where it has one answer,
    the number of a part, "second" for a second question, "declined" for the box that says so.
    """

    code: str
    given: Mapping[str, str] = field(default_factory=dict)


def true_answers(questionnaire: Questionnaire, chance: random.Random) -> list[TrueAnswer]:
    """An answer to every question, asked or not; each answer that the page offers is possible."""
    return [TRUE_ANSWERS(item, chance) for item in questionnaire.items]


def given_in_page(answers: Sequence[TrueAnswer]) -> dict[str, str]:
    """What is chosen or typed, by the name of the question and the part, as in "q020/3"."""
    return {
        f"{field_name(place)}/{part}" if part else field_name(place): value
        for place, answer in enumerate(answers)
        for part, value in answer.given.items()
    }


def asked_in_page(
    questionnaire: Questionnaire, answers: Sequence[TrueAnswer], arm: str
) -> list[bool]:
    """Which questions the page shows to this person, by all rules as their authors wrote them."""
    pairs = zip(questionnaire.items, answers, strict=True)
    given = [item.in_rules.true_given(answer.code) for item, answer in pairs]
    return list(asked_of([item.rule for item in questionnaire.items], given, arm))


def _one_level(item: LevelQuestion | ScaleQuestion, chance: random.Random) -> TrueAnswer:
    return _chosen(chance.choice(item.choices).code)


def _of_two(item: PairedQuestion, chance: random.Random) -> TrueAnswer:
    first, second = (chance.choice(item.shown_levels).code for _ in range(2))
    return TrueAnswer("", {"": first, SECOND: second})


def _compared(item: ComparedQuestion, chance: random.Random) -> TrueAnswer:
    return _chosen(chance.choice(item.shown_levels).code)


def _follow_up(item: FollowUpQuestion, chance: random.Random) -> TrueAnswer:
    return _chosen(chance.choice(item.choices).code)


def _counted(item: CountedQuestion, chance: random.Random) -> TrueAnswer:
    return _chosen(chance.choice(item.choices).code)


def _chosen(code: str) -> TrueAnswer:
    return TrueAnswer(code, {"": code})


def _number(item: NumberQuestion, chance: random.Random) -> TrueAnswer:
    places = item.number.decimal_places
    low, high = (int(Decimal(bound).scaleb(places)) for bound in item.number.bounds)
    number = Decimal(chance.randint(low, high)).scaleb(-places)
    if not item.required and chance.random() < DECLINES:
        return TrueAnswer(item.number.declined, {"": "", DECLINED: "yes"})
    return TrueAnswer(item.number.encode(number), {"": str(number)})


def _rounded(item: RoundedQuestion, chance: random.Random) -> TrueAnswer:
    return TrueAnswer("", {"": str(chance.choice(item.grid))})


def _day(item: DayQuestion, chance: random.Random) -> TrueAnswer:
    """Typed as month, day and year, as the browser of the tests shows a date."""
    if not item.required and chance.random() < DECLINES:
        return TrueAnswer(item.declined, {"": "", DECLINED: "yes"})
    first, last = (date.fromisoformat(day) for day in (item.days.first, item.days.last))
    day = date.fromordinal(chance.randint(first.toordinal(), last.toordinal()))
    return TrueAnswer(day.isoformat(), {"": f"{day:%m%d%Y}"})


def _text(item: TextQuestion, chance: random.Random) -> TrueAnswer:
    written = f"{chance.choice(('Zyxoquartz', 'Über', 'كتاب'))} {chance.randint(1, 999)}"
    text = written if item.required or chance.random() > DECLINES else ""
    return TrueAnswer(text, {"": text})


def _nothing(item: InformationQuestion, chance: random.Random) -> TrueAnswer:
    return TrueAnswer("")


def _consent(item: ConsentQuestion, chance: random.Random) -> TrueAnswer:
    return TrueAnswer("", {"": "agreed"})


def _each_part(item: RatingQuestion | MatrixQuestion, chance: random.Random) -> TrueAnswer:
    levels = {part: chance.randrange(len(item.levels)) for part in range(1, item.size + 1)}
    return TrueAnswer(rating_code(item, levels), _by_part(levels))


def _ranked(item: RankingQuestion | RankedPairQuestion, chance: random.Random) -> TrueAnswer:
    if item.decline_level is not None and chance.random() < DECLINES:
        return _all_declined(item)
    order = chance.sample(range(len(item.ranked)), len(item.ranked))
    levels = dict(enumerate(order, start=1))
    code = "" if isinstance(item, RankedPairQuestion) else rating_code(item, levels)
    return TrueAnswer(code, _by_part(levels))


def _ticks(item: TicksQuestion, chance: random.Random) -> TrueAnswer:
    if item.decline_level is not None and chance.random() < DECLINES:
        return _all_declined(item)
    parts = range(1, item.size + 1)
    ticked = chance.sample(parts, chance.randint(0, item.most))
    code = rating_code(item, {part: int(part in ticked) for part in parts})
    return TrueAnswer(code, {str(part): "yes" for part in ticked})


def _all_declined(item: TicksQuestion | RankingQuestion | RankedPairQuestion) -> TrueAnswer:
    levels = dict.fromkeys(range(1, item.size + 1), item.decline_level or 0)
    parts = range(1, item.size + 1) if isinstance(item, RankingQuestion) else ()
    return TrueAnswer(rating_code(item, levels), {**{str(p): "" for p in parts}, DECLINED: "yes"})


def _by_part(levels: Mapping[int, int]) -> dict[str, str]:
    return {str(part): f"{level:02d}" for part, level in levels.items()}


TRUE_ANSWERS: Table[[random.Random], TrueAnswer] = Table(
    levels=_one_level,
    long_scale=_one_level,
    paired=_of_two,
    compared=_compared,
    grouped=_of_two,
    long_list=_one_level,
    number=_number,
    text=_text,
    other=_text,
    rating=_each_part,
    information=_nothing,
    consent=_consent,
    ticks=_ticks,
    matrix=_each_part,
    rounded=_rounded,
    day=_day,
    ranking=_ranked,
    ranked_pair=_ranked,
    family=_one_level,
    follow_up=_follow_up,
    counted=_counted,
    picked=_one_level,
)


def direct_code(item: Question, answer: TrueAnswer) -> str | None:
    """What is stored of an answer that is sent as it was given; None where chance draws."""
    if item.is_drawn:
        return None
    return answer.code if item.is_sent else ""
