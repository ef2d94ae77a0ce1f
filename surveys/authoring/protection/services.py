"""What an author changes from the list of questions so that answers tell less."""

from typing import TYPE_CHECKING

from django.db import transaction
from django.utils.translation import gettext_lazy

from surveys.authoring.protection.queries import every_way
from surveys.authoring.protection.ways import DrawPart, LeaveOut, ProtectMore, Way
from surveys.authoring.services import begin_edit, record_edit
from surveys.models import Question, Survey
from surveys.models.refusals import NotPossible

if TYPE_CHECKING:
    from django.contrib.auth.models import User

CHANGED = gettext_lazy(
    "Nothing was done, because the questions have changed since you opened this list. The list "
    "below is up to date."
)


@transaction.atomic
def take_way(*, survey: Survey, code: str, by: "User") -> Way:
    """Change a draft as its list offers; ``code`` is that of an offered change.

    Raises NotAllowed, or NotPossible (it is not offered any more).
    """
    before = begin_edit(survey=survey, by=by)
    draft = Survey.objects.get(pk=survey.pk)
    way = every_way(draft).get(code) if draft.state == Survey.State.DRAFT else None
    if way is None:
        raise NotPossible(str(CHANGED))
    match way.change:
        case DrawPart(asked=asked):
            Survey.objects.filter(pk=draft.pk).update(asked=asked)
        case ProtectMore(questions=questions):
            Question.objects.bulk_update(questions, ["design", "epsilon"])
        case LeaveOut(questions=questions):
            Question.objects.filter(pk__in=[question.pk for question in questions]).delete()
    record_edit(draft, before=before, by=by)
    return way
