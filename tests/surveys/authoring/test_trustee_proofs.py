"""A survey with locked tables is launched once each trustee has shown that their key opens."""

import re

import pytest
from django.utils.html import escape

from surveys.models import Revision, Survey
from surveys.trust.tally import trustees
from surveys.trust.tally.files import TallyPlan
from tests.counting import NAMES, secret_of
from tests.factories import make_user
from tests.surveys.authoring.asking import confirmed, page_of
from tests.surveys.authoring.trustees import counted_draft


@pytest.fixture
def draft(owner):
    return counted_draft(owner)


def shown_in(page: str) -> dict[str, str]:
    """The hidden fields of each question to a trustee."""
    return dict(re.findall(r'name="((?:sealed|proof)-t[12])" value="([0-9a-f]+)"', page))


def answers_to(page: str) -> dict[str, str]:
    """What the command of each trustee prints."""
    shown = shown_in(page)
    return {
        f"word-t{number}": trustees.tested(
            name, secret_of(name), bytes.fromhex(shown[f"sealed-t{number}"])
        ).hex()
        for number, name in enumerate(NAMES, start=1)
    }


def launch_page(client, draft) -> str:
    return client.get(page_of(draft, "launch")).content.decode()


def press(client, draft, page: str, **typed: str):
    fields = {**confirmed(page), **shown_in(page), **typed}
    return client.post(page_of(draft, "launch"), fields)


def is_open(draft) -> bool:
    return Survey.objects.get(pk=draft.pk).state == "open"


def test_with_the_answers_of_all_trustees_it_is_launched_with_its_tables(staff, draft):
    page = launch_page(staff, draft)
    assert (
        "questions 2 and 3: answers are counted in 1 table while they are locked." in page.lower()
    )
    assert escape("Ada, Grace") in page
    assert "Neither this server nor any single key holder can open your answers." in page
    assert press(staff, draft, page, **answers_to(page)).status_code == 302
    assert is_open(draft)
    (document,) = Revision.objects.values_list("document", flat=True)
    plan = TallyPlan.read(document, 1)
    assert [trustee.name for trustee in plan.trustees] == list(NAMES)
    assert plan.table.cells == document["tally"]["tables"][0]["cells"] == 7


def test_a_wrong_answer_launches_nothing_and_what_was_typed_and_shown_stays(staff, draft):
    page = launch_page(staff, draft)
    right = answers_to(page)
    again = press(staff, draft, page, **{**right, "word-t2": "ab" * 64}).content.decode()
    assert not is_open(draft)
    assert (
        "This is not the text that the command prints for this line. Copy the whole line above"
        in again
    )
    assert again.count('aria-invalid="true"') == 1
    assert shown_in(again) == shown_in(page)
    press(staff, draft, again, **{name: f" {typed} " for name, typed in right.items()})
    assert is_open(draft)


WRONG = (
    lambda fields: {},
    lambda fields: {**fields, "word-t1": ""},
    lambda fields: {**fields, "word-t1": "\0😀"},
    lambda fields: {**fields, "word-t1": fields["word-t1"][:-2]},
    lambda fields: {**fields, "word-t1": fields["word-t2"], "word-t2": fields["word-t1"]},
    lambda fields: {**fields, "proof-t1": "", "sealed-t1": ""},
    lambda fields: {**fields, "proof-t1": fields["proof-t2"]},
    lambda fields: {**fields, "sealed-t1": fields["sealed-t2"]},
)


def test_nothing_but_the_right_answers_launches(staff, draft):
    page = launch_page(staff, draft)
    fields = {**shown_in(page), **answers_to(page)}
    for change in WRONG:
        staff.post(page_of(draft, "launch"), {**confirmed(page), **change(fields)})
        assert not is_open(draft)


def test_bytes_that_were_chosen_by_who_answers_launch_nothing(staff, draft):
    """Else an answer that was overheard at another launch would do."""
    page = launch_page(staff, draft)
    fields = {**shown_in(page), **answers_to(page), "sealed-t1": "00" * 32}
    fields["word-t1"] = trustees.tested("Ada", secret_of("Ada"), bytes(32)).hex()
    staff.post(page_of(draft, "launch"), {**confirmed(page), **fields})
    assert not is_open(draft)


def test_the_answers_of_one_person_or_survey_launch_for_no_other(staff, draft, owner, client):
    page = launch_page(staff, draft)
    other = counted_draft(owner)
    fields = {**shown_in(page), **answers_to(page)}
    staff.post(page_of(other, "launch"), {**confirmed(launch_page(staff, other)), **fields})
    assert not is_open(other)
    client.force_login(make_user("root", superuser=True))
    client.post(page_of(draft, "launch"), {**confirmed(launch_page(client, draft)), **fields})
    assert not is_open(draft)


def test_each_page_asks_something_of_its_own(staff, draft):
    pages = [shown_in(launch_page(staff, draft)) for _ in range(3)]
    assert len({shown[f"sealed-t{number}"] for shown in pages for number in (1, 2)}) == 6
