"""Tasks of a worker (``manage.py db_worker``): count questions of a large survey together."""

from django_tasks import task

from surveys.counts import joint


@task()
def count_together(key: int) -> None:
    """Count one choice of questions. No code of an answer is among its arguments or results."""
    joint.count(key)


def count_later(key: int) -> None:
    """Queue it."""
    count_together.enqueue(key)
