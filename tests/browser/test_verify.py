"""docs/verify.py reads the page that is served, and names or refuses what was changed in it."""

import contextlib
import io
import json
import re
import runpy
import sys
from http.client import HTTPConnection
from pathlib import Path

import pytest
from django.core.management import call_command

from tests.factories import (
    make_adaptive_survey,
    make_invited_survey,
    make_open_survey,
    make_rating_survey,
)
from tests.locked_texts import locked_survey
from tests.surveys.authoring.text_keys import new_key
from tests.surveys.authoring.trustees import make_counted_survey
from tests.tampering import tampered
from tests.vouching import make_vouched_survey

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.one_database]
VERIFY = Path("docs/verify.py")


@pytest.fixture
def verify(monkeypatch):
    """Run it as a person does: exit code, and what it says on either stream."""

    # It changes how its process reads replies; the tests that come later read them as before.
    monkeypatch.setattr(HTTPConnection, "response_class", HTTPConnection.response_class)

    def run(url, *options):
        monkeypatch.setattr(sys, "argv", [str(VERIFY), url, *options])
        out = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            try:
                runpy.run_path(str(VERIFY))
            except SystemExit as end:
                return end.code, out.getvalue()
        return 0, out.getvalue()

    return run


@pytest.fixture
def survey(owner):
    return make_open_survey(owner)


def make_sealing(owner):
    return locked_survey(owner, new_key("Registry"), new_key("Institute"))


@pytest.fixture(params=[make_open_survey, make_sealing], ids=["plain", "sealing"])
def either(request, owner):
    return request.param(owner)


def below(site, survey, page=""):
    return f"{site}/en/s/{survey.pk}/{page}"


def revision(client, survey, folder):
    path = folder / "revision.json"
    path.write_bytes(client.get(f"/en/s/{survey.pk}/revision.json").content)
    return path


def worked_out(path, *options):
    out = io.StringIO()
    call_command("fingerprint", str(path), *options, stdout=out)
    return out.getvalue()


def test_the_served_page_has_the_code_that_the_program_works_out(
    server, owner, client, tmp_path, verify
):
    makes = make_open_survey, make_invited_survey, make_sealing, make_counted_survey
    for make in (*makes, make_vouched_survey):
        survey = make(owner)
        path = revision(client, survey, tmp_path)
        day = ("--last-day", str(survey.close_on)) if survey.close_on else ()
        assert verify(below(server.url, survey)) == (0, worked_out(path, *day))


def test_the_page_of_rated_items_has_the_code_that_the_program_works_out(
    server, owner, client, tmp_path, verify
):
    survey = make_rating_survey(owner)
    path, given = revision(client, survey, tmp_path), []
    for number in range(1, 5):
        file = tmp_path / f"items-{number}.json"
        file.write_bytes(client.get(f"/en/s/{survey.pk}/{file.name}").content)
        given += ["--items", str(file)]
    assert verify(below(server.url, survey)) == (0, worked_out(path, *given))


def test_either_code_may_be_expected_however_it_is_typed(server, survey, verify):
    address = below(server.url, survey)
    _, said = verify(address)
    page, printed = (line.split()[1] for line in said.splitlines())
    groups = "-".join(printed[at : at + 4] for at in range(0, 34, 4))
    for right in (page, printed, groups.upper().replace("0", "O").replace("1", "l")):
        assert verify(address, "--expect", right)[0] == 0
    for wrong in ("0" * 64, printed[:-1], "", " ", "ü"):
        code, said = verify(address, "--expect", wrong)
        assert code == 1
        assert f"/en/s/{survey.pk}/own-coin/ " in said


def test_a_page_that_each_person_gets_anew_is_refused(server, owner, verify):
    code, said = verify(below(server.url, make_adaptive_survey(owner)))
    assert (code, "cannot be compared" in said) == (2, True)


def changes_a_byte(name):
    """In the file of this name the last letter of a word that is not markup."""

    def change(reply):
        if name in reply.path:
            at = reply.body.rindex(b"e")
            reply.body = reply.body[:at] + b"E" + reply.body[at + 1 :]

    return change


def inserts(markup, before=b"</main>"):
    """On the start page."""

    def change(reply):
        if reply.path.endswith("/") and reply.path.count("/") == 4:
            reply.body = reply.body.replace(before, markup.encode() + before, 1)

    return change


def puts(name, value):
    return lambda reply: reply.put(name, value)


def adds(name, value):
    return lambda reply: reply.headers.append((name, value))


