"""Rating questions: drafts, frozen items, what is shown and what is sent."""

import math
from decimal import Decimal

import numpy as np
import pytest
from django.core.exceptions import ValidationError
from django.db import DatabaseError, transaction
from django.urls import reverse
from scipy import stats

from surveys.authoring.drafts import draft_questionnaire
from surveys.collecting.services import receive
from surveys.models import CatalogueItem, Question, Response, Survey
from surveys.models.refusals import NotPossible
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.ratings import draw_evenly
from surveys.questionnaire.refusals import Malformed, OutsideAlphabet
from surveys.questionnaire.submission import body_length, parse
from surveys.staff.accounts.services import erase, export
from surveys.staff.queries import audit_entries
from tests import kept
from tests.bodies import body_of, first_code, items_of, rating_code
from tests.early_documents import version_1
from tests.factories import (
    add_rating,
    launched,
    make_catalogue,
    make_rating_survey,
    make_survey,
    make_user,
)
from tests.question_forms import question_form
from tests.unready import why

pytestmark = pytest.mark.django_db
owner, survey = kept.owner, kept.survey
DESIGNS = Question.Design


@pytest.fixture(scope="module")
def launched_survey(made_once):
    return made_once(lambda: make_rating_survey(make_user(), batch_size=5))


# ---- Drafts ------------------------------------------------------------------------------------


def test_a_rating_becomes_a_slot_for_each_item_with_not_rated_as_its_last_level(survey):
    item = items_of(survey)[0]
    assert [level.text for level in item.levels] == ["Bad", "Fair", "Good", "Not rated"]
    assert (item.slots, item.width, item.decline_level) == (4, 4 * 3, 3)
    assert [level.text for level in items_of(survey)[1].levels] == ["Bad", "Fair", "Good"]


@pytest.mark.parametrize(("place", "stated"), [(2, 3.0), (3, 4.0)])
def test_all_ratings_of_one_respondent_together_reveal_no_more_than_the_author_wrote(
    survey, place, stated
):
    """The slots are independent, so the joint channel's epsilon is the sum, by enumeration too."""
    item = items_of(survey)[place]
    column = item.channel.rows
    worst = max(math.log(max(row) / min(row)) for row in column)
    assert item.epsilon == pytest.approx(item.slots * worst, rel=1e-12)
    assert stated - 1e-6 < item.epsilon <= stated
    assert all(sum(weights) == item.denominator for weights in item.weights)


def test_a_catalogue_of_somebody_else_is_refused(owner):
    foreign = make_catalogue(make_user("grace"))
    assert "does not belong to the owner of this survey" in why(
        add_rating(make_survey(owner), catalogue=foreign)
    )


def test_items_that_read_the_same_or_leave_a_gap_are_named(owner):
    catalogue = make_catalogue(owner)
    late = CatalogueItem.objects.create(catalogue=catalogue, number=6, name="ITEM  2")
    question = add_rating(make_survey(owner), catalogue=catalogue)
    assert "There are 5 items, but the last item has the number 6" in why(question)
    CatalogueItem.objects.filter(pk=late.pk).update(number=5)
    assert "“Item 2” and “ITEM  2”" in why(question)


@pytest.mark.parametrize("size", [1, 9, 10, 50])
def test_a_catalogue_of_any_size_can_be_rated_whole(owner, size):
    draft = make_survey(owner)
    add_rating(draft, "Down", "Up", size=size, required=True)
    (item,) = draft_questionnaire(draft).items
    assert item.width == size * (len(str(size)) + 2)
    code = rating_code(item, {n: n % 2 for n in range(1, size + 1)})
    assert item.read(item.slot_code.slots_in(code), own_coin=True) == code


def test_documents_of_earlier_versions_still_read(survey):
    document = version_1(survey.revision.document)
    for entry in document["items"]:
        del entry["rated"]
        entry["kind"], entry["design"] = "scale", "direct"
    read = Questionnaire.from_document(document)
    assert not read.numbered.ratings
    assert [item.width for item in read.items] == [2, 2, 2, 2]


def test_the_form_offers_catalogues_of_the_survey_s_owner_and_no_others(owner, client):
    question = add_rating(make_survey(owner))
    foreign = make_catalogue(make_user("grace"), name="Foreign")
    client.force_login(owner)
    address = reverse("admin:surveys_question_change", args=[question.pk])
    page = client.get(address).content.decode()
    assert question.catalogue.name in page
    assert "Foreign" not in page
    reply = client.post(address, question_form(question, text="Q?", catalogue=foreign.pk))
    assert "catalogue" in reply.context["adminform"].form.errors
    client.post(
        address, question_form(question, text="Q?", catalogue=question.catalogue_id, shown=2)
    )
    question.refresh_from_db()
    assert (question.text, question.shown) == ("Q?", 2)
    entry = audit_entries(question.survey_id).first()
    assert entry.after == {"question 1: text": "Q?", "question 1: shown": 2}


