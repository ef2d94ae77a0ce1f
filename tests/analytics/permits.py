"""A survey whose texts are locked, with a budget that pays for permits."""

from datetime import timedelta
from decimal import Decimal

from django.utils import timezone

from surveys.models import PrivacyBudget, SealedText, Survey
from tests.factories import add_budget, add_question, add_text, launched, make_survey
from tests.stored import store_rows
from tests.surveys.authoring.text_keys import add_key, new_key

TEXTS = (b"one" * 149 + b"1", b"two" * 149 + b"2")  # as long as a page seals them


def make_sealed_survey(owner, *, keys: int = 1, people: int = 600) -> Survey:
    """A survey whose texts are sealed and may, with its tables, cost epsilon 20."""
    last_day = timezone.now().date() + timedelta(days=30)
    draft = make_survey(owner, opening=Survey.Opening.CLOSE, close_on=last_day, batch_size=5)
    add_question(
        draft, "North", "South", text="Where?", kind="choice", design="direct", required=True
    )
    add_text(draft)
    terms = {"epsilon": Decimal(20), "delta": Decimal("0.000001")}
    add_budget(draft, source=PrivacyBudget.Source.ALL, **terms)
    for layer in range(1, keys + 1):
        add_key(draft, new_key(f"Key {layer}"), layer)
    survey = launched(draft)
    store_rows(survey.revision, ["0"] * people)
    stored = [SealedText(revision=survey.revision, question=2, content=one) for one in TEXTS]
    SealedText.objects.bulk_create(stored)
    return survey
