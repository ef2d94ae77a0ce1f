"""A database that was put back: what its openings would draw again, and who says that they may."""

import json
from datetime import datetime
from pathlib import Path
from uuid import UUID

from django.db import Error, transaction
from django.utils import timezone

from surveys.collecting import held_openings
from surveys.models import Openings, Revision, Survey, releasing
from surveys.models.refusals import NotPossible
from surveys.models.releasing import DumpedRows
from surveys.operations.dumps import Unusable
from surveys.staff.audit.services import record
from surveys.staff.locks import lock_survey

Drawn = dict[UUID, int]


def drawn_since(rows: DumpedRows) -> Drawn:
    """How many openings are drawn here, for revisions of which a backup has fewer.

    Nothing where no tables are: then nothing is known.
    """
    releaser = releasing.registered()
    if releaser is None:
        return {}
    try:
        with transaction.atomic():
            # Of its own, because after an error PostgreSQL answers nothing more in a transaction.
            here = releaser.drawn(None)
    except Error:
        return {}  # an empty database, or one of another version
    try:
        there = releaser.drawn(rows)
    except Unusable:
        return {}  # from before there were such surveys
    return {key: here[key] for key in here.keys() & there.keys() if here[key] > there[key]}


def titles_of(drawn: Drawn) -> list[str]:
    """The surveys that these revisions belong to."""
    revisions = Revision.objects.filter(pk__in=drawn).select_related("survey").defer("document")
    return sorted(f'"{revision.survey}"' for revision in revisions)


def hold(as_of: datetime, drawn: Drawn | None = None) -> list[Survey]:
    """Hold what may have been drawn since, with a line in the audit log for each survey."""
    surveys = held_openings.hold(as_of, timezone.now(), drawn or {})
    for survey in surveys:
        record("held openings", by=None, survey=survey, after={"as_of": as_of.isoformat()})
    return surveys


def confirm(survey: Survey, published: Path | None = None) -> None:
    """Let a survey's openings go on after a fallback: the operator says that none was drawn since.

    ``published`` is a file of its tables that people have, if there is one. Raises NotPossible: it
    is not held, or it is known that the opening was drawn. Raises OSError.
    """
    if not _is_let_go_on(survey, published):
        raise NotPossible(
            f'The openings of "{survey}" stay held: it is known that an opening was drawn after '
            "the state to which the database was put back. A second draw, together with the "
            "first, would reveal more than was promised. Put back a later state of the database. "
            "Or let the survey's owner stop the survey at once, which destroys the sealed "
            "answers unread."
        )


@transaction.atomic
def _is_let_go_on(survey: Survey, published: Path | None) -> bool:
    """False if the opening was drawn, which is kept in mind once a file tells of it."""
    survey = lock_survey(survey)
    states = Openings.objects.select_for_update().filter(revision__survey=survey)
    state = states.exclude(fell_back_to=None).first()
    if state is None or state.fell_back_to is None:
        raise NotPossible(f'Nothing was changed: no opening of "{survey}" is held.')
    if state.drawn_then is None and published and _tells_of_a_draw(state, published):
        # Returned and not raised, which would undo that it is kept in mind.
        states.update(drawn_then=state.done + 1)
        return False
    if state.drawn_then is not None:
        return False
    states.update(fell_back_to=None)
    before = {"as_of": state.fell_back_to.isoformat()}
    record("let openings go on", by=None, survey=survey, before=before)
    return True


def _tells_of_a_draw(state: Openings, published: Path) -> bool:
    releaser = releasing.registered()
    try:
        document = json.loads(published.read_text("utf-8"))
        return releaser is not None and releaser.is_later(state.pk, document)
    except ValueError as problem:
        raise NotPossible(
            f"{published} cannot be read as tables of this survey: {problem}."
        ) from problem
