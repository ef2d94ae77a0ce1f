"""PublishedPage: every file of a respondent's page in one language, and the digest of them all."""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import cached_property, lru_cache
from pathlib import Path
from uuid import UUID

from django.conf import settings
from django.template.loader import render_to_string

from surveys import VERSION
from surveys.collecting.published.documents import PublishedSurvey, published_survey
from surveys.collecting.published.renderings import (
    LaunchedPage,
    how_it_works_page,
    own_coin_page,
    start_page,
)
from surveys.trust.digests import page_digest
from surveys.web.addresses import start_address
from surveys.web.respondents import headers_of_a_page

CHECK = "surveys/collecting/check.html"
# Headers that change what a browser does with a page. Others are refused by who checks it.
COMPARED = (
    "content-security-policy",
    "cross-origin-opener-policy",
    "cross-origin-resource-policy",
    "integrity-policy",
    "permissions-policy",
    "referrer-policy",
    "x-content-type-options",
    "x-frame-options",
)
# The only two values that may differ from one fetch to the next, or could not hold themselves.
_KEY = re.compile(rb'(<input type="hidden" name="key" value=")[0-9a-f]{32}(")')
_OWN_DIGEST = re.compile(rb'(<code id="page-digest">)[0-9a-f]{64}(</code>)')
_LOADED = re.compile(rb'(?:src|href)="(/[^"]+\.(?:js|css|svg))"')


@dataclass(frozen=True)
class PublishedPage:
    """A page in the language that is active, from what is published of its survey."""

    published: PublishedSurvey
    language: str

    @cached_property
    def launched(self) -> LaunchedPage:
        """What its texts follow from."""
        published = self.published
        return LaunchedPage(
            published.survey,
            published.revision,
            published.digest,
            published.questionnaire(self.language),
            published.languages,
            published.last_day,
            published.items,
        )

    @cached_property
    def address(self) -> str:
        """Of the start page; the others are below it."""
        return start_address(self.published.survey, self.language)

    @cached_property
    def files(self) -> Mapping[str, str]:
        """The SHA-256 of each file by its path, the page that lists them left out."""
        texts = {
            "": start_page(self.launched).encode(),
            "how-it-works/": how_it_works_page(self.launched).encode(),
        }
        # Without the script the server draws rated items: that form differs from fetch to fetch.
        if self.published.is_checkable and not self.published.items:
            texts["own-coin/"] = _KEY.sub(rb"\g<1>%s\2" % (b"0" * 32), self._own_coin)
        loaded = {path.decode() for text in texts.values() for path in _LOADED.findall(text)}
        items = {f"items-{number}.json": file for number, file in self.published.items.items()}
        pages = {**texts, **items, "revision.json": self.published.file}
        return {
            **{f"{self.address}{name}": _sha256(content) for name, content in pages.items()},
            **{path: _sha256(_served(path)) for path in sorted(loaded)},
        }

    @property
    def _own_coin(self) -> bytes:
        return own_coin_page(self.launched).encode()

    @property
    def _options(self) -> str:
        last_day = self.published.last_day
        ending = f"--last-day {last_day.isoformat()} " if last_day else ""
        return f"{ending}--language {self.language}"

    @property
    def _items(self) -> str:
        return "".join(f" --items items-{number}.json" for number in self.published.items)

    @cached_property
    def digest(self) -> str:
        """Of the page in this language; 64 zeros where each fetch is another."""
        if not self.published.is_checkable:
            return "0" * 64
        check = _OWN_DIGEST.sub(rb"\g<1>%s\2" % (b"0" * 64), self._check("0" * 64).encode())
        files = {**self.files, f"{self.address}check/": _sha256(check)}
        headers = headers_of_a_page(self.address)
        compared = {name: headers[name] for name in COMPARED if name in headers}
        return page_digest(self.language, compared, files).hex()

    @property
    def check_page(self) -> str:
        """The page that says its digest and how to compare it."""
        return self._check(self.digest)

    def _check(self, digest: str) -> str:
        context = {
            "questionnaire": self.launched.questionnaire,
            "published": self.published,
            "digest": digest,
            "files": self.files,
            "version": VERSION,
            "fingerprint": f"deniable fingerprint revision.json{self._items} {self._options}",
            "verify": f"python verify.py https://…{self.address}",
        }
        return render_to_string(CHECK, context)


@lru_cache(maxsize=64)
def check_page(survey_id: UUID, language: str, last_day: date | None) -> str:
    """The page of a survey of this site; kept, because it renders all others.

    Raises Revision.DoesNotExist for a draft.
    """
    return PublishedPage(published_survey(survey_id, last_day), language).check_page


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


@lru_cache(maxsize=256)
def _served(path: str) -> bytes:
    return (Path(settings.STATIC_ROOT) / path.removeprefix(settings.STATIC_URL)).read_bytes()
