"""A draft's checklist: what is missing, what asks for a second look, and what was confirmed."""

import re
import secrets

import pytest
from django.urls import reverse

from surveys.authoring.checklist.checks import HEAVIEST, Standing, checks_of
from surveys.authoring.confirmations import Launch
from surveys.authoring.drafts import draft_questionnaire
from surveys.models import Membership, Revision, Survey
from surveys.models.refusals import NotPossible
from surveys.models.translations import digest_of
from surveys.staff.acts import NotAccepted, NotAsShown, perform
from surveys.trust import sealing
from surveys.wording.subsets import asked_words
from tests import factories
from tests.families import make_family_draft
from tests.surveys.authoring.asking import confirmed, page_of
from tests.translated import translate_all

FINE = {"planned_responses": 400, "delete_on": "2999-06-01", "close_on": "2999-01-01"}
FINE |= {"opening": "close", "batch_size": 20}


@pytest.fixture(autouse=True)
def _recovery_key(settings):
    """Made by the operator; without it a sealed survey asks for a second look."""
    settings.RECOVERY_KEY = sealing.public_of(sealing.new_private())


@pytest.fixture
def draft(author):
    """A draft in which nothing asks for a second look."""
    survey = factories.make_survey(author, **FINE)
    factories.add_question(survey, required=True)
    return Survey.objects.get(pk=survey.pk)


def doubts(survey: Survey) -> dict[str, str]:
    return {check.key: " ".join(check.lines) for check in checks_of(survey) if check.is_doubt}


def changed(survey: Survey, **fields: object) -> Survey:
    Survey.objects.filter(pk=survey.pk).update(**fields)
    return Survey.objects.get(pk=survey.pk)


def test_a_draft_with_all_that_it_needs_has_no_doubts(draft):
    assert {check.standing for check in checks_of(draft)} == {Standing.DONE}
    keys = {check.key for check in checks_of(draft)}
    assert keys == {
        *("questions", "languages", "title", "odds", "refusals"),
        *("door", "sample", "openings", "retention", "weight"),
    }


def test_follow_ups_count_as_questions_here_at_launch_and_on_the_first_page(author):
    made = make_family_draft(author, **FINE)  # six questions, and a page to read
    draft = Survey.objects.get(pk=made.pk)
    [questions] = [check for check in checks_of(draft) if check.key == "questions"]
    assert questions.lines[0].startswith("Questions: 6. ")
    fixed, *_ = Launch(draft).sections()
    assert "All 6 questions, their order, their options and their protection." in fixed.lines
    assert asked_words(draft_questionnaire(draft)) == "at most 6"


def test_what_is_missing_is_all_that_is_said_of_an_unfinished_draft(draft):
    factories.add_question(draft, kind="choice", text="Which?")
    [check] = checks_of(draft)
    assert check.is_missing
    assert check.lines == (
        "Question 2 (Which?): Offer between 2 and 20 options. This question has 0.",
    )


def test_questions_that_cannot_be_declined_are_named_with_what_that_means(draft):
    draft.questions.update(required=True)
    [check] = [check for check in checks_of(draft) if check.key == "refusals"]
    assert check.lines == (
        "Question 1: people cannot choose “Prefer not to say”. They must answer or leave the "
        "survey.",
    )


def test_a_missing_translation_is_missing(draft):
    [check] = checks_of(changed(draft, also_in="de"))
    assert any("Deutsch (de): translate “Habits and health”" in line for line in check.lines)


@pytest.mark.parametrize(
    ("fields", "key", "said"),
    [
        ({"planned_responses": None}, "sample", "You have not planned how many responses you want"),
        (
            {"planned_responses": 40},
            "sample",
            "the shares in question 1 have the largest margin of error: ± 32.4 points or less",
        ),
        ({"delete_on": None}, "retention", "No day is set for deleting the answers"),
        ({"opening": "live"}, "openings", ""),
        ({"title": "Copy of Habits"}, "title", "Copy of Habits"),
    ],
)
def test_each_doubt_is_said(draft, fields, key, said):
    found = doubts(changed(draft, **fields))
    assert set(found) == {key}
    assert said in found[key]


