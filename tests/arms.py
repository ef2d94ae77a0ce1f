"""A survey with arms, and what its respondents send."""

import random

from django.contrib.auth.models import User

from surveys.kinds.levels.promise import Leveled
from surveys.models import Question, Survey
from surveys.questionnaire.document import Questionnaire
from tests.bodies import first_code
from tests.factories import BIRTHDAY, add_condition, add_question, add_text, launched, make_survey

DIRECT, COINS, COMPARED = "00", "01", "02"
ARMS = "Asked directly: 1\nWith coins: 2\nBy comparing: 1"
STOLEN = "Have you ever stolen?"


def make_arms_draft(owner: User, **fields: object) -> Survey:
    """A draft of three arms: one question asked in three ways, others of all people or of some."""
    draft = make_survey(owner, **{"arms": ARMS, **fields})
    direct = Question.Design.DIRECT
    car = add_question(draft, text="Do you own a car?", design=direct, required=True)
    add_question(draft, text=STOLEN, design=direct, arms="Asked directly", required=True)
    add_question(draft, text=STOLEN, arms="With coins", required=True)
    add_question(
        draft,
        text=STOLEN,
        arms="By comparing",
        required=True,
        design=Question.Design.CROSSWISE,
        harmless=BIRTHDAY,
        harmless_yes="1/4",
    )
    price = add_question(
        draft,
        text="What did your car cost?",
        kind=Question.Kind.NUMBER,
        design=direct,
        minimum=0,
        maximum=99,
        arms="with coins | By comparing",
    )
    add_condition(price, car)
    add_text(draft, text="What did you steal?", arms="Asked directly")
    add_question(draft, text="Have you lied today?", required=True)
    return draft


def make_arms_survey(owner: User, **fields: object) -> Survey:
    return launched(make_arms_draft(owner, **fields))


def codes_in(
    questionnaire: Questionnaire,
    arm: str,
    *,
    own_coin: bool = False,
    chance: random.Random | None = None,
) -> list[str]:
    """What a person in this arm sends: the first answer to each question, or a random one."""
    codes = [_code(item, own_coin, chance) for item in questionnaire.items]
    asked = questionnaire.routes.asked_of([*codes, arm])
    return [
        code
        if one
        else ("" if own_coin else item.encode(""))
        if item.text_bytes
        else item.not_asked
        for item, code, one in zip(questionnaire.items, codes, asked, strict=True)
    ]


def _code(item, own_coin: bool, chance: random.Random | None) -> str:
    if chance is None or not isinstance(item, Leveled):
        return first_code(item, own_coin=own_coin)
    return chance.choice(item.reported_levels).code


LISTED = "How many of these have you done?"


def make_list_experiment(owner: User, **fields: object) -> Survey:
    """A draft of two arms: three statements are counted in one, these and one more in the other."""
    draft = make_survey(owner, arms="Short list: 1\nLong list: 1")
    for arm, most in (("Short list", 3), ("Long list", 4)):
        options = [str(number) for number in range(most + 1)]
        common = {"kind": Question.Kind.SCALE, "required": True, "design": "direct"}
        question = {"text": LISTED, "arms": arm, **common, **fields}
        add_question(draft, *options, **question)
    return draft
