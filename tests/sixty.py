"""A survey of sixty questions: every kind that one page can hold, three arms, every way of hiding.

Long lists and subsets of the protected questions are left out: a page that ran their scripts too
would have more than 800 lines, and rules refuse subsets. ``tests.factories`` has surveys of both.
"""

import datetime
import random
from collections.abc import Sequence
from decimal import Decimal

from django.contrib.auth.models import User
from django.utils import timezone

from surveys.kinds.day.promise import DayQuestion
from surveys.kinds.levels.promise import Leveled
from surveys.kinds.number.promise import NumberQuestion
from surveys.kinds.ranking.promise import RankingQuestion
from surveys.kinds.text.promise import TextQuestion
from surveys.kinds.ticks.promise import TicksQuestion
from surveys.models import Question, Survey
from surveys.models.queries import questionnaire_of
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.kinds.parts import SlottedQuestion
from surveys.questionnaire.kinds.question import Question as PromisedQuestion
from surveys.trust.keyfiles import PrivateKey
from tests.arms import ARMS, LISTED, STOLEN
from tests.bodies import body_of, rating_code
from tests.factories import (
    BIRTHDAY,
    MOTHER,
    add_condition,
    add_day,
    add_long_scale,
    add_matrix,
    add_other,
    add_pages,
    add_question,
    add_ranking,
    add_rating,
    add_rounded,
    add_text,
    add_ticks,
    add_trust,
    launched,
    make_survey,
)
from tests.families import add_family
from tests.surveys.authoring.text_keys import add_key
from tests.translated import translate_all

COUNT = 60
ARM_CODES = ("00", "01", "02")
KINDS, DESIGNS = Question.Kind, Question.Design
DIRECT = {"design": DESIGNS.DIRECT}
REQUIRED = {"required": True}
QUOTING = "Did you lie about {your answer to question 5} today?"


def make_sixty_draft(
    owner: User, *languages: str, quotes: bool = False, **fields: object
) -> Survey:
    """The draft, in English and these languages; with a quote, or with random order.

    Both would be one file more than a page may run.
    """
    also_in = {"also_in": " ".join(languages)} if languages else {}
    draft = make_survey(owner, **{"arms": ARMS, **also_in, **fields})
    car, age = _add_beginning(draft)
    _add_ruled(draft, car, age)
    _add_several(draft)
    _add_designs(draft)
    _add_behind(draft, car)
    _add_in_arms(draft, car)
    add_trust(draft)
    if quotes:
        draft.questions.update(random_options=False, random_screens=False, random_section=False)
        draft.questions.filter(position=7).update(text=QUOTING)
    translate_all(draft, *languages)
    return draft


def make_sealed_sixty(owner: User, *languages: str, keys: Sequence[PrivateKey]) -> Survey:
    """The same but for random order and rated items, whose texts the page seals for these keys.

    It runs two files more, and all together would be too many. Answers are opened at the close.
    """
    last_day = timezone.now().date() + datetime.timedelta(days=30)
    draft = make_sixty_draft(owner, *languages, opening="close", close_on=last_day)
    draft.questions.filter(kind=KINDS.RATING).delete()
    draft.questions.update(random_options=False, random_screens=False, random_section=False)
    for layer, key in enumerate(keys, start=1):
        add_key(draft, key, layer)
    return launched(draft)


def make_sixty(owner: User, *languages: str, quotes: bool = False, **fields: object) -> Survey:
    return launched(make_sixty_draft(owner, *languages, quotes=quotes, **fields))


def _add_beginning(draft: Survey) -> tuple[Question, Question]:
    """1 to 8: pages, unprotected answers that rules and quotes read. Returns car and age."""
    add_pages(draft)
    draft.questions.filter(position=0).update(section="About you", section_text="A few lines.")
    car = add_question(draft, text="Do you own a car?", **DIRECT)
    age = add_question(
        draft, text="How old are you?", kind=KINDS.NUMBER, minimum=18, maximum=99, **DIRECT
    )
    add_other(draft, random_options=True)  # 5 and 6
    add_text(draft, text="What do you call a friend?", longest=60)
    add_question(draft, text="Did you lie about your answer today?", **REQUIRED)
    return car, age


