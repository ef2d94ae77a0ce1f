"""``doctor``: are the counts that pages show, and those of ratings, those of what is stored?"""

from collections.abc import Iterator

import numpy as np
from django.utils import timezone

from surveys.catalogues.queries import catalogue_contents, rating_counts, recounted
from surveys.counts.queries import counted_anew, kept, total_stored
from surveys.kinds.rating.promise import RatingQuestion
from surveys.models import Catalogue, Revision
from surveys.models.queries import is_erased, questionnaire_of
from surveys.operations.checks.findings import Finding, fine, problem
from surveys.results.queries import response_count

TRIES = 3
REMEDY = (
    "Rows were changed in the database, or an earlier version of Deniable stored answers after "
    "this version was installed. Compare the responses with the last backup. If the responses "
    "are right, count them anew with manage.py recount {survey}"
)


def as_stored() -> Iterator[Finding]:
    """Recount all answers of every survey and compare."""
    revisions = _launched()
    wrong = [revision for revision in revisions if _is_miscounted(revision)]
    for revision in wrong:
        yield problem(
            "counts",
            f"the counts that pages show for “{revision.survey}” differ from its stored responses",
            REMEDY.format(survey=revision.survey_id),
        )
    if not wrong:
        yield fine(
            "counts", f"surveys checked: {len(revisions)}; all counts match the stored answers"
        )


def _launched() -> list[Revision]:
    """A survey that is being erased has half of its rows."""
    today = timezone.now().date()
    revisions = Revision.objects.select_related("survey").defer("document")
    return [revision for revision in revisions if not is_erased(revision.survey, today)]


def _is_miscounted(revision: Revision) -> bool:
    """Look again where a batch was stored meanwhile: two reads do not see one instant."""
    for _ in range(TRIES):
        before = total_stored(revision.pk)
        if kept(revision.pk) == counted_anew(revision.pk):
            return False
        # Nothing was stored between the two counts, so the difference is one.
        if total_stored(revision.pk) == before:
            break
    return True


def ratings() -> Iterator[Finding]:
    """Whether the counts of ratings are those of the stored responses, and the items as shown."""
    revisions = [launched for launched in _launched() if _ratings(launched)]
    findings = [finding for revision in revisions for finding in _differences(revision)]
    yield from findings
    if not findings:
        yield fine(
            "ratings",
            f"surveys with ratings checked: {len(revisions)}; all items are as shown, and all "
            "counts match the stored responses",
        )


def _ratings(revision: Revision) -> list[RatingQuestion]:
    return [item for _, item in questionnaire_of(revision).numbered.ratings]


def _differences(revision: Revision) -> Iterator[Finding]:
    for item in _ratings(revision):
        if not _is_as_shown(item):
            yield problem(
                "ratings",
                f"the items of “{item.text}” in “{revision.survey}” are not the items that "
                "respondents saw",
                "The items were changed in spite of the database's triggers. Compare them with a "
                "backup.",
            )
    for item in _miscounted(revision):
        yield problem(
            "ratings",
            f"the counts of “{item.text}” in “{revision.survey}” differ from the stored responses",
            "Rows were changed in the database. Compare it with the last backup before you use "
            "the ranking.",
        )


def _is_as_shown(item: RatingQuestion) -> bool:
    catalogue = Catalogue.objects.filter(pk=item.items.catalogue).first()
    return catalogue is not None and (catalogue_contents(catalogue).digest == item.items.digest)


def _miscounted(revision: Revision) -> list[RatingQuestion]:
    """Read again where a batch was stored meanwhile: two reads do not see one instant."""
    wrong: list[RatingQuestion] = []
    for _ in range(TRIES):
        before = response_count(revision)
        wrong = [
            item
            for item, counts in recounted(revision)
            if not np.array_equal(counts, rating_counts(revision, item.id))
        ]
        # As above: nothing was stored meanwhile.
        if not wrong or response_count(revision) == before:
            break
    return wrong
