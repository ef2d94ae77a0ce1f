"""Where the pages are, what they say, and who looks."""

import re
from uuid import uuid4

from django.urls import reverse

from surveys.models import AuditEntry, Membership
from surveys.staff.roles import Role
from tests import factories
from tests.analytics import reporting


def address(name: str, survey, *more: object) -> str:
    return reverse(f"analytics:{name}", args=[survey.pk, *more])


def words(response) -> str:
    """What a page says, without its tags."""
    text = re.sub(r"<[^>]+>", " ", response.content.decode())
    return re.sub(r"\s+", " ", text).replace("&#x27;", "'")


def looks(action: str = "internal report seen") -> int:
    return AuditEntry.objects.filter(action=action).count()


def member(survey, role: Role, name: str):
    user = factories.make_user(name)
    Membership.objects.create(survey=survey, user=user, role=role)
    return user


def question_of(survey) -> str:
    return reporting.text_items(survey)[0].id


def asked(survey, **changes: str) -> dict[str, str]:
    plain = {"kind": "private_topics", "share": "1/4", "topics": "3", "language": "en"}
    return {"key": str(uuid4()), "question": question_of(survey), **plain, **changes}
