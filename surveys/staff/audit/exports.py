"""The audit log as a CSV file."""

import csv
import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from surveys.models import AuditEntry
from surveys.staff.audit.rows import streamed
from surveys.web.downloads import Echo, cell_text, guarded

if TYPE_CHECKING:
    from django.db.models import QuerySet


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
