"""What estimates from a complex sample cost, beside the package survey of R in the same run.

    python -m benchmarks.samples [--people 100000]

Needs R with its packages survey and MASS. Both read one file of people in 20 strata and 500
clusters, draw up the design, rake it to two margins, and then estimate: the means of five groups,
three quantiles, a logistic regression on two covariates. Processor seconds, the median of
three rounds; and how far apart the results are. A ratio below 1 is in our favour.
"""

import argparse
import csv
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from surveys.randomized_response.checks import FloatArray
from surveys.randomized_response.designs import Direct
from surveys.randomized_response.regression import fit_outcome_model
from surveys.randomized_response.samples import (
    Margin,
    estimate_means,
    estimate_quantiles,
    rake,
    survey_sample,
)

ROUNDS = 3
STRATA, CLUSTERS, GROUPS = 20, 500, 5
STEPS = ("design", "rake", "means", "quantiles", "logistic")
SAME = 1e-6

PEER = """
suppressPackageStartupMessages(library(survey))
people <- read.csv(commandArgs(TRUE)[1])
sizes <- function(column) tapply(people$weight * people$grown, column, sum)
sex <- sizes(people$sex); age <- sizes(people$age)
totals <- c(`(Intercept)` = sum(sex), sexm = sex[["m"]], age[-1])
names(totals)[-(1:2)] <- paste0("age", names(age)[-1])
spent <- function(expression) {
  before <- proc.time()
  value <- eval.parent(substitute(expression))
  after <- proc.time() - before
  list(value = value, seconds = after[["user.self"]] + after[["sys.self"]])
}
for (round in seq_len(as.integer(commandArgs(TRUE)[2]))) {
  drawn <- spent(svydesign(~cluster, strata = ~stratum, weights = ~weight, data = people))
  raked <- spent(calibrate(drawn$value, ~ sex + age, totals, calfun = "raking", epsilon = 1e-10))
  means <- spent(svyby(~income, ~group, raked$value, svymean))
  quantiles <- spent(svyquantile(~income, raked$value, c(0.25, 0.5, 0.75)))
  logistic <- spent(svyglm(
    yes ~ x + (sex == "m"), raked$value, family = quasibinomial(),
    control = glm.control(epsilon = 1e-14)
  ))
  seconds <- sapply(list(drawn, raked, means, quantiles, logistic), function(one) one$seconds)
  cat("seconds", format(seconds, digits = 6), "\\n")
}
cat("means", format(SE(means$value), digits = 12), "\\n")
cat("logistic", format(SE(logistic$value), digits = 12), "\\n")
"""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=int, default=100_000)
    people = _people(parser.parse_args().people)
    ours, errors = zip(*(_ours(people) for _ in range(ROUNDS)), strict=True)
    theirs, printed = _theirs(people)
    print(f"{len(people['x'])} people in {CLUSTERS} clusters; ms of CPU: ours, R's survey, ratio")
    for step, mine, other in zip(STEPS, zip(*ours, strict=True), theirs, strict=True):
        cost = median(mine)
        print(f"{step:10} {1000 * cost:9.1f} {1000 * other:9.1f} {cost / other:6.2f}")
    for name, expected in printed.items():
        apart = float(np.abs(errors[-1][name] / expected - 1).max())
        print(f"standard errors of {name}: {apart:.1e} apart (wanted: at most {SAME:.0e})")


def _people(n: int) -> dict[str, Any]:
    rng = np.random.default_rng(1)
    cluster = rng.integers(0, CLUSTERS, n)
    x = rng.normal(size=n)
    sex = np.where(rng.random(n) < 0.5, "f", "m")
    yes = rng.random(n) < 1 / (1 + np.exp(0.5 - x - (sex == "m")))
    return {
        "stratum": cluster % STRATA,
        "cluster": cluster,
        "weight": rng.uniform(1, 3, n),
        "grown": rng.uniform(0.8, 1.2, n),  # by how much the margins differ from the sample
        "sex": sex,
        "age": rng.choice(["middle", "old", "young"], n),
        "group": rng.integers(0, GROUPS, n),
        "x": x,
        "income": np.exp(x + rng.normal(size=n)),
        "yes": yes.astype(int),
    }


def _ours(people: dict[str, Any]) -> tuple[list[float], dict[str, FloatArray]]:
    """Seconds of each step, and standard errors by name."""
    seconds = list[float]()

    def timed(step: Callable[[], Any]) -> Any:
        start = time.process_time()
        value = step()
        seconds.append(time.process_time() - start)
        return value

    margins = [_margin(people, name) for name in ("sex", "age")]
    drawn = timed(
        lambda: survey_sample(
            people["weight"], strata=people["stratum"], clusters=people["cluster"]
        )
    )
    raked = timed(lambda: rake(drawn, margins))
    means = timed(lambda: estimate_means(raked, people["income"], groups=people["group"]))
    timed(lambda: estimate_quantiles(raked, people["income"]))
    covariates = np.column_stack([people["x"], people["sex"] == "m"])
    logistic = timed(lambda: fit_outcome_model(Direct(2), people["yes"], covariates, weights=raked))
    return seconds, {"means": means.standard_errors, "logistic": logistic.standard_errors}


def _margin(people: dict[str, Any], name: str) -> Margin:
    labels, numbers = np.unique(people[name], return_inverse=True)
    sizes = np.bincount(numbers, weights=people["weight"] * people["grown"])
    return Margin(people[name], dict(zip(labels.tolist(), sizes.tolist(), strict=True)))


def _theirs(people: dict[str, Any]) -> tuple[list[float], dict[str, FloatArray]]:
    """The same of R: the median seconds of its rounds."""
    with tempfile.TemporaryDirectory() as directory:
        data, script = Path(directory, "people.csv"), Path(directory, "peer.R")
        with data.open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(people)
            writer.writerows(zip(*(column.tolist() for column in people.values()), strict=True))
        script.write_text(PEER)
        command = ["Rscript", str(script), str(data), str(ROUNDS)]
        lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    rows = [line.split() for line in lines.splitlines()]
    numbers = [(name, np.array(values, dtype=float)) for name, *values in rows]
    rounds = [values.tolist() for name, values in numbers if name == "seconds"]
    return [median(step) for step in zip(*rounds, strict=True)], {
        name: values for name, values in numbers if name != "seconds"
    }


if __name__ == "__main__":
    main()