def _add_ruled(draft: Survey, car: Question, age: Question) -> None:
    """9 to 17: asked by unprotected answers."""
    drunk = add_question(
        draft, text="Have you driven drunk?", section="By your answers", **REQUIRED
    )
    mood = add_question(
        draft, "Bad", "Good", text="How is school?", kind=KINDS.CHOICE, **DIRECT, **REQUIRED
    )
    add_condition(mood, age, "less", "30")
    ticket = add_question(
        draft,
        text="How much is a bus ticket?",
        kind=KINDS.NUMBER,
        minimum=0,
        maximum=10,
        decimal_places=1,
        **DIRECT,
        **REQUIRED,
    )
    add_condition(ticket, car, "is_not")
    which = add_text(draft, text="Which car?", **REQUIRED)
    rated = add_rating(draft, size=3, text="How good are these cars?", **REQUIRED)
    add_condition(rated, age, "most", "60")
    fled = add_question(
        draft,
        text="Have you fled from an accident?",
        design=DESIGNS.UNRELATED_SHOWN,
        p_sensitive="2/3",
        harmless=BIRTHDAY,
        harmless_yes="1/4",
        rule_joins="any",
        **REQUIRED,
    )
    add_condition(fled, mood, value="Good")
    ticks = add_ticks(draft, text="How did you travel today?", most=2, **DIRECT, required=False)
    late = add_question(draft, text="Were you late?", **DIRECT, same_screen=True)
    add_condition(late, ticks, "marked", "2")
    page = add_question(draft, text="About cars", kind="info", help="Nothing is sent.", **DIRECT)
    for question in (drunk, which, rated, fled, page):
        add_condition(question, car)


def _add_several(draft: Survey) -> None:
    """18 to 30: several answers, numbers, dates, orders, scales."""
    mixed = {"random_options": True}
    add_ticks(draft, section="Several answers", random_screens=True, random_section=True, **mixed)
    add_ticks(draft, *"abc", text="Which of these?", design=DESIGNS.K_ARY, epsilon=2, shown=3)
    add_matrix(draft, **mixed)
    add_matrix(draft, text="And last year?", **DIRECT, required=False)
    add_rounded(draft)
    add_day(draft)
    first, last = datetime.date(2025, 1, 1), datetime.date(2025, 12, 31)
    add_day(
        draft,
        text="When were you ill?",
        design=DESIGNS.TWO_COINS,
        first_day=first,
        last_day=last,
        **REQUIRED,
    )
    add_ranking(draft, "Tea", "Milk", "Juice", **mixed)
    add_ranking(draft, "North", "South", "West", text="Where?", **DIRECT, required=False)
    add_long_scale(draft)
    add_rating(draft, text="How good is it, truly?", design=DESIGNS.K_ARY, epsilon=3, **REQUIRED)
    add_question(
        draft,
        text="How warm is it?",
        kind=KINDS.NUMBER,
        minimum="-5.5",
        maximum=40,
        decimal_places=1,
        **DIRECT,
    )
    add_question(
        draft,
        *("Never", "Once", "Often"),
        text="How often did you drive drunk?",
        kind=KINDS.SCALE,
        design=DESIGNS.K_ARY,
        epsilon=Decimal("1.5"),
    )


def _add_designs(draft: Survey) -> None:
    """31 to 38: the designs of single answers, and an anchor."""
    share = {"harmless_yes": "1/4", **REQUIRED}
    add_question(
        draft,
        text="Did you ever lie to a doctor?",
        design=DESIGNS.WARNER,
        p_sensitive="3/4",
        section="Harder questions",
        random_section=True,
        **REQUIRED,
    )
    hit, diary = "Have you hit a parked car and left?", "Have you read somebody's diary?"
    add_question(draft, text=hit, design=DESIGNS.UNRELATED, p_sensitive="2/3", **share)
    shown = {"design": DESIGNS.UNRELATED_SHOWN, "p_sensitive": "2/3"}
    add_question(draft, text=diary, harmless="Is it an even day?", **shown, **share)
    crosswise = {"design": DESIGNS.CROSSWISE, **share}
    add_question(draft, text="Did you ever hit a child?", harmless=MOTHER, **crosswise)
    moon = {"text": "Were you on the moon last week?", "known_share": "0"}
    add_question(draft, harmless="Was your father born in spring?", **moon, **crosswise)
    add_question(
        draft,
        text="Have you taken a bribe?",
        design=DESIGNS.TWO_GROUPS,
        p_sensitive="3/4, 1/4",
        harmless="Do you like the taste of liquorice?",
        harmless_yes="1/4, 3/4",
        **REQUIRED,
    )
    add_question(
        draft,
        text="Do you cheat at cards?",
        design=DESIGNS.CHANNEL_MATRIX,
        channel="5/8, 1/4, 1/8\n1/4, 5/8, 1/8\n1/8, 1/8, 3/4",
    )
    forced = {"design": DESIGNS.FORCED_RESPONSE, "forced": "1/6, 1/6", **REQUIRED}
    add_question(draft, text="Did you cheat on taxes?", **forced)


def _add_behind(draft: Survey, car: Question) -> None:
    """39 to 50: two families, and reports of their own behind protected answers."""
    family = add_family(draft, section="Step by step")
    page = add_question(
        draft, text="You can get help", kind="info", help="Call.", same_screen=False, **DIRECT
    )
    add_condition(page, family[-1])
    raced = add_question(draft, text="Have you raced?", **REQUIRED)
    add_condition(raced, car)
    won = add_question(draft, text="Did you win?", **REQUIRED)
    add_condition(won, raced)
    stolen = add_question(draft, text="Have you stolen a thing?", **REQUIRED)
    fun = add_question(
        draft, "Fun", "Need", text="What for?", kind=KINDS.CHOICE, behind="own", **REQUIRED
    )
    warner = {"design": DESIGNS.WARNER, "p_sensitive": "3/4"}
    caught = add_question(draft, text="Were you caught?", behind="counts", **warner, **REQUIRED)
    both = add_question(draft, text="Was it a car?", behind="counts", **REQUIRED)
    for question in (fun, caught, both):
        add_condition(question, stolen)
    add_condition(both, car)
    paid = add_question(draft, text="Did you pay?", behind="own", **REQUIRED)
    add_condition(paid, caught)


