"""``doctor``: is the database there, migrated, whole, durable, with its triggers?"""

from collections.abc import Iterator
from typing import Any
from uuid import UUID

from django.db import Error, connection
from django.utils import timezone

from surveys.models import Revision
from surveys.models.queries import is_erased
from surveys.operations.checks import others
from surveys.operations.checks.findings import Finding, fine, problem, warning
from surveys.operations.contents import columns
from surveys.web.upkeep import tables

# Made by migrations; each holds a promise against all programs and people.
TRIGGERS = frozenset(
    {
        "revision_is_frozen",
        "survey_is_frozen",
        "revision_stays",
        "audit_update",
        "audit_delete",
        "question_insert",
        "question_update",
        "question_delete",
        "option_insert",
        "option_update",
        "option_delete",
        "condition_insert",
        "condition_update",
        "condition_delete",
        "survey_keeps_its_key",
        "question_is_not_moved",
        "option_is_not_moved",
        "catalogue_item_insert",
        "catalogue_item_update",
        "catalogue_item_delete",
        "ranking_choice_update",
        "ranking_choice_delete",
        "privacy_budget_insert",
        "privacy_budget_update",
        "privacy_budget_delete",
        "survey_openings_are_frozen",
        "survey_subset_is_frozen",
        "survey_end_link_is_frozen",
        "survey_vouchers_are_frozen",
        "survey_publishing_is_frozen",
        "survey_address_is_frozen",
        "survey_marks_are_frozen",
        "survey_explanations_are_frozen",
        "survey_languages_are_frozen",
        "survey_arms_are_frozen",
        "survey_releases_are_frozen",
        "survey_last_day_needs_notice",
        "survey_closes_by_opening",
        "tally_trustee_insert",
        "tally_trustee_update",
        "tally_trustee_delete",
        "tally_table_insert",
        "tally_table_update",
        "tally_table_delete",
        "text_key_insert",
        "text_key_update",
        "text_key_delete",
        "tally_update",
        "tally_delete",
        "tally_file_update",
        "tally_file_delete",
    }
)
# PostgreSQL knows no REPLACE.
SQLITE_TRIGGERS = TRIGGERS | {
    "survey_stays",
    "condition_is_not_replaced",
    "revision_is_not_replaced",
    "audit_is_not_replaced",
    "catalogue_item_is_not_replaced",
    "ranking_choice_is_not_replaced",
    "privacy_budget_is_not_replaced",
    "tally_trustee_is_not_replaced",
    "tally_table_is_not_replaced",
    "text_key_is_not_replaced",
    "tally_is_not_replaced",
    "tally_file_is_not_replaced",
}
PRAGMAS = {"journal_mode": "wal", "synchronous": "2", "secure_delete": "1"}
POSTGRESQL_TRIGGERS = """SELECT tgname FROM pg_trigger JOIN pg_class c ON c.oid = tgrelid
WHERE NOT tgisinternal AND tgenabled IN ('O', 'A')
AND c.relnamespace = current_schema()::regnamespace"""
DURABILITY = "SELECT name, setting FROM pg_settings WHERE name = ANY(%s)"
DURABLE = {"fsync": {"on"}, "full_page_writes": {"on"}}
DURABLE["synchronous_commit"] = {"on", "local", "remote_write", "remote_apply"}
SAMPLED = "SELECT tablename, attname FROM pg_stats WHERE schemaname = current_schema()"
# One statement, so that all three tables are seen at the same instant.
BOOKS = """SELECT revision_id, SUM(sent), SUM(kept) FROM (
SELECT revision_id, 1 AS sent, 0 AS kept FROM surveys_submissionkey UNION ALL
SELECT revision_id, 0, 1 FROM surveys_response UNION ALL
SELECT revision_id, 0, 1 FROM surveys_waiting UNION ALL
SELECT revision_id, 0, 1 FROM surveys_setaside UNION ALL
SELECT revision_id, 0, 1 FROM surveys_sealed WHERE kind = 'row' UNION ALL
SELECT o.revision_id, 0, o.destroyed FROM surveys_openings o
JOIN surveys_revision r ON r.id = o.revision_id JOIN surveys_survey s ON s.id = r.survey_id
WHERE s.erased_on IS NULL UNION ALL
SELECT r.id, 0, s.lost_answers FROM surveys_revision r JOIN surveys_survey s ON s.id = r.survey_id
WHERE s.erased_on IS NULL) AS books GROUP BY revision_id"""


def reachable() -> Iterator[Finding]:
    """Whether the database answers at all."""
    try:
        _rows("SELECT 1")
    except Error as reason:
        words = str(reason).strip().partition("\n")[0]
        yield problem(
            "database",
            f"the database does not answer: {words}",
            "Start the database, and check that DENIABLE_DATABASE_URL names the address where it "
            "listens.",
        )
    else:
        yield fine("database", f"{connection.display_name} answers")


def migrated() -> Iterator[Finding]:
    """Whether the tables are those of this version."""
    fit = tables.compare()
    for what, remedy in fit.problems:
        yield problem("migrations", what, remedy)
    if fit.is_exact:
        yield fine("migrations", "all migrations are applied")


