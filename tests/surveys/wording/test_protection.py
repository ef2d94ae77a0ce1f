"""What the pages say about the protection, computed from the channel."""

import re
from dataclasses import replace
from fractions import Fraction

import pytest

from surveys.kinds.levels.promise import Level, LevelQuestion, level_code
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.kinds.question import Hidden, Question
from surveys.randomized_response.designs import Design, ForcedResponseOptions, KAry, TwoCoins
from surveys.randomized_response.drawing import Device, recipe_for
from surveys.wording.channels import channel_rows
from surveys.wording.protection import (
    direct_questions,
    least_protected,
    odds_lines,
    total_odds,
)
from surveys.wording.recipes import recipe_steps


def item(design: Design | None, *texts: str, kind: str = "choice") -> LevelQuestion:
    """A question through this design; yes or no are shown with Yes first."""
    levels = tuple(Level(level_code(place), text) for place, text in enumerate(texts))
    order = list(range(len(levels)))
    if kind == "yes_no":
        order[:2] = [1, 0]
    stored = design.channel.integer_weights() if design else None
    return LevelQuestion(
        id="",
        text="?",
        help="",
        required=True,
        kind=kind,
        design="",
        levels=levels,
        display=tuple(order),
        weights=stored.weights if stored else (),
        denominator=stored.denominator if stored else 1,
    )


def forced(*shares: str) -> ForcedResponseOptions:
    return ForcedResponseOptions(tuple(map(Fraction, shares)))


def yes_no(design: Design | None = None) -> LevelQuestion:
    return item(design or TwoCoins(2), "No", "Yes", kind="yes_no")


def survey(*items: Question) -> Questionnaire:
    return Questionnaire("T", "I", "O", "C", 1, items)


def sentences(one: Question) -> str:
    (line,) = odds_lines(survey(one))
    return " ".join(line.sentences)


def test_two_coins_are_told_as_in_the_design():
    assert sentences(yes_no()) == (
        "Of 100 people whose answer is No, about 25 send Yes anyway, so a Yes proves little."
    )


def test_a_report_that_says_more_is_not_called_harmless():
    assert "so a Yes proves something" in sentences(yes_no(forced("1/10", "1/10")))
    assert "so a Yes says a lot" in sentences(yes_no(forced("1/100", "1/100")))


def test_a_rare_forced_answer_is_counted_among_more_people():
    line = sentences(yes_no(forced("1/2000", "1/2000")))
    assert line.startswith("Of 10,000 people whose answer is No, about 5 send Yes anyway")


def test_an_uneven_design_tells_both_sides():
    line = sentences(yes_no(forced("1/6", "1/3")))
    assert "whose answer is No, about 33 send Yes" in line
    assert "whose answer is Yes, about 17 send No" in line


def test_more_options_are_told_by_the_report_that_gives_most_away():
    line = sentences(item(forced("1/4", "1/8", "1/8"), "Bus", "Car", "Foot"))
    assert line.startswith("Of 100 people with any other answer, about 12 send “Car” anyway")


def test_questions_with_the_same_channel_share_one_line():
    lines = odds_lines(survey(yes_no(), yes_no(), yes_no(forced("1/6", "1/6")), yes_no()))
    assert [line.questions for line in lines] == ["Questions 1, 2 and 4", "Question 3"]


def test_the_line_that_everybody_reads_is_that_of_the_least_protected_question():
    light, lighter = yes_no(forced("1/10", "1/10")), yes_no(forced("1/100", "1/100"))
    questionnaire = survey(yes_no(), light, lighter)
    least = least_protected(questionnaire)
    assert least == odds_lines(questionnaire)[2]
    assert "says a lot" in least.sentences[0]
    assert least.questions == "Question 3"
    assert least_protected(survey(item(None, "No", "Yes"))) is None


@pytest.mark.parametrize(
    ("design", "told"), [("1/6, 1/3", "a No proves"), ("1/3, 1/6", "a Yes proves")]
)
def test_of_two_sides_everybody_reads_the_one_that_proves_more(design, told):
    uneven = yes_no(forced(*design.split(", ")))
    (line,) = least_protected(survey(uneven)).sentences
    assert told in line
    assert line in odds_lines(survey(uneven))[0].sentences


def test_questions_in_a_row_are_named_by_the_first_and_the_last():
    direct = item(None, "No", "Yes")
    questions = [yes_no(), *[direct] * 3, yes_no(), direct, *[yes_no()] * 2, *[direct] * 9]
    told = "Questions 2 to 4, 6 and 9 to 17"
    assert direct_questions(survey(*questions)) == told
    assert direct_questions(survey(*[direct] * 3)) == "Questions 1 to 3"
    assert direct_questions(survey(*[direct] * 2)) == "Questions 1 and 2"


def test_direct_questions_are_named_as_not_protected():
    direct = item(None, "No", "Yes")
    assert direct_questions(survey(yes_no(), direct)) == "Question 2"
    assert direct_questions(survey(yes_no())) == ""
    assert "Nothing is protected" in total_odds(survey(direct))


def test_the_protection_of_all_answers_together_is_the_product_of_the_odds():
    assert "your protected answer can" in total_odds(survey(yes_no()))
    assert "2 protected answers together" in total_odds(survey(yes_no(), yes_no()))
    assert "at most 9-fold" in total_odds(survey(yes_no(), yes_no()))
    assert "at most 243-fold" in total_odds(survey(*[yes_no()] * 5))
    assert "more than a million-fold, which is hardly any protection" in total_odds(
        survey(*[yes_no()] * 13)
    )