def lines_of(survey: Survey, key: str) -> str:
    return " ".join(next(check.lines for check in checks_of(survey) if check.key == key))


def test_a_plan_is_judged_by_how_many_of_its_people_are_in_an_arm(author):
    draft = factories.make_survey(author, **FINE, arms="Direct: 9\nCoins: 1")
    for arm, fields in (("Direct", {"design": "direct"}), ("Coins", {})):
        factories.add_question(draft, text="Ever stolen?", arms=arm, required=True, **fields)
    found = doubts(Survey.objects.get(pk=draft.pk))["sample"]
    said = "the shares in question 2 have the largest margin of error: ± 32.4 points"
    assert said in found  # as of 40 people


def test_whom_answers_lead_on_is_not_judged(author):
    draft = factories.make_survey(author, **FINE)
    car = factories.add_question(draft, text="A car?", design="direct", required=True)
    factories.add_condition(factories.add_question(draft, text="Hit?", required=True), car)
    found = lines_of(Survey.objects.get(pk=draft.pk), "sample")
    assert "the shares in question 1 have the largest margin of error: ± 5.01 points" in found


def test_who_can_answer_and_until_when_is_said(draft):
    assert (
        lines_of(draft, "door") == "All people who have the link can answer. The last day is 1 "
        "January 2999."
    )
    invited = lines_of(changed(draft, invitation_only=True), "door")
    assert invited.startswith("Only people with an invitation can answer.")


def test_an_installation_without_a_recovery_key_asks_for_a_second_look(draft, settings):
    """Under "Done" nobody would look, and after the launch it is too late."""
    opened = (
        "All answers stay sealed until the last day, 1 January 2999, is over. After the last day, "
        "all answers are opened."
    )
    assert lines_of(draft, "openings") == opened
    assert "recovery" not in doubts(draft)
    settings.RECOVERY_KEY = b""
    assert lines_of(draft, "openings") == opened
    assert "no recovery key" in doubts(draft)["recovery"]
    live = changed(draft, opening=Survey.Opening.LIVE)
    assert "recovery" not in doubts(live)


def test_odds_are_said_of_each_question_and_of_the_person(draft):
    for _ in range(3):
        factories.add_question(draft, required=True)
    said = doubts(draft)["odds"]
    odds = "the odds of a guess about a person change at most"
    assert f"All answers of one person together: epsilon 4.39: {odds} 81-fold" in said
    assert said.count(f"1.10 ({odds} 3-fold)") == 4


def test_a_text_behind_a_rule_is_a_doubt_of_its_own(draft):
    car = factories.add_question(draft, text="Car?", design="direct")
    for _ in range(2):
        factories.add_condition(factories.add_text(draft), car)
    factories.add_text(draft)
    found = doubts(draft)
    assert set(found) == {"text-3", "text-4"}
    assert (
        "Someone who reads a text to question 3 knows that its writer met the condition of this "
        "question." in found["text-3"]
    )
    assert "answered “Yes” to question 2" in found["text-3"]


def test_translations_that_were_swapped_between_languages_are_a_doubt(draft):
    draft = changed(draft, also_in="de ar")
    translate_all(draft, "de", "ar")
    assert "languages" not in doubts(draft)
    title = draft.translations.filter(digest=digest_of(draft.title))
    title.filter(language="ar").update(text="Gewohnheiten")
    title.filter(language="de").update(text="عادات")
    found = doubts(draft)["languages"]
    assert "Deutsch: “عادات” is not written in the letters of this language." in found
    assert "العربية: “Gewohnheiten” is not written in the letters of this language." in found
    title.update(text="2026: 12 %")  # without letters it is the same in all languages
    assert "languages" not in doubts(draft)


