"""Answers as a flush stores them: rows and texts, and the counts that pages read."""

from collections.abc import Iterable

from surveys.collecting.services import receive
from surveys.counts import services as counts
from surveys.models import Comment, Response, Revision, Survey
from surveys.models.queries import questionnaire_of
from tests.bodies import body_of


def store_rows(revision: Revision, answers: Iterable[str], *, opening: int = 0) -> None:
    """Rows of answers that readers see, or those of an opening that is not done."""
    rows = list(answers)
    found = (Response(revision=revision, answers=row, opening=opening) for row in rows)
    Response.objects.bulk_create(found, batch_size=1000)
    counts.add_rows(revision.pk, questionnaire_of(revision), rows, opening=opening)


def store_texts(revision: Revision, question: int, texts: Iterable[str]) -> None:
    """Texts to the question of this number."""
    rows = [Comment(revision=revision, question=question, text=text) for text in texts]
    Comment.objects.bulk_create(rows, batch_size=500)
    counts.add_texts(revision.pk, [question] * len(rows))


def answer(survey: Survey, times: int = 1) -> None:
    """So many submissions as they come, with the first answer to each question."""
    for _ in range(times):
        receive(survey_id=survey.pk, body=body_of(survey.revision))
