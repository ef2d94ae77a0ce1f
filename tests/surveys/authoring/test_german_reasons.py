"""What keeps a draft from launch is said in the language of the page, not in that of the draft."""

from fractions import Fraction

import pytest
from django.utils.translation import override

from surveys.authoring.drafts import NotReady, draft_questionnaire
from surveys.randomized_response.designs import Warner
from surveys.randomized_response.errors import DesignError
from surveys.wording.language.messages import message_of, translated
from tests import factories
from tests.surveys.authoring.asking import page_of

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


@pytest.fixture
def unfinished(owner):
    """A draft in Arabic with a reason of each room that gives reasons."""
    survey = factories.make_survey(owner, language="ar", arms="one: 1")
    factories.add_question(survey, "Nie", "Oft", kind="choice", design="k_ary", epsilon=5)
    factories.add_question(survey, kind="yes_no", design="warner", p_sensitive="1/2", required=True)
    factories.add_question(survey, kind="number", minimum=3, maximum=1, design="direct")
    factories.add_question(survey, kind="yes_no", design="unrelated", required=True)
    forced = dict(design="forced_response", forced="0,25; 0,25")
    factories.add_question(survey, kind="yes_no", required=True, **forced)
    return survey


SAID = (
    "Die Umfrage hat nur eine Gruppe. Schreiben Sie mindestens zwei",
    "Bei 1/2 sagt eine gesendete Antwort nichts. Nehmen Sie einen anderen Wert, etwa 3/4",
    "Die kleinste Zahl muss unter der größten Zahl liegen.",
    "als Brüche oder als Dezimalzahlen mit Punkt ein, etwa 1/6; 1/6.",
    "Es fehlt: Wahrscheinlichkeit der Frage; schreiben Sie einen Bruch",
)


@pytest.mark.parametrize("page", ["questions", "checklist"])
def test_reasons_are_in_german_on_the_pages_of_an_author(german, unfinished, page):
    with pytest.raises(NotReady) as problem:
        draft_questionnaire(unfinished)
    english = [str(reason) for reason in problem.value.reasons]
    found = german.get(page_of(unfinished, page)).content.decode()
    assert [words for words in SAID if words not in found] == []
    assert [words for words in english if words.rpartition("): ")[2] in found] == []


def test_a_number_within_a_reason_is_written_as_the_language_writes_it(owner):
    survey = factories.make_survey(owner)
    factories.add_question(
        survey, kind="yes_no", design="warner", p_sensitive="999/1000", required=True
    )
    with pytest.raises(NotReady) as problem:
        draft_questionnaire(survey)
    (reason,) = problem.value.reasons
    assert "Epsilon is 6.91, but 5 is the most that is allowed." in reason
    with override("de"):
        assert "Epsilon ist 6,91, erlaubt ist höchstens 5." in translated(reason)


def test_a_refusal_of_the_statistics_package_is_found_in_the_catalogue():
    with pytest.raises(DesignError) as problem:
        Warner(Fraction(1, 2))
    said = message_of(problem.value)
    assert said == str(problem.value)
    with override("de"):
        assert translated(said).endswith(
            "ist nicht möglich: Bei 1/2 sagt eine gesendete Antwort nichts. Nehmen Sie einen "
            "anderen Wert, etwa 3/4"
        )
