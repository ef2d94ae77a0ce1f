"""The list of questions says what answers tell, and its buttons lead out of weak protection."""

import html
import re

import pytest
from django.urls import reverse

from surveys.models import Membership, Survey
from tests.factories import add_question, launched, make_survey, make_user
from tests.families import add_family, make_family_draft
from tests.surveys.authoring.editor.lists import list_page

MOST_OPERATIONS = 10


def page_of(client, survey: Survey) -> str:
    return html.unescape(client.get(list_page(survey)).content.decode())


def in_table(word: str) -> str:
    """What stands above the list."""
    return f"In the table that shows who can learn their true answers, respondents read “{word}”."


def buttons(page: str) -> dict[str, str]:
    """What each button of protection sends, by its words."""
    found = re.findall(r'form="protection" name="_way"\s+value="([^"]+)">([^<]+)<', page)
    return {words: code for code, words in found}


@pytest.fixture
def module(author) -> Survey:
    """Twenty questions: four protected ones with follow-ups, and twelve asked directly."""
    draft = make_survey(author)
    for number in range(4):
        add_question(draft, text=f"Fact {number}?", design="direct")
    for _ in range(4):
        add_family(draft)
    assert draft.questions.count() == 20
    return draft


def test_a_module_of_twenty_that_says_partly_says_not_for_sure_after_one_button(admin, module):
    page = page_of(admin, module)
    assert in_table("Partly") in page
    [code, _] = [code for words, code in buttons(page).items() if words.startswith("Protect more")]
    page = admin.post(list_page(module), {"_way": code}, follow=True).content.decode()
    assert "-fold, and respondents read “Not for sure”." in page
    assert in_table("Not for sure") in page


def test_follow_ups_are_left_out_one_by_one_until_the_word_is_better(admin, module):
    """Two operations each: the button, and the question whether to delete."""
    operations = 0
    while in_table("Partly") in (page := page_of(admin, module)):
        words, code = min(
            (one for one in buttons(page).items() if one[0].startswith("Leave out question")),
            key=lambda one: len(one[0]),
        )
        asked = html.unescape(admin.post(list_page(module), {"_way": code}).content.decode())
        assert f"{words}?" in asked
        admin.post(list_page(module), {"_way": code, "_sure": "1"})
        operations += 2
    assert operations <= MOST_OPERATIONS
    assert in_table("Not for sure") in page


def test_nothing_is_deleted_before_it_was_confirmed(admin, module):
    page = page_of(admin, module)
    code = next(code for words, code in buttons(page).items() if "Leave out questions" in words)
    asked = html.unescape(admin.post(list_page(module), {"_way": code}).content.decode())
    assert "These questions will be deleted" in asked
    assert "How often did you steal?" in asked
    assert module.questions.count() == 20


def test_of_a_family_each_row_says_what_it_tells_together_and_on_its_own(admin, author):
    page = page_of(admin, make_family_draft(author))
    odds = "2.08 (the odds of a guess about a person change at most 8-fold)"
    assert f"{odds}; epsilon of this question only, without its follow-ups: 1.39" in page
    assert "sent as one answer with question 2; epsilon of this question only: 1.10" in page
    assert page.count("not protected: answers are sent as given") == 1
    assert page.count("nothing is sent") == 1


def test_no_button_of_protection_is_pressed_by_enter_in_a_number(admin, module):
    """They belong to a form of their own, in which there is no field to type into."""
    page = page_of(admin, module)
    ways = re.findall(r"<button[^>]*>", page)
    assert all('form="protection"' in button for button in ways if "_way" in button)
    form = re.search(r'<form method="post" id="protection">(.*?)</form>', page, re.DOTALL)
    assert re.findall(r'<input type="(\w+)"', form[1]) == ["hidden"]


@pytest.mark.parametrize("role", ["analyst", "editor", None])
def test_who_may_edit_sees_the_buttons(client, module, role):
    member = make_user("member")
    if role:
        Membership.objects.create(survey=module, user=member, role=role)
    client.force_login(member)
    page = page_of(client, module)
    assert bool(buttons(page)) == (role == "editor")
    status = client.post(list_page(module), {"_way": "draw 1 of 4"}).status_code
    assert status == {"editor": 302, "analyst": 403, None: 404}[role]


def test_a_launched_survey_says_its_word_without_buttons(admin, module):
    page = page_of(admin, launched(module))
    assert in_table("Partly") in page
    assert not buttons(page)


def test_what_no_button_sends_changes_nothing(admin, author):
    draft = make_family_draft(author)
    for code in ("", "draw 1", "without", "☃", "without 0", "x" * 10_000):
        for sure in ({}, {"_sure": "1"}):
            reply = admin.post(list_page(draft), {"_way": code, **sure}, follow=True)
            assert (
                "because the questions have changed since you opened this list"
                in reply.content.decode()
            )
    assert draft.questions.count() == 7


def test_more_protection_says_whom_no_coin_asks_before_and_after_it_is_chosen(admin, author):
    """An epsilon has no recipe for a coin, where two coins are their own."""
    draft = make_survey(author)
    for text in ("Stolen?", "Lied?", "Copied?", "Cheated?"):
        add_question(draft, text=text, required=True)
    page = page_of(admin, draft)
    numbers = "1, 2, 3, 4"
    said = (
        f"People who use their own coin are not asked questions {numbers}, because coin flips "
        "cannot produce the odds of these questions."
    )
    assert page.count(said) == 1
    [code] = [
        code
        for words, code in buttons(page).items()
        if words.startswith("Protect more (Questions 1 to 4, epsilon 0.75 each)")
    ]
    page = html.unescape(admin.post(list_page(draft), {"_way": code}, follow=True).content.decode())
    assert said in page.partition("Your change was made. Now")[2].partition("</li>")[0]


def test_who_has_a_coin_of_their_own_is_told_of_in_the_list_and_before_launch(admin, author):
    draft = make_survey(author)
    add_question(draft, text="Stolen?", required=True)
    add_question(draft, text="Lied?", required=True, design="k_ary", epsilon="0.5")
    said = (
        "People who use their own coin are not asked question 2, because coin flips cannot produce "
        "the odds of this question."
    )
    assert said in page_of(admin, draft)
    checklist = admin.get(reverse("admin:surveys_survey_checklist", args=[draft.pk]))
    assert said in html.unescape(checklist.content.decode())
