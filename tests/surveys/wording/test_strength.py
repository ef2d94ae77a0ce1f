"""Practice, checks, own coin and receipt promise what the first page does, and never more."""

import math
import re
from html import unescape

import pytest
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import translation

from surveys.authoring.drafts import draft_questionnaire
from surveys.collecting.rows import own_coin_context, page_context
from surveys.models.queries import questionnaire_of
from surveys.wording.learning import learning_note, strength, who_learns
from surveys.wording.protection import total_odds
from tests.bodies import body_of
from tests.factories import add_long_list, add_long_scale, add_question, launched, make_survey
from tests.posting import post
from tests.surveys.questionnaire.kinds.test_two_questions import CROSSWISE, SHOWN
from tests.surveys.wording.test_learning import k_ary
from tests.surveys.wording.test_protection import forced, item, survey, yes_no

LANGUAGES = ("en", "de", "fr", "es", "ar")
# Of each word of the first page's table, a survey; the third is the one of 3,240-fold odds.
STRONG = survey(yes_no(), yes_no())
SURVEYS = {
    "No": STRONG,
    "Not for sure": survey(*[yes_no()] * 4),
    "Not for sure, lightly": survey(yes_no(forced("1/10", "1/10"))),
    "Partly": survey(*[k_ary(math.log(3240) / 4)] * 4),
    "Yes": survey(*[yes_no()] * 20),
}
TEMPLATES = ("_practice", "_checks")
# What pages say only where the table says "No".
SAFE = (
    "So a single Yes or No proves little about you.",
    "Right. The coins protect the truth; only true answers make the result useful.",
    "Not quite: the coins protect you already. A made-up answer only blurs the result. Please try "
    "once more.",
    "The answer is Yes: the coins protect you already, and only true answers make the result "
    "useful.",
    "The coin protects you.",
    "by coin or by truth; no one can tell which",
)


def rendered(name: str, context: dict[str, object]) -> str:
    return plain(render_to_string(f"surveys/collecting/{name}.html", context))


def plain(page: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", page)).split())


def folded(sentence: str) -> str:
    """A sentence as it stands within another one."""
    return sentence.rstrip(".").lower()


def test_the_survey_of_the_third_word_has_the_odds_that_its_page_says():
    assert who_learns(SURVEYS["Partly"]) == "Partly"
    assert "at most 3,240-fold" in total_odds(SURVEYS["Partly"])


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", SURVEYS)
def test_pages_after_the_first_say_what_its_table_says(name, language):
    questionnaire = SURVEYS[name]
    with translation.override(language):
        said = strength(questionnaire)
        note = learning_note(questionnaire)
        assert bool(said) == bool(note) == (name != "No")
        assert folded(said) in folded(note)
        pages = [rendered(one, page_context(questionnaire, None)) for one in TEMPLATES]
        if questionnaire.own_coin.is_offered:
            pages.append(rendered("own_coin", own_coin_context(questionnaire, "r")))
        for page in pages:
            assert said in page
        for sentence in SAFE[:5]:
            own = translation.gettext(sentence)
            assert any(own in page for page in pages) == (name == "No"), own


@pytest.mark.parametrize("name", SURVEYS)
def test_no_page_says_that_an_answer_proves_nothing(name):
    context = page_context(SURVEYS[name], None)
    for page in TEMPLATES:
        assert "proves anything" not in rendered(page, context)
        assert "no one can know" not in rendered(page, context)


@pytest.mark.django_db
@pytest.mark.one_database
@pytest.mark.parametrize("others", [0, 12])
@pytest.mark.parametrize(
    ("add", "words"),
    [
        (add_long_list, "no one can tell"),
        (add_long_scale, "no one can tell"),
        (
            lambda draft: add_question(draft, required=True, **CROSSWISE),
            "Only someone who knows your answer to the second question can work out",
        ),
    ],
)
def test_a_question_says_that_nobody_can_tell_only_in_a_survey_that_hides(
    owner, client, add, words, others
):
    draft = make_survey(owner)
    add(draft)
    for number in range(others):
        add_question(draft, text=f"Habit {number}?", required=True)
    asked = launched(draft)
    start = plain(client.get(reverse("respondent:start", args=[asked.pk])).content.decode())
    assert (words in start) == (not others) == (not strength(questionnaire_of(asked.revision)))


@pytest.mark.django_db
@pytest.mark.one_database
def test_a_second_question_limits_the_practice_too(owner):
    draft = make_survey(owner)
    add_question(draft, required=True, **{**SHOWN, "p_sensitive": "1/2"})
    questionnaire = draft_questionnaire(draft)
    assert who_learns(questionnaire) == "Not from this"
    limit = (
        "What is said here is true of people who do not know your answer to the second question."
    )
    assert limit in rendered("_practice", page_context(questionnaire, None))
    assert limit not in rendered("_practice", page_context(STRONG, None))


@pytest.mark.django_db
@pytest.mark.one_database
@pytest.mark.parametrize(("questions", "word"), [(2, "No"), (6, "Partly"), (12, "Yes")])
def test_a_receipt_is_as_strong_as_the_first_page(owner, client, questions, word):
    draft = make_survey(owner)
    for number in range(questions):
        add_question(draft, text=f"Habit {number}?", required=True)
    asked = launched(draft)
    start = plain(client.get(reverse("respondent:start", args=[asked.pk])).content.decode())
    assert f"answer? {word} The researchers " in start
    body = body_of(asked.revision, ["00"] * questions)
    receipt = plain(post(asked, body, client).content.decode())
    assert strength(questionnaire_of(asked.revision)) in receipt
    assert (SAFE[5] in receipt) == (word == "No")
    assert receipt.count("by coin or by truth") == questions


def test_before_send_all_true_answers_stay_only_where_each_of_them_is_randomized():
    alone = rendered("_send", page_context(survey(yes_no(), yes_no()), None))
    assert "Your true answers stay in this browser and are never sent." in alone
    mixed = rendered("_send", page_context(survey(yes_no(), item(None, "No", "Yes")), None))
    assert "Your true answers to questions that your browser protects stay" in mixed
    assert "Every other answer is sent as you gave it." in mixed
