"""Scope (read, edit, rows): one table of what a token lets do, and which ability that takes."""

from enum import StrEnum

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from surveys.staff.roles import Ability


class Scope(StrEnum):
    """What a program may do with a token, as far as the person may do it."""

    READ = "read"
    EDIT = "edit"
    ROWS = "rows"


LABELS: dict[Scope, Promise] = {
    Scope.READ: gettext_lazy("Read results: estimates, codebook, openings"),
    Scope.EDIT: gettext_lazy("Change the definition of drafts"),
    Scope.ROWS: gettext_lazy("Download the reported answers, one row for each response"),
}
# What the person must be able to do in the survey, at each request.
NEEDS: dict[Scope, Ability] = {
    Scope.READ: Ability.READ,
    Scope.EDIT: Ability.EDIT,
    Scope.ROWS: Ability.READ,
}
# A draft has no answers to take away.
OF_DRAFTS = frozenset({Scope.READ, Scope.EDIT})


def written(scopes: frozenset[Scope]) -> str:
    """As a token stores them, in one order.

    >>> written(frozenset({Scope.ROWS, Scope.READ}))
    'read rows'
    """
    return " ".join(scope for scope in Scope if scope in scopes)


def read(stored: str) -> frozenset[Scope]:
    """The scopes of a token."""
    return frozenset(map(Scope, stored.split()))
