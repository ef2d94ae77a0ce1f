"""``doctor``: do catalogues and rating counts agree with what respondents saw and sent?"""

from collections.abc import Iterator

import numpy as np
from django.utils import timezone

from surveys.catalogues.queries import catalogue_contents, rating_counts, recounted
from surveys.kinds.rating.promise import RatingQuestion
from surveys.models import Catalogue, Revision
from surveys.models.queries import is_erased, questionnaire_of
from surveys.operations.checks.findings import Finding, fine, problem
from surveys.results.queries import response_count

TRIES = 3


def counted() -> Iterator[Finding]:
    """Whether the counts of ratings are those of the stored responses, and the items as shown."""
    revisions = [launched for launched in _launched() if _ratings(launched)]
    findings = [finding for revision in revisions for finding in _differences(revision)]
    yield from findings
    if not findings:
        yield fine("ratings", f"of {len(revisions)} surveys are counted as they were stored")


def _launched() -> list[Revision]:
    """A survey that is being erased has half of its rows."""
    today = timezone.now().date()
    revisions = Revision.objects.select_related("survey").defer("document")
    return [revision for revision in revisions if not is_erased(revision.survey, today)]


def _ratings(revision: Revision) -> list[RatingQuestion]:
    return [item for _, item in questionnaire_of(revision).numbered.ratings]


def _differences(revision: Revision) -> Iterator[Finding]:
    for item in _ratings(revision):
        if not _is_as_shown(item):
            yield problem(
                "ratings",
                f"the items of “{item.text}” in “{revision.survey}” are not those that "
                "respondents saw",
                "They were changed around the database's triggers; compare with a backup.",
            )
    for item in _miscounted(revision):
        yield problem(
            "ratings",
            f"“{item.text}” in “{revision.survey}” has other counts than its responses",
            "Rows were changed; compare with the last backup before you use the ranking.",
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
        if not wrong or response_count(revision) == before:
            break
    return wrong
