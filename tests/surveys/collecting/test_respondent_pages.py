"""The respondents' pages as a server: what is refused, how, and that nothing is stored then."""

import re
import socket
import uuid
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from surveys.authoring.services import close, launch
from surveys.collecting.pages import FORM
from surveys.models import Openings, Response, SubmissionKey, Survey
from surveys.models.queries import questionnaire_of
from surveys.wording.learning import strength
from tests import kept, patience
from tests.bodies import body_of
from tests.factories import add_one_of_each, make_open_survey, make_survey, make_user

pytestmark = pytest.mark.usefixtures("_static_files")
owner, survey = kept.owner, kept.survey
OWN = {"Sec-Fetch-Site": "same-origin"}
ORIGIN = {"Origin": "http://testserver"}


def link(survey, name: str = "send") -> str:
    return reverse(f"respondent:{name}", args=[survey.pk])


def post(survey, body: bytes, *, content_type: str = FORM, headers: dict[str, str] = OWN):
    client = Client(raise_request_exception=False)
    return client.post(link(survey), body, content_type=content_type, headers=headers)


def assert_refused(reply, status: int, words: str) -> None:
    """A page that says what to do; nothing was stored."""
    text = reply.content.decode()
    assert reply.status_code == status
    assert reply["Content-Type"].startswith("text/html")
    assert words in text
    assert re.search(r"<h1[^>]*>[^<]+</h1>\s*<p>[^<]{10,}</p>", text)
    assert not reply.cookies
    assert not Response.objects.exists()
    assert not SubmissionKey.objects.exists()


def changed(body: bytes, **fields: bytes) -> bytes:
    for name, value in fields.items():
        body = re.sub(name.encode() + rb"=[^&]*", name.encode() + b"=" + value, body)
    return body


@pytest.mark.parametrize("headers", [OWN, ORIGIN])
@pytest.mark.parametrize("own_coin", [False, True])
def test_a_good_body_is_stored_and_shown_as_it_is(survey, headers, own_coin):
    body = body_of(survey.revision, own_coin=own_coin)
    reply = post(survey, body, headers=headers)
    text = reply.content.decode()
    assert reply.status_code == 200
    assert body.decode().replace("&", "&amp;") in text
    assert text.count("by coin or by truth") == (4 if own_coin else 5)
    # Together they hide each answer less than well, as the first page says.
    assert "no one can tell" not in text
    said = strength(questionnaire_of(survey.revision))
    assert said
    assert said in text
    assert text.count("as you gave it") == 2
    assert text.count("(not asked)") == int(own_coin)
    assert Openings.objects.get().own_coin == int(own_coin)


def test_the_same_body_twice_gives_the_same_receipt_and_counts_once(survey):
    body = body_of(survey.revision)
    assert post(survey, body).content == post(survey, body).content
    assert Response.objects.count() == 1


GARBAGE = {
    "one byte": lambda body: b"=",
    "unknown field": lambda body: body + b"&extra=1",
    "duplicate field": lambda body: body + b"&q001=00",
    "missing field": lambda body: body.rpartition(b"&")[0],
    "other order": lambda body: b"&".join(reversed(body.split(b"&"))),
    "NaN": lambda body: changed(body, q007=b"NaN"),
    "infinity": lambda body: changed(body, q007=b"Inf"),
    "null bytes": lambda body: body.replace(b"q001=00", b"q001=\x00\x00"),
    "emoji": lambda body: changed(body, q001="🎲".encode()),
    "percent encoding": lambda body: changed(body, q001=b"%30%30"),
    "plus": lambda body: changed(body, q001=b"0+"),
    "not a number": lambda body: changed(body, q007=b"abc"),
    "below the range": lambda body: changed(body, q007=b"017"),
    "not padded": lambda body: changed(body, q007=b"42"),
    "unknown level": lambda body: changed(body, q001=b"02"),
    "declining a required question": lambda body: changed(body, q005=b"04"),
    "not asked though it is": lambda body: changed(body, q003=b"--"),
    "unknown path": lambda body: changed(body, path=b"pigeon"),
    "short key": lambda body: changed(body, key=b"ab"),
    "capital key": lambda body: changed(body, key=b"A" * 32),
    "invalid UTF-8": lambda body: body + b"\xff\xfe",
    "JSON": lambda body: b'{"q001": "00"}',
    "newline": lambda body: body + b"\r\n",
}


