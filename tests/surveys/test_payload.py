"""A submission has exactly one shape; whatever differs is refused with a reason."""

import uuid
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveys.payload import (
    Malformed,
    OutsideAlphabet,
    Refused,
    TooLarge,
    WrongRevision,
    body_length,
    parse,
)
from surveys.questionnaire import Item, Level, NumberRange, Questionnaire

REVISION = str(uuid.UUID(int=7, version=4))
KEY = "0123456789abcdef" * 2
YES_NO = Item(
    id="a",
    text="?",
    help="",
    required=True,
    kind="yes_no",
    design="two_coins",
    levels=(Level("00", "No"), Level("01", "Yes")),
    display=(1, 0),
    weights=((3, 1), (1, 3)),
    denominator=4,
)
AGE = Item(
    id="b",
    text="?",
    help="",
    required=False,
    kind="number",
    design="direct",
    number=NumberRange("-5.0", "120.0", 1),
)
NO_RECIPE = Item(
    id="c",
    text="?",
    help="",
    required=True,
    kind="yes_no",
    design="k_ary",
    levels=(Level("00", "No"), Level("01", "Yes")),
    display=(1, 0),
    weights=((2**31 + 1, 2**31 - 1), (2**31 - 1, 2**31 + 1)),
    denominator=2**32,
)
SURVEY = Questionnaire("t", "i", "o", "c", 5, (YES_NO, AGE, NO_RECIPE))


def body(*, path: str = "browser", codes: tuple[str, ...] = ("01", "042.5", "00")) -> bytes:
    answers = "".join(f"&q{place:03d}={code}" for place, code in enumerate(codes, 1))
    return f"revision={REVISION}&key={KEY}&path={path}{answers}".encode()


def read(raw: bytes):
    return parse(raw, questionnaire=SURVEY, revision=REVISION)


def test_a_well_formed_body_is_read_into_codes_in_the_order_of_the_questions():
    submission = read(body())
    assert submission.codes == ("01", "042.5", "00")
    assert submission.answers == "01042.500"
    assert not submission.own_coin


def test_every_body_of_a_survey_has_the_announced_length():
    assert len(body()) == body_length(SURVEY)
    assert len(body(path="owncoin", codes=("00", "-----", "--"))) == body_length(SURVEY)


def test_only_a_digest_of_the_submission_key_is_derived_for_storage():
    assert KEY not in read(body()).key_digest
    assert len(read(body()).key_digest) == 64


def test_a_question_without_a_recipe_is_not_asked_with_an_own_coin_and_always_asked_without():
    assert read(body(path="owncoin", codes=("01", "042.5", "--"))).own_coin
    with pytest.raises(OutsideAlphabet):
        read(body(path="owncoin", codes=("01", "042.5", "00")))
    with pytest.raises(OutsideAlphabet):
        read(body(codes=("01", "042.5", "--")))


@pytest.mark.parametrize("code", ["-----", "-05.0", "120.0", "000.0"])
def test_numbers_are_accepted_in_their_one_canonical_form(code):
    assert read(body(codes=("00", code, "01"))).codes[1] == code


@pytest.mark.parametrize(
    "code", ["120.1", "-05.1", "42.5", "0042.5", "042.50", "-00.0", "NaN", "1e400", "", "042,5"]
)
def test_numbers_outside_the_bounds_or_in_another_form_are_refused(code):
    with pytest.raises(Refused):
        read(body(codes=("00", code, "01")))


@pytest.mark.parametrize("code", ["02", "1", "001", "99", "--", "yes", "", "-1"])
def test_a_code_outside_the_alphabet_is_refused(code):
    with pytest.raises(OutsideAlphabet):
        read(body(codes=(code, "042.5", "00")))


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"\x00",
        "😀".encode(),
        b"{}",
        body() + b"&extra=1",
        body() + b"&q001=00",
        body().replace(b"&q002=042.5", b""),
        body().replace(b"q001=01&q002=042.5", b"q002=042.5&q001=01"),
        body().replace(b"q001=01", b"q001=%301"),
        body().replace(b"path=browser", b"path=another"),
        body().replace(KEY.encode(), KEY.upper().encode()),
        body().replace(KEY.encode(), KEY.encode()[:-1]),
        body().replace(b"q001=01", b"q001=\x00\x00"),
        body() + b"\n",
        body() + b"&",
        b"&" + body(),
    ],
)
def test_whatever_differs_from_the_shape_is_malformed(raw):
    with pytest.raises(Malformed):
        read(raw)


def test_a_body_of_ten_megabytes_is_refused_as_too_large():
    with pytest.raises(TooLarge):
        read(body() + b"0" * 10_000_000)


def test_another_revision_is_named_as_the_reason():
    with pytest.raises(WrongRevision):
        read(body().replace(REVISION.encode(), str(uuid.uuid4()).encode()))


@given(st.binary(max_size=300))
def test_no_garbage_is_anything_but_refused(raw):
    with pytest.raises(Refused):
        read(raw)


@given(st.decimals(-5, 120, places=1))
def test_every_number_on_the_grid_survives_encoding(value):
    code = AGE.number.encode(value if value else Decimal("0.0"))
    assert Decimal(read(body(codes=("00", code, "01"))).codes[1]) == value


def test_a_declined_number_of_two_digits_is_declined_and_not_unasked():
    hours = Item(
        id="d",
        text="?",
        help="",
        required=False,
        kind="number",
        design="direct",
        number=NumberRange("0", "24", 0),
    )
    assert hours.label("--") == "Prefer not to say"
    assert hours.label("07") == "7"
    assert NO_RECIPE.label("--") == "(not asked on this path)"
