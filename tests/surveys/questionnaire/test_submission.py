"""A submission has exactly one shape; whatever differs is refused with a reason."""

import uuid
from dataclasses import replace
from decimal import Decimal
from urllib.parse import quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveys.kinds.levels.promise import Level, LevelQuestion
from surveys.kinds.number.promise import NumberQuestion, NumberRange
from surveys.kinds.text.promise import TextQuestion
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.refusals import (
    BadAnswers,
    BadInvitation,
    BadNumber,
    BadText,
    Malformed,
    OutsideAlphabet,
    Refused,
    TooLarge,
    WrongRevision,
)
from surveys.questionnaire.submission import Contents, body_length, fields_of, parse
from surveys.questionnaire.tokens import grouped

REVISION = str(uuid.UUID(int=7, version=4))
KEY = "0123456789abcdef" * 2
YES_NO = LevelQuestion(
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
AGE = NumberQuestion(
    id="b",
    text="?",
    help="",
    required=False,
    kind="number",
    design="direct",
    number=NumberRange("-5.0", "120.0", 1),
)
NO_RECIPE = LevelQuestion(
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
WORDS = TextQuestion(
    id="e", text="?", help="", required=False, kind="text", design="direct", longest=10
)
MUST_WRITE = TextQuestion(
    id="f", text="?", help="", required=True, kind="text", design="direct", longest=10
)
TOKEN = "3jfgkmkx3r3k2178mt3q4q2xed7g"
INVITED = Questionnaire(
    "t", "i", "o", "c", 5, (YES_NO, WORDS), invitation_only=True, code_length=28
)


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


HOURS = NumberQuestion(
    id="h",
    text="?",
    help="",
    required=False,
    kind="number",
    design="direct",
    number=NumberRange("-1.00", "24.00", 2),
)
YEARS = replace(HOURS, number=NumberRange("0", "99", 0), required=False)


@pytest.mark.parametrize(
    ("typed", "code"),
    [
        *(("7.5", "07.50"), ("7%2C5", "07.50"), ("07.50", "07.50"), ("+7+", "07.00")),
        *(("-0.5", "-0.50"), ("%E2%88%920%2C5", "-0.50"), ("0", "00.00"), ("24", "24.00")),
        *(("-----", "-----"), ("-", "-----")),
        *((quote_plus("٧"), "07.00"), (quote_plus("٧٫٥"), "07.50"), (quote_plus("۱۲٫۵"), "12.50")),
    ],
)
def test_numbers_of_ones_own_coin_are_taken_as_people_write_them(typed, code):
    assert HOURS.read([typed], own_coin=True) == code


@pytest.mark.parametrize("typed", ["--38", "38--", "38"])
def test_a_number_may_stand_beside_the_dashes_of_a_field_where_none_is_below_zero(typed):
    assert YEARS.read([typed], own_coin=True) == "38"
    assert YEARS.read(["--"], own_coin=True) == YEARS.number.declined


@pytest.mark.parametrize("typed", ["-38", "---38", "-38-", "--38--38"])
def test_other_dashes_may_be_a_sign_and_are_refused(typed):
    with pytest.raises(BadNumber):
        YEARS.read([typed], own_coin=True)


@pytest.mark.parametrize(
    "typed", ["24.01", "-1,01", "seven", "7.555", "1e1", "7,5,5", "%FF", "७", "٧٫٥٫٥", ""]
)
def test_a_number_that_cannot_be_one_is_refused_with_what_can(typed):
    with pytest.raises(BadNumber, match=r"from -1\.00 to 24\.00"):
        HOURS.read([quote_plus(typed, safe="%")], own_coin=True)


def test_the_script_still_sends_every_number_in_its_one_form():
    with pytest.raises(Refused):
        HOURS.read(["7.5"], own_coin=False)


def test_every_answer_that_can_be_corrected_is_named_at_once():
    asked = Questionnaire("t", "i", "o", "c", 5, (YES_NO, AGE, MUST_WRITE))
    with pytest.raises(BadAnswers) as refused:
        parse(body(path="owncoin", codes=("01", "999", "")), questionnaire=asked, revision=REVISION)
    assert list(refused.value.problems) == ["q002", "q003"]
    assert "These answers are not stored yet" in refused.value.reason


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
        body().replace(b"q001=01", b"q001=0+1"),
        body().replace(b"q001=01", b"q001=AB"),
        body().replace(b"&q001", b"&invitation=" + TOKEN.encode() + b"&q001"),
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


OTHER_VERSION = body().replace(REVISION.encode(), str(uuid.UUID(int=9, version=4)).encode())


def test_another_revision_is_named_as_the_reason():
    with pytest.raises(WrongRevision):
        read(OTHER_VERSION)


@pytest.mark.parametrize(
    ("raw", "is_form"),
    [
        (OTHER_VERSION, True),
        (OTHER_VERSION.replace(b"browser", b"owncoin"), True),
        (OTHER_VERSION + b"&q004i01=0301&q005s01=0201", True),
        (OTHER_VERSION.replace(b"&q001", b"&invitation=as+typed&arm=01&q001"), True),
        (OTHER_VERSION.partition(b"&q001")[0], False),
        (OTHER_VERSION.replace(b"browser", b"another"), False),
        (OTHER_VERSION.replace(KEY.encode(), KEY.encode()[:-1]), False),
        (OTHER_VERSION.replace(b"&q001", b"&other=1&q001"), False),
        (b"revision=x&" + OTHER_VERSION.partition(b"&")[2], False),
        (b"revision=x", False),
    ],
)
def test_of_another_revision_what_has_the_fields_of_a_form_is_told_from_garbage(raw, is_form):
    with pytest.raises(WrongRevision) as caught:
        read(raw)
    assert caught.value.is_form is is_form


@given(st.binary(max_size=300))
def test_no_garbage_is_anything_but_refused(raw):
    with pytest.raises(Refused):
        read(raw)


@given(st.decimals(-5, 120, places=1))
def test_every_number_on_the_grid_survives_encoding(value):
    code = AGE.number.encode(value if value else Decimal("0.0"))
    assert Decimal(read(body(codes=("00", code, "01"))).codes[1]) == value


def test_a_declined_number_of_two_digits_is_declined_and_not_unasked():
    hours = NumberQuestion(
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
    assert NO_RECIPE.label("--") == "(not asked)"


def written(text: str, *, path: str = "owncoin", token: str = TOKEN, item: TextQuestion = WORDS):
    """A parsed submission to an invited survey with a question in words."""
    survey = Questionnaire("t", "i", "o", "c", 5, (YES_NO, item), invitation_only=True)
    sent = quote_plus(text) if path == "owncoin" else item.encode(text)
    raw = f"revision={REVISION}&key={KEY}&path={path}&invitation={token}&q001=01&q002={sent}"
    return parse(raw.encode(), questionnaire=survey, revision=REVISION)


@pytest.mark.parametrize("text", ["", "a", "🙂" * 10, "a&b=c%+", "zwei\nZeil", "“ä”"])
@pytest.mark.parametrize("path", ["browser", "owncoin"])
def test_texts_arrive_as_they_were_written_on_both_paths(text, path):
    submission = written(text, path=path)
    assert submission.codes == ("01", text)
    assert submission.answers == "01"


@pytest.mark.parametrize("text", ["", "a", "🙂" * 10, '"' * 10])
def test_the_browsers_body_is_equally_long_whatever_was_written(text):
    assert len(written(text, path="browser").body) == body_length(INVITED)


@pytest.mark.parametrize("path", ["browser", "owncoin"])
@pytest.mark.parametrize("text", ["a" * 11, "a\0b", "a" * 10 + "🙂"])
def test_texts_that_are_too_long_or_hold_a_nul_are_refused(text, path):
    with pytest.raises((BadAnswers, BadText, TooLarge)):
        written(text, path=path)


def test_a_required_text_must_say_something():
    with pytest.raises((BadAnswers, BadText), match="write something"):
        written(" \n ", item=MUST_WRITE)
    assert written("x", item=MUST_WRITE).codes[1] == "x"


@pytest.mark.parametrize("sent", ["", "AAAA", "*" * 54, "A" * 53, "A" * 55, "____" + "A" * 50])
def test_a_text_that_no_script_of_ours_wrote_is_refused(sent):
    raw = f"revision={REVISION}&key={KEY}&path=browser&invitation={TOKEN}&q001=01&q002={sent}"
    with pytest.raises((BadAnswers, BadText, Malformed)):
        parse(raw.encode(), questionnaire=INVITED, revision=REVISION)


def test_an_invitation_is_read_as_it_was_typed():
    assert written("", token=quote_plus(f" {grouped(TOKEN).upper()} ")).invitation == TOKEN


@pytest.mark.parametrize("token", ["", "abc", TOKEN[:-1], TOKEN + "0", "%FF%FE", "%00" * 28])
def test_a_code_that_is_no_token_is_refused_with_what_is_wrong(token):
    with pytest.raises(BadInvitation) as refusal:
        written("", token=token)
    assert refusal.value.can_be_sent_again


def test_a_survey_by_invitation_needs_its_field():
    raw = f"revision={REVISION}&key={KEY}&path=browser&q001=01&q002={WORDS.encode('')}"
    with pytest.raises(Malformed):
        parse(raw.encode(), questionnaire=INVITED, revision=REVISION)


@given(st.text(max_size=10), st.booleans())
def test_what_is_sealed_is_what_was_sent_without_key_and_invitation(text, own_coin):
    text = text.replace("\0", "").strip()
    contents = Contents(own_coin, "01", ((2, text),) if text else (), ((2, 40),))
    plain = contents.to_bytes()
    assert len(plain) == 1 + 2 + 40
    assert Contents.from_bytes(plain, INVITED.row) == contents


def test_nothing_but_answers_is_sealed():
    plain = written("words", path="browser").contents().to_bytes()
    assert KEY.encode() not in plain
    assert TOKEN.encode() not in plain
    assert b"words" in plain


@given(st.binary(max_size=200))
def test_a_form_to_send_again_is_made_of_anything_or_of_nothing(raw):
    assert all(isinstance(name, str) for name, _ in fields_of(raw))
    assert fields_of(raw + b"\xff") == []
