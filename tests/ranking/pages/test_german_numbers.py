"""Numbers that staff type for a ranking, and that its page says, in German."""

import re

import pytest
from django.urls import reverse

from ranking.models import RankingChoice
from ranking.queries import chosen_method
from surveys.models import Survey
from tests.ranking import rated

pytestmark = pytest.mark.one_database


@pytest.fixture
def survey(owner) -> Survey:
    survey = rated.make_rated_survey(owner, rated.make_catalogue(owner, "Algebra", "Drama"))
    rated.count(survey, [1, 5, 30], [3, 5, 7])
    return survey


def page(client, survey: Survey, **query: str) -> str:
    return client.get(reverse("ranking:table", args=[survey.pk, 2]), query).content.decode()


@pytest.mark.parametrize("typed", ["1; 2.5; 1", "1 2.5 1", "1, 2.5, 1"])
def test_ghost_ratings_are_parted_by_semicolons_blanks_and_commas_before_blanks(
    german, survey, typed
):
    said = page(german, survey, prior="fixed", fixed=typed)
    assert "feste Zahlen, niedrigste Stufe zuerst: 1; 2,5; 1" in said
    assert "4,5 Bewertungen" in said


@pytest.mark.parametrize("typed", ["2,5; 1; 1", "2,5,1"])
def test_a_ghost_rating_with_a_comma_is_not_read_as_two(german, survey, typed):
    said = page(german, survey, prior="fixed", fixed=typed)
    assert (
        "Schreiben Sie Dezimalzahlen mit Punkt, und setzen Sie zwischen Zahlen ein Semikolon"
        in said
    )
    assert "feste Zahlen" not in said


def test_a_strength_with_a_comma_is_refused_with_what_to_write(german, survey):
    said = page(german, survey, prior="average", strength="2,5")
    assert "Schreiben Sie Dezimalzahlen mit Punkt" in said


def test_the_page_shows_ghost_ratings_as_it_reads_them_and_saves_them_as_it_shows_them(
    german, survey
):
    shown = re.search('name="fixed"[^>]*value="([^"]*)"', page(german, survey))
    assert shown is not None
    assert shown[1] == "1; 1; 1"
    sent = {"u1": "1", "u2": "2.5", "u3": "4", "order": "score", "prior": "fixed"}
    for language in ("de", "en"):
        german.post(reverse("staff_language"), {"language": language})
        german.post(reverse("ranking:save", args=[survey.pk, 2]), sent | {"fixed": shown[1]})
    assert chosen_method(rated.question_of(survey)).prior.code == "fixed:1,1,1"
    assert RankingChoice.objects.count() == 1


def test_the_method_is_said_with_the_numbers_of_the_language(german, survey):
    said = page(german, survey, u1="1", u2="2.5", u3="1000", prior="average", strength="2.5")
    assert "Mittel der anderen Einträge, 2,5 für jeden Eintrag" in said
    assert "Wert der Bewertungen, niedrigste Stufe zuerst: 1; 2,5; 1000" in said