def test_the_channel_table_is_in_the_order_of_the_page():
    rows = channel_rows(yes_no(forced("1/6", "1/3")))
    assert [(row.truth, row.shares) for row in rows] == [
        ("Yes", ("83.3", "16.7")),
        ("No", ("33.3", "66.7")),
    ]


RECIPES = [
    (
        yes_no(),
        "Flip a coin. Heads: answer truthfully. "
        "Tails: flip it again. Then heads: choose “Yes”; tails: choose “No”.",
    ),
    (
        item(TwoCoins(3), "No", "Yes", "Prefer not to say", kind="yes_no"),
        "Flip a coin. Heads: answer truthfully. Tails: throw a die. "
        "Then 1–2: choose “Yes”; 3–4: choose “No”; 5–6: choose “Prefer not to say”.",
    ),
    (
        yes_no(forced("1/6", "1/6")),
        "Throw a die. 1–4: answer truthfully; 5: choose “Yes”; 6: choose “No”.",
    ),
    (
        item(TwoCoins(4), "A", "B", "C", "D"),
        "Flip a coin. Heads: answer truthfully. Tails: flip a coin twice (H is heads, T is tails). "
        "Then HH: choose “A”; HT: choose “B”; TH: choose “C”; TT: choose “D”.",
    ),
    (
        item(KAry(3, Fraction(4, 5)), "A", "B", "C"),
        "Take the last digit of the serial number of a banknote that you have not used here yet, "
        "or the next digit of a printed table of random digits. "
        "0–6: answer truthfully; 7: choose “A”; 8: choose “B”; 9: choose “C”.",
    ),
]


@pytest.mark.parametrize(("question", "words"), RECIPES)
def test_recipes_read_as_instructions(question, words):
    assert " ".join(recipe_steps(question)) == words


DESIGNS = {
    Device.COIN: forced("1/2", "0"),
    Device.TWO_COINS: forced("1/4", "0"),
    Device.DIE: forced("1/6", "1/6"),
    Device.THREE_COINS: forced("1/8", "1/8"),
    Device.DIGIT: forced("1/10", "1/10"),
    Device.TWO_DICE: forced("1/36", "5/36"),
    Device.TWO_DIGITS: forced("1/100", "7/100"),
    Device.THREE_DIGITS: forced("1/1000", "7/1000"),
}
READINGS = {
    Device.COIN: {"heads", "tails"},
    Device.TWO_COINS: {a + b for a in "HT" for b in "HT"},
    Device.DIE: set("123456"),
    Device.THREE_COINS: {a + b + c for a in "HT" for b in "HT" for c in "HT"},
    Device.DIGIT: set("0123456789"),
    Device.TWO_DICE: {a + b for a in "123456" for b in "123456"},
    Device.TWO_DIGITS: {f"{n:02d}" for n in range(100)},
    Device.THREE_DIGITS: {f"{n:03d}" for n in range(1000)},
}


def readings(words: str, device: Device) -> dict[str, set[str]]:
    """Which results of a device lead to which instruction, read as a person reads them."""
    found: dict[str, set[str]] = {}
    for outcomes, told in re.findall(r"(?:^|; )([^;:]+): ([^;.]+)", words):
        chosen = found.setdefault(told, set())
        for part in re.split(r", | or ", outcomes):
            first, _, last = part.lower().partition("–") if "–" in part else (part, "", part)
            chosen |= {
                result
                for result in READINGS[device]
                if first.lower() <= result.lower() <= last.lower()
            }
    return found


@pytest.mark.parametrize("device", DESIGNS)
def test_every_result_of_every_device_leads_to_exactly_one_instruction(device):
    question = yes_no(DESIGNS[device])
    recipe = recipe_for(question.integer_channel, question.display)
    assert recipe is not None
    assert recipe.device is device
    told = readings(recipe_steps(question)[-1], device)
    results = [result for chosen in told.values() for result in chosen]
    assert sorted(results) == sorted(READINGS[device])
    for report, level in (("choose “Yes”", 1), ("choose “No”", 0)):
        share = Fraction(len(told.get(report, ())), device.value)
        assert share == DESIGNS[device].channel.rows[level][1 - level]


def test_a_channel_without_chance_needs_no_coin():
    certain = replace(yes_no(), weights=((1, 0), (0, 1)), denominator=1)
    assert recipe_steps(certain) == ["Answer truthfully."]


def test_a_decline_that_says_most_gets_a_sentence_of_its_own():
    texts = ("No", "Yes", "Prefer not to say")
    declinable = item(forced("3/10", "3/10", "1/100"), *texts, kind="yes_no")
    levels = (*declinable.levels[:2], replace(declinable.levels[2], declines=True))
    assert "Prefer not to say" in sentences(replace(declinable, levels=levels))


def test_a_does_not_apply_that_says_most_gets_a_sentence_of_its_own():
    texts = ("No", "Yes", "Does not apply")
    alone = item(forced("3/10", "3/10", "1/100"), *texts, kind="yes_no")
    hidden = replace(alone, hidden=Hidden(2, is_own=True))
    told = "about 1 send “Does not apply” anyway"
    assert told in sentences(hidden)
    assert "says a lot" in sentences(hidden)
    least = least_protected(survey(hidden))
    assert least is not None
    assert told in " ".join(least.sentences)
