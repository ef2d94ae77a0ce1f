"""The audit log's lines as people read them: person, action, survey, changes."""

import csv
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING, Any
from uuid import UUID

from django.utils.translation import gettext

from surveys.models import AuditEntry
from surveys.staff.audit import words
from surveys.staff.queries import account_names, survey_titles
from surveys.web.downloads import Echo, cell_text, guarded

if TYPE_CHECKING:
    from django.db.models import QuerySet


ENTRIES_AT_ONCE = 1000
PEOPLE = ("account", "owner")  # keys under which entries name accounts


@dataclass(frozen=True)
class Change:
    """One thing that an entry is about; a dash where it had no value."""

    name: str
    before: str
    after: str


@dataclass(frozen=True)
class AuditLine:
    """One entry, in words."""

    at: datetime
    who: str
    actor: int | None
    survey: UUID | None
    title: str
    action: str
    changes: tuple[Change, ...]


def lines(entries: Iterable[AuditEntry]) -> list[AuditLine]:
    """Entries in words, with the names of accounts and surveys that still exist."""
    listed = list(entries)
    people = account_names(key for entry in listed for key in _accounts(entry))
    titles = survey_titles(entry.survey for entry in listed if entry.survey)
    return [_line(entry, people, titles) for entry in listed]


def streamed(entries: "QuerySet[AuditEntry]") -> Iterator[tuple[AuditEntry, AuditLine]]:
    """Entries with their words, however many there are."""
    rows = entries.iterator(ENTRIES_AT_ONCE)
    while block := list(islice(rows, ENTRIES_AT_ONCE)):
        yield from zip(block, lines(block), strict=True)


def person(key: int | None, people: dict[int, str]) -> str:
    """A user name, or what is left of an account that was erased."""
    if key is None:
        return gettext("Deniable itself")
    return people.get(key, gettext("account {key} (erased)").format(key=key))


def _line(entry: AuditEntry, people: dict[int, str], titles: dict[UUID, str]) -> AuditLine:
    title = (
        titles.get(entry.survey, gettext("survey {survey} (deleted)").format(survey=entry.survey))
        if entry.survey
        else ""
    )
    return AuditLine(
        at=entry.at,
        who=person(entry.actor, people),
        actor=entry.actor,
        survey=entry.survey if entry.survey in titles else None,
        title=title,
        action=words.action(entry.action),
        changes=tuple(_changes(entry, people)),
    )


def _changes(entry: AuditEntry, people: dict[int, str]) -> Iterator[Change]:
    before, after = entry.before or {}, entry.after or {}
    for name in sorted({*before, *after}, key=_natural):
        old, new = (_shown(name, state, people) for state in (before, after))
        yield Change(words.name(name), old, new)


def _shown(name: str, state: dict[str, Any], people: dict[int, str]) -> str:
    value = state.get(name)
    if name in PEOPLE and isinstance(value, int):
        return person(value, people)
    if isinstance(value, bool):
        return words.yes_or_no(value)
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "–"
    if isinstance(value, dict):
        return ", ".join(f"{words.name(key)}: {part}" for key, part in sorted(value.items())) or "–"
    return "–" if value in (None, "") else words.value(name, str(value))


def _accounts(entry: AuditEntry) -> Iterator[int]:
    if entry.actor is not None:
        yield entry.actor
    for state in (entry.before or {}, entry.after or {}):
        yield from (state[name] for name in PEOPLE if isinstance(state.get(name), int))


def _natural(name: str) -> list[tuple[int, str]]:
    """Question 2 comes before question 10."""
    parts = re.split("([0-9]+)", name)
    return [(int(part), "") if number % 2 else (0, part) for number, part in enumerate(parts)]


def audit_csv(entries: "QuerySet[AuditEntry]") -> Iterator[str]:
    """The lines of the CSV of audit entries; what changed stays JSON."""
    writer = csv.writer(Echo())
    yield writer.writerow(["at", "who", "account", "survey", "title", "action", "before", "after"])
    for entry, line in streamed(entries):
        cells = [line.at.isoformat(timespec="seconds"), line.who, cell_text(entry.actor)]
        cells += [cell_text(entry.survey), line.title, line.action]
        cells += [_json(entry.before), _json(entry.after)]
        yield writer.writerow(map(guarded, cells))


def _json(state: Any) -> str:
    return "" if state is None else json.dumps(state, ensure_ascii=False, sort_keys=True)
