"""A draft's own explanations: refused with a remedy, translated, frozen, shown, copied."""

import json

import pytest
from django.urls import reverse

from surveys.authoring.draft.explanations import explanation_problem, tidied
from surveys.authoring.draft.languages import source_texts
from surveys.authoring.drafts import NotReady, draft_questionnaire, draft_questionnaires
from surveys.authoring.editor.copies import copy_survey
from surveys.models import Survey, Translation
from surveys.models.queries import questionnaire_of
from surveys.models.translations import digest_of
from surveys.questionnaire.explanations import LONGEST, LONGEST_LINE, Explanation
from tests.bodies import body_of
from tests.factories import add_question, add_ticks, launched, make_survey
from tests.posting import post

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("_static_files")]
OWN = {"tick": "*Tick*:\n- what fits\n- or nothing", "thanks": "We thank <you> 🎉."}


def drafted(owner, **fields: object) -> Survey:
    draft = make_survey(owner, **{"explanations": OWN, "marked_up": True, **fields})
    add_ticks(draft)
    return draft


def page(client, name: str, survey: Survey) -> str:
    reply = client.get(reverse(f"respondent:{name}", args=[survey.pk]), follow=True)
    assert reply.status_code == 200
    return reply.content.decode()


def test_texts_are_tidied():
    assert tidied({"tick": " a\r\nb \n", "rank": " \n", "thanks": ""}) == {"tick": "a\nb"}


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("tick", "Tick.", None),
        ("tick", "ضع علامة *هنا* 🎉 <b>", None),
        ("tick", "x" * LONGEST, None),
        (
            "tick",
            "x" * 4000,
            f"The text has 4000 characters. Shorten the text to {LONGEST} characters.",
        ),
        (
            "find",
            "x" * 4000,
            f"The text has 4000 characters. Shorten the text to {LONGEST_LINE} characters.",
        ),
        (
            "find",
            "One\ntwo",
            "The page shows this explanation within a single line. Remove the line breaks.",
        ),
        (
            "tick",
            "a\x00",
            "The text contains a character that cannot be stored. Remove this character.",
        ),
        ("number", "From {low} to {high}.", None),
        (
            "number",
            "To {hihg}.",
            "Your text must contain {low}, {high}. The page shows a number or a date in place of "
            "{low}, {high}.",
        ),
        (
            "promise",
            "None.",
            "No explanation that a survey can replace is called “promise”. Check this name.",
        ),
    ],
)
def test_a_text_that_cannot_stand_there_is_refused_with_a_remedy(name, text, problem):
    assert explanation_problem(name, text) == problem


def test_a_launch_refuses_a_text_that_cannot_stand_there(owner):
    draft = drafted(owner, explanations={"tick": "x" * 1001})
    with pytest.raises(NotReady) as refusal:
        draft_questionnaire(draft)
    (reason,) = refusal.value.reasons
    assert reason.field == "explanations"
    assert "Shorten the text to 1000 characters" in reason


def test_respondents_read_the_survey_s_own_words(client, owner):
    survey = launched(drafted(owner))
    shown = page(client, "start", survey)
    assert "<p><em>Tick</em>:</p>\n<ul><li>what fits</li><li>or nothing</li></ul>" in shown
    assert "Tick all that apply" not in shown
    assert "<p>We thank &lt;you&gt; 🎉.</p></div><p>Your answers have arrived.</p>" in shown
    assert "Use each rank once" not in shown  # nothing is ranked
    receipt = post(survey, body_of(survey.revision), client).content.decode()
    assert "We thank &lt;you&gt; 🎉." in receipt
    assert "Your answers have arrived." in receipt


def test_a_launched_document_keeps_them_and_has_none_where_there_were_none(owner):
    document = questionnaire_of(launched(drafted(owner)).revision).to_document()
    assert document["explanations"] == [
        {"name": "thanks", "text": {"en": OWN["thanks"]}},
        {"name": "tick", "text": {"en": OWN["tick"]}},
    ]
    plain = questionnaire_of(launched(drafted(owner, explanations={})).revision).to_document()
    assert "explanations" not in plain


def test_they_are_translated_as_all_texts_are(client, owner):
    draft = drafted(owner, also_in="de")
    texts = source_texts(draft, list(draft.questions.all()))
    places = {one.text: one.place for one in texts}
    where = "Multiple choice, any number of answers: How to tick answers"
    assert places[OWN["tick"]] == f"your explanation “{where}”"
    for one in texts:
        words = {OWN["thanks"]: "Wir danken *Ihnen*."}.get(one.text, f"{one.text} ä")
        Translation.objects.create(survey=draft, language="de", digest=one.digest, text=words)
    _, german = draft_questionnaires(draft)
    assert german.explanations[0] == Explanation("thanks", "Wir danken *Ihnen*.")
    survey = launched(draft)
    reply = client.get(f"/de/s/{survey.pk}/").content.decode()
    assert "<p>Wir danken <em>Ihnen</em>.</p></div><p>Ihre Antworten sind angekommen.</p>" in reply


def test_one_missing_translation_stops_launch_and_so_does_a_wrong_one(owner):
    draft = make_survey(owner, also_in="de", explanations={"number": "From {low} to {high}."})
    add_question(draft)
    for one in source_texts(draft, list(draft.questions.all())):
        Translation.objects.create(survey=draft, language="de", digest=one.digest, text="ä")
    missing = (
        r"de: Your explanation “ä”: Your text must contain \{low\}, \{high\}\. The page shows a "
        r"number or a date in place of \{low\}"
    )
    with pytest.raises(NotReady, match=missing):
        draft_questionnaires(draft)
    draft.translations.filter(digest=digest_of("From {low} to {high}.")).delete()
    with pytest.raises(NotReady, match=r"translate “From \{low\}"):
        draft_questionnaires(draft)


def test_a_copy_has_them(author):
    draft = drafted(author)
    assert copy_survey(survey=draft, by=author).explanations == OWN


def test_the_database_keeps_texts_in_one_order(owner):
    draft = drafted(owner, explanations=dict(reversed(OWN.items())))
    assert Survey.objects.get(pk=draft.pk).explanations == OWN
    kept = Survey.objects.filter(pk=draft.pk).extra(select={"kept": "explanations"})
    assert list(json.loads(kept[0].kept)) == ["thanks", "tick"]
