"""``manage.py import``: what a form of another program becomes, as JSON."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from surveys.definitions.documents import MOST_BYTES
from surveys.definitions.forms.files import plan_import
from surveys.definitions.languages import LANGUAGES


class Command(BaseCommand):
    help = (
        "Print what a form of another program becomes, without a database. See docs/importing.md."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        forms = "An XLSForm, a data dictionary of REDCap, a structure of LimeSurvey, or a draft."
        parser.add_argument("file", help=forms)
        plan = "Print the plan and all remarks as JSON. Exit code 1: the form cannot be imported."
        parser.add_argument("--plan", action="store_true", required=True, help=plan)
        language = "Language of texts whose file names none. Default: en."
        parser.add_argument("--language", choices=LANGUAGES, default="en", help=language)

    def handle(self, **options: Any) -> None:
        """Print the plan. Raises CommandError for a file that cannot be read or imported."""
        plan = plan_import(_content(options["file"]), options["file"], options["language"])
        self.stdout.write(json.dumps(plan.to_json(), indent=1, ensure_ascii=False))
        if plan.definition is None:
            raise CommandError("The form cannot be imported: the remarks say why, and what to do.")


def _content(source: str) -> bytes:
    """What a file holds, up to a byte more than an import takes. Raises CommandError."""
    try:
        with Path(source).open("rb") as file:
            return file.read(MOST_BYTES + 1)
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or str(problem)
        raise CommandError(f"{source!r} cannot be read: {reason}: check the path") from None
