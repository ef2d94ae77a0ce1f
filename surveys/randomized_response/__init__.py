"""Randomized response: designs, draws, estimates, intervals and plans. Needs no Django."""

from surveys.randomized_response.designs.binary import (
    Crosswise,
    ForcedResponse,
    Mangat,
    Rappor,
    Triangular,
    UnrelatedQuestion,
    Warner,
    permanent_epsilon,
)
from surveys.randomized_response.designs.cards import Kuk
from surveys.randomized_response.designs.categorical import (
    ChannelMatrix,
    Direct,
    ForcedResponseOptions,
    KAry,
    TwoCoins,
)
from surveys.randomized_response.designs.channel import Channel, IntegerChannel
from surveys.randomized_response.designs.design import Design, DesignLike, channel_of, scores_of
from surveys.randomized_response.designs.discretised import (
    DiscretisedScrambling,
    ModularNoise,
    TruncatedGeometricNoise,
)
from surveys.randomized_response.designs.local.fake_data import RSFDGRR
from surveys.randomized_response.designs.local.hashing import BLH, OLH
from surveys.randomized_response.designs.local.levels import GRR
from surveys.randomized_response.designs.local.memoised import (
    LGRR,
    LOSUE,
    LOUE,
    LSOUE,
    LSUE,
    MemoisedClient,
    MemoisedProtocol,
)
from surveys.randomized_response.designs.local.protocol import FrequencyProtocol, Support
from surveys.randomized_response.designs.local.registry import PROTOCOLS
from surveys.randomized_response.designs.local.subset import IntegerSubset, SubsetSelection
from surveys.randomized_response.designs.local.unary import OUE, SUE, THE, IntegerUnary
from surveys.randomized_response.designs.quantitative import (
    QUANTITATIVE_REGISTRY,
    BarLev,
    ChaudhuriChristofides,
    DianaPerri1,
    DianaPerri2,
    EichhornHayre,
    Eriksson,
    LinearScrambling,
    Saha,
)
from surveys.randomized_response.designs.registry import REGISTRY
from surveys.randomized_response.designs.scrambled import (
    AnsweredTwice,
    Christofides,
    Devore,
    Horvitz,
    HorvitzTwice,
    MangatSingh,
    MangatSinghSingh,
    MangatSinghSinghTwice,
    MangatTwoStageTwice,
    MangatTwoStageUnrelated,
    SinghJoarder,
    SoberanisCruz,
)
from surveys.randomized_response.designs.transform import (
    ChannelTransform,
    Transform,
    TransformedReports,
    transform_reports,
)
from surveys.randomized_response.designs.two_group import (
    TWO_GROUP_REGISTRY,
    AnchoredCrosswise,
    CheaterDetection,
    StochasticLieDetector,
    SymmetricCheaterDetection,
    TwoGroupDesign,
    UnrelatedQuestionTwice,
    UnrelatedQuestionTwoGroups,
)
from surveys.randomized_response.drawing.recipes import (
    Device,
    Recipe,
    recipe_for,
    recipe_for_questions,
)
from surveys.randomized_response.drawing.sampling import draw_from_words, draw_reports
from surveys.randomized_response.errors import (
    CollinearityError,
    ConvergenceError,
    CountsError,
    DesignError,
    EstimationError,
    PlanError,
    RegressionError,
    ReportError,
    SamplingError,
    SeparationError,
    StatisticsError,
    WeightsError,
)
from surveys.randomized_response.estimates.anchors import (
    WeightedAnchorEstimate,
    estimate_anchored_crosswise,
    estimate_weighted_anchored_crosswise,
)
from surveys.randomized_response.estimates.confidence_sequences import (
    confidence_sequence_for_difference,
)
from surveys.randomized_response.estimates.estimation import (
    DistributionEstimate,
    PrevalenceEstimate,
    conditional_variance,
    estimate_distribution,
    estimate_prevalence,
)
from surveys.randomized_response.estimates.frequencies import (
    FrequencyEstimate,
    conditional_frequency_variance,
    estimate_frequencies,
    maximum_likelihood_frequencies,
    total_frequency_variance,
)
from surveys.randomized_response.estimates.grid_means import MeanEstimate, estimate_grid_mean
from surveys.randomized_response.estimates.likelihood import (
    MaximumLikelihoodEstimate,
    maximum_likelihood,
)
from surveys.randomized_response.estimates.projections import (
    additive_normalise,
    clip_and_renormalise,
    project_to_simplex,
)
from surveys.randomized_response.estimates.ratios import RatioEstimate
from surveys.randomized_response.estimates.standard_errors import (
    information_standard_error,
    kuk_standard_error,
)
from surveys.randomized_response.estimates.two_group_estimation import (
    TwoGroupEstimate,
    estimate_two_groups,
    expected_standard_errors,
)
from surveys.randomized_response.estimates.two_group_likelihood import TwoGroupMaximumLikelihood
from surveys.randomized_response.estimates.two_group_means import (
    TwoGroupMeans,
    estimate_two_group_means,
)
from surveys.randomized_response.intervals.intervals import INTERVAL_METHODS, Interval
from surveys.randomized_response.planning.allocation import (
    Allocation,
    BudgetQuestion,
    allocate_epsilon,
)
from surveys.randomized_response.planning.design_comparison import (
    DesignRow,
    compare_designs,
    designs_at,
)
from surveys.randomized_response.planning.exact_power import (
    ExactPower,
    exact_power,
    exact_power_two_samples,
)
from surveys.randomized_response.planning.fieldwork_simulation import (
    Fieldwork,
    FieldworkTrial,
    OptionTrial,
    SimulatedQuestion,
    expected_estimates,
    most_runs,
    simulate_fieldwork,
)
from surveys.randomized_response.planning.planning import (
    PLANNING_METHODS,
    Meaning,
    Plan,
    error_for_sample_size,
    plan_sample_size,
)
from surveys.randomized_response.planning.power import (
    PowerAnalysis,
    power_one_sample,
    power_two_samples,
    sample_size_one_sample,
    sample_size_two_samples,
)
from surveys.randomized_response.planning.privacy_price import (
    PricePoint,
    price_of_power,
    price_of_privacy,
)
from surveys.randomized_response.planning.slope_power import (
    SlopePower,
    expected_slope_power,
    simulate_slope_power,
)
from surveys.randomized_response.planning.two_group_power import (
    power_two_group_design,
    sample_size_two_group_design,
)
from surveys.randomized_response.regression.multinomial import (
    MultinomialModel,
    fit_multinomial_model,
)
from surveys.randomized_response.regression.outcome import OutcomeModel, fit_outcome_model
from surveys.randomized_response.regression.predictors import (
    PredictorModel,
    fit_linear_predictor_model,
    fit_logistic_predictor_model,
)
from surveys.randomized_response.regression.random_intercept import (
    RandomInterceptModel,
    fit_random_intercept_model,
)
from surveys.randomized_response.regression.results import LikelihoodRatioTest, Predictions
from surveys.randomized_response.relations.association import (
    AnsweredItem,
    Correlation,
    FormatComparison,
    compare_with_direct,
    estimate_correlation,
)
from surveys.randomized_response.relations.cross_tables import (
    CrossTableEstimate,
    DifferenceEstimate,
    difference_of_shares,
    estimate_cross_table,
    joint_channel,
)
from surveys.randomized_response.relations.goodness_of_fit import (
    GoodnessOfFit,
    assess_goodness_of_fit,
    assess_hosmer_lemeshow,
)
from surveys.randomized_response.samples.estimates import SampleEstimate
from surveys.randomized_response.samples.poststratification import (
    estimate_poststratified_total,
    poststratification_weights,
)
from surveys.randomized_response.samples.resampling import (
    ReplicateWeights,
    estimate_total_by_jackknife,
    jackknife_replicates,
)
from surveys.randomized_response.samples.shares import (
    WeightedDistributionEstimate,
    effective_sample_size,
    estimate_weighted_distribution,
)
from surveys.randomized_response.samples.totals import (
    estimate_mean,
    estimate_simple_mean,
    estimate_total,
    estimate_total_with_joint_probabilities,
)

