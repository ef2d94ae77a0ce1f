"""Every write, as something a person would name. Each is one transaction."""

from typing import TYPE_CHECKING
from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils import timezone

from surveys import payload, selectors
from surveys.drafts import draft_questionnaire
from surveys.models import Question, Response, Revision, SubmissionKey, Survey

if TYPE_CHECKING:
    from django.contrib.auth.models import User


class NotAllowed(PermissionError):
    """This person may not do this to this survey."""


class NotPossible(ValueError):
    """The survey's state does not allow this; the message says why."""


class NotOpen(payload.Refused):
    """The survey takes no answers now."""

    status = 410

    def __init__(self, survey: Survey) -> None:
        super().__init__(survey.pk)
        if survey.state == Survey.State.CLOSED:
            self.reason = f"This survey closed on {survey.closed_on}. Nothing was stored."
            self.remedy = f"If you still want to take part, ask {survey.contact}."
        else:
            self.reason = "This survey has not opened yet. Nothing was stored."
            self.remedy = "Keep the link and try it again later."


@transaction.atomic
def launch(*, survey: Survey, by: "User") -> Revision:
    """Freeze the draft into a revision and open it.

    Raises NotAllowed, NotPossible (not a draft) or drafts.NotReady (with every reason).
    """
    survey = _locked(survey, by)
    if survey.state != Survey.State.DRAFT:
        raise NotPossible(f'"{survey}" was launched before; a survey is launched once.')
    questionnaire = draft_questionnaire(survey)
    revision = Revision.objects.create(survey=survey, document=questionnaire.to_document())
    Survey.objects.filter(pk=survey.pk).update(state=Survey.State.OPEN)
    return revision


@transaction.atomic
def close(*, survey: Survey, by: "User") -> None:
    """Stop taking answers, for good. Raises NotAllowed or NotPossible (not open)."""
    survey = _locked(survey, by)
    if survey.state != Survey.State.OPEN:
        raise NotPossible(f'"{survey}" is not open: it is a {survey.get_state_display().lower()}.')
    Survey.objects.filter(pk=survey.pk).update(
        state=Survey.State.CLOSED, closed_on=timezone.now().date()
    )


@transaction.atomic
def set_plan(*, survey: Survey, responses: int, by: "User") -> None:
    """Record how many responses the plan asks for. Raises NotAllowed."""
    survey = _locked(survey, by)
    Survey.objects.filter(pk=survey.pk).update(planned_responses=responses)


@transaction.atomic
def move_question(*, question: Question, step: int, by: "User") -> None:
    """Move a question of a draft up (-1) or down (+1); at an end it stays.

    Raises NotAllowed or NotPossible (not a draft).
    """
    survey = _locked(question.survey, by)
    if survey.state != Survey.State.DRAFT:
        raise NotPossible("A launched survey keeps the order that respondents were promised.")
    questions = list(survey.questions.all())
    if question not in questions:
        raise NotPossible("This question was deleted in the meantime.")
    place = questions.index(question)
    target = min(max(place + step, 0), len(questions) - 1)
    questions.insert(target, questions.pop(place))
    for position, other in enumerate(questions):
        other.position = position
    Question.objects.bulk_update(questions, ["position"])


def submit(*, survey_id: UUID, body: bytes) -> payload.Submission:
    """Store one submission, once, however often it is sent.

    Raises Survey.DoesNotExist, NotOpen or another payload.Refused; then nothing is stored.
    """
    revision_id = selectors.open_revision(survey_id)
    if revision_id is None:
        return _already_counted(selectors.survey_to_answer(survey_id), body)
    submission = _parsed(body, revision_id)
    _store(submission)
    return submission


def _already_counted(survey: Survey, body: bytes) -> payload.Submission:
    """A repeat of what was counted before the survey closed; everything else raises NotOpen."""
    if survey.state != Survey.State.CLOSED:
        raise NotOpen(survey)
    submission = _parsed(body, survey.revision.pk)
    if not SubmissionKey.objects.filter(pk=submission.key_digest).exists():
        raise NotOpen(survey)
    return submission


def _parsed(body: bytes, revision_id: UUID) -> payload.Submission:
    questionnaire = selectors.questionnaire_of_id(revision_id)
    return payload.parse(body, questionnaire=questionnaire, revision=str(revision_id))


def _store(submission: payload.Submission) -> None:
    """Write the key and the response together; a key that is known already was counted."""
    try:
        with transaction.atomic():
            SubmissionKey.objects.create(digest=submission.key_digest)
            Response.objects.create(
                revision_id=submission.revision,
                own_coin=submission.own_coin,
                answers=submission.answers,
            )
    except IntegrityError:
        if not SubmissionKey.objects.filter(pk=submission.key_digest).exists():
            raise


def _locked(survey: Survey, by: "User") -> Survey:
    if not selectors.may_see(by, survey):
        raise NotAllowed(f'"{survey}" belongs to somebody else.')
    return Survey.objects.select_for_update().get(pk=survey.pk)
