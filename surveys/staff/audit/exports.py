"""The audit log as a file."""

import csv
import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from surveys.models import AuditEntry
from surveys.staff.audit.rows import streamed

if TYPE_CHECKING:
    from django.db.models import QuerySet
from surveys.web.downloads import _known, _Line, guarded


def audit_csv(entries: "QuerySet[AuditEntry]") -> Iterator[str]:
    """The lines of the CSV of audit entries; what changed stays JSON."""
    writer = csv.writer(_Line())
    yield writer.writerow(["at", "who", "account", "survey", "title", "action", "before", "after"])
    for entry, line in streamed(entries):
        cells = [line.at.isoformat(timespec="seconds"), line.who, _known(entry.actor)]
        cells += [_known(entry.survey), line.title, line.action]
        cells += [_json(entry.before), _json(entry.after)]
        yield writer.writerow(map(guarded, cells))


def _json(state: Any) -> str:
    return "" if state is None else json.dumps(state, ensure_ascii=False, sort_keys=True)
