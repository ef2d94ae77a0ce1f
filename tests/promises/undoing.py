"""What P13 forbids: a survey with every promise, other values for each, and who refuses them."""

from contextlib import contextmanager
from decimal import Decimal

import pytest
from django.contrib.auth.models import User
from django.db import DatabaseError, connection, transaction

from surveys.authoring.services import launch
from surveys.models import (
    AuditEntry,
    Option,
    PrivacyBudget,
    Question,
    Revision,
    Survey,
)
from tests.days import DAY, today
from tests.factories import (
    add_budget,
    add_one_of_each,
    add_text,
    make_survey,
)

DELETE_ON = today() + 100 * DAY
PROMISES = {
    "title": "Another title",
    "introduction": "Another reason to ask",
    "organisation": "Somebody else",
    "contact": "elsewhere@example.org",
    "minutes": 9,
    "invitation_only": False,
    "voucher_wait": 60,
    "script_only": True,
    "asked": 3,
    "end_link": "https://elsewhere.example/",
    "language": "de",
    "also_in": "fr",
    "arms": "Asked directly: 1\nWith coins: 9",
    "batch_size": 5,
    "opening": "live",
    "opening_days": 3,
    "opening_hour": 5,
    "below_k": "destroy",
    "released_together": 1,
    "release_share": 50,
    "publish_rows": True,
    "marked_up": True,
    "informal": True,
    "explanations": {"thanks": "Other thanks."},
    "delete_on": DELETE_ON + DAY,
}
CHANNELS = {
    "text": "Something else?",
    "help": "Other help",
    "required": True,
    "kind": Question.Kind.CHOICE,
    "design": Question.Design.DIRECT,
    "forced": "1/2, 1/2, 0",
    "epsilon": Decimal("4.9"),
    "minimum": Decimal(1),
    "maximum": Decimal(2),
    "decimal_places": 3,
    "special": "[999] Do not know",
    "longest": 2000,
}
BUDGET = {"epsilon": Decimal(8), "delta": Decimal("0.001"), "adjacency": "replace_one"}


def make_promised(owner: User) -> Survey:
    """By invitation, in batches of 20, with a day on which everything is deleted, and a budget."""
    draft = make_survey(
        owner,
        invitation_only=True,
        batch_size=20,
        asked=2,
        delete_on=DELETE_ON,
        opening=Survey.Opening.CLOSE,
        close_on=today() + 50 * DAY,
    )
    add_one_of_each(draft)
    add_text(draft)
    add_budget(draft)
    launch(survey=draft, by=owner)
    return Survey.objects.get(pk=draft.pk)


@contextmanager
def refused(*, by: str = "never change|stays|only grows|never deleted"):
    """The database refuses, and everything is as it was."""
    tables = (Survey, Question, Option, PrivacyBudget, Revision, AuditEntry)
    before = [list(model.objects.order_by("pk").values()) for model in tables]
    with pytest.raises(DatabaseError, match=by), transaction.atomic():
        yield
    assert [list(model.objects.order_by("pk").values()) for model in tables] == before


def refusal(*statements: str) -> str:
    """What the database says to these statements, which it takes back; nothing if it runs them."""
    try:
        with transaction.atomic():
            for statement in statements:
                run(statement)
    except DatabaseError as problem:
        return str(problem)
    return ""


def run(statement: str, *values: object) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)


def stored(key) -> object:
    """A key as this database keeps it."""
    return key if connection.features.has_native_uuid_field else key.hex


def new_key():
    """Some key that nothing has."""
    return Survey._meta.pk.get_default()