def test_a_page_that_is_too_heavy_is_not_launched(draft):
    """Words that nothing compresses."""
    [check] = [check for check in checks_of(draft) if check.key == "weight"]
    assert f"with more than {HEAVIEST // 1024} KB cannot be launched" in check.lines[0]
    assert Launch(draft).problems() == []
    draft.introduction = secrets.token_urlsafe(60 * 1024)
    draft.save()
    assert "The survey may have at most 60 KB. Shorten texts" in " ".join(Launch(draft).problems())
    [check] = [check for check in checks_of(draft) if check.key == "weight"]
    assert check.is_missing


def kilobytes(survey: Survey) -> list[int]:
    """All that is loaded; of it the page, its style and icon, its scripts."""
    [check] = [check for check in checks_of(survey) if check.key == "weight"]
    parts = re.findall(r": (\d+) KB", check.lines[1])
    return [int(number) for number in (re.search(r"(\d+) KB", check.lines[0])[1], *parts)]


def test_the_weight_counts_the_page_its_style_and_the_scripts_that_it_needs(draft):
    total, page, styles, scripts = kilobytes(draft)
    assert 10 < total < 60
    assert abs(total - page - styles - scripts) <= 2  # each is rounded
    assert min(page, styles, scripts) > 0
    factories.add_text(draft, required=True)
    factories.add_ticks(draft)
    assert kilobytes(draft)[3] > scripts
    assert kilobytes(draft)[2] == styles


# The page, and the launch.


def links(client, survey: Survey) -> dict[str, str]:
    """Where each line, or each title, of the page leads."""
    page = client.get(checklist(survey)).content.decode()
    main = page[page.index('<section class="check') :]
    return {words: to for to, words in re.findall(r'<a href="([^"]+)">([^<]+)</a>', main)}


def test_what_is_missing_leads_to_the_field_that_mends_it(client, author, draft):
    unfinished = factories.add_question(draft, kind="choice", text="Which?")
    draft = changed(draft, organisation="", close_on=None, also_in="de", end_link="nowhere")
    client.force_login(author)
    own = reverse("admin:surveys_survey_change", args=[draft.pk])
    question = reverse("admin:surveys_question_change", args=[unfinished.pk])
    german = reverse("admin:surveys_survey_translations", args=[draft.pk, "de"])
    found = links(client, draft)
    assert found["Write who asks."] == f"{own}#id_organisation"
    [close] = [to for words, to in found.items() if words.startswith("Choose a last day")]
    assert close == f"{own}#id_close_on"
    [options] = [to for words, to in found.items() if words.startswith("Question 2 (Which?)")]
    assert options == f"{question}#id_option_lines"
    [title] = [to for words, to in found.items() if "Habits and health" in words]
    assert title == f"{german}#id_{digest_of('Habits and health')}"
    for to in set(found.values()):
        page, _, field = to.partition("#")
        if field:
            assert f'id="{field}"' in client.get(page).content.decode(), to


def test_what_asks_for_a_second_look_leads_to_the_field_that_decides_it(client, author, draft):
    car = factories.add_question(draft, text="Car?", design="direct")
    factories.add_condition(factories.add_text(draft), car)
    draft = changed(draft, planned_responses=None, delete_on=None)
    client.force_login(author)
    own, found = reverse("admin:surveys_survey_change", args=[draft.pk]), links(client, draft)
    assert found["Sample size"] == f"{own}#id_planned_responses"
    assert found["When answers are deleted"] == f"{own}#id_delete_on"
    text = draft.questions.get(kind="text")
    written = "Question 3 asks only some people for a text"
    assert found[written] == reverse("admin:surveys_question_change", args=[text.pk])


def checklist(survey: Survey) -> str:
    return page_of(survey, "checklist")


def test_the_page_says_what_is_missing_and_leads_no_further(client, author, draft):
    factories.add_question(draft, text="", kind="choice")
    client.force_login(author)
    page = client.get(checklist(draft)).content.decode()
    assert "The survey cannot be launched yet" in page
    assert "Offer between 2 and 20 options" in page
    assert page_of(draft, "launch") not in page
    assert client.get(page_of(draft, "launch")).url == checklist(draft)


