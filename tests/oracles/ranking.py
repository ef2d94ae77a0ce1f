"""The adapter for the cases of system "ranking": what each kind computes here."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ranking.posterior.components import variance_components
from ranking.posterior.dirichlet import beats, beats_binary, sample_scores, score_items
from ranking.posterior.linear_bayes import corrected_utilities, linear_bayes
from ranking.posterior.priors import log_likelihood, maximum_likelihood_prior
from tests.oracles.files import Case
from tests.randomized_response.designs import KAry

DRAWS = 200_000


def score(given: Case) -> Case:
    posterior = score_items([given["ratings"]], given["prior"], given["utility"])
    return {
        "score": posterior.scores[0],
        "variance": posterior.variances[0],
        "beta_interval_95": posterior.intervals(0.95)[0],
    }


def beats_thumbs(given: Case) -> float:
    prior = np.array(given["prior"])
    return beats_binary(prior + given["a_down_up"], prior + given["b_down_up"])


def beats_stars(given: Case) -> Case:
    prior, utility = given["prior"], given["utility"]
    first, second = (score_items([given[name]], prior, utility) for name in "ab")
    drawn = sample_scores(
        [given["a"], given["b"]], prior, utility, draws=DRAWS, rng=np.random.default_rng()
    )
    return {
        "normal": beats(first, second)[0],
        "monte_carlo": (drawn[:, 0] > drawn[:, 1]).mean(),
    }


def dirichlet_multinomial_ml(given: Case) -> Case:
    alpha = maximum_likelihood_prior(given["counts"]).pseudocounts
    return {
        "alpha": alpha,
        "loglik_without_coefficients": log_likelihood(given["counts"], alpha),
    }


def linear_bayes_krr(given: Case) -> Case:
    design = KAry.from_epsilon(len(given["utility"]), given["eps"])
    corrected = corrected_utilities(design, given["utility"])
    parts = variance_components(np.array(given["counts"], dtype=float), corrected)
    posterior = linear_bayes(design, given["counts"], given["utility"])
    return {
        "unit_utility": corrected,
        "debiased_mean": parts.means,
        "within": parts.within,
        "tau2": parts.between,
        "tau2_upper": parts.between_upper,
        "score": posterior.scores,
        "sd": posterior.standard_deviations,
    }


KINDS: dict[str, Callable[[Case], Any]] = {
    "score": score,
    "beats_binary": beats_thumbs,
    "beats_stars": beats_stars,
    "dirichlet_multinomial_ml": dirichlet_multinomial_ml,
    "linear_bayes_krr": linear_bayes_krr,
}
