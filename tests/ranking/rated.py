"""Catalogues and surveys whose items are rated, as tests of rankings need them."""

from collections.abc import Sequence
from decimal import Decimal
from uuid import UUID

from django.contrib.auth.models import User

from ranking.queries import RatedQuestion, rated_questions
from surveys.models import Catalogue, CatalogueItem, Question, RatingCount, Survey
from tests import factories
from tests.stored import store_rows

SCALE = ("Bad", "Middling", "Good")


def make_catalogue(owner: User, *names: str, starting: Sequence[Sequence[int]] = ()) -> Catalogue:
    """A catalogue with these items, and what they start with."""
    catalogue = Catalogue.objects.create(owner=owner, name=f"Units {Catalogue.objects.count()}")
    given = [*starting, *([] for _ in names[len(starting) :])]
    CatalogueItem.objects.bulk_create(
        CatalogueItem(catalogue=catalogue, number=number, name=name, starting=list(counts))
        for number, (name, counts) in enumerate(zip(names, given, strict=True), start=1)
    )
    return catalogue


def make_rated_survey(
    owner: User,
    catalogue: Catalogue,
    *scale: str,
    epsilon: str | None = None,
    required: bool = True,
    adaptive: bool = False,
    **fields: object,
) -> Survey:
    """An open survey that has the catalogue's items rated, openly or with an epsilon in all."""
    draft = factories.make_survey(owner, **fields)
    factories.add_question(draft, text="Do you live here?", design=Question.Design.DIRECT)
    factories.add_question(
        draft,
        *(scale or SCALE),
        text="How good is this unit?",
        kind=Question.Kind.RATING,
        design=Question.Design.K_ARY if epsilon else Question.Design.DIRECT,
        epsilon=Decimal(epsilon) if epsilon else None,
        catalogue=catalogue,
        required=required,
        adaptive=adaptive,
        shown=1,
    )
    return factories.launched(draft)


def question_of(survey: Survey) -> RatedQuestion:
    """Its rating question."""
    (question,) = rated_questions(survey)
    return question


def count(survey: Survey, *counts: Sequence[int]) -> None:
    """Store what a flush would have stored: counts by item and level, and one more response."""
    question = question_of(survey)
    RatingCount.objects.bulk_create(
        RatingCount(
            revision=survey.revision,
            question=UUID(question.item.id),
            item=number,
            level=level,
            count=times,
        )
        for number, row in enumerate(counts, start=1)
        for level, times in enumerate(row)
        if times
    )
    store_rows(survey.revision, [""])
