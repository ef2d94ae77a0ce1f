"""A survey's page has a field for each explanation, beside ours, and says what is wrong there."""

import html
import re

import pytest
from django.test import Client
from django.urls import reverse

from surveys.authoring.services import launch
from surveys.models import AuditEntry, Membership, Survey
from surveys.wording.language.explanations import EXPLANATIONS
from tests import factories
from tests.question_forms import survey_form

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("_static_files")]
OWN = {"tick": "Tick *all*.", "thanks": "شكرًا 🎉"}


@pytest.fixture
def draft(author):
    return factories.make_survey(author, batch_size=5)


def typed(**texts: str) -> dict[str, str]:
    return {f"explanations-{name}": "" for name in EXPLANATIONS} | {
        f"explanations-{name}": text for name, text in texts.items()
    }


def page(client: Client, survey: Survey) -> str:
    return client.get(reverse("admin:surveys_survey_change", args=[survey.pk])).content.decode()


def stored(survey: Survey) -> dict[str, str]:
    return Survey.objects.get(pk=survey.pk).explanations


def save(client: Client, survey: Survey, **texts: str):
    form = survey_form(Survey.objects.get(pk=survey.pk)) | typed(**texts)
    return client.post(reverse("admin:surveys_survey_change", args=[survey.pk]), form)


def test_each_explanation_has_a_labelled_field_described_by_ours(admin, draft):
    shown = page(admin, draft)
    for name, each in EXPLANATIONS.items():
        key = f"id_explanations-{name}"
        assert shown.count(f'<label for="{key}">{each.called}</label>') == 1
        assert shown.count(f'aria-describedby="{key}-ours"') == 1
        assert html.escape(each.words()) in shown
        assert html.escape(each.kept) in shown
    assert len(set(re.findall(r'id="(id_explanations[^"]*)"', shown))) == 2 * len(EXPLANATIONS) + 1


def test_ours_are_shown_as_the_survey_says_them(admin, draft):
    Survey.objects.filter(pk=draft.pk).update(language="de", informal=True)
    shown = page(admin, draft)
    assert "Danke. Deine Antworten sind angekommen." in shown
    assert '<bdi lang="de">Deine Antworten sind angekommen.</bdi>' in shown


def test_what_is_typed_is_kept_and_an_empty_field_has_ours_again(admin, draft):
    assert save(admin, draft, **OWN, rank="  \n").status_code == 302
    assert stored(draft) == OWN
    shown = page(admin, draft)
    assert "Tick *all*.</textarea>" in shown
    assert '<details class="group group-explanations" open>' in shown
    entry = AuditEntry.objects.filter(action="edited").latest("at")
    assert entry.after["explanations"] == OWN
    save(admin, draft)
    assert stored(draft) == {}


def test_a_form_without_these_fields_keeps_them(admin, draft):
    Survey.objects.filter(pk=draft.pk).update(explanations=OWN)
    form = survey_form(Survey.objects.get(pk=draft.pk), title="Other")
    del form["explanations"]
    admin.post(reverse("admin:surveys_survey_change", args=[draft.pk]), form)
    assert Survey.objects.get(pk=draft.pk).title == "Other"
    assert stored(draft) == OWN


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        (
            "thanks",
            "x" * 4000,
            "The receipt, at the end: Thanks: The text has 4000 characters. Shorten the text to "
            "1000 characters.",
        ),
        (
            "tick_most",
            "Tick {moost}.",
            "Your text must contain {most}. The page shows a number or a date in place of {most}.",
        ),
        (
            "find",
            "One\ntwo",
            "The page shows this explanation within a single line. Remove the line breaks.",
        ),
        (
            "rank",
            "a\x07",
            "Rankings: How to rank: The text contains a character that cannot be stored. Remove "
            "this character.",
        ),
    ],
)
def test_what_cannot_stand_there_is_refused_beside_its_field(admin, draft, name, text, problem):
    reply = save(admin, draft, **{name: text, "check": "Kept."})
    shown = html.unescape(reply.content.decode())
    assert reply.status_code == 200
    assert shown.count(problem) >= 2  # in the list on top, and beside the field
    assert f'id="id_explanations-{name}-problem"' in shown
    assert shown.count('aria-invalid="true"') >= 1
    assert "Kept.</textarea>" in shown
    assert stored(draft) == {}


def test_markup_is_text_in_the_field_too(admin, draft):
    text = '</textarea><script>"&'
    save(admin, draft, thanks=text, find=text)
    shown = page(admin, draft)
    assert stored(draft) == {"thanks": text, "find": text}
    assert shown.count("&lt;/textarea&gt;&lt;script&gt;&quot;&amp;") == 2
    assert "</textarea><script>" not in shown


def test_after_the_launch_they_are_read_and_never_changed(admin, draft, author):
    factories.add_question(draft)
    Survey.objects.filter(pk=draft.pk).update(explanations=OWN)
    launch(survey=draft, by=author)
    shown = page(admin, draft)
    assert "explanations-tick" not in shown
    assert "any number of answers: How to tick answers: Tick *all*." in shown
    save(admin, draft, tick="Other")
    assert stored(draft) == OWN


def test_who_may_only_read_the_draft_reads_them(client, draft):
    Survey.objects.filter(pk=draft.pk).update(explanations=OWN)
    analyst = factories.make_user("ann")
    analyst.is_staff = True
    analyst.save()
    Membership.objects.create(survey=draft, user=analyst, role="analyst")
    client.force_login(analyst)
    shown = page(client, draft)
    assert "explanations-tick" not in shown
    assert "any number of answers: How to tick answers: Tick *all*." in shown
