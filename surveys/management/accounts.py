"""Accounts that commands name."""

from django.contrib.auth.models import User
from django.core.management.base import CommandError


def account_named(name: str) -> User:
    """The account with exactly this user name. Raises CommandError that says where to look."""
    try:
        return User.objects.get(username=name)
    except User.DoesNotExist:
        raise CommandError(
            f"There is no account {name!r}. User names distinguish capital letters here. The list "
            "of users in the admin shows all names."
        ) from None
