"""Two questions together: tables, associations, goodness of fit."""

from .association import (
    AnsweredItem,
    Correlation,
    FormatComparison,
    compare_with_direct,
    estimate_correlation,
)
from .cross_tables import (
    CrossTableEstimate,
    DifferenceEstimate,
    difference_of_shares,
    estimate_cross_table,
    joint_channel,
)
from .e_values import e_benjamini_hochberg
from .goodness_of_fit import GoodnessOfFit, assess_goodness_of_fit, assess_hosmer_lemeshow
from .means import difference_of_means

__all__ = [
    "AnsweredItem",
    "Correlation",
    "CrossTableEstimate",
    "DifferenceEstimate",
    "FormatComparison",
    "GoodnessOfFit",
    "assess_goodness_of_fit",
    "assess_hosmer_lemeshow",
    "compare_with_direct",
    "difference_of_means",
    "difference_of_shares",
    "e_benjamini_hochberg",
    "estimate_correlation",
    "estimate_cross_table",
    "joint_channel",
]
