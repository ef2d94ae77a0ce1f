"""Every read. Rows become frozen values and count arrays here; nobody else asks the database."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING
from uuid import UUID

from django.db.models import Count, F, QuerySet
from django.db.models.functions import Substr

from surveys.models import Response, Revision, Survey
from surveys.questionnaire import Item, Questionnaire

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser, User


@dataclass(frozen=True)
class ItemCounts:
    """How often each code of one question was reported, on both paths together."""

    item: Item
    by_code: Counter[str]

    @property
    def levels(self) -> tuple[int, ...]:
        """Counts in the order of the question's levels; questions not asked are left out."""
        return tuple(self.by_code[level.code] for level in self.item.levels)


def may_see(user: "User | AnonymousUser", survey: Survey) -> bool:
    """A survey is for its owner and for superusers."""
    return bool(user.is_authenticated and (user.is_superuser or survey.owner_id == user.pk))


def surveys_for(user: "User") -> QuerySet[Survey]:
    """The surveys that this person may see, with their number of responses."""
    visible = Survey.objects.all() if user.is_superuser else Survey.objects.filter(owner=user)
    return (
        visible.select_related("owner", "revision")
        .annotate(response_count=Count("revision__responses"))
        .order_by("title", "pk")
    )


def survey_to_answer(survey_id: UUID) -> Survey:
    """A survey with its revision, whatever its state. Raises Survey.DoesNotExist."""
    surveys = Survey.objects.select_related("revision").defer("revision__document")
    return surveys.get(pk=survey_id)


def open_revision(survey_id: UUID) -> UUID | None:
    """The revision that takes answers now, in one small query; None unless the survey is open."""
    is_open = Survey.objects.filter(pk=survey_id, state=Survey.State.OPEN)
    return next(iter(is_open.order_by().values_list("revision__pk", flat=True)), None)


def questionnaire_of(revision: Revision) -> Questionnaire:
    """The frozen questionnaire of a revision."""
    return questionnaire_of_id(revision.pk)


@lru_cache(maxsize=128)
def questionnaire_of_id(revision_id: UUID) -> Questionnaire:
    """The frozen questionnaire; read once per process, because a revision never changes."""
    document = Revision.objects.values_list("document", flat=True).get(pk=revision_id)
    return Questionnaire.from_document(document)


def response_count(revision: Revision) -> int:
    """How many submissions were counted."""
    return Response.objects.filter(revision=revision).count()


def item_counts(revision: Revision) -> Iterator[ItemCounts]:
    """Counts of every question, each by one grouped query over the fixed-width answers."""
    for item, place in questionnaire_of(revision).offsets():
        yield _counts(revision, item, place)


def _counts(revision: Revision, item: Item, place: int) -> ItemCounts:
    rows = (
        Response.objects.filter(revision=revision)
        .values(code=Substr(F("answers"), place + 1, item.width))
        .annotate(count=Count("pk"))
        .values_list("code", "count")
    )
    return ItemCounts(item, Counter(dict(rows)))


def reported_rows(revision: Revision) -> Iterator[tuple[bool, tuple[str, ...]]]:
    """Every response as (own coin, codes), in the order of their random keys."""
    places = list(questionnaire_of(revision).offsets())
    rows = Response.objects.filter(revision=revision).order_by("pk")
    for own_coin, answers in rows.values_list("own_coin", "answers").iterator(2000):
        yield own_coin, tuple(answers[at : at + item.width] for item, at in places)


def search_surveys(user: "User", text: str) -> QuerySet[Survey]:
    """The surveys that this person may see whose title contains the text, without documents."""
    return surveys_for(user).filter(title__icontains=text).defer("revision__document")


def revision_of(survey: Survey) -> Revision | None:
    """What was launched; None for a draft."""
    return Revision.objects.filter(survey=survey).defer("document").first()


def path_counts(revision: Revision) -> tuple[int, int]:
    """How many submissions came with the browser's coin, and how many with their own."""
    rows = Response.objects.filter(revision=revision).values("own_coin").annotate(n=Count("pk"))
    counts = dict(rows.values_list("own_coin", "n"))
    return counts.get(False, 0), counts.get(True, 0)


def question_counts(revision: Revision, number: int) -> ItemCounts | None:
    """Counts of one question, numbered from 1; None if there is no such question."""
    places = list(questionnaire_of(revision).offsets())
    if not 1 <= number <= len(places):
        return None
    return _counts(revision, *places[number - 1])