def test_the_author_hears_that_randomized_ratings_need_the_script(owner, client):
    question = add_rating(make_survey(owner))
    client.force_login(owner)
    fields = question_form(
        question, text="Q?", catalogue=question.catalogue_id, design="k_ary", epsilon="2"
    )
    address = reverse("admin:surveys_question_change", args=[question.pk])
    page = client.post(address, fields, follow=True).content.decode()
    assert "will not be asked for these ratings" in page
    page = client.get(address).content.decode()
    odds = "2.00 (the odds of a guess about a person change at most 7.39-fold)"
    assert f"{odds}, for all 4 ratings together" in page


def test_an_account_that_owns_catalogues_is_not_erased_before_they_are_given_away(db):
    owner = make_user("rosalind")
    catalogue = make_catalogue(owner)
    with pytest.raises(NotPossible, match="owns catalogues: Books"):
        erase(account=owner, by=None)
    catalogue.owner = make_user("grace")
    catalogue.save()
    assert export(account=owner, by=None)["catalogues_owned"] == []
    erase(account=owner, by=None)
    assert CatalogueItem.objects.filter(catalogue=catalogue).count() == 4


# ---- Items: names, freezing --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "words"),
    [("", "blank"), ("a\tb", "U+0009"), ("a\u202eb", "U+202E"), ("x" * 201, "200")],
)
def test_a_name_that_cannot_be_shown_is_refused(owner, name, words):
    item = CatalogueItem(catalogue=make_catalogue(owner), number=9, name=name)
    with pytest.raises(ValidationError, match="(?s)" + words.replace("+", r"\+")):
        item.full_clean()


def test_names_are_composed_so_that_equal_ones_are_equal(owner):
    item = CatalogueItem(catalogue=make_catalogue(owner), number=9, name=" Cafe\u0301 ")
    item.full_clean()
    assert item.name == "Café"


@pytest.mark.parametrize("starting", [[1, -1], [0.5], "12", {"a": 1}, [True], [10**13]])
def test_starting_counts_that_are_none_are_refused(owner, starting):
    item = CatalogueItem(catalogue=make_catalogue(owner), number=9, name="x", starting=starting)
    with pytest.raises(ValidationError, match="starting"):
        item.full_clean()


def test_items_are_frozen_by_form_and_database_once_a_survey_with_them_is_launched(survey, owner):
    item = CatalogueItem.objects.filter(catalogue__questions__survey=survey).first()
    assert item.catalogue.is_frozen
    with pytest.raises(ValidationError, match="These items cannot be changed"):
        item.full_clean()
    free = make_catalogue(owner, name="Free")
    for change in (
        lambda: CatalogueItem.objects.filter(pk=item.pk).update(name="Other"),
        lambda: CatalogueItem.objects.filter(pk=item.pk).update(catalogue=free, number=99),
        lambda: CatalogueItem.objects.filter(pk=item.pk).delete(),
        lambda: CatalogueItem.objects.create(catalogue=item.catalogue, number=99, name="New"),
        lambda: free.items.filter(number=1).update(catalogue=item.catalogue, number=99, name="y"),
    ):
        with pytest.raises(DatabaseError, match="never change"), transaction.atomic():
            change()
    free.items.all().delete()
    assert not free.is_frozen


# ---- What is sent ------------------------------------------------------------------------------


def _parsed(survey: Survey, body: bytes):
    questionnaire = Questionnaire.from_document(survey.revision.document)
    return parse(body, questionnaire=questionnaire, revision=str(survey.revision.pk))


def test_slots_are_kept_in_the_order_of_the_catalogue_which_marks_nobody(survey):
    item = items_of(survey)[0]
    codes = [first_code(other, own_coin=False) for other in items_of(survey)]
    codes[0] = rating_code(item, {3: 0, 1: 2, 4: 3, 2: 1})
    body = body_of(survey.revision, codes)
    assert len(body) == body_length(Questionnaire.from_document(survey.revision.document))
    assert b"q001i01=300&q001i02=102&q001i03=403&q001i04=201" in body
    assert _parsed(survey, body).codes[0] == "102201300403"


