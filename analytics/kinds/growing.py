"""How a private tree is made: loads the noise library, so only workers and requests do."""

from analytics.comparison.answers import TreeAnswers
from analytics.comparison.trees.private import PrivateGrowth, PrivateNode, grow_privately
from analytics.kinds.private_trees import (
    LEAF_SHARE,
    PrivateBranch,
    PrivateTreeReport,
    PrivateTreeSettings,
)
from analytics.privacy.accounting import Budget, Cost, total
from analytics.privacy.mechanisms import Noise

# Each stage's mu^2 is rounded up when it is charged, so that a little less is asked for.
_KEPT_BACK = 1 - 1e-12


def growth_of(settings: PrivateTreeSettings) -> PrivateGrowth:
    """How the tree grows."""
    return PrivateGrowth(settings.depth, settings.alpha, LEAF_SHARE)


def report_private_tree(
    answers: TreeAnswers, settings: PrivateTreeSettings, cost: Cost, noise: Noise, terms: Budget
) -> PrivateTreeReport:
    """Grow a tree for at most ``cost``, under the promised adjacency. TreeError, NoiseError."""
    kept_back = cost.part(_KEPT_BACK).mu
    tree = grow_privately(answers, kept_back, noise, growth_of(settings), terms.adjacency)
    charges = tuple(Cost.of(stage.release.mu).mu_squared for stage in tree.stages)
    spent = total(map(Cost, charges))
    return PrivateTreeReport(
        question=answers.label.name,
        levels=answers.label.levels,
        features=tuple(feature.name for feature in answers.features),
        root=_branch(answers, tree.root, ""),
        noise=tree.leaf_noise,
        charges=charges,
        adjacency=terms.adjacency,
        epsilon=spent.epsilon(terms.delta),
        delta=terms.delta,
        is_private=tree.is_private,
        settings=settings.to_data(),
    )


def _branch(answers: TreeAnswers, node: PrivateNode, answer: str) -> PrivateBranch:
    if node.feature is None:
        counts = () if node.counts is None else tuple(float(n) for n in node.counts)
        return PrivateBranch(answer, people=counts)
    asked = answers.features[node.feature]
    below = tuple(
        _branch(answers, branch, asked.levels[code]) for code, branch in node.branches.items()
    )
    return PrivateBranch(answer, asked.name, node.p_value, (), below)
