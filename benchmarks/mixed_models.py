"""Random slopes and crossed groupings of 30,000 people: processor time here and in R's lme4.

    python -m benchmarks.mixed_models

Needs R with lme4, whose Laplace approximation RRmixed uses by a link made for the device; the
same reports go to both. The aim is less processor time than lme4 takes for a random intercept
alone, with the same likelihood. Quadrature is what lme4 does not offer for slopes.
"""

import json
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks.random_intercept import DESIGN, survey
from surveys.randomized_response.checks import FloatArray
from surveys.randomized_response.regression import fit_mixed_model, fit_random_slope_model
from surveys.randomized_response.regression.results import FittedModel

PEOPLE, CLUSTERS, ASKERS = 30_000, 500, 40
FORMULAS = {
    "random intercept": "report ~ x1 + x2 + x3 + (1 | cluster)",
    "slope of a covariate": "report ~ x1 + x2 + x3 + (1 + x1 | cluster)",
    "two crossed groupings": "report ~ x1 + x2 + x3 + (1 | cluster) + (1 | asker)",
}
SCRIPT = """
suppressPackageStartupMessages(library(lme4))
arguments <- commandArgs(TRUE)
people <- read.csv(arguments[1])
slope <- as.numeric(arguments[3]); base <- as.numeric(arguments[4])
inside <- function(mu) pmin(pmax((mu - base) / slope, 1e-12), 1 - 1e-12)
link <- structure(list(
  linkfun = function(mu) qlogis(inside(mu)), linkinv = function(eta) slope * plogis(eta) + base,
  mu.eta = function(eta) slope * dlogis(eta), valideta = function(eta) TRUE, name = "device"
), class = "link-glm")
begin <- proc.time()
model <- suppressWarnings(glmer(as.formula(arguments[2]), people, binomial(link = link)))
used <- proc.time() - begin
cat(sprintf('{"seconds": %.3f, "log_likelihood": %.6f}', sum(used[1:2]), logLik(model)))
"""


def main() -> None:
    reports, cluster, covariates = survey(PEOPLE, CLUSTERS, seed=1)
    asker = np.random.default_rng(2).integers(0, ASKERS, PEOPLE)
    clusters, crossed = {"cluster": cluster}, {"cluster": cluster, "asker": asker}
    fits: dict[str, Callable[[], FittedModel]] = {
        "random intercept": lambda: fit_mixed_model(DESIGN, reports, clusters, covariates),
        "slope of a covariate": lambda: fit_mixed_model(
            DESIGN, reports, clusters, covariates, slopes={"cluster": ["x1"]}
        ),
        "two crossed groupings": lambda: fit_mixed_model(DESIGN, reports, crossed, covariates),
    }
    table = np.column_stack([reports, cluster, asker, covariates])
    print(f"{PEOPLE:,} people, {CLUSTERS} clusters, {ASKERS} askers; seconds of processor time")
    for name, fit in fits.items():
        seconds, model = timed(fit)
        peer = in_r(table, FORMULAS[name])
        apart = model.log_likelihood - peer["log_likelihood"]
        print(
            f"{name}: {seconds:.2f}, lme4 {peer['seconds']:.2f}, ratio "
            f"{seconds / peer['seconds']:.3f}; log likelihood {apart:+.4f} beside lme4's"
        )
    seconds, _ = timed(lambda: fit_random_slope_model(DESIGN, reports, cluster, covariates, ["x1"]))
    print(f"slope of a covariate by quadrature: {seconds:.2f}")


def timed(fit: Callable[[], FittedModel]) -> tuple[float, FittedModel]:
    begin = time.process_time()
    model = fit()
    return time.process_time() - begin, model


def in_r(table: FloatArray, formula: str) -> dict[str, float]:
    """Seconds and log likelihood of glmer."""
    (no, yes) = map(float, DESIGN.channel.rows[1])
    with tempfile.TemporaryDirectory() as folder:
        people, script = Path(folder) / "people.csv", Path(folder) / "fit.R"
        head = "report,cluster,asker,x1,x2,x3"
        np.savetxt(people, table, delimiter=",", header=head, comments="", fmt="%.17g")
        script.write_text(SCRIPT)
        arguments = ["Rscript", str(script), str(people), formula, str(yes - no), str(no)]
        done = subprocess.run(arguments, check=True, capture_output=True, text=True)
    result: dict[str, float] = json.loads(done.stdout)
    return result


if __name__ == "__main__":
    main()
