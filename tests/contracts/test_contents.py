"""What retention erases is listed column by column, and no database keeps samples of it."""

import pytest
from django.apps import apps
from django.contrib.sessions.models import Session
from django.db import connection
from django.db.models import Model
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

import surveys.models as kept
from analytics import models as reports
from ranking import models as rankings
from surveys.models import Survey
from surveys.operations.contents import CONTENTS, columns
from surveys.operations.queries import expired_sessions, finished_runs, rows_of
from tests import canaries
from tests.factories import make_open_survey, make_user

KEY, WHOSE = "a random key", "which survey it belongs to, which stays"
QUESTION = "which question it is about: the questionnaire stays"
WORK = "how far staff's or Deniable's own work is"
OF_OPENINGS = (
    *("revision", "round", "done", "since", "done_on", "left", "keep", "others"),
    *("withhold", "own_coin", "withheld", "destroyed", "at_least", "counted_on"),
    *("fell_back_to", "drawn_then", "looks"),
)
OF_TASKS = (
    *("id", "status", "enqueued_at", "started_at", "finished_at", "args_kwargs"),
    *("priority", "task_path", "worker_ids", "queue_name", "backend_name", "run_after"),
    *("return_value", "exception_class_path"),
)
NO_CONTENT: dict[type[Model], dict[str, str]] = {
    kept.Response: {"id": KEY, "revision": WHOSE, "opening": "the number of an opening"},
    kept.Comment: {
        "id": KEY,
        "revision": WHOSE,
        "question": QUESTION,
        "opening": "the number of an opening",
    },
    kept.SealedText: {
        "id": KEY,
        "revision": WHOSE,
        "question": QUESTION,
        "opening": "the number of an opening",
    },
    kept.Ballot: {
        "id": KEY,
        "revision": WHOSE,
        "table": "which table it is counted in: the questionnaire stays",
        "opening": "the number of an opening",
    },
    kept.TallyFile: {
        "id": KEY,
        "tally": "which table it is of: the questionnaire stays",
        "kind": "totals, noise or shares",
        "trustee": "a number of the questionnaire",
    },
    kept.Extract: {"id": KEY, "revision": WHOSE},
    kept.RatingCount: {"id": "counts rows", "revision": WHOSE, "question": QUESTION},
    kept.AnswerCount: {
        "id": "counts rows",
        "revision": WHOSE,
        "opening": "the number of an opening",
        "question": QUESTION,
    },
    kept.PlannedLook: {
        "revision": WHOSE,
        "planned": "a number of the plan",
        "is_at_close": WORK,
        "as_of": "the day of an opening",
    },
    kept.JointCount: {
        "id": "counts rows",
        "revision": WHOSE,
        "questions": QUESTION,
        "opening": "the number of an opening",
        "as_of": "the day of an opening",
        "asked_at": WORK,
    },
    kept.Export: {
        "id": KEY,
        "revision": WHOSE,
        "person": "a member of staff",
        "kind": "a format",
        "heard_at": WORK,
        "finished_at": WORK,
    },
    kept.DailyCount: {"id": KEY, "revision": WHOSE, "day": "a day on which the survey was open"},
    kept.Waiting: {"id": KEY, "revision": WHOSE},
    kept.SetAside: {"id": KEY, "revision": WHOSE, "batch": KEY},
    kept.Sealed: {
        "id": KEY,
        "revision": WHOSE,
        "round": "the number of an opening",
        "kind": "row, text or kept: as many of each as people",
    },
    kept.SubmissionKey: {"revision": WHOSE},
    kept.Invitation: {
        "survey": WHOSE,
        "redeemed": "how many took part stays with the survey",
        "announced": "how many took part stays with the survey",
    },
    kept.Mailing: {
        "id": KEY,
        "survey": WHOSE,
        "state": WORK,
        "run": WORK,
        "undelivered": WORK,
        "reminds": "an earlier mailing of the survey",
        "due": WORK,
    },
    kept.Addressee: {"id": KEY, "mailing": "an e-mail of the survey", "state": WORK},
    kept.Openings: dict.fromkeys(OF_OPENINGS, "stays: how openings went"),
    DBTaskResult: dict.fromkeys(OF_TASKS, WORK),
}
PROMISED = "what was promised, or what staff prepared: it says nothing of a respondent"
BLURRED = "blurred results and the account of what they told"
NEVER_ERASED: dict[type[Model], str] = {
    **dict.fromkeys(
        (
            *(kept.Survey, kept.Revision, kept.PrivacyBudget, kept.Question, kept.Option),
            *(kept.Condition, kept.Translation, kept.Catalogue, kept.CatalogueItem),
            *(
                kept.TextKey,
                kept.TallyTrustee,
                kept.TallyTable,
                kept.Membership,
                kept.AccessToken,
                rankings.RankingChoice,
                rankings.PendingImport,
            ),
        ),
        PROMISED,
    ),
    **dict.fromkeys(
        (
            *(reports.Budget, reports.Report, reports.KeptRelease, reports.OpeningRelease),
            *(reports.Expenditure, kept.Tally),
        ),
        BLURRED,
    ),
    kept.AuditEntry: "who did what, and how many rows were erased",
    kept.Spool: "goes at the close: a random name of the batch that waits",
    kept.SpentBatch: "goes once the key does: a random name of a batch",
    kept.KeyDirectory: "which directory has the keys of batches",
    kept.ProgramVersion: "since which day each version of the program answers",
    kept.SpentOpeningKey: "that a key was destroyed, and when",
}
APPS = ("surveys", "analytics", "ranking")


