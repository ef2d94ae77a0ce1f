"""Private trees: asked for, charged before an answer is read, grown from kept releases."""

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from analytics import queries
from analytics.comparison.trees.private import require_growable
from analytics.kinds.growing import growth_of, report_private_tree
from analytics.kinds.private_trees import PrivateTreeReport, PrivateTreeSettings
from analytics.models import Report
from analytics.privacy.accounting import Adjacency, Budget, Cost
from analytics.privacy.errors import BudgetError
from analytics.privacy.mechanisms import Noise
from analytics.queries import TREE, cost_of
from analytics.services import ledger
from analytics.services.keeping import begin
from analytics.services.requests import Later, require_answers
from analytics.services.watching import ReportProgress
from analytics.sources.survey_trees import features_of_tree, tree_answers
from surveys.models import Revision, Survey
from surveys.models.queries import questionnaire_of
from surveys.randomized_response.messages import sentence
from surveys.results.queries import response_count
from surveys.staff.audit.services import record
from surveys.staff.locks import locked

if TYPE_CHECKING:
    from django.contrib.auth.models import User


@dataclass(frozen=True)
class MadeTree:
    """A private tree and, for the ledger alone, how many respondents it counted."""

    report: PrivateTreeReport
    respondents: int

    @property
    def is_private(self) -> bool:
        return self.report.is_private

    @property
    def cost(self) -> Cost:
        return self.report.cost

    @property
    def adjacency(self) -> Adjacency:
        return self.report.adjacency

    def to_document(self) -> dict[str, Any]:
        """What is stored of it."""
        return self.report.to_document()


@transaction.atomic
def request_private_tree(
    *,
    survey: Survey,
    settings: PrivateTreeSettings,
    share: Fraction,
    by: "User",
    later: Later,
    key: UUID,
) -> Report:
    """Set aside what a tree costs at most, and queue it. No answer is read.

    ``key`` is that of a form: sent twice, it asks once. Raises NotAllowed, NotPossible (a draft,
    no or erased answers, no promise for tables), SettingsError, TreeError, BudgetError.
    """
    survey = locked(survey, by, queries.ability_to_ask(TREE))
    if earlier := queries.asked_with(survey, by, key):
        return earlier
    require_answers(survey)
    revision = Revision.objects.defer("document").get(survey=survey)
    terms = _terms(revision)
    _require_growable(revision, settings)
    item = questionnaire_of(revision).items[settings.question - 1]
    report = Report(
        id=queries.key_of_wish(survey, by, key),
        revision=revision,
        question=UUID(item.id),
        kind=TREE,
        settings=settings.to_data(),
        actor=by.pk,
        beat=timezone.now(),
        **ledger.written(_part(terms.limit, share)),
    )
    ledger.require_room(ledger.hold(revision), terms, report)
    report.save(force_insert=True)
    entry = {"report": str(report.pk), "kind": TREE, "settings": settings.to_data()}
    aside = ledger.written(cost_of(report))
    record("report requested", by=by, survey=survey, after=entry | aside)
    later(report.pk, report.run)
    return report


def make_private_tree(report: Report, noise: Noise, watch: ReportProgress) -> MadeTree:
    """Charge, count and grow. All that can be refused is refused before it is charged.

    Raises NotPossible, SettingsError, TreeError, BudgetError, NoiseError, Stopped.
    """
    settings = PrivateTreeSettings.from_data(report.settings)
    ledger.require_vetted(noise)
    terms = _terms(report.revision)
    _require_growable(report.revision, settings)
    begin(report, terms)
    watch.reach(sentence("Counting answers"), 0.2)
    answers = tree_answers(report.revision, settings)
    watch.reach(sentence("Growing the tree"), 0.6)
    grown = report_private_tree(answers, settings, cost_of(report), noise, terms)
    return MadeTree(grown, answers.people)


def _require_growable(revision: Revision, settings: PrivateTreeSettings) -> None:
    """The same refusals before it is queued and before it is charged; reads no answer."""
    require_growable(*features_of_tree(questionnaire_of(revision), settings), growth_of(settings))


def _terms(revision: Revision) -> Budget:
    """What was promised about direct answers. Raises NotPossible, BudgetError."""
    ledger.require_tables(revision)
    return ledger.require_terms(revision, response_count(revision), NOTHING_TO_COUNT)


NOTHING_TO_COUNT = sentence("No answer is stored yet that a tree could count. Wait for answers.")


def _part(limit: Cost, share: Fraction) -> Cost:
    """A share of the Gaussian part alone: counts have no thresholds. Raises BudgetError."""
    if not 0 < share <= 1:
        raise BudgetError("share", share, sentence("give a share above 0 and at most 1"))
    cost = Cost(limit.part(share).mu_squared)
    if not cost.mu_squared:
        raise BudgetError(
            "share", share, sentence("this little is nothing: noise without end shows nothing")
        )
    return cost
