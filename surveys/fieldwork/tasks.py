"""Tasks of a worker (``manage.py db_worker``): send a mailing's next batch now or later."""

from datetime import datetime
from uuid import UUID

from django_tasks import task

from surveys.fieldwork.sending import send_batch


@task()
def send_mails(mailing: str, run: int, link: str) -> None:
    """One run of a mailing. Neither an address nor a token is among its arguments."""
    send_batch(mailing_id=UUID(mailing), run=run, link=link, later=send_later)


def send_later(mailing: UUID, run: int, link: str, at: datetime | None) -> None:
    """Queue a run of a mailing."""
    send_mails.using(run_after=at).enqueue(str(mailing), run, link)
