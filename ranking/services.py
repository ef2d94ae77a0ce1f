"""Writes of rankings: choose a method, import items, keep or remove catalogues and their items."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from django.db import transaction
from django.db.models import F, Max
from django.utils.translation import gettext, gettext_lazy

from ranking.methods.histograms import Histograms, HistogramsUnreadable, Problem, read_histograms
from ranking.methods.registry import Method, joined
from ranking.models import PendingImport, RankingChoice
from surveys.kinds.rating.promise import RatingQuestion
from surveys.models import Catalogue, CatalogueItem, Revision
from surveys.models.refusals import NotAllowed, NotPossible
from surveys.questionnaire.ratings import LARGEST_STARTING
from surveys.randomized_response.messages import sentence
from surveys.staff.audit.services import record
from surveys.staff.locks import locked
from surveys.staff.roles import Ability

if TYPE_CHECKING:
    from django.contrib.auth.models import User

LARGEST_FILE = 20 * 1024 * 1024
PREVIEWED = 20  # items of a file that its page shows
ROWS_AT_ONCE = 5000  # some 0.3 s of work, for which others who write wait
GONE = gettext_lazy(
    "Nothing was imported, because the file that you chose was already imported or discarded. "
    "Choose the file again if you still need it."
)
FEW_NAMES = 500  # that are looked up, while a catalogue of many items is not read for them
FAR = 10**9  # beyond every item's number
NOT_YOURS = gettext_lazy(
    "You cannot change this catalogue: it belongs to another person. Ask the owner of the "
    "catalogue."
)
FROZEN = gettext_lazy(
    "These items cannot be changed, because a survey that uses the items was launched. The items "
    "stay as respondents saw them. Make a new catalogue for other items."
)


@transaction.atomic
def choose_method(
    *, revision: Revision, item: RatingQuestion, method: Method, by: "User"
) -> RankingChoice:
    """Make this the method by which a question's items are shown to all readers.

    Adds a row to the history and an entry to the audit log. Raises NotAllowed, NotPossible.
    """
    survey = locked(revision.survey, by, Ability.EDIT)
    last = RankingChoice.objects.filter(revision=revision, question=item.id).first()
    chosen = {
        "utilities": joined(method.utilities),
        "prior": method.prior.code,
        "order": method.order,
    }
    before = {name: getattr(last, name) for name in chosen} if last else {}
    if chosen == before:
        raise NotPossible(
            gettext("Nothing was changed: the items are already ordered by these settings.")
        )
    question = {"question": item.text}
    record(
        "ranking changed", by=by, survey=survey, before=question | before, after=question | chosen
    )
    return RankingChoice.objects.create(revision=revision, question=item.id, actor=by.pk, **chosen)


def put_up_import(*, catalogue: Catalogue, content: bytes, form: str, by: "User") -> Histograms:
    """Keep a file of items until its owner has looked at it, in place of an earlier one.

    Raises NotAllowed, NotPossible, HistogramsUnreadable with the lines that cannot be used.
    """
    with transaction.atomic():
        catalogue = _locked(catalogue, by)
    if len(content) > LARGEST_FILE:
        raise NotPossible(too_large())
    histograms = _read(catalogue, content, form)  # takes seconds, in which others may write
    with transaction.atomic():
        catalogue = _locked(catalogue, by)
        PendingImport.objects.filter(catalogue=catalogue).delete()  # unread: it may be large
        PendingImport.objects.create(
            catalogue=catalogue,
            content=content,
            form=form,
            items=len(histograms),
            preview=_preview(histograms),
        )
    return histograms


def _preview(histograms: Histograms) -> list[tuple[str, list[int]]]:
    pairs = zip(histograms.names[:PREVIEWED], histograms.counts[:PREVIEWED], strict=True)
    return [(name, list(map(int, counts))) for name, counts in pairs]


def too_large() -> str:
    """Why a file is refused for its size."""
    largest = LARGEST_FILE // 2**20
    return gettext("The file is larger than {largest} MB. Split the file.").format(largest=largest)


@transaction.atomic
def drop_import(*, catalogue: Catalogue, by: "User") -> None:
    """Forget the file that waits. Raises NotAllowed, NotPossible."""
    PendingImport.objects.filter(catalogue=_locked(catalogue, by)).delete()


def import_items(*, catalogue: Catalogue, by: "User") -> int:
    """Make items of the file that waits, after those that are there, ``ROWS_AT_ONCE`` at a time.

    A database with one writer would otherwise let all others wait for a large file. An import that
    is cut short goes on where it ended when it is repeated. Returns how many items were made.
    Raises NotAllowed, NotPossible, HistogramsUnreadable.
    """
    with transaction.atomic():
        catalogue = _locked(catalogue, by)
    pending = PendingImport.objects.filter(catalogue=catalogue).first()
    if pending is None:
        raise NotPossible(str(GONE))
    start = pending.imported
    histograms = _read(catalogue, bytes(pending.content), pending.form, start)
    for first in range(start, len(histograms), ROWS_AT_ONCE):
        _import_some(catalogue, histograms, first, by)
    return len(histograms) - start


@transaction.atomic
def _import_some(catalogue: Catalogue, histograms: Histograms, first: int, by: "User") -> None:
    """Items of the file from this place on, if an import is that far."""
    catalogue = _locked(catalogue, by)
    pending = PendingImport.objects.filter(catalogue=catalogue, imported=first)
    beyond = min(first + ROWS_AT_ONCE, len(histograms))
    if not pending.update(imported=beyond):
        raise NotPossible(str(GONE))
    last = catalogue.items.aggregate(last=Max("number"))["last"] or 0
    chosen = zip(histograms.names[first:beyond], histograms.counts[first:beyond], strict=True)
    CatalogueItem.objects.bulk_create(
        CatalogueItem(
            catalogue=catalogue, number=number, name=name, starting=list(map(int, counts))
        )
        for number, (name, counts) in enumerate(chosen, start=last + 1)
    )
    if beyond == len(histograms):
        PendingImport.objects.filter(catalogue=catalogue).delete()
        items = last + beyond - first
        sizes = (items - len(histograms), items)
        before, after = ({"catalogue": catalogue.name, "items": size} for size in sizes)
        record("items imported", by=by, before=before, after=after)


@transaction.atomic
def keep_catalogue(*, catalogue: Catalogue, by: "User") -> None:
    """Store a new catalogue, or the new name of one. Raises NotAllowed, NotPossible."""
    stored = Catalogue.objects.select_for_update().filter(pk=catalogue.pk).first()
    if stored is None:
        catalogue.owner = by
        record("catalogue made", by=by, after={"catalogue": catalogue.name})
    else:
        _require_owner(stored, by)
        before, after = {"catalogue": stored.name}, {"catalogue": catalogue.name}
        record("catalogue renamed", by=by, before=before, after=after)
    catalogue.save()


@transaction.atomic
def remove_catalogue(*, catalogue: Catalogue, by: "User") -> None:
    """Delete a catalogue with its items. Raises NotAllowed, NotPossible (frozen, or asked for)."""
    catalogue = _locked(catalogue, by)
    if catalogue.questions.exists():
        reason = gettext(
            "The catalogue was not deleted: a draft asks for ratings of “{catalogue}”. Change the "
            "question in that draft first."
        )
        raise NotPossible(reason.format(catalogue=catalogue))
    before = {"catalogue": catalogue.name, "items": catalogue.items.count()}
    record("catalogue deleted", by=by, before=before)
    catalogue.delete()


@transaction.atomic
def keep_item(*, item: CatalogueItem, by: "User") -> None:
    """Store a changed item, or a new one after the last. Raises NotAllowed, NotPossible."""
    catalogue = _locked(item.catalogue, by)
    stored = catalogue.items.filter(pk=item.pk).first()
    if stored is None:
        item.number = (catalogue.items.aggregate(last=Max("number"))["last"] or 0) + 1
    before = _described(stored) if stored else None
    record("item changed", by=by, before=before, after=_described(item))
    item.save()


@transaction.atomic
def remove_item(*, item: CatalogueItem, by: "User") -> None:
    """Delete an item; those after it move up. Raises NotAllowed, NotPossible."""
    catalogue = _locked(item.catalogue, by)
    stored = catalogue.items.filter(pk=item.pk).first()
    if stored is None:
        raise NotPossible(gettext("This item was deleted in the meantime."))
    record("item deleted", by=by, before=_described(stored))
    stored.delete()
    # In two steps, because no two items may have one number even in between.
    catalogue.items.filter(number__gt=stored.number).update(number=F("number") + FAR)
    catalogue.items.filter(number__gt=FAR).update(number=F("number") - FAR - 1)


def _described(item: CatalogueItem) -> dict[str, object]:
    return {
        "catalogue": item.catalogue.name,
        "number": item.number,
        "item": item.name,
        "starting": item.starting,
    }


def _require_owner(catalogue: Catalogue, by: "User") -> None:
    if not by.is_active or not (by.is_superuser or catalogue.owner_id == by.pk):
        raise NotAllowed(str(NOT_YOURS))


def _locked(catalogue: Catalogue, by: "User") -> Catalogue:
    """The catalogue as it stands, held until the transaction ends, for a user who may fill it."""
    stored = Catalogue.objects.select_for_update().filter(pk=catalogue.pk).first()
    if stored is None:
        raise NotPossible(gettext("This catalogue was deleted in the meantime."))
    _require_owner(stored, by)
    if stored.is_frozen:
        raise NotPossible(str(FROZEN))
    return stored


def _read(catalogue: Catalogue, content: bytes, form: str, imported: int = 0) -> Histograms:
    """A file whose items this catalogue can take; so many are in it already.

    Raises HistogramsUnreadable.
    """
    histograms = read_histograms(content, form=form, counts=False, largest=LARGEST_STARTING)
    there = _names_there(catalogue, histograms.names[imported:])
    repeated = [
        Problem(position, sentence("the name “{name}” is already in the catalogue", name=name))
        for position, name in zip(
            histograms.positions[imported:], histograms.names[imported:], strict=True
        )
        if name in there
    ]
    if repeated:
        raise HistogramsUnreadable(repeated)
    return histograms


def _names_there(catalogue: Catalogue, names: Sequence[str]) -> set[str]:
    """Names that the catalogue has: those of these that it has, where these are few."""
    items = catalogue.items.all()
    if len(names) <= FEW_NAMES:
        items = items.filter(name__in=names)
    return set(items.values_list("name", flat=True))
