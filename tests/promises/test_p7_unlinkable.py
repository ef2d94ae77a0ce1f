"""P7: nobody can link a response to an invitation, however well they know who answered when.

The attacker knows the order in which people answered and reads the rows in the order in which the
database keeps them. Batches of k leave them one chance in k. Numbers that people "give" here are
their places in the queue, so that the attack's success can be counted.
"""

import math
import secrets
from collections import Counter
from datetime import timedelta
from itertools import pairwise, permutations
from operator import eq

import numpy as np
import pytest
from django.conf import settings
from django.db import connection, models
from django.urls import reverse
from django.utils import timezone

from surveys.authoring.drafts import NotReady
from surveys.authoring.services import close, launch
from surveys.catalogues.queries import display_law
from surveys.collecting.keys import batch_keys
from surveys.collecting.services import receive
from surveys.kinds.text.promise import unbased
from surveys.models import (
    Addressee,
    Ballot,
    Comment,
    Invitation,
    Mailing,
    Option,
    Question,
    Response,
    Sealed,
    SealedText,
    SetAside,
    Spool,
    SubmissionKey,
    Survey,
    Waiting,
)
from surveys.models.queries import digest_of_revision
from surveys.operations.retention import keep_dates
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.plans.display import DisplayLaw, learn_law
from surveys.questionnaire.submission import parse
from surveys.trust.keyfiles import PrivateKey
from surveys.trust.texts import open_text
from tests.bodies import body_of
from tests.factories import (
    add_question,
    add_rating,
    add_serial_number,
    add_text,
    after_the_close,
    invite,
    launched,
    make_adaptive_survey,
    make_survey,
)
from tests.locked_texts import sealed_in_page
from tests.sixty import make_sixty, random_bodies
from tests.surveys.authoring.text_keys import add_key, new_key
from tests.surveys.authoring.trustees import add_tally
from tests.traces import files

pytestmark = pytest.mark.django_db(transaction=True)
PHYSICAL = {"sqlite": "rowid", "postgresql": "ctid"}
WIDTH = 5
SENTINEL = "Zyxoquartz"
# Batches of how many, and how many answer.
SIZES = [(1, 50), (5, 200)]
LARGE = [(1, 1000), (5, 10_000), (20, 10_000)]
LAST_BATCHES, MANY_LAST = (7, 140), (7, 280)  # 20 of them, and 40
SIXTY = (5, 100)


def make_queue_survey(owner, *, k: int, invitation_only: bool = True, **fields: object) -> Survey:
    """A survey, by invitation, whose answers say who gave them: a number and a text."""
    draft = make_survey(owner, batch_size=k, invitation_only=invitation_only, **fields)
    add_serial_number(draft, width=WIDTH)
    add_question(
        draft,
        text="In words?",
        kind=Question.Kind.TEXT,
        design=Question.Design.DIRECT,
        longest=20,
    )
    return launched(draft)


def answer(survey: Survey, place: int, token: str | None, text: str | None = None) -> None:
    _, words = Questionnaire.from_document(survey.revision.document).items
    codes = [f"{place:0{WIDTH}d}", words.encode(text or f"{SENTINEL} {place}")]
    body = body_of(survey.revision, codes, invitation=token)
    receive(survey_id=survey.pk, body=body)


def answer_in_order(survey: Survey, people: int) -> None:
    for place, token in enumerate(invite(survey, people)):
        answer(survey, place, token)


def physical(model: type[models.Model], column: str) -> list[str]:
    """A column in the order in which the database keeps the rows."""
    order = PHYSICAL[connection.vendor]
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {column} FROM {model._meta.db_table} ORDER BY {order}")
        return [row[0] for row in cursor.fetchall()]


def linked(found: list[int]) -> float:
    """How often the row at a place belongs to the person at that place of the queue."""
    return sum(place == person for place, person in enumerate(found)) / len(found)


