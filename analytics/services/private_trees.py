"""Private trees: asked for, charged before an answer is read, grown from kept releases."""

from uuid import UUID

from analytics.comparison.trees.private import require_growable
from analytics.kinds.growing import growth_of, report_private_tree
from analytics.kinds.private_trees import PrivateTreeSettings
from analytics.models import Report
from analytics.privacy.accounting import Budget
from analytics.privacy.errors import BudgetError
from analytics.privacy.mechanisms import Noise
from analytics.queries import cost_of
from analytics.services import ledger
from analytics.services.keeping import Made, begin
from analytics.services.watching import ReportProgress
from analytics.services.wishes import Grantable, Wish, gaussian_part, require_answers, require_share
from analytics.sources.survey_trees import features_of_tree, tree_answers
from surveys.models import Revision
from surveys.models.queries import questionnaire_of
from surveys.randomized_response.messages import sentence
from surveys.results.queries import response_count


def ask_private_tree(wish: Wish) -> Grantable:
    """What a tree comes to, at most.

    Raises NotPossible (a draft, no or erased answers, no promise for tables), SettingsError,
    TreeError, BudgetError.
    """
    require_answers(wish.survey)
    revision = Revision.objects.defer("document").get(survey=wish.survey)
    terms = _terms(revision)
    _require_growable(revision, wish.settings)
    share = require_share(wish)
    aside = gaussian_part(terms.limit, share)
    if not aside.mu_squared:
        remedy = sentence(
            "choose a larger share, because with this share the noise is infinite and the tree "
            "shows nothing"
        )
        raise BudgetError("share", share, remedy)
    item = questionnaire_of(revision).items[wish.settings.question - 1]
    return Grantable(revision, UUID(item.id), terms, aside)


def make_private_tree(report: Report, noise: Noise, watch: ReportProgress) -> Made:
    """Charge, count and grow. All that can be refused is refused before it is charged.

    Raises NotPossible, SettingsError, TreeError, BudgetError, NoiseError, Stopped.
    """
    settings = PrivateTreeSettings.from_data(report.settings)
    ledger.require_vetted(noise)
    # Anew: more people may have answered since it was asked for, which delta must still protect.
    terms = _terms(report.revision)
    _require_growable(report.revision, settings)
    begin(report, terms)
    watch.reach(sentence("Counting answers"), 0.2)
    answers = tree_answers(report.revision, settings)
    watch.reach(sentence("Growing the tree"), 0.6)
    grown = report_private_tree(answers, settings, cost_of(report), noise, terms)
    return Made(grown, answers.people)


def _require_growable(revision: Revision, settings: PrivateTreeSettings) -> None:
    """The same refusals before it is queued and before it is charged; reads no answer."""
    require_growable(*features_of_tree(questionnaire_of(revision), settings), growth_of(settings))


def _terms(revision: Revision) -> Budget:
    """What was promised about direct answers. Raises NotPossible, BudgetError."""
    ledger.require_tables(revision)
    return ledger.require_terms(revision, response_count(revision), NOTHING_TO_COUNT)


NOTHING_TO_COUNT = sentence("There is no answer yet that a tree could count. Wait for answers.")
