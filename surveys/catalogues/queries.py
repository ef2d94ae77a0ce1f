"""Reads of catalogues: contents, items by number, names; how often each was rated; display laws."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from html import escape  # writes the same as Django's
from uuid import UUID

import numpy as np
from django.db.models import Count, Max

from surveys.kinds.rating.promise import RatingQuestion
from surveys.models import Catalogue, CatalogueItem, RatingCount, Revision, Survey
from surveys.models.queries import opened_responses, questionnaire_of, read_opened, revision_of
from surveys.questionnaire.plans.display import DisplayLaw, learn_law
from surveys.questionnaire.ratings import catalogue_digest, display_key

BLOCK = 500  # fewer than SQLite takes in one question
# Beside the counts that a display rests on: (item, level) of how many responses were asked, and
# of how many of them it knows.
ASKED, LEARNED = (0, 0), (0, 1)


@dataclass(frozen=True)
class CatalogueContents:
    """A catalogue as a launch freezes it; ``twins`` are two names that read the same.

    ``names_bytes`` is how much room all names take, ``longest_name`` the longest one in a page.
    """

    size: int
    digest: str
    longest_name: int
    names_bytes: int
    twins: tuple[str, str] | None


def catalogue_size(catalogue: Catalogue) -> tuple[int, int]:
    """How many items there are, and the largest number; cheap."""
    numbers = catalogue.items.aggregate(size=Count("pk"), last=Max("number"))
    return numbers["size"], numbers["last"] or 0


def catalogue_contents(catalogue: Catalogue) -> CatalogueContents:
    """All that a launch has to know of a catalogue's items, read once."""
    rows = list(catalogue.items.order_by("number").values_list("number", "name"))
    return CatalogueContents(
        size=len(rows),
        digest=catalogue_digest(rows),
        longest_name=max((len(escape(name).encode()) for _, name in rows), default=0),
        names_bytes=sum(len(name.encode()) for _, name in rows),
        twins=_twins([name for _, name in rows]),
    )


def _twins(names: list[str]) -> tuple[str, str] | None:
    read = [" ".join(name.casefold().split()) for name in names]
    if len(set(read)) == len(read):
        return None
    first = {word: index for index, word in reversed(list(enumerate(read)))}
    return next((names[first[w]], names[i]) for i, w in enumerate(read) if first[w] != i)


def catalogue_items(catalogue: Catalogue | UUID | str, numbers: Iterable[int]) -> dict[int, str]:
    """The names of these items, by number; what is not there is left out."""
    key = catalogue.pk if isinstance(catalogue, Catalogue) else UUID(str(catalogue))
    wanted = list(numbers)
    names: dict[int, str] = {}
    for at in range(0, len(wanted), BLOCK):
        items = CatalogueItem.objects.filter(catalogue=key, number__in=wanted[at : at + BLOCK])
        names |= dict(items.values_list("number", "name"))
    return names


def names_of(item: RatingQuestion) -> dict[int, str]:
    """The names of all items that a rating question can show, by number."""
    items = CatalogueItem.objects.filter(catalogue=UUID(item.items.catalogue))
    return dict(items.order_by("number").values_list("number", "name"))


def rating_questions(survey: Survey) -> list[tuple[int, RatingQuestion]]:
    """The rating questions of a launched survey with their numbers; none of a draft."""
    revision = revision_of(survey)
    if revision is None:
        return []
    return list(questionnaire_of(revision).numbered.ratings)


def rating_counts(revision: Revision, item_id: str | UUID) -> np.ndarray:
    """Reported counts of one rating question: int64, (catalogue size, levels).

    Row i is the item with number i + 1; columns are the question's ``levels``, so that of a
    question that is not required the last one is "Not rated". Starting counts are not in it.
    Raises KeyError if the revision has no such rating question.
    """
    item = _rating_question(revision, str(item_id))
    return _counted(revision.pk, UUID(item.id), item)


def _counted(revision_id: UUID, key: UUID, item: RatingQuestion) -> np.ndarray:
    counts = np.zeros((item.items.size, len(item.levels)), dtype=np.int64)
    rows = RatingCount.objects.filter(revision=revision_id, question=key, item__gt=0)
    stored = np.array(list(rows.values_list("item", "level", "count")), dtype=np.int64)
    if len(stored):
        counts[stored[:, 0] - 1, stored[:, 1]] = stored[:, 2]
    return counts


def _rating_question(revision: Revision, item_id: str) -> RatingQuestion:
    for _, item in questionnaire_of(revision).numbered.ratings:
        if item.id == item_id:
            return item
    raise KeyError(item_id)


@dataclass(frozen=True)
class DisplayResponses:
    """How many responses an adaptive question got, and of how many its display knows."""

    asked: int = 0
    learned: int = 0


def display_responses(revision_id: UUID, item_id: UUID | str) -> DisplayResponses:
    """Two rows, found by their key; nothing is counted."""
    rows = RatingCount.objects.filter(revision=revision_id, question=display_key(item_id), item=0)
    counts = dict(rows.values_list("level", "count"))
    return DisplayResponses(counts.get(ASKED[1], 0), counts.get(LEARNED[1], 0))


def display_law(revision_id: UUID, item: RatingQuestion) -> DisplayLaw | None:
    """By which law the pages of an adaptive question show items now; None if all evenly.

    Kept in the process until the display learns anew, so that no request reads the counts. They
    are read after the number that they are kept by: at worst a page shows by the next law early.
    """
    if not item.items.adaptive:
        return None
    # Read before the counts that are kept by it: at worst a page shows by the next law early.
    learned = display_responses(revision_id, item.id).learned
    return _display_law(revision_id, item, learned) if learned else None


@lru_cache(maxsize=32)
def _display_law(revision_id: UUID, item: RatingQuestion, learned: int) -> DisplayLaw:
    counts = _counted(revision_id, display_key(item.id), item)
    channel = item.channel if item.is_randomized else None
    return learn_law(counts, channel, declines=item.decline_level is not None)


def starting_counts(catalogue: Catalogue | UUID | str, levels: int) -> np.ndarray:
    """Ratings from before any survey: int64, (catalogue size, levels), 0 where there are none.

    ``levels`` are those of the scale, without "Not rated". Items whose starting counts were made
    for another number of levels raise ValueError.
    """
    key = catalogue.pk if isinstance(catalogue, Catalogue) else UUID(str(catalogue))
    items = CatalogueItem.objects.filter(catalogue=key)
    counts = np.zeros((items.aggregate(last=Max("number"))["last"] or 0, levels), dtype=np.int64)
    for number, starting in items.exclude(starting=[]).values_list("number", "starting"):
        if len(starting) != levels:
            raise ValueError(
                f"Item {number} has {len(starting)} starting counts, but the scale has {levels} "
                "levels."
            )
        counts[number - 1] = starting
    return counts


def recounted(revision: Revision) -> Iterator[tuple[RatingQuestion, np.ndarray]]:
    """Counts of every rating question from all its responses: slow, for checking only."""
    questionnaire = questionnaire_of(revision)
    places = [
        (item, questionnaire.row.place_of(item)) for _, item in questionnaire.numbered.ratings
    ]
    counts = [np.zeros((item.items.size, len(item.levels)), dtype=np.int64) for item, _ in places]
    rows = opened_responses(revision.pk)
    for (answers,) in read_opened(rows, revision.pk, "answers", at_once=2000):
        for (item, at), table in zip(places, counts, strict=True):
            for number, level in item.slot_code.levels_in(answers[at : at + item.width]):
                table[number - 1, level] += 1
    return zip((item for item, _ in places), counts, strict=True)