@pytest.mark.parametrize(
    ("slots", "refusal"),
    [
        (["100", "100", "300", "400"], OutsideAlphabet),  # an item twice
        (["000", "200", "300", "400"], OutsideAlphabet),  # no such item
        (["500", "200", "300", "400"], OutsideAlphabet),
        (["104", "200", "300", "400"], OutsideAlphabet),  # no such level
        (["10", "200", "300", "4000"], Malformed),
        (["---", "---", "---", "---"], OutsideAlphabet),  # direct ratings are always asked
        (["---", "200", "300", "400"], OutsideAlphabet),
        (["100", "200", "300"], Malformed),
        (["x00", "200", "300", "400"], OutsideAlphabet),
        (["%d9", "200", "300", "400"], Malformed),
    ],
)
def test_ratings_that_no_page_sends_are_refused(survey, slots, refusal):
    body = body_of(survey.revision).decode()
    start, rest = body.split("&q001i01=")
    sent = "".join(f"&q001i{place:02d}={slot}" for place, slot in enumerate(slots, start=1))
    bad = start + sent + rest[rest.index("&q002") :]
    with pytest.raises(refusal):
        _parsed(survey, bad.encode())
    assert not Response.objects.exists()


def test_with_a_coin_of_their_own_only_direct_ratings_are_asked(survey):
    asked = items_of(survey)
    assert [item.is_offered_with_own_coin for item in asked] == [True, True, False, False]
    body = body_of(survey.revision, own_coin=True)
    assert b"q003i01=---&q003i02=---" in body
    receive(survey_id=survey.pk, body=body)
    assert _parsed(survey, body).codes[2:] == ("-" * 9, "-" * 10)


# ---- What is shown -----------------------------------------------------------------------------


class Counting:
    """Chance with a seed, as the draw asks for it."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)

    def sample(self, population, k: int) -> list[int]:
        return [population[i] for i in self.rng.permutation(len(population))[:k]]


@pytest.mark.audit
def test_every_item_and_every_pair_is_shown_equally_often(survey, client):
    """The page's own draws: a fair draw fails one of two comparisons with probability 1e-7."""
    from surveys.collecting.rows import start_context

    questionnaire = Questionnaire.from_document(survey.revision.document)
    pairs = np.zeros((12, 12))
    for _ in range(2000):
        question = start_context(questionnaire)["questions"][1]
        one, two = (int(slot.number) for slot in question.slots)
        pairs[one - 1, two - 1] += 1
    assert np.trace(pairs) == 0
    shown = pairs.sum(0) + pairs.sum(1)
    # Each page shows 2 of 12: counts vary less than multinomial ones, by the factor 10 / 11.
    assert stats.chi2.sf(((shown - 4000 / 12) ** 2 / (4000 / 12)).sum() * 11 / 10, 11) > 1e-7
    ordered = pairs[~np.eye(12, dtype=bool)]
    assert stats.chisquare(ordered).pvalue > 1e-7


def test_the_draw_takes_every_chance_from_its_source():
    drawn = draw_evenly(5, 3, Counting(1))
    assert drawn == [int(i) + 1 for i in np.random.default_rng(1).permutation(5)[:3]]
    assert sorted(draw_evenly(4, 4, Counting(2))) == [1, 2, 3, 4]


def test_the_pages_name_the_items_and_say_how_they_were_chosen(survey, client):
    for name, item in {"start": "data-items=", "own-coin": "Item 1</bdi>"}.items():
        page = client.get(reverse(f"respondent:{name}", args=[survey.pk])).content.decode()
        assert page.count(item) >= 1
        assert "All 4 items are shown, in an order drawn by chance." in page
        assert (
            "You are shown 2 of 12 items, which were drawn by chance when this page was opened"
            in page
        )
    how = client.get(reverse("respondent:how-it-works", args=[survey.pk])).content.decode()
    assert "(each item on its own)" in how
    assert "send “Fair”" in how


def test_the_start_page_tells_the_odds_of_all_ratings_together(owner, client):
    draft = make_survey(owner)
    add_rating(draft, size=3, design=DESIGNS.K_ARY, epsilon=Decimal(3))
    survey = launched(draft)
    page = client.get(reverse("respondent:start", args=[survey.pk])).content.decode()
    assert "You rate 3 items, each with its own coin. Together, what is sent" in page
    # 1 / (e + 3) = 0.175 for each other level; e^3 = 20.1 in all.
    assert "about 17 send" in page
    assert "at most 20.1-fold" in page
