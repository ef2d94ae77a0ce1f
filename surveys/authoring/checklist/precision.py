"""How sure the planned responses make the shares of a draft, at worst, before anybody answered."""

from math import sqrt

from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.kinds.levels import LevelQuestion
from surveys.questionnaire.kinds.registry import of_kind

NORMAL_95 = 1.96  # standard errors on each side of a 95 % interval
TOO_ROUGH = 0.15  # beyond 15 points either way, one third of the scale says "more or less" only


def least_sure(questionnaire: Questionnaire, planned: int) -> tuple[int, float] | None:
    """The number of the question with the least sure share, and how far its interval goes.

    The half width of a 95 % interval, at most, as a share; None where no share is estimated. A
    person who reports level i adds an estimated ``scores[j, i]`` to the share of level j, and a
    variable between a and b has a standard deviation of at most (b - a) / 2 (Popoviciu 1935). The
    true variance is smaller for rare answers. Questions that answers to others lead to are left
    out: how many will be asked them is not known yet.
    """
    draw, routes = questionnaire.draw, questionnaire.routes
    found = [
        (NORMAL_95 * _spread(item) / sqrt(planned * draw.share_of(item) * routes.share_of(item)), n)
        for n, item in of_kind(LevelQuestion, questionnaire.items)
        if not (item.rule and item.rule.questions)
    ]
    if not found:
        return None
    half, number = max(found)
    return number, half


def _spread(item: LevelQuestion) -> float:
    """The largest standard deviation of what one person adds to a share."""
    scores = item.channel.scores
    return float((scores.max(axis=1) - scores.min(axis=1)).max()) / 2
