"""How many people to ask, with which design and which share of the budget."""

from .allocation import Allocation, BudgetQuestion, allocate_epsilon
from .design_comparison import DesignRow, compare_designs, designs_at
from .design_effects import INDEPENDENT, DesignEffects, cluster_effect, weight_effect
from .exact_power import (
    ExactPower,
    exact_power,
    exact_power_two_samples,
    sample_size_one_sample,
    sample_size_two_samples,
)
from .fieldwork_simulation import (
    Fieldwork,
    FieldworkTrial,
    OptionTrial,
    SimulatedQuestion,
    expected_estimates,
    most_runs,
    simulate_fieldwork,
)
from .invitations import PlannedArm, PlannedSample, invitations_needed
from .planned_designs import PLANNED_DESIGNS
from .planning import PLANNING_METHODS, Meaning, Plan, error_for_sample_size, plan_sample_size
from .power import PowerAnalysis, power_one_sample, power_two_samples
from .privacy_price import PricePoint, price_of_power, price_of_privacy
from .readings import Reading, half_width, people_needed, scores_shown, sums_of
from .requests import METHOD_LABELS, REQUEST_FIELDS, PlanRequest, field_of
from .slope_power import SlopePower, expected_slope_power, simulate_slope_power
from .survey_plans import MethodNumbers, PlannedTest, ReadingNumbers, SurveyPlan, plan_survey
from .two_group_power import power_two_group_design, sample_size_two_group_design
from .ways import gain_of_ways

__all__ = [
    "INDEPENDENT",
    "METHOD_LABELS",
    "PLANNED_DESIGNS",
    "PLANNING_METHODS",
    "REQUEST_FIELDS",
    "Allocation",
    "BudgetQuestion",
    "DesignEffects",
    "DesignRow",
    "ExactPower",
    "Fieldwork",
    "FieldworkTrial",
    "Meaning",
    "MethodNumbers",
    "OptionTrial",
    "Plan",
    "PlanRequest",
    "PlannedArm",
    "PlannedSample",
    "PlannedTest",
    "PowerAnalysis",
    "PricePoint",
    "Reading",
    "ReadingNumbers",
    "SimulatedQuestion",
    "SlopePower",
    "SurveyPlan",
    "allocate_epsilon",
    "cluster_effect",
    "compare_designs",
    "designs_at",
    "error_for_sample_size",
    "exact_power",
    "exact_power_two_samples",
    "expected_estimates",
    "expected_slope_power",
    "field_of",
    "gain_of_ways",
    "half_width",
    "invitations_needed",
    "most_runs",
    "people_needed",
    "plan_sample_size",
    "plan_survey",
    "power_one_sample",
    "power_two_group_design",
    "power_two_samples",
    "price_of_power",
    "price_of_privacy",
    "sample_size_one_sample",
    "sample_size_two_group_design",
    "sample_size_two_samples",
    "scores_shown",
    "simulate_fieldwork",
    "simulate_slope_power",
    "sums_of",
    "weight_effect",
]