def test_the_page_of_a_ready_draft_leads_its_owner_to_the_launch(client, author, draft):
    client.force_login(author)
    page = client.get(checklist(draft)).content.decode()
    assert "Everything is done: the survey can be launched." in page
    assert page_of(draft, "launch") in page
    assert (
        "Look at 1 point first"
        in client.get(checklist(changed(draft, delete_on=None))).content.decode()
    )


@pytest.mark.parametrize(("role", "status"), [("editor", 200), ("analyst", 403), (None, 404)])
def test_editors_read_the_checklist_and_only_owners_launch(client, draft, role, status):
    other = factories.make_user("other")
    if role:
        Membership.objects.create(survey=draft, user=other, role=role)
    client.force_login(other)
    page = client.get(checklist(draft))
    assert page.status_code == status
    assert page_of(draft, "launch") not in page.content.decode()


def test_a_launched_survey_has_no_checklist(client, author):
    survey = factories.make_open_survey(author)
    client.force_login(author)
    address = reverse("admin:surveys_survey_change", args=[survey.pk])
    assert client.get(checklist(survey)).url == address


def test_each_doubt_is_confirmed_by_itself(client, author, draft):
    draft = changed(draft, planned_responses=None, delete_on=None)
    client.force_login(author)
    address = page_of(draft, "launch")
    sent = confirmed(client.get(address).content.decode())
    assert sent["accepted"] == ["sample", "retention"]
    for some in ([], ["sample"], ["retention"], ["on", "odds"]):
        page = client.post(address, {**sent, "accepted": some}).content.decode()
        assert "because you did not confirm every point below" in page
        assert not Revision.objects.exists()
    client.post(address, sent)
    assert Revision.objects.get().survey == draft


def test_a_doubt_that_came_up_since_the_page_was_shown_is_asked_about(author, draft):
    shown = Launch(draft).proof(author)
    changed(draft, delete_on=None)
    with pytest.raises(NotAsShown):
        perform(Launch(draft), by=author, shown=shown)
    fresh = Launch(Survey.objects.get(pk=draft.pk))
    with pytest.raises(NotAccepted):
        perform(fresh, by=author, shown=fresh.proof(author))


def test_a_launch_that_is_pressed_twice_is_one_launch(client, author, draft):
    client.force_login(author)
    sent = confirmed(client.get(page_of(draft, "launch")).content.decode())
    replies = [client.post(page_of(draft, "launch"), sent, follow=True) for _ in range(2)]
    first, second = (reply.content.decode() for reply in replies)
    assert "is open at" in first
    assert "because it was launched before. A survey can be launched only once" in second
    assert Revision.objects.count() == 1
    stale = Launch(draft)
    with pytest.raises(NotPossible, match="launched before"):
        perform(stale, by=author, shown=stale.proof(author))


def test_the_checklist_leads_to_the_translations_of_each_further_language(client, author, draft):
    client.force_login(author)
    where = page_of(draft, "checklist")
    assert "Translations:" not in client.get(where).content.decode()
    changed(draft, also_in="de ar")
    page = client.get(where).content.decode()
    for language in ("de", "ar"):
        translations = reverse("admin:surveys_survey_translations", args=[draft.pk, language])
        assert f'<a href="{translations}">Translations: {language}</a>' in page
        assert f'<a href="{where}">Checklist</a>' in client.get(translations).content.decode()


def test_the_message_of_a_launch_links_the_page_of_respondents(client, author, draft):
    client.force_login(author)
    sent = confirmed(client.get(page_of(draft, "launch")).content.decode())
    page = client.post(page_of(draft, "launch"), sent, follow=True).content.decode()
    link = f"http://testserver{reverse('respondent:start', args=[draft.pk])}"
    assert f'is open at <a href="{link}">{link}</a>' in page
