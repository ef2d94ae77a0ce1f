"""What is known of a filled database, as plain data: it must be the same in every later version."""

import hashlib
import json
from collections.abc import Iterator
from typing import Any

from django.contrib.auth.models import User

from analytics.models import Report
from analytics.queries import account_of
from ranking.queries import chosen_method, ranked, rated_questions, version_of
from surveys.collecting.queries import waiting_count
from surveys.fieldwork.queries import invitation_counts, mailing_counts
from surveys.models import AuditEntry, Comment, Survey
from surveys.models.queries import revision_of
from surveys.operations import dumps
from surveys.results.queries import item_counts, response_count
from surveys.results.questions import question_report
from surveys.results.reading import Reading
from surveys.results.rows.numbers import NumberReport
from surveys.results.shares import ShareReport

READING = Reading("wald", 0.95)
# Rows of people's work. What Django writes about itself, and the audit log, grow by migrating.
OURS = ("surveys_", "ranking_", "analytics_", "auth_user")
LOG = "surveys_auditentry"
COUNTED = ("issued", "redeemed", "undelivered")  # by all versions


def facts() -> dict[str, Any]:
    """Everything, as JSON would give it back."""
    found = {
        "rows": _rows(),
        "people": list(User.objects.order_by("pk").values_list("username", "is_superuser")),
        "audit log": list(AuditEntry.objects.order_by("pk").values_list("action", flat=True)),
        "surveys": {survey.title: _survey(survey) for survey in Survey.objects.all()},
    }
    read: dict[str, Any] = json.loads(json.dumps(found, default=str))
    return read


def _rows() -> dict[str, int]:
    counts = dumps.count_here().items()
    return {table: n for table, n in counts if table.startswith(OURS) and table != LOG}


def _survey(survey: Survey) -> dict[str, Any]:
    revision, counts = revision_of(survey), invitation_counts(survey)
    known = {
        "state": survey.state,
        "owner": survey.owner.username,
        "members": sorted(survey.memberships.values_list("user__username", "role")),
        "invitations": {name: vars(counts)[name] for name in COUNTED},
        "mailings": [[one.mailing.state, one.addresses] for one in mailing_counts(survey)],
    }
    if revision is None:
        return known
    texts = Comment.objects.filter(revision=revision).values_list("question", "text")
    return known | {
        "document": _digest(revision.document),
        "responses": response_count(revision),
        "waiting": waiting_count(revision.pk),
        "texts": _digest(sorted(texts)),
        "estimates": dict(_estimates(survey)),
        "rankings": dict(_rankings(survey)),
        "ledger": _ledger(survey),
        "reports": sorted(map(_report, Report.objects.filter(revision=revision))),
    }


def _estimates(survey: Survey) -> Iterator[tuple[str, Any]]:
    for number, counts in enumerate(item_counts(survey.revision), start=1):
        report = question_report(number, counts, READING)
        if isinstance(report, ShareReport):
            yield str(number), [[row.label, row.share, row.standard_error] for row in report.rows]
        elif isinstance(report, NumberReport):
            yield str(number), [report.n, report.mean, report.standard_error]
        else:
            yield str(number), counts.written


def _rankings(survey: Survey) -> Iterator[tuple[str, Any]]:
    for question in rated_questions(survey):
        method = chosen_method(question)
        table = ranked(question, version_of(question), method)
        yield str(question.number), [method.order, table.posterior.scores.tolist()]


def _ledger(survey: Survey) -> Any:
    account = account_of(survey)
    if account is None:
        return None
    promised = [account.budget.epsilon, account.budget.delta, account.budget.adjacency.value]
    lines = [[str(line.report), _cost(line.cost)] for line in account.lines]
    return {"promised": promised, "lines": lines, "reserved": _cost(account.reserved)}


def _cost(cost: Any) -> list[str]:
    return [str(cost.mu_squared), str(cost.threshold_delta)]


def _report(report: Report) -> list[str]:
    return [str(report.pk), report.kind, report.state, _digest(report.document), str(report.names)]


def _digest(data: Any) -> str:
    return hashlib.sha256(json.dumps(data, sort_keys=True, default=str).encode()).hexdigest()
