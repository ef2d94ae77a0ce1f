"""A survey begins with five fields; all others stand in groups that open where they are needed."""

import re

import pytest
from django.contrib import admin as django_admin
from django.urls import reverse

from surveys.authoring.grouping.groups import filled_in
from surveys.authoring.grouping.surveys import FIRST, GROUPS
from surveys.models import Membership, Survey, TallyTable
from tests import factories
from tests.contracts.test_style import MOST_WORDS, WORD
from tests.question_forms import NO_KEYS, survey_form
from tests.surveys.authoring.test_admin import change

ADD = reverse("admin:surveys_survey_add")
FIVE = {
    "title": "Habits",
    "introduction": "We ask how common some habits are.",
    "organisation": "Institute",
    "contact": "a@example.org",
    "language": "en",
}
# Open in every draft that is new: a launch asks for their days and for a plan.
ALWAYS = {"days", "plan", "worked-out"}


@pytest.fixture
def draft(author):
    """A draft of which only the first five fields were filled in."""
    return Survey.objects.create(owner=author, **FIVE)


def names_of(groups) -> list[str]:
    return [name for shown in groups for name in shown.fieldset.fields]


def opened(page) -> set[str]:
    """Keys of the groups that the page shows open."""
    shown = [row for row in page.context["groups"] if row.group]
    keys = {row.group.key for row in shown if row.is_open}
    for row in shown:  # what the page says is what it has
        has_open = re.search(rf'<details class="group {row.group.css_class}" open', text_of(page))
        assert bool(has_open) == (row.is_open or page.context["are_all_open"])
    return keys


def text_of(page) -> str:
    return page.content.decode()


# A new survey.


def test_a_new_survey_asks_for_five_fields_and_nothing_else(admin):
    page = admin.get(ADD)
    assert names_of(page.context["groups"]) == list(FIRST) == list(FIVE)
    assert list(page.context["adminform"].form.fields) == list(FIVE)
    assert page.context["inline_admin_formsets"] == []
    assert "<details" not in text_of(page).partition('id="survey_form"')[2]


def test_five_fields_make_a_survey_with_every_usual_value(admin, author):
    assert admin.post(ADD, FIVE).status_code == 302
    survey = Survey.objects.get()
    assert {name: getattr(survey, name) for name in FIVE} == FIVE
    assert survey.owner == author
    assert filled_in(survey) <= {*FIVE, "id", "owner"}


def test_what_a_program_sends_with_a_new_survey_is_kept_as_well(admin):
    sent = {**FIVE, "batch_size": 7, "invitation_only": "on", "arms": "A: 1\nB: 1"}
    assert admin.post(ADD, sent).status_code == 302
    survey = Survey.objects.get()
    assert (survey.batch_size, survey.invitation_only, survey.opening_days) == (7, True, 7)
    assert survey.arms.split() == ["A:", "1", "B:", "1"]


def test_what_a_program_sends_wrongly_is_refused_in_its_open_group(admin):
    page = admin.post(ADD, {**FIVE, "batch_size": 2})
    assert set(page.context["adminform"].form.errors) == {"batch_size"}
    assert opened(page) == {"openings"}
    assert not Survey.objects.exists()


def test_an_author_who_goes_on_editing_a_new_survey_has_all_groups_open(admin):
    reply = admin.post(ADD, {**FIVE, "_continue": "1"})
    assert reply.url == f"{change(Survey.objects.get())}?groups=open"
    text = text_of(admin.get(reply.url))
    assert text.count('<details class="group ') == text.count('" open>') == len(GROUPS)


@pytest.mark.parametrize(
    ("field", "typed"),
    [
        *((name, "") for name in FIVE),
        *((name, " \t\n") for name in ("title", "introduction", "organisation", "contact")),
        *((name, "x" * 201) for name in ("title", "organisation", "contact")),
        *((name, "a\x00b") for name in ("title", "introduction", "organisation", "contact")),
        ("introduction", "x" * 4001),
        *(("language", typed) for typed in ("xx", "EN", "en de", "1", "😀", "\x00")),
    ],
)
def test_garbage_in_one_of_the_five_is_refused_beside_it(admin, field, typed):
    page = admin.post(ADD, {**FIVE, field: typed})
    assert page.status_code == 200
    assert set(page.context["adminform"].form.errors) == {field}
    assert not Survey.objects.exists()