@pytest.mark.parametrize("name", GARBAGE)
def test_garbage_is_refused(survey, name):
    assert_refused(
        post(survey, GARBAGE[name](body_of(survey.revision))), 400, "These answers were not stored"
    )


def test_a_body_for_another_revision_is_refused(survey):
    body = changed(body_of(survey.revision), revision=str(uuid.uuid4()).encode())
    assert_refused(post(survey, body), 409, "another version of the survey")


def test_a_body_without_revision_from_a_preview_is_refused(survey):
    assert_refused(post(survey, changed(body_of(survey.revision), revision=b"")), 409, "version")


@pytest.mark.parametrize("size", [5_000, 70_000, 2_000_000, 10_000_000])
def test_a_far_too_large_body_is_refused(survey, size):
    assert_refused(post(survey, b"a" * size), 413, "far larger")


@pytest.mark.parametrize(
    "content_type",
    ["", "text/plain", "application/json", f"{FORM}; charset=utf-16", "multipart/form-data"],
)
def test_another_content_type_is_refused(survey, content_type):
    reply = post(survey, body_of(survey.revision), content_type=content_type)
    assert_refused(reply, 415, "did not arrive in the format that this survey&#x27;s page uses")


@pytest.mark.parametrize("method", ["get", "put", "delete", "patch", "options", "head"])
def test_sending_takes_posts_only(survey, method):
    reply = getattr(Client(), method)(link(survey), headers=OWN)
    assert reply.status_code == 405
    assert reply["Allow"] == "POST"
    assert method == "head" or b"Open the survey" in reply.content
    assert not Response.objects.exists()


@pytest.mark.parametrize("name", ["start", "own-coin", "how-it-works"])
def test_pages_cannot_be_posted_to(survey, name):
    reply = Client(enforce_csrf_checks=True).post(link(survey, name), {"q001": "00"})
    assert_refused(reply, 405, "Open the survey")


@pytest.mark.parametrize(
    "headers",
    [{}, {"Sec-Fetch-Site": "cross-site"}, {"Origin": "null"}, {"Origin": "https://evil.example"}],
)
def test_a_post_from_elsewhere_is_refused(survey, headers):
    reply = post(survey, body_of(survey.revision), headers=headers)
    assert_refused(reply, 403, "did not come from this survey&#x27;s own page")


def closed(survey) -> str:
    close(survey=survey, by=survey.owner)
    return f"closed on {timezone.now().date()}"


def ended(survey) -> str:
    day = timezone.now().date() - timedelta(days=1)
    Survey.objects.filter(pk=survey.pk).update(close_on=day)
    return f"ended on {day}"


@pytest.mark.parametrize("over", [closed, ended])
def test_a_survey_that_is_over_says_since_when_and_whom_to_ask(survey, over):
    body = body_of(survey.revision)
    words = over(survey)
    for reply in (post(survey, body), Client().get(link(survey, "start"))):
        assert_refused(reply, 410, words)
        assert "habits@example.org" in reply.content.decode()


@pytest.mark.parametrize("name", ["start", "own-coin", "how-it-works"])
@pytest.mark.parametrize("over", [closed, ended])
def test_who_only_opened_a_survey_that_is_over_reads_nothing_about_storing(survey, over, name):
    over(survey)
    text = Client().get(link(survey, name)).content.decode()
    assert "stored" not in text
    assert link(survey, "start") not in text


@pytest.mark.parametrize("over", [closed, ended])
def test_who_sent_to_a_survey_that_is_over_reads_that_nothing_was_stored(survey, over):
    body = body_of(survey.revision)
    words = over(survey)
    reply = post(survey, body)
    assert_refused(reply, 410, f"{words}. Nothing was stored.")
    assert link(survey, "start") not in reply.content.decode()


def test_a_draft_says_that_it_has_not_opened_and_whom_to_ask(owner):
    draft = make_survey(owner)
    for name in ("start", "own-coin", "how-it-works"):
        reply = Client().get(link(draft, name))
        assert_refused(reply, 410, "has not opened yet.</h1>")
        assert "habits@example.org" in reply.content.decode()
        assert link(draft, "start") not in reply.content.decode()
    assert_refused(post(draft, b"q=1"), 410, "has not opened yet. Nothing was stored.</h1>")