def guarded() -> Iterator[Finding]:
    """Whether the triggers are there that refuse to change promises."""
    expected = expected_triggers()
    missing = sorted(expected - triggers())
    if missing:
        yield problem(
            "triggers",
            "triggers are missing, so the database no longer refuses changes to promises: "
            f"{', '.join(missing)}",
            "Find out who removed the triggers. Restore a backup that has all triggers into an "
            "empty database.",
        )
    else:
        yield fine("triggers", f"all {len(expected)} triggers are in place")


def expected_triggers() -> frozenset[str]:
    """The names of those that the migrations made."""
    if connection.vendor == "sqlite":
        return SQLITE_TRIGGERS.union(*(module.SQLITE_TRIGGERS for module in others.modules()))
    return TRIGGERS.union(*(module.TRIGGERS for module in others.modules()))


def triggers() -> set[str]:
    """The names of the triggers that are in force."""
    if connection.vendor == "sqlite":
        rows = _rows("SELECT name FROM sqlite_master WHERE type = 'trigger'")
    else:
        rows = _rows(POSTGRESQL_TRIGGERS)
    return {name for (name,) in rows}


def durable() -> Iterator[Finding]:
    """Whether what was acknowledged survives a power cut."""
    weak = _weak_pragmas() if connection.vendor == "sqlite" else _weak_settings()
    if weak:
        yield problem(
            "durability",
            "an acknowledged answer may be lost, or stay readable after it is erased: "
            f"{', '.join(weak)}",
            "Another program or a configuration file changed this setting of the database. Set "
            "it back.",
        )
    else:
        yield fine("durability", "every commit reaches the disk before it is acknowledged")


def erasable() -> Iterator[Finding]:
    """Whether what is erased goes from PostgreSQL's samples and from its log, too."""
    if connection.vendor == "sqlite":
        return
    sampled = sorted(set(_rows(SAMPLED)) & set(columns()))
    recycled = _rows("SHOW wal_recycle") == [("on",)]
    if sampled:
        names = [f"{table}.{column}" for table, column in sampled]
        yield problem(
            "erasure",
            "the database keeps samples of columns that have to be erased completely: "
            f"{', '.join(names)}",
            "For each of these columns, run ALTER TABLE … ALTER COLUMN … SET STATISTICS 0, then "
            "ALTER TABLE … ALTER COLUMN … TYPE with the type that the column has already.",
        )
    if recycled:
        yield warning(
            "erasure",
            "PostgreSQL keeps files of the write-ahead log for later use, with their old content",
            "As a superuser, run ALTER SYSTEM SET wal_recycle = off; SELECT pg_reload_conf();",
        )
    if not sampled and not recycled:
        yield fine(
            "erasure",
            "erased content stays in no sample of the database and in no log file that is used "
            "again",
        )


def intact() -> Iterator[Finding]:
    """Whether SQLite's file is intact; PostgreSQL has its own tools for that."""
    if connection.vendor != "sqlite":
        return
    broken = [words for (words,) in _rows("PRAGMA integrity_check(3)") if words != "ok"]
    dangling = [table for table, *_ in _rows("PRAGMA foreign_key_check")]
    if broken or dangling:
        yield problem(
            "integrity",
            "; ".join(broken)
            or f"rows of {', '.join(sorted(set(dangling)))} refer to rows that do not exist",
            "Stop the service, keep a copy of the file, and restore the last backup.",
        )
    else:
        yield fine("integrity", "the database file is intact")


def balanced() -> Iterator[Finding]:
    """Whether every acknowledged submission is stored, waits, or was given up."""
    rows = _rows(BOOKS)
    # Submissions that came before their keys named the survey.
    unnamed = sum(int(sent) for revision, sent, _ in rows if revision is None)
    missing = {
        UUID(str(revision)): int(sent) - int(kept) for revision, sent, kept in rows if revision
    }
    problems = [*_gone(missing), *_too_many(missing, unnamed)]
    yield from problems
    if not problems:
        yield fine("answers", "every acknowledged answer is stored, waiting, set aside or given up")


def _gone(missing: dict[UUID, int]) -> Iterator[Finding]:
    revisions = Revision.objects.filter(pk__in=[pk for pk, count in missing.items() if count > 0])
    today = timezone.now().date()
    for revision in revisions.select_related("survey").defer("document"):
        if not is_erased(revision.survey, today):
            yield problem(
                "answers",
                f'{missing[revision.pk]:,} acknowledged answers to "{revision.survey}" are missing',
                "Rows were deleted from the database. Compare it with the last backup before you "
                "go on.",
            )


def _too_many(missing: dict[UUID, int], unnamed: int) -> Iterator[Finding]:
    surplus = -sum(count for count in missing.values() if count < 0) - unnamed
    if surplus > 0:
        yield problem(
            "answers",
            f"{surplus:,} stored answers were never acknowledged",
            "Rows were added to the database. Compare it with the last backup before you use the "
            "results.",
        )


def _weak_pragmas() -> list[str]:
    now = {name: str(_rows(f"PRAGMA {name}")[0][0]) for name in PRAGMAS}
    return [f"{name} is {now[name]}" for name, good in PRAGMAS.items() if now[name] != good]


def _weak_settings() -> list[str]:
    now = dict(_rows(DURABILITY, [list(DURABLE)]))
    return [f"{name} is {now[name]}" for name, good in DURABLE.items() if now[name] not in good]


def _rows(query: str, parameters: list[Any] | None = None) -> list[tuple]:
    with connection.cursor() as cursor:
        cursor.execute(query, parameters)
        return cursor.fetchall()