def test_each_table_is_erased_or_is_named_with_why_it_stays():
    ours = {model for app in APPS for model in apps.get_app_config(app).get_models()}
    assert ours == set(NEVER_ERASED) | (set(CONTENTS) - {DBTaskResult})
    assert not set(NEVER_ERASED) & set(CONTENTS)


@pytest.mark.django_db
def test_each_model_that_retention_erases_is_in_the_list():
    survey: Survey = make_open_survey(make_user())
    erased = {rows.model for rows in rows_of(survey).values()}
    assert erased | {finished_runs().model} == set(CONTENTS) - {kept.Openings}
    # The other table that it deletes from holds logins of staff: no respondent has one.
    assert expired_sessions(timezone.now()).model is Session


@pytest.mark.parametrize("model", CONTENTS, ids=lambda model: model.__name__)
def test_each_column_is_content_or_is_named_with_why_it_is_none(model):
    names = {field.name for field in model._meta.concrete_fields}
    contents, others = set(CONTENTS[model]), set(NO_CONTENT[model])
    assert names == contents | others
    assert not contents & others


SAMPLED = "SELECT 1 FROM pg_stats WHERE tablename = %s AND attname = %s"
TARGET = """SELECT attstattarget FROM pg_attribute
WHERE attrelid = %s::regclass AND attname = %s"""
EXTENDED = "SELECT stxname FROM pg_statistic_ext WHERE stxrelid = %s::regclass"
OF_EXPRESSIONS = """SELECT indexrelid::regclass::text FROM pg_index
WHERE indrelid = %s::regclass AND indexprs IS NOT NULL"""


@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
def test_no_content_is_sampled():
    """SQLite samples what is indexed, where its library was made so: retention forgets that."""
    planted = canaries.plant(make_open_survey(make_user()), 60)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
        for table, column in columns() if connection.vendor == "postgresql" else []:
            cursor.execute(TARGET, [table, column])
            assert cursor.fetchone() == (0,), (table, column)
            cursor.execute(SAMPLED, [table, column])
            assert cursor.fetchone() is None, (table, column)
            for query in (EXTENDED, OF_EXPRESSIONS):
                cursor.execute(query, [table])
                assert cursor.fetchall() == [], table
    assert canaries.in_samples(planted) == set()
