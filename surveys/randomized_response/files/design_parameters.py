"""Each parameter of a named design in words, with an example to write.

The examples of one design fit together: a test makes every design from them.
"""

# Some letters mean different things in different designs; those stand under "design.parameter".
_PARAMETERS = {
    "p_direct": ('the probability of the direct statement, "I have it"', "3/4"),
    "p_forced_yes": ('the probability that "yes" is sent for every truth', "1/6"),
    "p_forced_no": ('the probability that "no" is sent for every truth', "1/6"),
    "p_sensitive": ("the probability of the sensitive question", "0.7"),
    "q_other_yes": ('the known share of "yes" to the other question', "1/4"),
    "p_harmless_yes": ('the known share of "yes" to the harmless question', "1/4"),
    "p_anchor_yes": ('the known share of "yes" to the harmless question of the anchor', "1/4"),
    "p_noncarrier_no": ('the probability that a person without the trait says "no"', "0.7"),
    "rappor.f": ("the probability that the kept bit is a fair coin", "1/2"),
    "rappor.p": ("the probability of reporting 1 when the kept bit is 0", "1/2"),
    "rappor.q": ("the probability of reporting 1 when the kept bit is 1", "3/4"),
    "p_red_carrier": ("the share of red cards in the deck of people with the trait", "0.7"),
    "p_red_noncarrier": ("the share of red cards in the deck of all others", "0.2"),
    "draws": ("how many cards each person draws", "3"),
    "p_sensitive_1": ("the probability of the sensitive question in group 1", "0.7"),
    "p_sensitive_2": ("the probability of the sensitive question in group 2", "0.3"),
    "unrelated_question_twice.p_sensitive_1": (
        "the probability of the sensitive question, the first time",
        "0.7",
    ),
    "unrelated_question_twice.p_sensitive_2": (
        "the probability of the sensitive question, the second time",
        "0.3",
    ),
    "p_truth_first": ("the probability that the first device asks for the truth", "0.3"),
    "p_cards": ("the share of each numbered card in the deck", "0.2,0.3,0.5"),
    "options": ("the number of options of the question", "3"),
    "p_truth": ("the probability that a report is true", "3/4"),
    "blh.p_truth": ("the probability that a report names the bucket of the truth", "3/4"),
    "olh.p_truth": ("the probability that a report names the bucket of the truth", "3/4"),
    "subset_selection.p_truth": ("the probability that the subset contains the truth", "3/4"),
    "hadamard_response.p_truth": (
        "the probability that the row of the truth is 1 in the reported column",
        "3/4",
    ),
    "epsilon": ("the privacy loss of one report", "1.1"),
    "p_forced": ("for each option, how often it is sent for every truth", "1/6,1/6"),
    "purpose": ("what the scale is asked for: histogram, cdf or mean", "cdf"),
    "largest_epsilon": ("the privacy loss that a report may have at most", "1.1"),
    "minimum": ("the smallest possible answer", "0"),
    "maximum": ("the largest possible answer", "4"),
    "step": ("the distance between two neighbouring answers", "1"),
    "noise": ("what is added to an answer, as JSON", '{"ratio": "1/2"}'),
    "matrix": (
        "the probability of each report (a row) for each truth (a column), as JSON",
        '[["3/4", "1/4"], ["1/4", "3/4"]]',
    ),
    "p_noncarrier_no_1": ('how often people without the trait say "no" in group 1', "1/6"),
    "p_noncarrier_no_2": ('how often people without the trait say "no" in group 2', "5/6"),
    "p_forced_yes_1": ('the probability of a forced "yes" in group 1', "0.7"),
    "p_forced_no_1": ('the probability of a forced "no" in group 1', "0.1"),
    "p_forced_yes_2": ('the probability of a forced "yes" in group 2', "0.3"),
    "p_forced_no_2": ('the probability of a forced "no" in group 2', "0.1"),
    "p": ("the probability that the answer is sent as it is", "0.5"),
    "mu": ("the mean of the numbers that scramble the answer", "2"),
    "sigma": ("the standard deviation of the numbers that scramble the answer", "0.5"),
    "mu_factor": ("the mean of the factors", "2"),
    "mu_shift": ("the mean of the numbers that are added", "1"),
    "sigma_factor": ("the standard deviation of the factors", "1"),
    "sigma_shift": ("the standard deviation of the numbers that are added", "1"),
    "mu_w": ("the mean of the factors W", "2"),
    "mu_u": ("the mean of the numbers U that are added", "1"),
    "sigma_w": ("the standard deviation of the factors W", "1"),
    "sigma_u": ("the standard deviation of the numbers U that are added", "1"),
    "beta": ("the weight of U beside the answer", "0.5"),
    "p_keep": ("the probability that a bit is sent as it is", "3/4"),
    "p_other": ("the probability that the bit of another option is sent as 1", "1/4"),
    "noise_epsilon": ("the privacy loss of the histogram before its threshold", "1"),
    "threshold": ("above which number a noisy bit is sent as 1", "1"),
    "buckets": ("the number of buckets that options are hashed into", "3"),
    "subset_size": ("how many options each report names", "1"),
    "p_permanent": ("the probability that the kept answer is true", "0.7"),
    "p_instantaneous": ("the probability that a report repeats the kept answer", "0.8"),
    "permanent": (
        "the probability of a kept 1 for the true option, then for another one",
        "3/4,1/4",
    ),
    "instantaneous": ("the probability of sending 1 for a kept 1, then for a kept 0", "2/3,1/3"),
}
_WHOLE = ("options", "draws", "buckets", "subset_size")


def meaning_of(design: str, parameter: str) -> str:
    """What a parameter of a design is, and an example of how to write it."""
    meaning, example = _PARAMETERS.get(f"{design}.{parameter}") or _PARAMETERS[parameter]
    return f"{meaning}, such as {example}"


def number_words(parameter: str) -> str:
    """How to write one number of a parameter."""
    if parameter in _WHOLE:
        return "write a whole number such as 3"
    if parameter == "epsilon":
        return "write a number such as 1.1 or ln 3"
    return "write a number such as 3/4 or 0.75"