MARKUP = [
    "<script>fetch('/x')</script>",
    '<script type="module">fetch(1)</script>',
    '<script src="/static/x.js"></script>',
    '<script type="module" src="/static/x.js" integrity="sha384-x">fetch(1)</script>',
    '<script type="importmap" src="/x.js" integrity="sha384-x"></script>',
    "<style>p{}</style>",
    '<p style="color:red">a</p>',
    '<p onclick="a()">a</p>',
    "<img src=/x.png onerror=a()>",
    '<iframe src="/x"></iframe>',
    '<object data="/x"></object>',
    '<embed src="/x">',
    "<svg><script>a()</script></svg>",
    '<base href="/other/">',
    '<meta http-equiv="refresh" content="0;url=/x">',
    '<meta name="referrer" content="unsafe-url">',
    '<form method="post" action="/x"><button>Send</button></form>',
    '<button formaction="/x">Send</button>',
    '<a href="https://elsewhere.example/">a</a>',
    '<a href="//elsewhere.example/">a</a>',
    '<a href="javascript:a()">a</a>',
    '<a ping="/x" href="/y">a</a>',
    '<link rel="stylesheet" href="/static/x.css">',
    '<link rel="prefetch" href="/x">',
    "<!-- a -->",
    "<SCRIPT>a()</SCRIPT>",
    "<p title='<'>a</p>",
    '<template shadowrootmode="open"><p>a</p></template>',
    "<math><mtext></mtext></math>",
    "a < b",
]
HEADERS = [
    adds("Set-Cookie", "a=b"),
    adds("Link", "</x.js>; rel=preload"),
    adds("Refresh", "0; url=/x"),
    adds("NEL", "{}"),
    adds("Report-To", "{}"),
    adds("SourceMap", "/x.map"),
    adds("Speculation-Rules", '"/x.json"'),
    adds("Service-Worker-Allowed", "/"),
    adds("Content-Security-Policy", "default-src *"),
    adds("X-Powered-By", "x"),
]
ANOTHER_PAGE = b"<!doctype html><form action=/x><button>Send</button></form><plaintext hidden>"


def rewrites(pattern: bytes, put: bytes):
    """In all that is sent, header and body, the first hit."""

    def change(reply):
        reply.written = lambda sent: re.sub(pattern, put, sent, count=1)

    return change


def hides(line: bytes):
    """Behind a line that Python takes for the end of all headers, and browsers do not."""
    return rewrites(rb"\r\n\r\n", b"\r\n" + line + b"\r\nRefresh: 0; url=/x\r\n\r\n")


def packs_a_page_into_the_name(reply):
    """A whole page as the name of what is packed, which a browser shows where nothing unpacks."""

    def written(sent):
        head, _, body = sent.partition(b"\r\n\r\n")
        named = body[:3] + bytes([body[3] | 8]) + body[4:10] + ANOTHER_PAGE + b"\0" + body[10:]
        length = b"Content-Length: %d" % len(named)
        head = re.sub(rb"Content-Encoding: gzip", b"Content-Encoding: identity", head)
        return re.sub(rb"Content-Length: \d+", length, head) + b"\r\n\r\n" + named

    reply.written = written


READ_IN_TWO_WAYS = {
    "a line that is no header": hides(b"garbage"),
    "a line that begins with dashes": hides(b"--"),
    "a space before the colon": hides(b"X-A : b"),
    "a name that is not ASCII": hides("Ä: b".encode()),
    "a NUL in a header": rewrites(rb"\r\n\r\n", b"\r\nVia: a\0Refresh: 0\r\n\r\n"),
    "a bad header with a space": rewrites(rb"\r\n\r\n", b"\r\nSet-Cookie : a=b\r\n\r\n"),
    "a reply before the reply": lambda reply: setattr(
        reply,
        "written",
        lambda sent: b"HTTP/1.1 +100 OK\r\nContent-Type: text/html\r\n\r\n" + ANOTHER_PAGE + sent,
    ),
    "an empty reply before the reply": rewrites(b"^", b"HTTP/1.1 1_00 OK\r\nRefresh: 0\r\n\r\n"),
    "an announcement": rewrites(b"^", b"HTTP/1.1 100 Continue\r\n\r\n"),
    "a status with a sign": rewrites(rb"^HTTP/1.1 200", b"HTTP/1.1 +200"),
    "a status with a line": rewrites(rb"^HTTP/1.1 200", b"HTTP/1.1 2_00"),
    "a reason with a NUL": rewrites(rb"^HTTP/1.1 200 OK", b"HTTP/1.1 200 O\0"),
    "a length with a sign": rewrites(rb"Content-Length: ", b"Content-Length: +"),
    "a length with a tab": rewrites(rb"Content-Length: ", b"Content-Length: \x0b"),
    "a length beyond the end": rewrites(rb"Content-Length: ", b"Content-Length: 1"),
    "a page that is not unpacked": packs_a_page_into_the_name,
    "no packing that is packed": rewrites(
        rb"Content-Encoding: gzip", b"Content-Encoding: identity"
    ),
    "another packing": rewrites(rb"Content-Encoding: gzip", b"Content-Encoding: br"),
    "another server later": adds("Alt-Svc", 'h2="elsewhere.example:443"'),
    "kept by the browser": puts("Cache-Control", "public, max-age=31536000, immutable"),
    "kept by the browser, as nothing is said": lambda reply: reply.drop("Cache-Control"),
}
STRANGE = {
    "a byte behind": lambda reply: setattr(reply, "behind", b"x"),
    "a second stream behind": lambda reply: setattr(reply, "behind", b"\x1f\x8b\x08"),
    "another charset": puts("Content-Type", "text/html; charset=utf-7"),
    "another type": puts("Content-Type", "application/xhtml+xml"),
    "a redirect": lambda reply: (setattr(reply, "status", 302), reply.put("Location", "/")),
    "a login page": lambda reply: setattr(reply, "body", b"<h1>Log in</h1>"),
    "an endless body": lambda reply: setattr(reply, "body", b"a" * 9_000_000),
    "a million lines": lambda reply: setattr(reply, "body", b"a\n" * 10**6),
    "no text": lambda reply: setattr(reply, "body", b"\xff\xfe"),
    "other headers on one page": lambda reply: (
        reply.put("Referrer-Policy", "unsafe-url") if "how" in reply.path else None
    ),
    "a status": lambda reply: setattr(reply, "status", 203),
}


