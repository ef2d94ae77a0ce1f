"""Crosswise estimates with an anchor question, which corrects for inattentive people; weighted.

A person who does not attend answers 0 or 1 at random, which draws the plain crosswise estimate
towards 1/2. The anchor asks the same of a trait that no one has, so its reports show how many
attend. Both answers come from the same people: their covariance counts.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..checks import Counts, FloatArray, checked_between, checked_counts, checked_level
from ..columns import flat_numbers, require_aligned
from ..designs.two_group import AnchoredCrosswise, PairCovariance
from ..errors import CountsError, DesignError, EstimationError
from ..intervals.intervals import Interval, normal_quantile
from ..intervals.printed import estimates_report
from .two_group_estimation import NOT_IDENTIFIED, TwoGroupEstimate, share_slopes

Answers = Sequence[int] | Sequence[float] | FloatArray
_FLAT = "give a flat sequence of numbers, one per person"


@dataclass(frozen=True)
class WeightedAnchorEstimate:
    """Prevalence, attentive share and the uncorrected (naive) prevalence, from weighted shares.

    ``covariance`` of (prevalence, attentive share), linearised, for weights that are fixed and
    people drawn independently; ``effective_n``: Kish's (sum w)^2 / sum w^2.
    """

    prevalence: float
    attentive_share: float
    naive_prevalence: float
    covariance: PairCovariance
    effective_n: float

    def __str__(self) -> str:
        attentive_error = math.sqrt(self.covariance[1][1])
        rows = [
            ("prevalence", self.prevalence, self.standard_error, self.interval()),
            ("attentive share", self.attentive_share, attentive_error, None),
            ("naive prevalence", self.naive_prevalence, None, None),
        ]
        title = f"Weighted crosswise with anchor, effective n = {self.effective_n:.6g}"
        return estimates_report(title, "share", rows)

    @property
    def standard_error(self) -> float:
        return math.sqrt(self.covariance[0][0])

    def interval(self, level: float = 0.95) -> Interval:
        """Normal interval for the prevalence; [0, 1], with a note, if perhaps no one attended."""
        confidence = checked_level(level)
        z = normal_quantile(confidence)
        if self.attentive_share <= z * math.sqrt(self.covariance[1][1]):
            return Interval(0.0, 1.0, confidence, "wald", NOT_IDENTIFIED)
        half = z * self.standard_error
        return Interval(self.prevalence - half, self.prevalence + half, confidence, "wald")


def estimate_anchored_crosswise(
    design: AnchoredCrosswise, counts: Counts, anchor_counts: Counts, both: int | None = None
) -> TwoGroupEstimate:
    """Corrected prevalence and attentive share from ``[0, 1]`` reports to question and anchor.

    With F and G the shares of 1, p and q the harmless shares: attentive = (G - 1/2)/(1/2 - q),
    prevalence = 1/2 + (F - 1/2)/(2 attentive (p - 1/2)); Atsusaka and Stevenson (2023),
    equations 5 and 6. Never clipped, and standard errors by the delta method, where they have a
    bootstrap. ``both``: how many reported 1 twice; without it the covariance of the reports is
    the one that the same people attending to both implies, (F - 1/2)(1 - q - G) / (n - 1).
    Maximum likelihood treats the two questions as independent. Raises DesignError, CountsError.

    >>> from randomized_response.designs import AnchoredCrosswise
    >>> from randomized_response.estimates import estimate_anchored_crosswise
    >>> design = AnchoredCrosswise(p_harmless_yes=0.25, p_anchor_yes=0.25)
    >>> print(estimate_anchored_crosswise(design, [380, 620], [300, 700]))
    Anchored crosswise (p_harmless_yes = 0.25, p_anchor_yes = 0.25), n = 1000 + 1000
    share            estimate  std. error  low 0.95  high 0.95  method
    prevalence            0.2   0.0436108   0.10781   0.281221   score
    attentive_share       0.8   0.0579945  0.683505   0.910373   score
    The hybrid score interval of both groups is approximate.
    """
    _check_design(design)
    reported, anchor = checked_counts(counts, 2), checked_counts(anchor_counts, 2, "anchor_counts")
    if sum(reported) != sum(anchor):
        remedy = f"the same {sum(reported)} people answer the anchor"
        raise CountsError("anchor_counts", anchor, remedy)
    if both is not None:
        least, most = max(0, reported[1] - anchor[0]), min(reported[1], anchor[1])
        remedy = f"with these counts it is from {least} to {most}"
        both = checked_between("both", both, least, most, remedy, CountsError)
    covariance = _covariance(design, reported, anchor, both)
    return TwoGroupEstimate(design, reported, anchor, covariance)


def estimate_weighted_anchored_crosswise(
    design: AnchoredCrosswise, answers: Answers, anchor_answers: Answers, weights: Answers
) -> WeightedAnchorEstimate:
    """As ``estimate_anchored_crosswise``, from one 0/1 report per person, weighted.

    Shapes (n,) each; shares are sum(w z) / sum(w), variances n/(n-1) sum (w u)^2 / (sum w)^2 with
    u the linearised values. Raises DesignError, CountsError for reports other than 0 and 1,
    weights that are not finite and positive or leave fewer than two effective
    people (one giant weight), or fewer than two people; EstimationError where the
    anchor shows no one attending.

    >>> from randomized_response.designs import AnchoredCrosswise
    >>> from randomized_response.estimates import estimate_weighted_anchored_crosswise
    >>> design = AnchoredCrosswise(p_harmless_yes=0.25, p_anchor_yes=0.25)
    >>> answers, anchor_answers = [1, 1, 0, 0, 1] * 200, [1, 1, 1, 0, 1, 0, 1, 1, 0, 1] * 100
    >>> print(estimate_weighted_anchored_crosswise(design, answers, anchor_answers, [1, 2] * 500))
    Weighted crosswise with anchor, effective n = 900
    share             estimate  std. error  low 0.95  high 0.95  method
    prevalence             0.2   0.0506218  0.100783   0.299217    wald
    attentive share   0.666667   0.0641308         –          –       –
    naive prevalence       0.3           –         –          –       –
    """
    _check_design(design)
    require_aligned(CountsError, answers=answers, anchor_answers=anchor_answers, weights=weights)
    z = _checked_reports("answers", answers)
    anchor = _checked_reports("anchor_answers", anchor_answers, len(z))
    w = _checked_weights(weights, len(z))
    share, anchor_share = float(w @ z / w.sum()), float(w @ anchor / w.sum())
    attentive, carriers = (float(x) for x in design.solve((share, anchor_share)))
    if attentive <= 0:
        remedy = "the anchor shows no one attending: the prevalence cannot be corrected"
        raise EstimationError("attentive_share", attentive, remedy)
    p = float(design.p_harmless_yes)
    return WeightedAnchorEstimate(
        prevalence=carriers / attentive,
        attentive_share=attentive,
        naive_prevalence=(share - (1 - p)) / (2 * p - 1),
        covariance=_linearised(design, (z, anchor), w, (attentive, carriers)),
        effective_n=_effective_n(w),
    )


def _linearised(
    design: AnchoredCrosswise,
    reports: tuple[FloatArray, FloatArray],
    weights: FloatArray,
    theta: tuple[float, float],
) -> PairCovariance:
    """Covariance of (prevalence, attentive share) from each person's weighted deviation."""
    slopes = np.array([share_slopes(design, share, theta) for share in design.shares])
    matrix = np.array(reports)
    means = matrix @ weights / weights.sum()
    deviations = slopes @ ((matrix - means[:, None]) * weights)
    n = len(weights)
    (a, b), (c, d) = (deviations @ deviations.T / weights.sum() ** 2 * (n / (n - 1))).tolist()
    return (a, b), (c, d)