@pytest.mark.parametrize(
    ("field", "typed"),
    [
        *((name, "x" * 200) for name in ("title", "organisation", "contact")),
        ("introduction", "x" * 4000),
        *((name, "<b>ب 😀 & 'x'") for name in ("title", "introduction", "organisation", "contact")),
        ("language", "ar"),
    ],
)
def test_extremes_in_one_of_the_five_are_kept_as_they_are(admin, field, typed):
    assert admin.post(ADD, {**FIVE, field: typed}).status_code == 302
    survey = Survey.objects.get()
    assert getattr(survey, field) == typed
    assert "<b>ب" not in text_of(admin.get(change(survey)))


# The groups.


def test_every_field_and_all_rows_stand_on_the_page_once(admin, draft):
    Survey.objects.filter(pk=draft.pk).update(also_in="fr")  # which has an informal address
    page = admin.get(change(draft))
    assert sorted(names_of(page.context["groups"])) == sorted(
        django_admin.site._registry[Survey].fields
    )
    rows = [inline for shown in page.context["groups"] for inline in shown.inlines]
    assert len(rows) == len(page.context["inline_admin_formsets"]) == 4
    for inline in rows:
        assert text_of(page).count(f'name="{inline.formset.prefix}-TOTAL_FORMS"') == 1


def test_each_group_says_what_it_decides_and_what_is_usual(admin, draft):
    text = " ".join(text_of(admin.get(change(draft))).split())
    for group in GROUPS:
        assert f"<h2>{group.name}</h2> <span>{group.decides}" in text
        assert group.usual or group.is_always_open
        for words in (group.decides, group.usual):
            assert all(
                len(WORD.findall(sentence)) <= MOST_WORDS for sentence in str(words).split(". ")
            )


def test_the_usual_values_are_those_of_the_program(admin, draft):
    days, size = (Survey._meta.get_field(name).default for name in ("opening_days", "batch_size"))
    text = " ".join(text_of(admin.get(change(draft))).split())
    assert f"answers are opened every {days} days" in text
    assert f"Answers are stored in batches of {size}" in text


def test_in_a_new_draft_the_groups_are_open_for_which_a_launch_asks(admin, draft):
    assert opened(admin.get(change(draft))) == ALWAYS
    Survey.objects.update(close_on="2099-01-01", delete_on="2099-06-01", planned_responses=9)
    assert opened(admin.get(change(draft))) == ALWAYS  # what was answered is seen


def test_a_launched_survey_asks_for_nothing(admin, author):
    survey = factories.make_open_survey(author)
    Survey.objects.filter(pk=survey.pk).update(planned_responses=None)
    assert "plan" not in opened(admin.get(change(survey)))


@pytest.mark.parametrize(
    ("field", "value", "key"),
    [
        ("invitation_only", True, "who"),
        ("voucher_wait", 0, "who"),  # not the same as none
        ("script_only", True, "who"),
        ("opening", "live", "openings"),
        ("opening_days", 8, "openings"),
        ("opening_hour", 0, "openings"),
        ("batch_size", 21, "openings"),
        ("below_k", "destroy", "openings"),
        ("released_together", 1, "published"),
        ("release_share", 50, "published"),
        ("publish_rows", True, "published"),
        ("arms", "A: 1\nB: 1", "asking"),
        ("asked", 1, "asking"),
        ("also_in", "ar", "languages"),
        ("informal", True, "languages"),
        ("end_link", "https://example.org/", "languages"),
        ("marked_up", True, "marks"),
    ],
)
def test_a_value_that_is_not_usual_opens_its_group(admin, draft, field, value, key):
    Survey.objects.filter(pk=draft.pk).update(**{field: value})
    assert opened(admin.get(change(draft))) == ALWAYS | {key}


@pytest.mark.parametrize(
    ("language", "also_in", "is_offered"),
    [("en", "", False), ("es", "en ar", False), ("de", "", True), ("en", "es fr", True)],
)
def test_the_address_is_chosen_where_german_or_french_is_read(
    admin, draft, language, also_in, is_offered
):
    Survey.objects.filter(pk=draft.pk).update(language=language, also_in=also_in)
    page = admin.get(change(draft))
    assert ("informal" in names_of(page.context["groups"])) is is_offered


