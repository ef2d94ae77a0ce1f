"""Trustees and tables of locked answers, as drafts have them and as tests upload them."""

import json
from datetime import date

from surveys.models import Survey, TallyTable, TallyTrustee
from surveys.trust.keyfiles import TRUSTEE, PublicKey
from tests.counting import NAMES, trustee
from tests.factories import add_budget, add_condition, add_question, launched, make_survey
from tests.surveys.authoring.test_admin import form_of
from tests.surveys.authoring.text_keys import upload


def file_of(name: str) -> bytes:
    """The public file of this trustee."""
    one = trustee(name)
    document = PublicKey(one.name, one.key, TRUSTEE).to_document()
    return json.dumps({**document, "proof": one.proof.hex()}).encode()


def sent(survey: Survey, *files: bytes, **fields: object) -> dict[str, object]:
    """The survey's form with these files in the rows that are free."""
    stored = [str(key) for key in survey.trustees.values_list("pk", flat=True)]
    count = len(stored) + len(files)
    rows: dict[str, object] = {
        "trustees-TOTAL_FORMS": count,
        "trustees-INITIAL_FORMS": len(stored),
    }
    for place in range(count):
        rows[f"trustees-{place}-survey"] = str(survey.pk)
    for place, key in enumerate(stored):
        rows[f"trustees-{place}-id"] = key
    for place, content in enumerate(files, start=len(stored)):
        rows[f"trustees-{place}-file"] = upload(content)
    return form_of(survey, **{"opening": "close", "close_on": "2099-01-01", **rows, **fields})


def add_trustee(survey: Survey, name: str, position: int = 1) -> TallyTrustee:
    one = trustee(name)
    return TallyTrustee.objects.create(
        survey=survey, position=position, name=name, key=one.key.hex(), proof=one.proof.hex()
    )


def add_tally(survey: Survey, *names: str, sigma: str = "4", tables: int = 1) -> None:
    """Trustees, tables with noise, and a budget that pays for them."""
    for position, name in enumerate(names or NAMES, start=1):
        add_trustee(survey, name, position)
    for table in range(1, tables + 1):
        TallyTable.objects.create(survey=survey, table=table, sigma=sigma)
    add_budget(survey, source="all", adjacency="replace_one", epsilon=4, delta="0.000001")


def counted_draft(owner, **fields: object) -> Survey:
    """A draft of a direct yes or no, and of two direct questions that are counted together."""
    usual = {"opening": "close", "close_on": date(2099, 1, 1), "batch_size": 5}
    draft = make_survey(owner, **{**usual, **fields})
    direct = {"design": "direct", "required": True}
    add_question(draft, text="Do you own a car?", **direct)
    counted = {**direct, "counted_table": 1}
    add_question(draft, text="Have you driven drunk?", **counted)
    add_question(draft, *"abc", text="How often?", kind="scale", **counted)
    add_tally(draft)
    return draft


def make_counted_survey(owner, **fields: object) -> Survey:
    return launched(counted_draft(owner, **fields))


def ruled_draft(owner, **fields: object) -> Survey:
    """The same, where those who own a car are asked what is counted."""
    draft = counted_draft(owner, **fields)
    first, *counted = draft.questions.all()
    for question in counted:
        add_condition(question, first)
    return draft
