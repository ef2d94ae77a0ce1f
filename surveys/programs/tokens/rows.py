"""TokenRow: what a list says of each token."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from uuid import UUID

from django.utils.translation import gettext

from surveys.models import AccessToken
from surveys.programs.tokens import scopes as scoped
from surveys.programs.tokens.scopes import LABELS, Scope
from surveys.programs.tokens.texts import MARK
from surveys.wording.language.numbers import day_words


@dataclass(frozen=True)
class TokenRow:
    """A token in words; ``start`` is how its text begins, with the letters of the audit log."""

    key: UUID
    name: str
    person: str
    reach: str
    start: str
    scopes: tuple[str, ...]
    last_day: str
    used_on: str


def token_rows(tokens: Iterable[AccessToken], today: date) -> list[TokenRow]:
    """A row for each token."""
    return [_row(token, today) for token in tokens]


def _row(token: AccessToken, today: date) -> TokenRow:
    last_day = day_words(token.last_day)
    if token.is_over(today):
        last_day = gettext("{day} (ended)").format(day=last_day)
    scopes = scoped.read(token.scopes)
    return TokenRow(
        key=token.pk,
        name=token.name,
        person=token.person.get_username(),
        reach=str(token.survey) if token.survey else gettext("Own drafts and new drafts"),
        start=f"{MARK}{token.letters}…",
        scopes=tuple(str(LABELS[scope]) for scope in Scope if scope in scopes),
        last_day=last_day,
        used_on=day_words(token.used_on) if token.used_on else gettext("never"),
    )