def test_rows_open_their_group(admin, draft):
    factories.add_budget(draft)
    assert opened(admin.get(change(draft))) == ALWAYS | {"published"}
    TallyTable.objects.create(survey=draft, table=1, sigma="4")
    assert opened(admin.get(change(draft))) == ALWAYS | {"published", "keys"}


def test_an_error_opens_its_group_and_keeps_what_was_typed(admin, draft):
    wrong = {"opening_hour": 24, "end_link": "x" * 301, "arms": "A: 1"}
    page = admin.post(change(draft), survey_form(draft, batch_size=20, **wrong))
    assert set(page.context["adminform"].form.errors) == {"opening_hour", "end_link"}
    assert opened(page) == ALWAYS | {"openings", "languages", "asking"}
    assert "A: 1" in text_of(page)


def test_an_error_in_a_row_opens_its_group(admin, draft):
    row = {"budgets-TOTAL_FORMS": 1, "budgets-0-epsilon": "-1"}
    page = admin.post(change(draft), survey_form(draft, **row))
    assert page.status_code == 200
    assert "published" in opened(page)
    row = {"locked_tables-TOTAL_FORMS": 1, "locked_tables-0-sigma": "x"}
    page = admin.post(change(draft), survey_form(draft, **{**NO_KEYS, **row}))
    assert "keys" in opened(page)


def test_all_groups_can_be_opened_at_once(admin, draft):
    link = "?groups=open"
    assert f'href="{link}"' in text_of(admin.get(change(draft)))
    text = text_of(admin.get(change(draft) + link))
    assert text.count('<details class="group ') == text.count('" open>') == len(GROUPS)
    assert f'href="{link}"' not in text
    for garbage in ("closed", "", "😀", "open&groups="):
        page = admin.get(f"{change(draft)}?groups={garbage}")
        assert not page.context["are_all_open"]


def test_who_may_only_read_sees_the_same_groups(client, draft):
    reader = factories.make_user("reader")
    Membership.objects.create(survey=draft, user=reader, role="analyst")
    client.force_login(reader)
    page = client.get(change(draft))
    assert opened(page) == ALWAYS
    assert 'name="title"' not in text_of(page)


# Where the pages lead next.


def test_a_saved_draft_can_lead_on_to_a_new_question(admin, draft):
    reply = admin.post(change(draft), survey_form(draft, title="Other", _question="1"))
    assert reply.url == f"{reverse('admin:surveys_question_add')}?survey={draft.pk}"
    assert Survey.objects.get().title == "Other"
    assert 'name="_question"' in text_of(admin.get(change(draft)))


def test_a_launched_survey_leads_on_to_no_question(admin, author):
    survey = factories.make_open_survey(author)
    assert 'name="_question"' not in text_of(admin.get(change(survey)))
    reply = admin.post(change(survey), survey_form(survey, _question="1"))
    assert reply.status_code == 302
    assert "question" not in reply.url


def test_a_list_of_questions_leads_to_the_launch_once_nothing_is_missing(admin, client, author):
    draft = factories.make_survey(author, opening="live")
    listed = reverse("admin:surveys_survey_questions", args=[draft.pk])
    launch = f'href="{reverse("admin:surveys_survey_launch", args=[draft.pk])}"'
    assert launch not in text_of(admin.get(listed))
    factories.add_question(draft)
    assert launch in text_of(admin.get(listed))
    editor = factories.make_user("editor")
    Membership.objects.create(survey=draft, user=editor, role="editor")
    client.force_login(editor)
    assert launch not in text_of(client.get(listed))
    factories.add_question(draft, design="k_ary")  # without its epsilon
    assert launch not in text_of(admin.get(listed))


def test_a_launched_surveys_list_leads_to_no_launch(admin, author):
    survey = factories.make_open_survey(author)
    listed = reverse("admin:surveys_survey_questions", args=[survey.pk])
    assert "/launch/" not in text_of(admin.get(listed))
