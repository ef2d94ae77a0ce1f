"""Ratings that show promising items more often: drafts, what the display rests on, and pages."""

import re
from collections import Counter
from decimal import Decimal

import numpy as np
import pytest
from django.urls import reverse
from django.utils import timezone

from surveys.authoring.drafts import item_of
from surveys.authoring.services import close
from surveys.catalogues.queries import display_law, display_responses, rating_counts, recounted
from surveys.collecting.rows import Launched, start_context
from surveys.collecting.services import receive
from surveys.models import Question, RatingCount, Response, Survey
from surveys.operations import retention
from surveys.operations.checks import counted
from surveys.operations.checks.findings import Severity
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.kinds.question import Question as PromisedQuestion
from surveys.questionnaire.plans.display import EVEN_RESPONSES, EVEN_SHARE, learn_law
from surveys.questionnaire.ratings import display_key
from surveys.results.codebook.book import codebook
from surveys.results.queries import item_counts
from surveys.staff.queries import audit_entries
from tests import kept
from tests.bodies import body_of, first_code, items_of, rating_code
from tests.early_documents import version_1
from tests.factories import (
    add_question,
    add_rating,
    make_adaptive_survey,
    make_rating_survey,
    make_survey,
    make_user,
)
from tests.faults import refused
from tests.question_forms import question_form
from tests.rivals import at_once
from tests.unready import why

pytestmark = pytest.mark.django_db
owner, survey = kept.owner, kept.survey
DESIGNS = Question.Design
BATCH = 20


@pytest.fixture(scope="module")
def launched_survey(made_once):
    return made_once(make_adaptive)


def make_adaptive() -> Survey:
    return make_adaptive_survey(make_user(), batch_size=BATCH)


def send(survey: Survey, times: int, *, best: int = 12) -> None:
    """So many submissions that like one item and nothing else; the others are shown in turn."""
    first, *others = items_of(survey)
    for turn in range(times):
        other = 1 + (best + turn % 11) % 12
        code = rating_code(first, {other: 0, best: 2})
        codes = [code, *(first_code(item, own_coin=False) for item in others)]
        receive(survey_id=survey.pk, body=body_of(survey.revision, codes))


def copy(survey: Survey, item: PromisedQuestion) -> np.ndarray:
    """The counts that an item's display rests on."""
    counts = np.zeros((12, 4), dtype=int)
    rows = RatingCount.objects.filter(revision=survey.revision, question=display_key(item.id))
    for number, level, count in rows.filter(item__gt=0).values_list("item", "level", "count"):
        counts[number - 1, level] = count
    return counts


# ---- Drafts ------------------------------------------------------------------------------------


def test_a_survey_by_invitation_shows_items_evenly(owner):
    draft = make_survey(owner, invitation_only=True)
    assert "hint at when this person opened the page" in why(
        add_rating(draft, shown=2, adaptive=True)
    )


@pytest.mark.parametrize("kind", [kind for kind in Question.Kind if kind != "rating"])
def test_other_kinds_of_questions_have_no_items_to_show(owner, kind):
    question = add_question(make_survey(owner), "A", "B", kind=kind, adaptive=True)
    assert "Only ratings can show promising items more often" in why(question)


@pytest.mark.parametrize("fields", [{}, {"design": DESIGNS.K_ARY, "epsilon": Decimal(4)}])
def test_open_ratings_and_an_epsilon_of_2_for_each_item_may(owner, fields):
    question = add_rating(make_survey(owner), shown=2, adaptive=True, **fields)
    assert item_of(question).items.adaptive


def test_documents_of_earlier_versions_show_items_evenly(survey):
    document = version_1(survey.revision.document)
    for entry in document["items"]:
        assert entry["rated"].pop("adaptive") is True
    assert not any(item.items.adaptive for item in Questionnaire.from_document(document).items)


# ---- What the display rests on -----------------------------------------------------------------


