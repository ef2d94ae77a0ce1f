"""``manage.py invite``: new invitations to a file; export or erase what is kept of an address."""

import json
import os
from argparse import ArgumentParser
from pathlib import Path
from typing import Any
from uuid import UUID

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.core.validators import URLValidator
from django.urls import reverse

from surveys.fieldwork import addresses, letters
from surveys.fieldwork.invitations import issue
from surveys.fieldwork.letters import Invite
from surveys.fieldwork.mailings import erase_address
from surveys.fieldwork.queries import lists_with
from surveys.models import Survey
from surveys.models.refusals import NotPossible

ABOUT_ADDRESS = ("export-address", "erase-address")


class Command(BaseCommand):
    help = (
        "Make invitations: invite SURVEY --count N --csv FILE. List where an address is kept: "
        "invite export-address ADDRESS. Erase an address from all lists: invite erase-address "
        "ADDRESS."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "action",
            metavar="what",
            help="The key of a survey, or export-address, or erase-address.",
        )
        parser.add_argument(
            "address",
            nargs="?",
            help="For export-address and erase-address: the address of the person who asks.",
        )
        parser.add_argument("--count", type=int, help="How many invitations to make: 1 to 10,000.")
        parser.add_argument("--csv", type=Path, help="A new file for the codes and the links.")
        parser.add_argument(
            "--site",
            help="The address where respondents reach Deniable, such as "
            "https://surveys.example.org. Default: the first allowed host.",
        )

    def handle(self, *, action: str, address: str | None, **options: Any) -> str:
        """Do one of the three. Raises CommandError that says what to write instead."""
        if action not in ABOUT_ADDRESS:
            return self._invite(action, options["count"], options["csv"], options["site"])
        if not address:
            raise CommandError(f"Write the address, too: invite {action} person@example.org")
        try:
            wanted = addresses.canonical(address)
        except addresses.BadAddress as problem:
            raise CommandError(f"Write the whole address: {problem}") from None
        return _exported(wanted) if action == "export-address" else _erased(wanted)

    def _invite(self, key: str, count: int | None, file: Path | None, site: str | None) -> str:
        if count is None or file is None:
            raise CommandError(
                "Say how many invitations to make, and into which file: --count 100 --csv "
                "invitations.csv"
            )
        survey, start = _survey(key), _origin(site)

        def write(made: list[str]) -> None:
            address = start + reverse("respondent:start", args=[survey.pk])
            _write_new(file, letters.csv_of(Invite(address, token) for token in made))

        try:
            issue(survey=survey, number=count, by=None, hand_over=write)
        except NotPossible as problem:
            raise CommandError(str(problem)) from None
        return f"{count:,} invitations are in {file}. Their codes are stored nowhere else."


def _survey(key: str) -> Survey:
    try:
        return Survey.objects.get(pk=UUID(key))
    except (ValueError, Survey.DoesNotExist):
        raise CommandError(
            "There is no survey with this key. The key is the long part of the survey's link."
        ) from None


def _origin(site: str | None) -> str:
    scheme = "https" if settings.SECURE_SSL_REDIRECT else "http"
    origin = site or f"{scheme}://{settings.ALLOWED_HOSTS[0]}"
    try:
        URLValidator(schemes=["http", "https"])(origin)
    except ValidationError:
        raise CommandError(
            "Write --site as an address, such as https://surveys.example.org"
        ) from None
    return origin.rstrip("/")


def _write_new(file: Path, text: str) -> None:
    """Readable by its owner alone, and never over another file: its codes would be lost."""
    try:
        handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w", newline="") as opened:
            opened.write(text)
    except FileExistsError:
        raise CommandError(
            f"No invitation was made: {file} exists already. Name a new file."
        ) from None
    except OSError as problem:
        reason = problem.strerror
        raise CommandError(
            f"No invitation was made: {file} cannot be written ({reason})."
        ) from None


def _exported(address: str) -> str:
    lists = [
        {
            "survey": str(addressee.mailing.survey_id),
            "title": addressee.mailing.survey.title,
            "mailing": addressee.mailing.subject,
            "state": addressee.get_state_display(),
        }
        for addressee in lists_with(address)
    ]
    return json.dumps({"address": address, "lists": lists}, indent=1, ensure_ascii=False)


def _erased(address: str) -> str:
    erased = erase_address(address)
    if not erased:
        return "No list contains this address."
    return f"The address was erased from {erased:,} list{'s' if erased > 1 else ''}."
