"""Staff pages in German have no English sentence left, whatever a survey asks and holds."""

import re
from collections.abc import Iterator
from datetime import date, timedelta
from html.parser import HTMLParser

import pytest
from django.urls import reverse
from django.utils import timezone

from surveys.authoring.draft.languages import source_texts
from surveys.collecting.services import receive
from surveys.models import Survey
from surveys.models.queries import revision_of
from tests import factories
from tests.bodies import body_of
from tests.question_forms import NO_KEYS
from tests.sixty import make_sixty, random_bodies

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
# Words that stand in nearly every English sentence and in no German one.
ENGLISH = re.compile(
    r"\b(?:the|of|and|is|are|with|without|for|this|that|these|not|each|your|its|it|to|by|from|how"
    r"|be|been|or|on|which|one|has|have|you|they|their|no)\b",
    re.IGNORECASE,
)
READ = {"alt", "aria-label", "title", "placeholder"}


class Words(HTMLParser):
    """What people read or hear on a page: text outside scripts, and attributes that are read.

    Not what says itself that it is in English, as a work that is cited.
    """

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.silent = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("script", "style") or ("lang", "en") in attrs:
            self.silent = tag
        self.found += [value for name, value in attrs if name in READ and value]

    def handle_endtag(self, tag: str) -> None:
        if tag == self.silent:
            self.silent = ""

    def handle_data(self, data: str) -> None:
        if not self.silent and data.strip():
            self.found.append(" ".join(data.split()))


def english_in(page: str, *own: str) -> list[str]:
    """The pieces of a page that have an English word, without the words of the survey's author."""
    assert '<html lang="de"' in page
    found = [piece for piece in Words(page).found if ENGLISH.search(piece)]
    if own:
        authors = re.compile("|".join(rf"(?<!\w){re.escape(words)}(?!\w)" for words in own))
        found = [authors.sub("", piece) for piece in found]
    return [piece for piece in found if ENGLISH.search(piece)]


def own_words(survey: Survey) -> list[str]:
    """The author's words, and those that were frozen with them; the longest first."""
    questions = list(survey.questions.prefetch_related("options"))
    texts = {one.text.strip() for one in source_texts(survey, questions)}
    texts |= {survey.contact, survey.organisation, survey.owner.username}
    revision = revision_of(survey)
    texts |= set(_strings(revision.document)) if revision else set()
    return sorted(filter(None, texts), key=len, reverse=True)


def _strings(part: object) -> Iterator[str]:
    if isinstance(part, str):
        yield part.strip()
    if isinstance(part, dict | list):
        for inner in part.values() if isinstance(part, dict) else part:
            yield from _strings(inner)


def left_on(client, survey: Survey, address: str, **asked: object) -> list[str]:
    reply = client.get(address, asked)
    assert reply.status_code == 200
    return english_in(reply.content.decode(), *own_words(survey))


def answered(survey: Survey, times: int) -> Survey:
    for _ in range(times):
        receive(survey_id=survey.pk, body=body_of(survey.revision))
    return survey


def test_english_is_found():
    page = '<html lang="de"><p title="Read it">Ja</p><script>the</script><p>Is the bus late?</p>'
    page += '<span lang="en">The bus</span>'
    assert english_in(page, "late?") == ["Read it", "Is the bus "]
    assert english_in(page, "Is the bus late?", "Read it") == []


def test_a_dashboard_of_every_kind_of_question(german, owner):
    survey = make_sixty(owner, planned_responses=1000)
    for body in random_bodies(survey, 30):
        receive(survey_id=survey.pk, body=body)
    found = german.get(reverse("surveys:dashboard", args=[survey.pk])).content.decode()
    assert english_in(found, *own_words(survey)) == []
    for words in ("30</strong> von 1.000 geplanten Teilnahmen", "Gesendet", "Untergrenze"):
        assert words in found


@pytest.mark.parametrize(
    "make", [factories.make_lists, factories.make_other_survey], ids=["lists", "other designs"]
)
def test_a_dashboard_of_rare_kinds(german, owner, make):
    survey = answered(make(owner), 3)
    assert left_on(german, survey, reverse("surveys:dashboard", args=[survey.pk])) == []


def test_a_chart_says_its_words_and_numbers_in_german(german, owner):
    survey = answered(factories.make_open_survey(owner), 2)
    address = reverse("surveys:chart", args=[survey.pk, 7])
    drawn = german.get(address).content.decode()
    assert "Antworten" in drawn
    german.post(reverse("staff_language"), {"language": "en"})
    assert "Answers" in german.get(address).content.decode()


def soon(days: int) -> date:
    return timezone.now().date() + timedelta(days=days)


def asked_of(survey: Survey) -> dict[str, dict[str, object]]:
    """What to ask of each analysis: shares by an answer, by a number, weights, a model."""
    return {
        "break-down": {"question": 1, "by": 6, "also_by": 3},
        "weighted": {"by": 6, "margins": "Yes: 40\nNo: 60", "method": "wilson"},
        "regression": {"outcome": "1-1", "predictors": [6, 7]},
    }


@pytest.mark.parametrize("name", ["break-down", "weighted", "regression"])
def test_an_analysis_says_what_it_found_and_what_it_refuses(german, owner, name):
    survey = answered(factories.make_open_survey(owner), 40)
    address = reverse(f"surveys:{name}", args=[survey.pk])
    assert left_on(german, survey, address) == []
    assert left_on(german, survey, address, **asked_of(survey)[name]) == []
    wrong = {"question": 1, "by": 1, "predictors": [1, 6], "outcome": "1-1", "margins": "?"}
    assert left_on(german, survey, address, **wrong) == []