def test_the_display_learns_after_100_answers_and_then_whenever_they_have_doubled(survey):
    """In between it rests on exactly what it knew, whatever comes in."""
    first = items_of(survey)[0]
    known = []
    for _ in range(21):
        send(survey, BATCH)
        known.append(display_responses(survey.revision.pk, first.id).learned)
        counts = rating_counts(survey.revision, first.id)
        if known[-1] == BATCH * len(known):
            assert (copy(survey, first) == counts).all()
        else:
            assert copy(survey, first).sum() == 2 * known[-1] < counts.sum()
    assert known == 4 * [0] + 5 * [100] + 10 * [200] + 2 * [400]


def test_before_that_all_items_are_shown_evenly(survey):
    send(survey, EVEN_RESPONSES - 1)
    assert all(display_law(survey.revision.pk, item) is None for item in items_of(survey))


def test_the_law_is_that_of_the_copied_counts_through_the_channel_of_the_question(survey):
    """Also in a process that starts later, when other answers have been counted."""
    send(survey, EVEN_RESPONSES)
    send(survey, BATCH, best=3)
    for item in items_of(survey):
        channel = item.channel if item.is_randomized else None
        expected = learn_law(copy(survey, item), channel, declines=True)
        law = display_law(survey.revision.pk, item)
        assert (law.means == expected.means).all()
        assert (law.deviations == expected.deviations).all()


def test_evenly_shown_questions_keep_no_copy(owner):
    survey = make_rating_survey(owner)
    receive(survey_id=survey.pk, body=body_of(survey.revision))
    questions = set(RatingCount.objects.values_list("question", flat=True))
    assert {str(question) for question in questions} == {item.id for item in items_of(survey)}
    assert all(display_law(survey.revision.pk, item) is None for item in items_of(survey))


def test_who_was_not_asked_teaches_the_display_nothing(survey):
    for _ in range(EVEN_RESPONSES):
        receive(survey_id=survey.pk, body=body_of(survey.revision, own_coin=True))
    opened, protected = (
        display_responses(survey.revision.pk, item.id) for item in items_of(survey)
    )
    assert (opened.asked, opened.learned) == (100, 100)
    assert (protected.asked, protected.learned) == (0, 0)


@pytest.mark.django_db(transaction=True)
def test_a_batch_that_cannot_be_stored_teaches_the_display_nothing(transactional_db):
    survey = make_adaptive()
    send(survey, EVEN_RESPONSES - BATCH)
    first = items_of(survey)[0]
    with refused("DELETE", "surveys_waiting"):
        send(survey, BATCH)
    assert display_responses(survey.revision.pk, first.id).asked == 80
    send(survey, 1)
    known = display_responses(survey.revision.pk, first.id)
    assert (known.asked, known.learned) == (101, 101)
    assert copy(survey, first).sum() == 202


@pytest.mark.django_db(transaction=True)
def test_batches_that_many_fill_at_the_same_moment_are_each_learned_once(transactional_db):
    survey = make_adaptive()
    at_once(*(lambda: send(survey, 30) for _ in range(8)))
    first = items_of(survey)[0]
    known = display_responses(survey.revision.pk, first.id)
    assert known.asked == Response.objects.count() >= 220
    assert copy(survey, first).sum() == 2 * known.learned
    assert known.asked < 2 * known.learned


@pytest.mark.django_db(transaction=True)
def test_the_copy_is_no_part_of_the_counts_and_goes_with_them(transactional_db):
    survey = make_adaptive()
    send(survey, EVEN_RESPONSES)
    for item, table in recounted(survey.revision):
        assert (table == rating_counts(survey.revision, item.id)).all()
    assert [finding.level for finding in counted.ratings()] == [Severity.OK]
    assert [one.written for one in item_counts(survey.revision)] == [200, 200]
    close(survey=survey, by=survey.owner)
    Survey.objects.filter(pk=survey.pk).update(delete_on=timezone.now().date())
    assert retention.keep_dates(now=timezone.now()).problems == []
    assert not RatingCount.objects.exists()


# ---- Pages -------------------------------------------------------------------------------------


