"""Oracle families whose code is not written yet, in one place: they yield no case."""

from itertools import product

# A family leaves this list when its adapter is written; a test holds the list to the oracle file.
_TWO_GROUP = ("cdm", "cdm_sym", "sld", "unrelated_unknown", "mixture_unknown_quant")
_BINARY_LATER = ("crosswise", "kuk", "mangat", "triangular", "unrelated_known", "rappor_basic")
_REGRESSION = (
    "glm_link",
    "goodness_of_fit",
    "linear_predictor",
    "logistic_outcome",
    "logistic_outcome_opg",
    "logistic_per_case",
    "logistic_predictor",
    "logistic_random_intercept",
)
_REGRESSED = (
    "crosswise",
    "forced_response",
    "kuk",
    "mangat",
    "mixed",
    "sld",
    "triangular",
    "unrelated_known",
    "unrelated_unknown",
    "warner",
)
_LOCAL = (
    "blh",
    "l_grr",
    "l_osue",
    "l_oue",
    "l_soue",
    "l_sue",
    "olh",
    "oue",
    "rsfd_grr",
    "subset_selection",
    "sue",
    "the",
)
_WEIGHTED = (
    "bar_lev",
    "chaudhuri_christofides",
    "christofides",
    "devore",
    "diana_perri_1",
    "diana_perri_2",
    "eichhorn_hayre",
    "eriksson",
    "forced_response",
    "kuk",
    "mangat_singh",
    "mangat_singh_singh",
    "mangat_singh_singh_twice",
    "mangat_two_stage_unrelated",
    "mangat_unknown_twice",
    "saha",
    "singh_joarder",
    "soberanis_cruz",
    "unrelated_known",
    "unrelated_unknown_twice",
    "warner",
)
_POWER = ("power_one_sample", "power_two_sample", "sample_size_one_sample")

UNCOVERED = frozenset(
    [
        *product(_TWO_GROUP, ("moment", "mle", "invalid")),
        *product(
            _BINARY_LATER,
            ("moment", "mle", "invalid", "design_matrix", "chebyshev_plan", "epsilon"),
        ),
        *product(_REGRESSED, _REGRESSION),
        *product(_LOCAL, ("frequencies", "frequencies_edge", "variance", "epsilon", "invalid")),
        *product(_WEIGHTED, ("ht_mean", "ht_total", "jackknife_total")),
        *product(("warner", "forced_response", "unrelated_known", "crosswise"), _POWER),
        ("crosswise", "bias_corrected"),
        ("mixed", "correlation"),
        ("warner", "rr_vs_direct"),
    ]
)
