"""P3 and P5 where protected answers decide what is asked: nothing tells who was asked.

A family is one report, as long on every way; the true answers stay in the page, and with chance
held still, people on different ways send the same bytes.
"""

import pytest
from django.contrib.staticfiles.storage import staticfiles_storage

from surveys.models.queries import questionnaire_of
from surveys.questionnaire.submission import body_length, parse
from tests import accessible
from tests.browser import answering
from tests.families import make_family_survey, make_hidden_survey
from tests.posting import receipt_length
from tests.promises.test_p3_truth_stays import ALWAYS_FIRST
from tests.promises.test_p5_rules import BODIES_BY_RULES

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.one_database,
    pytest.mark.one_tab,
    pytest.mark.survey(make=make_family_survey),
]
PATHS = 300
# People answer all questions here, and what their answers hide is left out of what is sent.
BODIES = BODIES_BY_RULES.replace(
    "fieldsets.forEach(answer);\n        if",
    "document.querySelectorAll('fieldset[data-unsent]').forEach(answer);\n"
    "        fieldsets.forEach(answer);\n        if",
).replace("if (!/\\w/.test(area.value)) area.value = 'x';", "")
# Ways from the first question of the family on: to one, two and three answers.
WAYS = {
    "Never": ("Never",),
    "Once, much, and told": ("Once", "Much", "Yes"),
    "Often": ("Often", "No"),
}


def test_random_ways_have_one_length_and_any_report_comes_from_any_way(
    page, server, survey, client
):
    questionnaire = questionnaire_of(survey.revision)
    answering.open_start(page, server, survey)
    module = staticfiles_storage.url("surveys/collecting/send.js")
    bodies = page.evaluate(BODIES, [module, PATHS])
    assert {len(body.encode()) for body in bodies} == {body_length(questionnaire)}
    revision = str(survey.revision.pk)
    sent = [parse(one.encode(), questionnaire=questionnaire, revision=revision) for one in bodies]
    family = questionnaire.items[1]
    reported = {one.codes[1]: body for one, body in zip(sent, bodies, strict=True)}
    assert set(reported) == {level.code for level in family.levels}
    some = {*reported.values(), *bodies[:14]}
    assert len({receipt_length(client, survey, body.encode()) for body in some}) == 1


def walk(page, answers):
    """From the first question to the list before Send, as headings."""
    seen = []
    for answer in ("Yes", *answers, "No"):
        seen.append(answering.heading(page))
        answering.give(page, answer)
        answering.press(page, "Continue")
    return seen


def test_people_on_all_ways_send_the_same_bytes_if_chance_falls_alike(page, server, survey):
    """With every draw 0, each report is the first level, whatever is true: no answer is in it."""
    bodies = set()
    with page.add_init_script(ALWAYS_FIRST):
        for answers in WAYS.values():
            answering.answer_whole_survey(page, server, survey, ("Yes", *answers, "No"))
            bodies.add(answering.raw(page))
            assert "Much" not in page.content()
    assert len(bodies) == 1


def test_follow_ups_are_screens_of_their_own_and_the_list_names_what_was_answered(
    page, server, survey
):
    answering.go_to_questions(page, server, survey)
    seen = walk(page, ("Once", "Much", "Yes"))
    assert seen == [
        "Do you own a car?",
        "How often did you steal?",
        "What was it worth?",
        "Did you tell anybody?",
        "Have you ever lied to a doctor?",
    ]
    shown = answering.step(page).inner_text()
    assert "What was it worth?" in shown
    assert "Much" in shown
    assert "Do you want to stop?" not in shown
    accessible.check(page, "the list with a family")
    page.get_by_role("button", name="Change Question 2").click()
    answering.give(page, "Often")
    answering.press(page, "Back to the list")
    assert answering.heading(page) == "Do you want to stop?"
    accessible.check_narrow(page, "a follow-up")
    answering.give(page, "Yes")
    answering.press(page, "Back to the list")
    shown = answering.step(page).inner_text()
    assert "Do you want to stop?" in shown
    assert "What was it worth?" not in shown
    assert "Much" not in shown
    answering.send(page)
    assert page.locator("table.receipt th[scope=row]").count() == 3


HIDDEN_WAYS = {
    "not stolen": ("No",),
    "not caught": ("Yes", "Fun", "No", "No"),
    "all": ("Yes", "Need", "Yes", "Yes", "Yes"),
}


def test_reports_of_their_own_have_one_length_and_any_report_on_any_way(
    page, server, owner, client
):
    survey = make_hidden_survey(owner)
    questionnaire = questionnaire_of(survey.revision)
    answering.open_start(page, server, survey)
    module = staticfiles_storage.url("surveys/collecting/send.js")
    bodies = page.evaluate(BODIES, [module, PATHS])
    assert {len(body.encode()) for body in bodies} == {body_length(questionnaire)}
    revision = str(survey.revision.pk)
    sent = [parse(one.encode(), questionnaire=questionnaire, revision=revision) for one in bodies]
    reported = {one.codes[2:5]: body for one, body in zip(sent, bodies, strict=True)}
    some = {*reported.values(), *bodies[:14]}
    assert len({receipt_length(client, survey, body.encode()) for body in some}) == 1
    assert {one.codes[2] for one in sent} == {"00", "01", "02"}
    assert {one.codes[3] for one in sent} == {"00", "01"}
    # The unprotected answer alone decides whether the fifth is marked as not asked.
    assert {one.codes[4] for one in sent if one.codes[0] == "00"} == {"--"}
    assert {one.codes[4] for one in sent if one.codes[0] == "01"} == {"00", "01"}


def test_who_is_hidden_from_sends_the_same_bytes_if_chance_falls_alike(page, server, owner):
    survey = make_hidden_survey(owner)
    bodies = set()
    with page.add_init_script(ALWAYS_FIRST):
        for answers in HIDDEN_WAYS.values():
            answering.answer_whole_survey(page, server, survey, ("Yes", *answers))
            bodies.add(answering.raw(page))
            assert page.locator("table.receipt th[scope=row]").count() == 6
    assert len(bodies) == 1


def test_what_is_hidden_goes_through_its_channel_as_the_level_for_that(page, server, owner):
    survey = make_hidden_survey(owner)
    items = questionnaire_of(survey.revision).items
    answering.go_to_questions(page, server, survey)
    answering.give(page, "Yes")
    answering.press(page, "Continue")
    answering.give(page, "No")
    module = staticfiles_storage.url("surveys/collecting/send.js")
    sent = page.evaluate(
        """async (url) => {
            const { bodyOf, read, tell } = await import(url);
            tell('drawing');
            const named = [...document.querySelectorAll('fieldset[data-name]')];
            return named.map(read).map(({ name, code, mark }) => [name, code, mark ?? '']);
        }""",
        module,
    )
    truths = {name: (code, mark) for name, code, mark in sent}
    own, counts = items[2].hidden, items[3].hidden
    assert truths["q003"] == (items[2].levels[own.level].code, "")
    assert truths["q004"] == (items[3].levels[counts.level].code, "")
    assert truths["q005"] == ("00", "")
    assert truths["q006"] == ("02", "")
