"""Copies of everything: from the database of ``surveys``, over HTTP, by commands, as text."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.db import transaction
from django.http.response import HttpResponseBase
from django.test import Client
from django.urls import resolve, reverse

from tests import tour
from tests.golden import commands, sent
from tests.golden.pages import copy_of
from tests.golden.places import Place, pictures, places
from tests.golden.stillness import Stillness
from tests.golden.surveys import Surveys

LANGUAGES = ("en", "de")


def copies(still: Stillness, folder: Path) -> Iterator[tuple[str, str]]:
    """(file, text) of every copy. One in German that equals the English one has no file."""
    surveys = Surveys(still)
    asked = list(places(surveys))
    first: dict[str, str] = {}
    for language in LANGUAGES:
        for name, text in _in_language(still, surveys, asked, language):
            if first.setdefault(name, text) != text or language == LANGUAGES[0]:
                yield f"{language}/{name}", text
    for name, text in commands.copies(still, surveys, folder):
        yield f"commands/{name}.txt", text


def _in_language(
    still: Stillness, surveys: Surveys, asked: list[Place], language: str
) -> Iterator[tuple[str, str]]:
    member, visitor = Client(), Client()
    still.begin(f"log in {language}")
    tour.enter(member, surveys.site.root.username)
    member.post(reverse("staff_language"), {"language": language})
    for place in asked:
        client = visitor if place.is_open or place.name in ("login", "account_login") else member
        address = _in(language, place.address)
        with _undone():
            reply, content = _reply(still, client, address)
            yield place.file, _text(place.name, reply, content)
            if reply.status_code == 200 and _is_page(reply):
                yield from _charts(still, client, place, content.decode())
    with _undone():
        yield from sent.copies(still, surveys, language)


@contextmanager
def _undone() -> Iterator[None]:
    """Each address is asked of the same database: what it writes down is taken back."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def _in(language: str, address: str) -> str:
    """Pages of respondents have their language in the address."""
    return f"/{language}{address.removeprefix('/en')}" if address.startswith("/en/") else address


def _reply(still: Stillness, client: Client, address: str) -> tuple[HttpResponseBase, bytes]:
    still.begin(address.partition("?")[0].rpartition("/")[2])
    reply = client.get(address)
    return reply, reply.getvalue()


def _is_page(reply: HttpResponseBase) -> bool:
    return reply.get("Content-Type", "").startswith("text/html")


def _text(name: str, reply: HttpResponseBase, content: bytes) -> str:
    """The status where it is not 200, and the content."""
    if reply.status_code == 200:
        return copy_of(name, content, reply.get("Content-Type", ""))
    leads = copy_of(name, reply.get("Location", "").encode(), "text/plain")
    return f"{reply.status_code} {leads}".strip() + "\n"


def _charts(still: Stillness, client: Client, place: Place, page: str) -> Iterator[tuple[str, str]]:
    """The specification of each chart of a page."""
    for number, address in enumerate(pictures(page), start=1):
        more = f"{address}{'&' if '?' in address else '?'}as=vl.json"
        reply, content = _reply(still, client, more)
        name = resolve(address.partition("?")[0]).view_name
        page = place.name.rpartition(":")[2]
        what = f"{page}-{place.what}-{number}" if place.what else f"{page}-{number}"
        yield Place(name, what, address).file, _text(name, reply, content)