def shown(survey: Survey, pages: int) -> Counter[int]:
    """How often each item of the first question is on so many pages."""
    questionnaire = Questionnaire.from_document(survey.revision.document)
    found: Counter[int] = Counter()
    for _ in range(pages):
        slots = start_context(questionnaire, Launched(str(survey.revision.pk)))["questions"][
            0
        ].slots
        assert len({slot.number for slot in slots}) == 2
        assert {len(slot.number) for slot in slots} == {2}
        found.update(int(slot.number) for slot in slots)
    return found


@pytest.mark.audit
def test_the_best_item_is_on_nearly_every_page_and_no_item_is_given_up(survey):
    """Every item is on at least EVEN_SHARE * 2 / 12 of the pages: 5 sigma below that here."""
    send(survey, EVEN_RESPONSES)
    pages = 2000
    found = shown(survey, pages)
    assert found[12] > 0.8 * pages
    share = EVEN_SHARE * 2 / 12
    least = pages * share - 5 * np.sqrt(pages * share * (1 - share))
    assert all(found[number] >= least for number in range(1, 13))


def test_a_draft_s_preview_shows_items_evenly_because_nobody_rated_them(owner, client):
    question = add_rating(make_survey(owner), size=12, shown=2, adaptive=True)
    client.force_login(owner)
    address = reverse("admin:surveys_survey_preview", args=[question.survey.pk])
    page = client.get(address).content.decode()
    assert len(set(re.findall(r'data-item="(\d+)"', page))) == 2


@pytest.mark.parametrize("name", ["start", "own-coin"])
def test_both_pages_show_by_the_law_and_say_so(survey, client, name):
    """The best item is on more than 26 of 40 pages of each path (0.9 expected; 5 sigma)."""
    send(survey, EVEN_RESPONSES)
    pages = [
        client.get(reverse(f"respondent:{name}", args=[survey.pk])).content.decode()
        for _ in range(40)
    ]
    first = [page[: page.index("Protected, adaptive")] for page in pages]
    assert sum("Item 12</bdi>" in page for page in first) > 26
    assert "Items with good earlier ratings are shown more often" in pages[0]
    assert "Every item is equally" not in pages[0]


def test_a_page_asks_nothing_of_the_counts_until_the_display_learns_anew(
    survey, client, django_assert_num_queries
):
    send(survey, EVEN_RESPONSES)
    item = items_of(survey)[0]
    display_law(survey.revision.pk, item)
    with django_assert_num_queries(1) as asked:
        display_law(survey.revision.pk, item)
    assert '"item" = 0' in asked.captured_queries[0]["sql"]


def test_downloads_and_the_dashboard_say_which_ratings_were_shown_adaptively(survey, owner, client):
    send(survey, EVEN_RESPONSES)
    one, other = codebook(survey.revision, responses=100)["columns"]
    assert one["display"] == other["display"] == "adaptive"
    assert "means of single items are biased" in one["how_to_read"]
    client.force_login(owner)
    page = " ".join(
        client.get(reverse("surveys:dashboard", args=[survey.pk])).content.decode().split()
    )
    assert "each respondent sees 2 randomly drawn items, promising items more often." in page
    evenly = codebook(make_rating_survey(owner).revision, responses=0)["columns"][1]
    assert evenly["display"] == "even"
    assert "equally likely to be shown" in evenly["how_to_read"]


def test_the_author_sets_it_in_the_form_which_says_what_it_costs(owner, client):
    question = add_rating(make_survey(owner), size=12, shown=2)
    client.force_login(owner)
    address = reverse("admin:surveys_question_change", args=[question.pk])
    assert "the means of single items are biased" in client.get(address).content.decode()
    client.post(address, question_form(question, catalogue=question.catalogue_id, adaptive="on"))
    question.refresh_from_db()
    assert question.adaptive
    entry = audit_entries(question.survey_id).first()
    assert entry.after["question 1: adaptive"] is True
    page = client.get(address, follow=True).content.decode()
    assert "checked" in page[page.index('name="adaptive"') :][:80]
