"""Tasks of a worker (``manage.py db_worker``): write the file of an export."""

from uuid import UUID

from django_tasks import task

from surveys.results.taking import services


@task()
def write_export(key: str) -> None:
    """Write it. No answer is among its arguments or results."""
    services.write(UUID(key))


def write_later(key: str) -> None:
    """Queue it."""
    write_export.enqueue(key)
