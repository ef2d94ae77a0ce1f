"""level_likelihoods: what a report says about the true level of a question with k options."""

from collections.abc import Sequence

import numpy as np

from ..checks import FloatArray
from ..designs.channel import Channel, IntegerChannel
from ..designs.design import Design, DesignLike, channel_of
from ..errors import DesignError
from .devices import IntArray, check_all, check_designs, distinct_designs

_EM_STEPS = 25


def level_likelihoods(designs: DesignLike | Sequence[DesignLike], reports: IntArray) -> FloatArray:
    """P(report | true level), shape (k, n), for one design or one per person.

    Raises DesignError if the designs differ in their true levels, or together do not tell the
    levels apart; RegressionError for reports that a design does not have or never produces.
    """
    if isinstance(designs, (Design, Channel, IntegerChannel)):
        tables, cells = [channel_of(designs).matrix], np.zeros(len(reports), dtype=np.int64)
    else:
        tables, cells = distinct_designs(designs, len(reports), _matrix)
    check_designs(tables, cells, reports)
    _check_identified(tables)
    likelihoods = np.empty((tables[0].shape[1], len(reports)))
    for cell, table in enumerate(tables):
        chosen = cells == cell
        likelihoods[:, chosen] = table[reports[chosen]].T
    remedy = "the design can never produce this report"
    check_all("reports", reports, likelihoods.max(axis=0) > 0, remedy)
    return likelihoods


def starting_shares(likelihoods: FloatArray) -> FloatArray:
    """Halfway between equal shares and those after some EM steps: (k,)."""
    shares = np.full(len(likelihoods), 1 / len(likelihoods))
    for _ in range(_EM_STEPS):
        joint = shares[:, None] * likelihoods
        shares = (joint / joint.sum(axis=0)).mean(axis=1)
    # From close to 0 the likelihood may lead to 0 although its maximum is elsewhere.
    return np.asarray((shares + 1 / len(shares)) / 2)


def _matrix(design: DesignLike) -> FloatArray:
    if not isinstance(design, (Design, Channel, IntegerChannel)):
        raise DesignError("design", design, "give a design or a channel")
    return channel_of(design).matrix


def _check_identified(tables: list[FloatArray]) -> None:
    """Stacked, the channels must have independent columns."""
    levels = {table.shape[1] for table in tables}
    if len(levels) > 1:
        raise DesignError("designs", sorted(levels), "all must have the same true levels")
    singular = np.linalg.svd(np.vstack(tables), compute_uv=False)
    if len(singular) < max(levels) or singular[-1] < 1e-9 * singular[0]:
        remedy = "two true distributions give the same reports: use another design"
        raise DesignError("designs", "not identified", remedy)