def _add_in_arms(draft: Survey, car: Question) -> None:
    """51 to 58: asked in some arms, one of them by an answer too; a list experiment."""
    direct, coins, compared = (line.partition(":")[0] for line in ARMS.splitlines())
    add_question(draft, text=STOLEN, arms=direct, section="By chance", **DIRECT, **REQUIRED)
    add_question(draft, text=STOLEN, arms=coins, **REQUIRED)
    crosswise = {"design": DESIGNS.CROSSWISE, "harmless": "Is it raining?", "harmless_yes": "1/4"}
    add_question(draft, text=STOLEN, arms=compared, **crosswise, **REQUIRED)
    price = add_question(
        draft,
        text="What did your car cost?",
        kind=KINDS.NUMBER,
        minimum=0,
        maximum=99,
        arms=f"{coins} | {compared}",
        **DIRECT,
    )
    add_condition(price, car)
    add_text(draft, text="What did you steal?", arms=direct)
    counted = {"text": LISTED, "kind": KINDS.SCALE, **DIRECT, **REQUIRED}
    add_question(draft, *"0123", arms=direct, **counted)
    add_question(draft, *"01234", arms=coins, **counted)
    add_ticks(draft, text="How did you travel in May?", arms=compared)


def random_codes(
    questionnaire: Questionnaire, arm: str, chance: random.Random, *, own_coin: bool = False
) -> list[str]:
    """What a person in this arm may send, each answer drawn among all; by rules, some left out."""
    codes = [_random_code(item, chance, own_coin) for item in questionnaire.items]
    asked = questionnaire.routes.asked_of([*codes, arm])
    return [
        code if one else _left_out(item, own_coin)
        for item, code, one in zip(questionnaire.items, codes, asked, strict=True)
    ]


def _left_out(item: PromisedQuestion, own_coin: bool) -> str:
    return item.encode("") if isinstance(item, TextQuestion) and not own_coin else item.not_asked


def _random_code(item: PromisedQuestion, chance: random.Random, own_coin: bool) -> str:
    if own_coin and not item.is_offered_with_own_coin:
        return item.not_asked
    if isinstance(item, SlottedQuestion):
        return _random_slots(item, chance)
    if isinstance(item, NumberQuestion):
        number = item.number
        low, high = (int(Decimal(bound).scaleb(number.decimal_places)) for bound in number.bounds)
        drawn = Decimal(chance.randint(low, high)).scaleb(-number.decimal_places)
        declined = [] if item.required else [number.declined]
        least = number.encode(Decimal(number.minimum))
        return chance.choice([number.encode(drawn), least, *declined])
    if isinstance(item, DayQuestion):
        declined = item.not_asked if own_coin else item.declined
        return chance.choice([item.days.first, item.days.last, declined])
    if isinstance(item, TextQuestion):
        return "x" if own_coin else item.encode(chance.choice("xyé") * chance.randint(1, 60))
    return chance.choice(item.reported_levels).code if isinstance(item, Leveled) else ""


def _random_slots(item: SlottedQuestion, chance: random.Random) -> str:
    numbers = sorted(chance.sample(range(1, item.size + 1), item.slots))
    if item.decline_level is not None and not item.is_randomized and chance.random() < 0.2:
        return rating_code(item, dict.fromkeys(numbers, item.decline_level))
    if isinstance(item, RankingQuestion):
        ranks = chance.sample(range(item.size), item.size)
        return rating_code(item, dict(zip(numbers, ranks, strict=True)))
    answers = [n for n in range(len(item.levels)) if item.is_randomized or n != item.decline_level]
    levels = {number: chance.choice(answers) for number in numbers}
    if isinstance(item, TicksQuestion) and not item.is_randomized:
        ticked = chance.sample(numbers, chance.randint(0, item.most))
        levels = {number: int(number in ticked) for number in numbers}
    return rating_code(item, levels)


def random_bodies(survey: Survey, count: int, *, own_coin: bool = False) -> list[bytes]:
    """Bodies of people in all arms, one after the other; the same in every run."""
    chance, questionnaire = random.Random(count), questionnaire_of(survey.revision)
    return [
        body_of(
            survey.revision,
            random_codes(questionnaire, arm, chance, own_coin=own_coin),
            arm=arm,
            own_coin=own_coin,
        )
        for arm in (ARM_CODES[number % len(ARM_CODES)] for number in range(count))
    ]
