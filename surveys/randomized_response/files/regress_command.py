"""The command ``regress``: its options, and its output as JSON or as a table for people."""

import math
import sys
from argparse import ArgumentParser
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..printing import cell, table
from ..regression.links import LINKS
from ..regression.outcome import OutcomeModel
from .coded_regressions import CodedModel, columns_needed, fit_coded
from .named_designs import NamedDesign, epsilon_of, label_of
from .options import (
    add_codebook_options,
    add_table_options,
    as_json,
    design_from,
    designs_from,
    in_options,
    json_of,
    level_of,
    listed,
    refuse_beside_codebook,
)
from .regressions import Regression, fit_table
from .tables import TableError, read_table

HELP = "Fit P(true yes) to randomized reports of it and covariates."


def add_options(parser: ArgumentParser) -> None:
    """The options of the command."""
    add_table_options(parser)
    parser.add_argument("--outcome", required=True, help="Column of reports.")
    words = "Columns of numbers, and with a codebook of direct answers: a,b,c."
    parser.add_argument("--predictors", default="", help=words)
    add_codebook_options(parser, "A survey's codebook: what its columns are.")
    words = "With --codebook: the answer whose share is modelled. Default: Yes, where it is one."
    parser.add_argument("--answer", help=words)
    parser.add_argument("--levels", help="The reports as they are written. Default: 0,1,...")
    parser.add_argument("--design-column", help="Column that names each person's design.")
    parser.add_argument("--designs", help="JSON file with a design for each of those names.")
    parser.add_argument("--groups", help="Column of groups, 1 or 2, for two-group designs.")
    parser.add_argument("--weights", help="Column of weights.")
    parser.add_argument("--link", choices=list(LINKS), default="logit")
    parser.add_argument(
        "--covariance",
        choices=["observed", "expected", "opg", "sandwich"],
        help="Default: observed; with weights sandwich.",
    )


def run(options: dict[str, Any]) -> str:
    """The model as text. Raises UsageError with one line that names place and remedy."""
    fitted = in_options(lambda: _answer(options))
    content = in_options(lambda: _as_data(fitted))
    return as_json(content) if options["format"] == "json" else _for_people(content)


@dataclass(frozen=True)
class _Fitted:
    """What was asked and found; ``coded`` where a codebook said what the columns are."""

    asked: Regression
    model: OutcomeModel
    level: float
    coded: CodedModel | None = None


def _answer(options: dict[str, Any]) -> _Fitted:
    asked = Regression(
        outcome=options["outcome"],
        predictors=listed(options["predictors"], "--predictors"),
        designs={} if options["codebook"] else _designs(options),
        levels=listed(options["levels"], "--levels"),
        **{
            name: options[name]
            for name in ("design_column", "groups", "weights", "link", "covariance")
        },
    )
    if options["codebook"]:
        return _by_codebook(options, asked)
    if options["answer"]:
        raise TableError("--answer goes with --codebook: add it, or leave the answer out")
    table = read_table(options["input"], sys.stdin.buffer, asked.wanted)
    return _Fitted(asked, fit_table(table, asked), level_of(options))


def _by_codebook(options: dict[str, Any], asked: Regression) -> _Fitted:
    answered = ("design", "set", "levels", "design_column", "designs", "groups")
    refuse_beside_codebook(options, answered)
    codebook = json_of("--codebook", options["codebook"])
    wanted = columns_needed(asked, codebook)
    table = read_table(options["input"], sys.stdin.buffer, lambda names: wanted)
    coded = fit_coded(table, asked, codebook, options["answer"], options["cells"])
    return _Fitted(asked, coded.model, level_of(options), coded)


def _designs(options: dict[str, Any]) -> dict[str, NamedDesign]:
    if not options["design_column"] and not options["designs"]:
        return {"": design_from(options)}
    if not options["design_column"] or not options["designs"]:
        missing = "--designs with a JSON file" if options["design_column"] else "--design-column"
        raise TableError(f"Add {missing}: --design-column and --designs go together")
    if options["design"]:
        raise TableError("--design: --design-column says it already: leave one of them out")
    return designs_from(options["designs"])


def _as_data(fitted: _Fitted) -> dict[str, Any]:
    asked, model, level = fitted.asked, fitted.model, fitted.level
    columns = (model.coefficients, model.standard_errors, model.z, model.p_values)
    rows = zip(model.names, *columns, model.intervals(level), strict=True)
    auxiliary, coded = model.auxiliary, fitted.coded
    designs = {"": coded.design} if coded else asked.designs
    return {
        "outcome": asked.outcome,
        **({"answer": coded.answer, "left_out": coded.left_out} if coded else {}),
        "designs": {
            name: {"design": label_of(design), "epsilon": epsilon_of(design)}
            for name, design in designs.items()
        },
        "link": model.link,
        "covariance": model.covariance_kind,
        "level": level,
        "n": model.n,
        "log_likelihood": model.log_likelihood,
        "aic": model.aic,
        "coefficients": [_row(*row) for row in rows],
        "auxiliary": auxiliary
        and {
            "name": auxiliary.name,
            "estimate": auxiliary.estimate,
            "standard_error": auxiliary.standard_error,
        },
    }


def _row(name: str, *values: Any) -> dict[str, Any]:
    estimate, error, z, p_value, (low, high) = values
    return {
        "name": name,
        "estimate": _finite(estimate),
        "standard_error": _finite(error),
        "z": _finite(z),
        "p_value": _finite(p_value),
        "interval": {"low": _finite(low), "high": _finite(high)},
    }


def _finite(value: np.float64) -> float | None:
    """None for a parameter that was held at the end of its range."""
    return float(value) if math.isfinite(value) else None


def _for_people(content: dict[str, Any]) -> str:
    head = ("name", "estimate", "std. error", "z", "p", "low", "high")
    rows = [
        (
            row["name"],
            *(row[key] for key in ("estimate", "standard_error", "z", "p_value")),
            *row["interval"].values(),
        )
        for row in content["coefficients"]
    ]
    answer = f" ({content['answer']})" if "answer" in content else ""
    lines = [
        f"{content['outcome']}{answer}, {content['link']}, n = {content['n']}, "
        f"log likelihood {content['log_likelihood']:.6f}",
        *(
            " ".join(f"{name} {design['design']}".split())
            for name, design in content["designs"].items()
        ),
        table(head, rows),
    ]
    extra = content["auxiliary"]
    if content.get("left_out"):
        lines.append(f"{content['left_out']} people without an answer to all columns: left out")
    if extra:
        error = cell(extra["standard_error"])
        lines.append(f"{extra['name']}: {extra['estimate']:.6g} (std. error {error})")
    return "\n".join(lines)