def bound(k: int, people: int) -> float:
    """The mean of the linking rate, 1/k, and 5 standard deviations.

    Source: fixed points of a random permutation, Feller, An Introduction to Probability Theory
    and Its Applications, vol. 1, IV.4 ("matches"). A person keeps their place with probability
    1/k and two people keep theirs with probability 1/(k(k - 1)), so that X, the number of fixed
    points, has E X = E X(X - 1) = 1: mean 1 and, from k = 2 on, variance 1 + 1 - 1 = 1. Over
    people/k independent batches of which the sum is divided by the number of people, the mean is
    1/k and the variance 1/(k * people).

    A sound system fails one comparison with the probability ``chance_of_failing``, below 1e-5.
    """
    return 1 / k if k == 1 else 1 / k + 5 / math.sqrt(people * k)


def fixed_points(k: int) -> list[float]:
    """The probabilities that a random permutation of k keeps 0, ..., k places (Feller, IV.4)."""
    signs = [(-1) ** j / math.factorial(j) for j in range(k + 1)]
    return [math.fsum(signs[: k - m + 1]) / math.factorial(m) for m in range(k + 1)]


def chance_of_failing(k: int, people: int) -> float:
    """That fair shuffles of people/k batches keep more places than the bound allows; exact."""
    total = np.array([1.0])
    for _ in range(people // k):
        total = np.convolve(total, fixed_points(k))
    kept = np.arange(total.size)
    return float(total[kept / people > bound(k, people)].sum())


def people_of_responses() -> list[int]:
    return [int(answers) for answers in physical(Response, "answers")]


def people_of_comments() -> list[int]:
    return [int(text.removeprefix(SENTINEL)) for text in physical(Comment, "text")]


def link(owner, *, k: int, people: int) -> None:
    """Let people answer one after the other, attack, print and compare."""
    answer_in_order(make_queue_survey(owner, k=k), people)
    responses, comments = people_of_responses(), people_of_comments()
    assert sorted(responses) == sorted(comments) == list(range(people))
    rates = {
        "responses": linked(responses),
        "comments": linked(comments),
        "comments to responses by their place": sum(map(eq, responses, comments)) / people,
    }
    for name, rate in rates.items():
        print(
            f"\n{connection.vendor}: k = {k:2}, {people:,} people: {rate:7.2%} of {name} linked "
            f"(expected {1 / k:.2%}, bound {bound(k, people):.2%})",
            end="",
        )
        assert rate <= bound(k, people)
    assert k > 1 or set(rates.values()) == {1}  # the attacks themselves work


@pytest.mark.both_databases
@pytest.mark.parametrize(("k", "people"), SIZES)
def test_an_insider_who_knows_the_queue_links_at_most_one_in_k(owner, k, people):
    link(owner, k=k, people=people)


@pytest.mark.both_databases
def test_a_text_of_a_live_survey_is_told_by_its_place_to_come_from_its_batch_and_no_closer(
    owner, client
):
    """Rows and texts of a batch lie together on the disk; respondents of live surveys read so."""
    k, people = SIXTY
    survey = make_queue_survey(owner, k=k, invitation_only=False, opening=Survey.Opening.LIVE)
    for place in range(people):
        answer(survey, place, None)
    rows, texts = people_of_responses(), people_of_comments()
    batches = [slice(first, first + k) for first in range(0, people, k)]
    assert all(set(rows[batch]) == set(texts[batch]) for batch in batches)
    assert sum(map(eq, rows, texts)) / people <= bound(k, people)
    page = client.get(reverse("respondent:start", args=[survey.pk])).content.decode()
    said = f"The answers and texts of {k} people, yours included, are stored at the same time."
    assert said in " ".join(page.split())


@pytest.mark.audit
@pytest.mark.parametrize(("k", "people"), LARGE)
def test_among_thousands_an_insider_links_at_most_one_in_k(owner, k, people):
    link(owner, k=k, people=people)


def test_the_bound_rests_on_the_fixed_points_of_a_random_permutation():
    kept = Counter(sum(map(eq, order, range(5))) for order in permutations(range(5)))
    assert fixed_points(5) == pytest.approx([kept[m] / 120 for m in range(6)])
    for k in (2, 5, 7, 20):
        chances, kept = np.array(fixed_points(k)), np.arange(k + 1)
        moments = (chances.sum(), chances @ kept, chances @ (kept - 1) ** 2)
        assert moments == pytest.approx((1, 1, 1))


def test_answers_to_sixty_questions_of_every_kind_link_no_better(owner):
    """People in all arms, who are asked different questions, share batches."""
    k, people = SIXTY
    survey = make_sixty(owner, batch_size=k)
    bodies, revision = random_bodies(survey, people), str(survey.revision.pk)
    for body in bodies:
        receive(survey_id=survey.pk, body=body)
    questionnaire = Questionnaire.from_document(survey.revision.document)
    sent = [parse(body, questionnaire=questionnaire, revision=revision) for body in bodies]
    queue = {one.answers: place for place, one in enumerate(sent)}
    found = [queue[row] for row in physical(Response, "answers")]
    assert sorted(found) == list(range(people))
    assert linked(found) <= bound(k, people)


@pytest.mark.parametrize(("k", "people"), [*SIZES, *LARGE, LAST_BATCHES, MANY_LAST, SIXTY])
def test_a_sound_system_fails_a_comparison_less_than_once_in_100_000_runs(k, people):
    assert chance_of_failing(k, people) < 1e-5


@pytest.mark.parametrize(
    ("m", "people"), [LAST_BATCHES, pytest.param(*MANY_LAST, marks=pytest.mark.audit)]
)
def test_a_last_batch_of_m_people_hides_each_among_m(owner, m, people):
    surveys = [make_queue_survey(owner, k=20) for _ in range(people // m)]
    for survey in surveys:
        answer_in_order(survey, m)
        assert not Response.objects.filter(revision=survey.revision).exists()
        close(survey=survey, by=owner)
    rows = iter(people_of_responses())
    hits = sum(place == next(rows) for _ in surveys for place in range(m))
    assert hits / people <= bound(m, people)


@pytest.mark.audit
@pytest.mark.parametrize(("m", "people"), [MANY_LAST])
def test_sealed_texts_lie_in_the_order_of_neither_their_people_nor_their_rows(owner, m, people):
    """Opened with their rows, by somebody who has the keys and knows the queue."""
    key, texts = new_key(), []
    for _ in range(people // m):
        survey = make_sealed_queue(owner, key)
        for place in range(m):
            codes = [f"{place:0{WIDTH}d}", sealed_in_page(survey, str(place))]
            receive(survey_id=survey.pk, body=body_of(survey.revision, codes))
        keep_dates(now=after_the_close(survey))
        revision = digest_of_revision(survey.revision.pk)
        sealed = physical(SealedText, "content")[-m:]
        plain = [
            open_text(bytes(one), [key.key], revision=revision, question=2, longest=20)
            for one in sealed
        ]
        texts += map(int, plain)
    rows, queue = people_of_responses(), [*range(m)] * (people // m)
    assert len(rows) == len(texts) == people
    for pairs in (zip(queue, texts, strict=True), zip(rows, texts, strict=True)):
        assert sum(one == other for one, other in pairs) / people <= bound(m, people)


@pytest.mark.audit
@pytest.mark.parametrize(("m", "people"), [MANY_LAST])
def test_ballots_lie_in_the_order_of_neither_their_people_nor_their_rows(owner, m, people):
    """Who knows the queue knows each body, and so whose each ballot is."""
    places = []
    for _ in range(people // m):
        survey, sent = make_counted_queue(owner), {}
        for place in range(m):
            body = body_of(survey.revision, [f"{place:0{WIDTH}d}", ""])
            sent[unbased(body.rpartition(b"=")[2].decode())] = place
            receive(survey_id=survey.pk, body=body)
        keep_dates(now=after_the_close(survey))
        places += [sent[bytes(ballot)] for ballot in physical(Ballot, "content")[-m:]]
    rows, queue = people_of_responses(), [*range(m)] * (people // m)
    assert len(rows) == len(places) == people
    for pairs in (zip(queue, places, strict=True), zip(rows, places, strict=True)):
        assert sum(one == other for one, other in pairs) / people <= bound(m, people)


def make_counted_queue(owner) -> Survey:
    last_day = timezone.now().date() + timedelta(days=1)
    draft = make_survey(owner, batch_size=5, opening=Survey.Opening.CLOSE, close_on=last_day)
    add_serial_number(draft, width=WIDTH)
    add_question(draft, design="direct", required=True, counted_table=1)
    add_tally(draft)
    return launched(draft)


def make_sealed_queue(owner, key: PrivateKey) -> Survey:
    last_day = timezone.now().date() + timedelta(days=1)
    draft = make_survey(owner, batch_size=5, opening=Survey.Opening.CLOSE, close_on=last_day)
    add_serial_number(draft, width=WIDTH)
    add_text(draft, longest=20)
    add_key(draft, key)
    return launched(draft)


@pytest.mark.both_databases
def test_nothing_is_stored_readably_before_its_batch_is_whole(owner):
    survey, words = make_queue_survey(owner, k=5), secrets.token_hex(8)
    *first, last = invite(survey, 5)
    for place, token in enumerate(first):
        answer(survey, place, token, words)
    assert Waiting.objects.count() == 4
    assert not Response.objects.exists()
    assert not Comment.objects.exists()
    assert words.encode() not in everything_on_disk()
    assert len({len(bytes(one.ciphertext)) for one in Waiting.objects.all()}) == 1
    answer(survey, 4, last, words)
    assert words.encode() in everything_on_disk()


@pytest.mark.both_databases
def test_a_key_is_destroyed_with_its_batch_and_opens_nothing_afterwards(owner):
    survey = make_queue_survey(owner, k=5)
    tokens = invite(survey, 5)
    for place, token in enumerate(tokens[:4]):
        answer(survey, place, token)
    batch = Spool.objects.get().batch
    key = batch_keys.read(settings.BATCH_KEYS_DIR, batch)
    taken = [bytes(row.ciphertext) for row in Waiting.objects.all()]
    answer(survey, 4, tokens[4])
    assert Response.objects.count() == 5
    assert Spool.objects.get().batch != batch
    assert batch not in batch_keys.kept(settings.BATCH_KEYS_DIR)
    with pytest.raises(batch_keys.KeyLost):
        batch_keys.read(settings.BATCH_KEYS_DIR, batch)
    assert key not in everything_on_disk()
    for other in batch_keys.kept(settings.BATCH_KEYS_DIR):
        with pytest.raises(batch_keys.KeyLost):
            batch_keys.unseal(
                batch_keys.read(settings.BATCH_KEYS_DIR, other), batch, secrets.choice(taken)
            )


def everything_on_disk() -> bytes:
    """What a thief finds: the data directory and the database's own files, its log included."""
    return b"".join(content for _, content in files())


def test_in_a_survey_by_invitation_what_somebody_was_shown_does_not_depend_on_when(owner):
    draft = make_survey(owner, invitation_only=True)
    add_rating(draft, size=12, shown=2, adaptive=True)
    with pytest.raises(NotReady, match="would also hint at this person’s invitation"):
        launch(survey=draft, by=owner)


def test_without_invitations_hardly_any_batch_changes_what_people_are_shown(owner):
    """Of 80 batches of 5 people, those that bring the 100th, 200th and 400th answer."""
    survey = make_adaptive_survey(owner, batch_size=5)
    (first, _), laws = Questionnaire.from_document(survey.revision.document).items, []
    for _ in range(80):
        for _ in range(5):
            receive(survey_id=survey.pk, body=body_of(survey.revision))
        laws.append(display_law(survey.revision.pk, first))
    changes = [
        batch for batch, pair in enumerate(pairwise(laws), start=2) if pair[0] is not pair[1]
    ]
    assert changes == [20, 40, 80]


def pages_of(law: DisplayLaw, rng: np.random.Generator, pages: int) -> Counter[frozenset[int]]:
    return Counter(frozenset(law.draw(2, rng)) for _ in range(pages))


@pytest.mark.audit
def test_who_sends_a_page_of_the_law_before_is_found_no_more_often_than_derived(capsys):
    """At the first change: one of a batch of 20 was shown 2 of 12 items evenly, the others by law.

    The attacker knows both laws, knows who it was, and takes the row that speaks most for it. The
    best anybody can do is 1/k + (1 - 1/k) * the distance of the laws (docs/privacy.md); the laws
    are estimated by 200,000 pages each, so that the attack can only be weaker, and 5 sigma allow
    for the attack's own chance.
    """
    rng, k, tries = np.random.default_rng(), 20, 20_000
    likes = np.linspace(0.3, 0.7, 12)
    counts = rng.multinomial(1, np.column_stack([1 - likes, likes]), size=(16, 12)).sum(axis=0)
    laws = DisplayLaw(np.zeros(12), np.ones(12)), learn_law(counts)
    before, after = (pages_of(law, rng, 200_000) for law in laws)
    sets = list(before | after)
    old, new = (np.array([pages[one] for one in sets]) / 200_000 for pages in (before, after))
    distance = np.abs(old - new).sum() / 2
    rows = rng.choice(len(sets), size=(tries, k), p=new)
    rows[:, 0] = rng.choice(len(sets), size=tries, p=old)
    speaks = (old / np.maximum(new, 1e-12))[rows] + 1e-9 * rng.random((tries, k))
    found = float((speaks.argmax(axis=1) == 0).mean())
    bound = 1 / k + (1 - 1 / k) * distance
    with capsys.disabled():
        print(f"\nshown evenly among {k - 1} others: found {found:.1%}, at most {bound:.1%}")
    assert 1 / k < found <= bound + 5 * math.sqrt(bound * (1 - bound) / tries)


ALLOWED = {
    Response: {"id", "revision", "opening", "answers"},
    Comment: {"id", "revision", "question", "text", "opening"},
    SealedText: {"id", "revision", "question", "content", "opening"},
    Ballot: {"id", "revision", "table", "content", "digest", "opening"},
    Sealed: {"id", "revision", "round", "kind", "content"},
    Waiting: {"id", "revision", "ciphertext"},
    SetAside: {"id", "revision", "batch", "ciphertext"},
    Spool: {"survey", "revision", "batch"},
    SubmissionKey: {"digest", "content", "revision"},
    Invitation: {"digest", "survey", "redeemed", "announced", "request"},
}


def test_the_tables_of_answers_and_of_invitations_share_no_key_no_time_and_no_order():
    for model, allowed in ALLOWED.items():
        fields = {field.name: field for field in model._meta.get_fields()}
        assert set(fields) == allowed
        for field in fields.values():
            assert not isinstance(field, models.DateField | models.AutoField), field
    for model in (Response, Comment, SealedText, Ballot, Waiting, SetAside, Sealed):
        assert model._meta.pk.get_internal_type() == "UUIDField"


def test_addresses_and_invitations_share_nothing_but_the_survey():
    def reached(model: type[models.Model]) -> set[type[models.Model]]:
        return {field.related_model for field in model._meta.fields if field.related_model}

    assert reached(Invitation) == {Survey}
    assert reached(Addressee) == {Mailing}
    assert reached(Mailing) == {Survey, Mailing}  # a reminder names the mailing it reminds of
    assert Invitation not in reached(Option)
