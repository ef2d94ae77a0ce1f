"""``manage.py import``: a form of another program as a plan in JSON, or as a draft."""

import json
from argparse import ArgumentParser
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError
from django.urls import reverse

from surveys.authoring.importing.fitting import fitted
from surveys.authoring.importing.rows import where_words
from surveys.authoring.importing.services import store
from surveys.definitions.documents import MOST_BYTES
from surveys.definitions.imports.files import plan_import
from surveys.definitions.imports.plans import ImportPlan
from surveys.definitions.imports.remarks import Remark
from surveys.definitions.languages import LANGUAGES
from surveys.management.accounts import account_named

REFUSED = "The form cannot be imported: the remarks say why, and what to do."


class Command(BaseCommand):
    help = (
        "Import a form of another program: print a plan of the import, or make a draft. See "
        "docs/importing.md."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        forms = (
            "The file: an XLSForm, a data dictionary of REDCap, a structure of LimeSurvey, or a "
            "draft."
        )
        parser.add_argument("file", help=forms)
        what = parser.add_mutually_exclusive_group(required=True)
        plan = (
            "Print the plan and all remarks as JSON. Exit code 1 means that the form cannot be "
            "imported."
        )
        what.add_argument("--plan", action="store_true", help=plan)
        owner = "Make a draft that belongs to the account with this user name."
        what.add_argument("--owner", help=owner)
        language = "The language of the texts, if the file names none. Default: en."
        parser.add_argument("--language", choices=LANGUAGES, default="en", help=language)

    def handle(self, **options: Any) -> None:
        """Print the plan or store the draft.

        Raises CommandError for a file that cannot be read or imported, or an unknown account.
        """
        owner = None if options["plan"] else account_named(options["owner"])
        plan = plan_import(_content(options["file"]), options["file"], options["language"])
        if owner is None:
            self.stdout.write(json.dumps(plan.to_json(), indent=1, ensure_ascii=False))
        if plan.definition is None:
            self._print(_lines([] if owner is None else plan.remarks))
            raise CommandError(REFUSED)
        if owner is not None:
            self._store(plan, owner)

    def _store(self, plan: ImportPlan, owner: User) -> None:
        draft = fitted(plan)
        survey = store(draft, by=owner)
        self._print(_lines(draft.remarks))
        marked = sum(bool(question.unfinished) for question in draft.questions)
        address = reverse("admin:surveys_survey_questions", args=[survey.pk])
        self.stdout.write(
            f"“{survey}” is now a draft of {owner}. Questions: {len(draft.questions)}; not "
            f"finished: {marked}; remarks: {len(draft.remarks)}. Open the draft at {address}"
        )

    def _print(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.stdout.write(line)


def _lines(remarks: Iterable[Remark]) -> Iterator[str]:
    for remark in remarks:
        shown = f"“{remark.text}”: " if remark.text else ""
        yield f"{where_words(remark.spot)}: {shown}{remark.outcome} {remark.remedy}"


def _content(source: str) -> bytes:
    """What a file holds, up to a byte more than an import takes. Raises CommandError."""
    try:
        with Path(source).open("rb") as file:
            return file.read(MOST_BYTES + 1)
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or str(problem)
        raise CommandError(f"{source!r} cannot be read ({reason}). Check the path.") from None