@pytest.mark.audit
@pytest.mark.parametrize("markup", MARKUP)
def test_markup_that_the_program_never_sends_is_refused(server, either, verify, markup):
    with tampered(server.url, inserts(markup)) as site:
        code, said = verify(below(site, either))
    assert (code, said.startswith("refused: ")) == (2, True), said


@pytest.mark.audit
@pytest.mark.parametrize("change", [*HEADERS, *STRANGE.values(), *READ_IN_TWO_WAYS.values()])
def test_replies_that_the_program_never_sends_are_refused(server, either, verify, change):
    with tampered(server.url, change) as site:
        code, said = verify(below(site, either))
    assert code == 2, said
    assert "Traceback" not in said


@pytest.mark.audit
@pytest.mark.parametrize(
    "make",
    [
        *(make_open_survey, make_rating_survey, make_sealing),
        pytest.param(make_counted_survey, marks=pytest.mark.audit),
    ],
)
def test_a_byte_changed_in_any_file_is_named_or_refused(server, owner, verify, make):
    survey = make(owner)
    _, said = verify(below(server.url, survey))
    expected = said.split()[1]
    files = verify(below(server.url, survey), "--expect", "0" * 64)[1].splitlines()[3:]
    assert len(files) > 10
    right = dict(line.split() for line in files)
    for path in right:
        name = path if path.count(".") or path[-6:] in ("check/", "-coin/", "works/") else ""
        change = changes_a_byte(path) if name else inserts("changed")
        with tampered(server.url, change) as site:
            code, said = verify(below(site, survey), "--expect", expected)
        named = dict(line.split() for line in said.splitlines()[3:] if line[0] == "/")
        assert code == 2 or (code == 1 and named[path] != right[path]), path


def test_one_policy_for_all_pages_that_is_not_the_published_one_gives_another_code(
    server, either, verify
):
    _, said = verify(below(server.url, either))
    with tampered(server.url, puts("Content-Security-Policy", "default-src *")) as site:
        code, _ = verify(below(site, either), "--expect", said.split()[1])
    assert code == 1


def test_a_code_on_the_page_of_codes_that_is_not_the_pages_is_named(server, survey, verify):
    page = verify(below(server.url, survey))[1].split()[1]
    other = f"{(int(page[0], 16) + 1) % 16:x}{page[1:]}"

    def change(reply):
        reply.body = reply.body.replace(page.encode(), other.encode())

    with tampered(server.url, change) as site:
        for options in ((), ("--expect", page)):
            code, said = verify(below(site, survey), *options)
            assert (code, f"page {page}" in said, "differs" in said) == (1, True, True)


@pytest.mark.parametrize(
    "url",
    ["", "x", "http://127.0.0.1:1/en/s/x/", "file:///etc/hostname", "http://[", "http://\ud800"],
)
def test_what_is_no_address_is_refused_in_words(verify, url):
    code, said = verify(url)
    assert (code, said.startswith("refused: ")) == (2, True), said


def test_the_file_is_short_enough_to_be_read(survey):
    assert len(VERIFY.read_text().splitlines()) <= 80
    json.loads("{}")
