"""``manage.py account``: export or erase an account, help who is locked out."""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.core.serializers.json import DjangoJSONEncoder

from surveys.management.accounts import account_named
from surveys.models.refusals import NotPossible
from surveys.staff.accounts.services import erase, export, forget_factors

ACTIONS = {
    "export": "Print everything that is stored about the account, as JSON.",
    "erase": "Delete the account and everything that names the account, for good.",
    "forget-factors": "Remove the second factors of a person who lost them.",
}


class Command(BaseCommand):
    help = "Export or erase an account of staff, or remove its second factors."

    def add_arguments(self, parser: CommandParser) -> None:
        words = " ".join(f"{name}: {text}" for name, text in ACTIONS.items())
        parser.add_argument("action", choices=list(ACTIONS), help=words)
        parser.add_argument("name", help="The user name of the account, exactly as it is written.")

    def handle(self, *, action: str, name: str, **options: Any) -> str:
        """Do it. Raises CommandError that says what to do next."""
        account = account_named(name)
        if action == "export":
            data = export(account=account, by=None)
            return json.dumps(data, cls=DjangoJSONEncoder, indent=1, ensure_ascii=False)
        if action == "forget-factors":
            removed = forget_factors(account=account, by=None)
            return f"{name} has no second factor now ({removed} removed) and is logged out."
        try:
            erase(account=account, by=None)
        except NotPossible as problem:
            raise CommandError(str(problem)) from problem
        return f"{name} is erased. Entries of the audit log keep only the number of the account."
