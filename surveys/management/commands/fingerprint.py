"""``manage.py fingerprint``: the digests of a survey's page, from its published file alone."""

import json
import tempfile
from argparse import ArgumentParser
from datetime import date
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from surveys.collecting.published.documents import PublishedSurvey
from surveys.collecting.published.page_files import PublishedPage
from surveys.trust.refusals import TrustRefusal
from surveys.web.locales import speaking

BAD_FILE = 3  # exit code


class Command(BaseCommand):
    help = (
        "Print the digests that a survey's page must have, from revision.json, without a database."
    )
    # Nothing here touches the database or the settings of a server.
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        add = parser.add_argument
        add("revision", type=Path, help="The file revision.json of the survey.")
        add(
            "--last-day",
            type=date.fromisoformat,
            help="The last day of the survey, if it has one, such as 2026-12-31.",
        )
        add(
            "--language",
            help="The language of the page. Default: the first language of the survey.",
        )
        add(
            "--items",
            type=Path,
            action="append",
            default=[],
            help="A file of rated items, items-<n>.json. Repeat this option for each such file "
            "of the survey.",
        )

    def handle(
        self,
        *,
        revision: Path,
        last_day: date | None,
        language: str | None,
        items: list[Path],
        **options: Any,
    ) -> None:
        """Print both digests. Raises CommandError."""
        try:
            files = [_bytes(path) for path in items]
            published = PublishedSurvey.read(_json(revision), last_day, files)
            language = language or published.languages[0]
            if language not in published.languages:
                known = ", ".join(published.languages)
                raise CommandError(
                    f"--language {language}: the survey has no such language. Choose from {known}."
                )
            page, code = _page(published, language), published.printed.replace("-", "")
            self.stdout.write(f"page {page}\nrevision {code}")
        except TrustRefusal as refusal:
            raise CommandError(str(refusal)) from None


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as problem:
        raise CommandError(f"{path}: {problem.strerror}.", returncode=BAD_FILE) from None


def _json(path: Path) -> Any:
    try:
        return json.loads(_bytes(path))
    except (ValueError, RecursionError):
        raise CommandError(f"{path} is not a JSON file.", returncode=BAD_FILE) from None


def _page(published: PublishedSurvey, language: str) -> str:
    """The page's digest, with static files as this program has them."""
    if not published.is_checkable:
        return "cannot be compared: the server draws the items that each person rates"
    with speaking(published.questionnaire(language)):
        if (Path(settings.STATIC_ROOT) / "staticfiles.json").exists():
            return PublishedPage(published, language).digest
        with tempfile.TemporaryDirectory() as folder:
            settings.STATIC_ROOT = Path(folder)
            call_command("collectstatic", interactive=False, verbosity=0)
            return PublishedPage(published, language).digest
