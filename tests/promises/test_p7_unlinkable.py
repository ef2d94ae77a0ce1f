"""P7: nobody can link a response to an invitation, however well they know who answered when.

The attacker knows the order in which people answered and reads the rows in the order in which the
database keeps them. Batches of k leave them one chance in k. Numbers that people "give" here are
their places in the queue, so that the attack's success can be counted.
"""

import math
import secrets

import pytest
from django.conf import settings
from django.db import connection, models

from surveys import batch_keys, services
from surveys.models import (
    Addressee,
    Comment,
    Invitation,
    Mailing,
    Option,
    Question,
    Response,
    Spool,
    SubmissionKey,
    Survey,
    Waiting,
)
from surveys.questionnaire import Questionnaire
from tests.factories import add_question, body_of, invite, make_survey, text_code
from tests.traces import files

pytestmark = pytest.mark.django_db(transaction=True)
PHYSICAL = {"sqlite": "rowid", "postgresql": "ctid"}
WIDTH = 5
SENTINEL = "Zyxoquartz"


def make_queue_survey(owner, *, k: int) -> Survey:
    """A survey by invitation whose answers say who gave them: a number and a text."""
    draft = make_survey(owner, batch_size=k, invitation_only=True)
    add_question(
        draft,
        text="Your place?",
        kind=Question.Kind.NUMBER,
        design=Question.Design.DIRECT,
        required=True,
        minimum=0,
        maximum=10**WIDTH - 1,
    )
    add_question(
        draft,
        text="In words?",
        kind=Question.Kind.TEXT,
        design=Question.Design.DIRECT,
        longest=20,
    )
    services.launch(survey=draft, by=owner)
    return Survey.objects.get(pk=draft.pk)


def answer(survey: Survey, place: int, token: str, text: str | None = None) -> None:
    _, words = Questionnaire.from_document(survey.revision.document).items
    codes = [f"{place:0{WIDTH}d}", text_code(text or f"{SENTINEL} {place}", words)]
    body = body_of(survey.revision, codes, invitation=token)
    services.receive(survey_id=survey.pk, body=body)


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
    """1/k and 5 sigma: each of people/k shuffles keeps 1 place on average, with variance 1."""
    return 1 / k if k == 1 else 1 / k + 5 / math.sqrt(people * k)


def people_of_responses() -> list[int]:
    return [int(answers) for answers in physical(Response, "answers")]


def people_of_comments() -> list[int]:
    return [int(text.removeprefix(SENTINEL)) for text in physical(Comment, "text")]


@pytest.mark.parametrize(("k", "people"), [(1, 50), (5, 400), (20, 400)])
def test_an_insider_who_knows_the_queue_links_at_most_one_in_k(owner, k, people):
    survey = make_queue_survey(owner, k=k)
    answer_in_order(survey, people)
    responses, comments = people_of_responses(), people_of_comments()
    assert sorted(responses) == sorted(comments) == list(range(people))
    for name, found in (("responses", responses), ("comments", comments)):
        rate = linked(found)
        print(f"\n{connection.vendor}: k = {k:2}: {rate:6.1%} of {name} linked", end="")
        assert rate <= bound(k, people)
    assert k > 1 or linked(responses) == 1  # the attack itself works


def test_what_somebody_wrote_cannot_be_joined_to_their_other_answers_by_place(owner):
    people, k = 400, 20
    survey = make_queue_survey(owner, k=k)
    answer_in_order(survey, people)
    pairs = zip(people_of_responses(), people_of_comments(), strict=True)
    assert sum(one == other for one, other in pairs) / people <= bound(k, people)


def test_a_last_batch_of_m_people_hides_each_among_m(owner):
    surveys = [make_queue_survey(owner, k=20) for _ in range(40)]
    hits, m = 0, 7
    for survey in surveys:
        answer_in_order(survey, m)
        assert not Response.objects.filter(revision=survey.revision).exists()
        services.close(survey=survey, by=owner)
    rows = iter(people_of_responses())
    for _ in surveys:
        hits += sum(place == next(rows) for place in range(m))
    people = m * len(surveys)
    assert hits / people <= 1 / m + 5 / math.sqrt(people * m)


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


ALLOWED = {
    Response: {"id", "revision", "own_coin", "answers"},
    Comment: {"id", "revision", "question", "text"},
    Waiting: {"id", "revision", "ciphertext"},
    Spool: {"survey", "revision", "batch"},
    SubmissionKey: {"digest", "content", "revision"},
    Invitation: {"digest", "survey", "redeemed"},
}


def test_the_tables_of_answers_and_of_invitations_share_no_key_no_time_and_no_order():
    for model, allowed in ALLOWED.items():
        fields = {field.name: field for field in model._meta.get_fields()}
        assert set(fields) == allowed
        for field in fields.values():
            assert not isinstance(field, models.DateField | models.AutoField), field
    for model in (Response, Comment, Waiting):
        assert model._meta.pk.get_internal_type() == "UUIDField"


def test_addresses_and_invitations_share_nothing_but_the_survey():
    def reached(model: type[models.Model]) -> set[type[models.Model]]:
        return {field.related_model for field in model._meta.fields if field.related_model}

    assert reached(Invitation) == {Survey}
    assert reached(Addressee) == {Mailing}
    assert reached(Mailing) == {Survey}
    assert Invitation not in reached(Option)