def test_pictures_of_analyses_are_drawn_in_german(german, owner):
    survey = answered(factories.make_open_survey(owner), 40)
    asked = {"question": 1, "by": 6, "as": "vl.json"}
    address = reverse("surveys:break-down-picture", args=[survey.pk, 1])
    drawn = german.get(address, asked).json()
    assert "nach Gruppe" in drawn["description"]
    assert drawn["config"]["locale"]["number"]["decimal"] == ","


def test_the_report_to_hand_over_and_the_page_of_exports(german, owner):
    survey = answered(factories.make_open_survey(owner), 3)
    assert left_on(german, survey, reverse("surveys:report", args=[survey.pk])) == []
    assert left_on(german, survey, reverse("surveys:exports", args=[survey.pk])) == []
    assert left_on(german, survey, reverse("surveys:deposit", args=[survey.pk])) == []


def test_files_stay_in_english_whatever_their_reader_chose(german, owner):
    survey = answered(factories.make_open_survey(owner), 40)
    asked = asked_of(survey)["break-down"]
    address = reverse("surveys:break-down-json", args=[survey.pk])
    assert "Konfidenz" not in german.get(address, asked).content.decode()
    assert "Withheld" in german.get(address, asked).content.decode()


def test_the_form_of_a_draft_and_what_it_asks_before_the_launch(german, owner):
    survey = factories.make_survey(owner, close_on=soon(30), opening="close", batch_size=5)
    factories.add_one_of_each(survey)
    factories.add_text(survey)
    factories.add_budget(survey)
    for page in ("change", "delete", "launch"):
        address = reverse(f"admin:surveys_survey_{page}", args=[survey.pk])
        assert left_on(german, survey, address) == [], page
    for address in ("admin:surveys_survey_add", "admin:surveys_survey_changelist"):
        assert left_on(german, survey, reverse(address)) == [], address
    found = german.get(reverse("admin:surveys_survey_change", args=[survey.pk])).content.decode()
    for words in ("Stapelgröße:", "Speichern und starten …", "Umfrage ändern"):
        assert words in found


def test_the_form_of_a_launched_survey_and_what_its_end_asks(german, owner):
    sealed = factories.sealed_survey(owner)
    live = factories.make_open_survey(owner)
    for survey, page in ((sealed, "change"), (sealed, "stop"), (live, "change"), (live, "close")):
        address = reverse(f"admin:surveys_survey_{page}", args=[survey.pk])
        assert left_on(german, survey, address) == [], page
    asked = reverse("admin:surveys_survey_delete_by", args=[live.pk, soon(50)])
    assert left_on(german, live, asked) == []


def test_what_a_form_refuses_is_said_in_german(german, owner):
    survey = factories.make_survey(owner)
    address = reverse("admin:surveys_survey_change", args=[survey.pk])
    typed = {"title": "", "close_on": "01.01.2001", "batch_size": 2, "budgets-TOTAL_FORMS": 0}
    typed |= NO_KEYS
    found = german.post(address, {**typed, "budgets-INITIAL_FORMS": 0}).content.decode()
    assert "Dieser Tag ist vorbei. Wählen Sie heute oder einen späteren Tag." in found
    assert english_in(found, *own_words(survey)) == []


PLANS = {
    "as it is": {},
    "a test and prices": {"share": "0.2", "responses": "500", "budget": "2", "samples": "two"},
    "few are asked": {"drawn": "2/10", "method": "chebyshev", "share": "0.01", "power": "0.5"},
    "a table": {"design": "table", "population": "100", "meaning": "respondents"},
    "a number": {"design": "rounded-number", "share": "0.2", "method": "hoeffding"},
    "a sample": {
        **{"response_rate": "0.4", "cluster_size": "25", "intraclass_correlation": "0.05"},
        **{"weight_variation": "0.5", "arms": "2; 1", "share": "0.2", "samples": "two"},
        "responses": "5000",
    },
    "a sample of groups": {"response_rate": "0.4", "share": "0.2", "samples": "two"},
    "no sample": {"weight_variation": "-1", "cluster_size": "0", "arms": "1", "response_rate": "2"},
    "half a sample": {"cluster_size": "25"},
    "refused": {"error": "x", "failure": "2", "responses": "-1", "levels": "1", "answers": "1"},
    "refused by statistics": {"design": "warner", "p": "1/2"},
}


@pytest.mark.parametrize("asked", PLANS.values(), ids=PLANS)
def test_the_planner(german, owner, asked):
    survey = factories.make_survey(owner)
    address = reverse("surveys:planner")
    left = left_on(german, survey, address, **asked)
    # The parameters of a design have the names that they have in Python.
    assert [piece for piece in left if "options = " not in piece and "points = " not in piece] == []


def test_a_plan_is_kept_in_the_language_in_which_it_was_asked(german):
    address = reverse("surveys:planner")
    assert "Grundgesamtheit" in german.get(address).content.decode()
    german.post(reverse("staff_language"), {"language": "en"})
    assert "Grundgesamtheit" not in german.get(address).content.decode()


def test_a_trial_of_a_draft(german, owner):
    survey = factories.make_survey(owner, language="de")
    factories.add_question(survey)
    factories.add_question(survey, "Bus", "Car", kind="choice")
    address = reverse("surveys:trial", args=[survey.pk])
    assert left_on(german, survey, address, n="50", runs="5") == []
    assert left_on(german, survey, address, n="x", runs="5", difference="90") == []
