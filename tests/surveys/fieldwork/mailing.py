"""Mailings as tests need them, and a worker that does not wait."""

import re

from django.db import connection
from django_tasks_db.models import DBTaskResult

from surveys.fieldwork import tasks
from surveys.fieldwork.mailings import prepare_mailing, send_mailing
from surveys.models import Mailing

LINK = "https://surveys.example.org/en/s/0/"
MESSAGE = "Please answer: {link}\nor type {code}.\n"
# Not a part of a survey's key, which has groups of four, too.
CODE = re.compile(r"(?<![0-9a-z-])[0-9a-z]{4}(?:-[0-9a-z]{4}){3}(?![0-9a-z-])")


def people(count: int, name: str = "person") -> list[str]:
    return [f"{name}{number}@example.org" for number in range(count)]


def prepare(survey, addresses, *, message: str = MESSAGE) -> Mailing:
    return prepare_mailing(
        survey=survey, subject="Please", message=message, addresses=addresses, by=survey.owner
    )


def start(mailing: Mailing) -> None:
    send_mailing(mailing=mailing, link=LINK, later=tasks.send_later, by=mailing.survey.owner)


def run_next() -> bool:
    """Do the queued task that comes first, whatever its time; False if none is queued."""
    row = DBTaskResult.objects.filter(status="READY").first()
    if row is None:
        return False
    row.claim("test")
    row.task.call(*row.args_kwargs["args"], **row.args_kwargs["kwargs"])
    row.set_successful(None)
    return True


def run_all() -> int:
    runs = 0
    while run_next():
        runs += 1
        assert runs < 1000
    return runs


def everything_stored() -> list[tuple[str, str]]:
    """Every row of every table as (table, text)."""
    found = []
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f'SELECT * FROM "{table}"')
            found += [(table, repr(row)) for row in cursor.fetchall()]
    return found


def empty_invitations() -> None:
    """PostgreSQL keeps the rows of tests that were rolled back, and writes new ones among them."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("TRUNCATE surveys_invitation")


def physical_digests() -> list[str]:
    """Digests in the order in which the database keeps them."""
    order = "rowid" if connection.vendor == "sqlite" else "ctid"
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT digest FROM surveys_invitation ORDER BY {order}")
        return [row[0] for row in cursor.fetchall()]