def _covariance(
    design: AnchoredCrosswise,
    counts: tuple[int, ...],
    anchor_counts: tuple[int, ...],
    both: int | None,
) -> PairCovariance | None:
    n = sum(counts)
    if n == 1:
        return None
    share, anchor = counts[1] / n, anchor_counts[1] / n
    implied = (share - 0.5) * (1 - float(design.p_anchor_yes) - anchor)
    between = (implied if both is None else both / n - share * anchor) / (n - 1)
    spreads = (share * (1 - share) / (n - 1), anchor * (1 - anchor) / (n - 1))
    return (spreads[0], between), (between, spreads[1])


def _check_design(design: object) -> None:
    if not isinstance(design, AnchoredCrosswise):
        raise DesignError("design", design, "give an AnchoredCrosswise")


def _checked_reports(argument: str, answers: Answers, length: int | None = None) -> FloatArray:
    array = flat_numbers(argument, answers, _FLAT)
    if length is not None and len(array) != length:
        raise CountsError(argument, len(array), f"give {length} reports, one per person")
    if len(array) < 2:
        raise CountsError(argument, len(array), "give the reports of at least two people")
    if not np.isin(array, (0.0, 1.0)).all():
        raise CountsError(argument, answers, "reports are 0 (exactly one yes) or 1 (both, neither)")
    return array


def _checked_weights(weights: Answers, length: int) -> FloatArray:
    array = flat_numbers("weights", weights, _FLAT)
    if len(array) != length:
        raise CountsError("weights", len(array), f"give {length} weights, one per person")
    if not (np.isfinite(array).all() and (array > 0).all()):
        raise CountsError("weights", weights, "weights are finite and above 0")
    if _effective_n(array) < 2:
        remedy = "one person outweighs all others, so there is no spread to see: trim the weights"
        raise CountsError("weights", float(array.max()), remedy)
    return array


def _effective_n(weights: FloatArray) -> float:
    shares = weights / weights.sum()
    return float(1 / (shares @ shares))
