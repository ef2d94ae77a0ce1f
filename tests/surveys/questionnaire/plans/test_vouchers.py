"""The key that signs vouchers stands in the launched document, and nowhere if codes are sent."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.plans.vouchers import DIGITS, MEAN_WAIT, VoucherPlan
from surveys.questionnaire.submission import body_length

KEY = "f" * DIGITS
SENT = Questionnaire.from_document(
    json.loads((Path(__file__).parents[1] / "documents/version_2.json").read_text())
)
INVITED = replace(SENT, invitation_only=True)


@pytest.mark.parametrize(
    ("plan", "entry"),
    [
        (VoucherPlan(MEAN_WAIT, n=KEY), {"n": KEY, "wait": 60}),
        (VoucherPlan(0, n=KEY), {"n": KEY, "wait": 0}),
        (VoucherPlan(0, script_only=True, n=KEY), {"n": KEY, "wait": 0, "script_only": True}),
    ],
)
def test_a_document_keeps_what_was_chosen(plan, entry):
    document = replace(INVITED, vouchers=plan).to_document()
    assert document["vouchers"] == entry
    assert Questionnaire.from_document(document).vouchers == plan


def test_a_document_whose_codes_are_sent_has_no_such_member():
    assert SENT.vouchers is None
    assert "vouchers" not in SENT.to_document()


@pytest.mark.parametrize(
    "entry",
    [
        {"n": KEY[1:], "wait": 60},
        {"n": "7" + KEY[1:], "wait": 60},
        {"n": KEY[:-1] + "e", "wait": 60},
        {"n": KEY.upper(), "wait": 60},
        {"n": 5, "wait": 60},
        {"n": KEY, "wait": 30},
        {"n": KEY, "wait": "60"},
        {"n": KEY, "wait": 60, "script_only": "yes"},
        {"wait": 60},
        {"n": KEY},
        [],
    ],
)
def test_what_no_launch_wrote_is_refused(entry):
    with pytest.raises((ValueError, LookupError, TypeError)):
        VoucherPlan.from_document(entry)


def test_the_page_sends_a_voucher_in_the_place_of_the_code_and_a_form_by_hand_the_code():
    sent, vouched = INVITED.form, replace(INVITED, vouchers=VoucherPlan(n=KEY)).form
    assert sent.names == sent.names_by_hand == vouched.names_by_hand
    assert sent.names[3] == "invitation"
    assert vouched.names[:4] == ("revision", "key", "path", "voucher")
    assert vouched.names[4:] == sent.names[4:]
    length = body_length(replace(INVITED, vouchers=VoucherPlan(n=KEY)))
    assert length == body_length(INVITED) + 342 - INVITED.code_length + len("voucher") - 10


def test_where_the_form_by_hand_is_refused_it_is_not_offered():
    assert INVITED.own_coin.is_offered
    refusing = replace(INVITED, vouchers=VoucherPlan(script_only=True, n=KEY))
    assert not refusing.own_coin.is_offered
