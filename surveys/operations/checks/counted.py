"""``doctor``: are the counts that pages show those of the stored answers?"""

from collections.abc import Iterator

from django.utils import timezone

from surveys.models import Revision
from surveys.models.queries import is_erased
from surveys.operations.checks.findings import Finding, fine, problem
from surveys.tallies.queries import counted_anew, kept, total_stored

TRIES = 3
REMEDY = (
    "Rows were changed, or an earlier version stored some after this one was installed. Compare "
    "with the last backup; if the responses are right, count them anew: manage.py recount {survey}"
)


def as_stored() -> Iterator[Finding]:
    """Recount all answers of every survey and compare."""
    revisions = _launched()
    wrong = [revision for revision in revisions if _is_miscounted(revision)]
    for revision in wrong:
        yield problem(
            "counts",
            f"the results of “{revision.survey}” are counted otherwise than its responses",
            REMEDY.format(survey=revision.survey_id),
        )
    if not wrong:
        yield fine("counts", f"of {len(revisions)} surveys are those of their stored answers")


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
        if total_stored(revision.pk) == before:
            break
    return True