__all__ = [
    "BLH",
    "GRR",
    "INTERVAL_METHODS",
    "LGRR",
    "LOSUE",
    "LOUE",
    "LSOUE",
    "LSUE",
    "OLH",
    "OUE",
    "PLANNING_METHODS",
    "PROTOCOLS",
    "QUANTITATIVE_REGISTRY",
    "REGISTRY",
    "RSFDGRR",
    "SUE",
    "THE",
    "TWO_GROUP_REGISTRY",
    "Allocation",
    "AnchoredCrosswise",
    "AnsweredItem",
    "AnsweredTwice",
    "BarLev",
    "BudgetQuestion",
    "Channel",
    "ChannelMatrix",
    "ChannelTransform",
    "ChaudhuriChristofides",
    "CheaterDetection",
    "Christofides",
    "CollinearityError",
    "ConvergenceError",
    "Correlation",
    "CountsError",
    "CrossTableEstimate",
    "Crosswise",
    "Design",
    "DesignError",
    "DesignLike",
    "DesignRow",
    "Device",
    "Devore",
    "DianaPerri1",
    "DianaPerri2",
    "DifferenceEstimate",
    "Direct",
    "DiscretisedScrambling",
    "DistributionEstimate",
    "EichhornHayre",
    "Eriksson",
    "EstimationError",
    "ExactPower",
    "Fieldwork",
    "FieldworkTrial",
    "ForcedResponse",
    "ForcedResponseOptions",
    "FormatComparison",
    "FrequencyEstimate",
    "FrequencyProtocol",
    "GoodnessOfFit",
    "Horvitz",
    "HorvitzTwice",
    "IntegerChannel",
    "IntegerSubset",
    "IntegerUnary",
    "Interval",
    "KAry",
    "Kuk",
    "LikelihoodRatioTest",
    "LinearScrambling",
    "Mangat",
    "MangatSingh",
    "MangatSinghSingh",
    "MangatSinghSinghTwice",
    "MangatTwoStageTwice",
    "MangatTwoStageUnrelated",
    "MaximumLikelihoodEstimate",
    "MeanEstimate",
    "Meaning",
    "MemoisedClient",
    "MemoisedProtocol",
    "ModularNoise",
    "MultinomialModel",
    "OptionTrial",
    "OutcomeModel",
    "Plan",
    "PlanError",
    "PowerAnalysis",
    "Predictions",
    "PredictorModel",
    "PrevalenceEstimate",
    "PricePoint",
    "RandomInterceptModel",
    "Rappor",
    "RatioEstimate",
    "Recipe",
    "RegressionError",
    "ReplicateWeights",
    "ReportError",
    "Saha",
    "SampleEstimate",
    "SamplingError",
    "SeparationError",
    "SimulatedQuestion",
    "SinghJoarder",
    "SlopePower",
    "SoberanisCruz",
    "StatisticsError",
    "StochasticLieDetector",
    "SubsetSelection",
    "Support",
    "SymmetricCheaterDetection",
    "Transform",
    "TransformedReports",
    "Triangular",
    "TruncatedGeometricNoise",
    "TwoCoins",
    "TwoGroupDesign",
    "TwoGroupEstimate",
    "TwoGroupMaximumLikelihood",
    "TwoGroupMeans",
    "UnrelatedQuestion",
    "UnrelatedQuestionTwice",
    "UnrelatedQuestionTwoGroups",
    "Warner",
    "WeightedAnchorEstimate",
    "WeightedDistributionEstimate",
    "WeightsError",
    "additive_normalise",
    "allocate_epsilon",
    "assess_goodness_of_fit",
    "assess_hosmer_lemeshow",
    "channel_of",
    "clip_and_renormalise",
    "compare_designs",
    "compare_with_direct",
    "conditional_frequency_variance",
    "conditional_variance",
    "confidence_sequence_for_difference",
    "designs_at",
    "difference_of_shares",
    "draw_from_words",
    "draw_reports",
    "effective_sample_size",
    "error_for_sample_size",
    "estimate_anchored_crosswise",
    "estimate_correlation",
    "estimate_cross_table",
    "estimate_distribution",
    "estimate_frequencies",
    "estimate_grid_mean",
    "estimate_mean",
    "estimate_poststratified_total",
    "estimate_prevalence",
    "estimate_simple_mean",
    "estimate_total",
    "estimate_total_by_jackknife",
    "estimate_total_with_joint_probabilities",
    "estimate_two_group_means",
    "estimate_two_groups",
    "estimate_weighted_anchored_crosswise",
    "estimate_weighted_distribution",
    "exact_power",
    "exact_power_two_samples",
    "expected_estimates",
    "expected_slope_power",
    "expected_standard_errors",
    "fit_linear_predictor_model",
    "fit_logistic_predictor_model",
    "fit_multinomial_model",
    "fit_outcome_model",
    "fit_random_intercept_model",
    "information_standard_error",
    "jackknife_replicates",
    "joint_channel",
    "kuk_standard_error",
    "maximum_likelihood",
    "maximum_likelihood_frequencies",
    "most_runs",
    "permanent_epsilon",
    "plan_sample_size",
    "poststratification_weights",
    "power_one_sample",
    "power_two_group_design",
    "power_two_samples",
    "price_of_power",
    "price_of_privacy",
    "project_to_simplex",
    "recipe_for",
    "recipe_for_questions",
    "sample_size_one_sample",
    "sample_size_two_group_design",
    "sample_size_two_samples",
    "scores_of",
    "simulate_fieldwork",
    "simulate_slope_power",
    "total_frequency_variance",
    "transform_reports",
]