def test_a_draft_without_a_contact_says_to_try_again(owner):
    reply = Client().get(link(make_survey(owner, contact=""), "start"))
    assert_refused(reply, 410, "try it again later.</p>")


def test_an_unknown_survey_is_not_found(survey):
    unknown = reverse("respondent:send", args=[uuid.uuid4()])
    reply = Client().post(unknown, b"q=1", content_type=FORM, headers=OWN)
    assert_refused(reply, 404, "nothing at this address")


def test_every_page_opens_for_head_and_get(survey):
    for name in ("start", "own-coin", "how-it-works"):
        assert Client().get(link(survey, name)).status_code == 200
        assert Client().head(link(survey, name)).status_code == 200


def test_each_own_coin_page_has_a_new_key(survey):
    keys = {
        re.search(
            rb'name="key" value="([0-9a-f]{32})"', Client().get(link(survey, "own-coin")).content
        ).group(1)
        for _ in range(5)
    }
    assert len(keys) == 5


def test_the_receipt_never_says_what_the_coin_did(survey):
    text = post(survey, body_of(survey.revision)).content.decode()
    assert "true answer" not in text
    assert not re.search(r"\b(heads|tails)\b", text)


@pytest.mark.parametrize("own_coin", [False, True])
def test_a_preview_shows_the_pages_and_can_send_nothing(owner, client, own_coin):
    draft = make_survey(owner)
    add_one_of_each(draft)
    name = "surveys_survey_preview_own_coin" if own_coin else "surveys_survey_preview"
    client.force_login(owner)
    page = client.get(reverse(f"admin:{name}", args=[draft.pk]))
    text = page.content.decode()
    assert "Preview: nothing can be sent" in text
    assert "Have you ever shoplifted?" in text
    assert re.search(r"<button[^>]* disabled>Send</button>", text)
    assert 'revision" value=""' in text or 'data-revision=""' in text
    assert not page.cookies


def test_words_of_an_author_are_shown_as_words(owner):
    draft = make_survey(owner, title="<script>alert(1)</script>", introduction="<b>1 < 2</b>")
    add_one_of_each(draft)
    launch(survey=draft, by=owner)
    for name in ("start", "own-coin", "how-it-works"):
        assert b"<script>alert" not in Client().get(link(draft, name)).content


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("head", "status"),
    [
        (f"Content-Type: {FORM}\r\nContent-Length: 10000000", b"413"),
        (f"Content-Type: {FORM}\r\nTransfer-Encoding: chunked", b"411"),
        (f"Content-Type: {FORM}\r\nContent-Length: 0", b"400"),
    ],
)
def test_the_real_server_answers_before_it_reads_too_much(server, head, status):
    survey = make_open_survey(make_user())
    host, port = server.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=patience.SECONDS) as connection:
        request = f"POST {link(survey)} HTTP/1.1\r\nHost: {host}:{port}\r\n" + head
        connection.sendall(f"{request}\r\nSec-Fetch-Site: same-origin\r\n\r\n".encode())
        if "chunked" in head:
            connection.sendall(b"3\r\nq=1\r\n0\r\n\r\n")
        assert connection.recv(4096).split()[1] == status
    assert not Response.objects.exists()


class BrokenConnection:
    """What the server reads from when the other side has gone."""

    def read(self, *size: int) -> bytes:
        raise ConnectionResetError

    readline = read


def test_a_connection_that_breaks_while_it_is_read_is_refused(survey):
    body = body_of(survey.revision)
    reply = Client().post(
        link(survey), body, content_type=FORM, headers=OWN, **{"wsgi.input": BrokenConnection()}
    )
    assert_refused(reply, 400, "could not be read")


@pytest.mark.django_db(transaction=True)
def test_a_body_that_breaks_off_stores_nothing(server):
    survey = make_open_survey(make_user())
    host, port = server.url.removeprefix("http://").split(":")
    body = body_of(survey.revision)
    with socket.create_connection((host, int(port)), timeout=patience.SECONDS) as connection:
        connection.sendall(
            f"POST {link(survey)} HTTP/1.1\r\nHost: {host}:{port}\r\nContent-Type: {FORM}\r\n"
            f"Content-Length: {len(body)}\r\nSec-Fetch-Site: same-origin\r\n\r\n".encode()
            + body[:-10]
        )
        connection.shutdown(socket.SHUT_WR)
        assert b" 500 " not in connection.recv(4096)
    assert not Response.objects.exists()
