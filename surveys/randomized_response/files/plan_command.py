"""The command ``plan``: people to ask for a wanted error, by every method, as text or JSON."""

from argparse import ArgumentParser
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..designs.design import Design, epsilon_words
from ..errors import StatisticsError
from ..planning.planning import PLANNING_METHODS, Meaning, Plan, plan_sample_size
from ..printing import table
from .named_designs import NamedDesign, epsilon_of, label_of
from .options import UsageError, add_design_options, as_json, design_from, in_options
from .tables import TableError

HELP = "Work out how many people to ask, by every method."
MEANINGS = {"respondents": Meaning.RESPONDENTS, "population": Meaning.POPULATION}


@dataclass(frozen=True)
class _Question:
    design: NamedDesign
    error: Fraction
    failure: Fraction
    meaning: Meaning
    population: int | None


def add_options(parser: ArgumentParser) -> None:
    """The options of the command."""
    add_design_options(parser)
    parser.add_argument("--error", default="0.05", help="Largest error, as a share. Default: 0.05.")
    parser.add_argument(
        "--failure", default="0.05", help="Probability of a larger error. Default: 0.05."
    )
    parser.add_argument(
        "--meaning",
        choices=list(MEANINGS),
        default="respondents",
        help="Whose share is estimated: that of these people, or of all they are drawn from.",
    )
    parser.add_argument(
        "--population", help="Number of people they are drawn from, if it is small."
    )
    parser.add_argument("--format", choices=["text", "json"], default="text")


def run(options: dict[str, Any]) -> str:
    """The plan as text. Raises UsageError with one line that names place and remedy."""
    question = in_options(lambda: _asked(options))
    plans, reasons = _plans(question)
    if not plans:
        raise UsageError(f"No method has a plan: {'; '.join(dict.fromkeys(reasons.values()))}")
    if options["format"] == "json":
        return as_json(_as_data(question, plans, reasons))
    return _for_people(question, plans, reasons)


def _asked(options: dict[str, Any]) -> _Question:
    return _Question(
        design_from(options),
        _share("--error", options["error"]),
        _share("--failure", options["failure"]),
        MEANINGS[options["meaning"]],
        _people(options["population"]),
    )


def _share(option: str, text: str) -> Fraction:
    """A number within (0, 1), kept exact. Raises TableError."""
    try:
        share = Fraction(text)
    except (ValueError, ZeroDivisionError):
        share = Fraction(0)
    if not 0 < share < 1:
        raise TableError(f"{option} {text} cannot be used: write a number such as 0.05 or 1/20")
    return share


def _people(text: str | None) -> int | None:
    if text is None:
        return None
    # No population has more digits, and thousands of them would take int() its time.
    if not (text.isascii() and text.isdigit() and len(text) <= 12 and int(text) > 0):
        raise TableError(f"--population {text} cannot be used: write a number such as 1000")
    return int(text)


def _plans(question: _Question) -> tuple[dict[str, Plan], dict[str, str]]:
    """A plan by every method that has one, and why the others have none."""
    plans, reasons = {}, {}
    if not isinstance(question.design, Design):
        raise UsageError("--design: planning needs a design with one channel, such as warner")
    for method in PLANNING_METHODS:
        try:
            plans[method] = plan_sample_size(
                question.design,
                error=question.error,
                failure_probability=question.failure,
                method=method,
                meaning=question.meaning,
                population=question.population,
            )
        except StatisticsError as refusal:
            # The package names a member of its enumeration, the command an option.
            reasons[method] = refusal.remedy.replace("Meaning.POPULATION", "--meaning population")
    return plans, reasons


def _as_data(
    question: _Question, plans: dict[str, Plan], reasons: dict[str, str]
) -> dict[str, Any]:
    return {
        "design": label_of(question.design),
        "epsilon": epsilon_of(question.design),
        "error": float(question.error),
        "failure_probability": float(question.failure),
        "meaning": question.meaning.name.lower(),
        "population": question.population,
        "sizes": {method: plan.n for method, plan in plans.items()},
        "assumptions": {method: plan.assumption for method, plan in plans.items()},
        "reasons": reasons,
    }


def _for_people(question: _Question, plans: dict[str, Plan], reasons: dict[str, str]) -> str:
    rows = [(method, f"{plan.n:,}") for method, plan in plans.items()]
    notes = dict.fromkeys(plan.assumption for plan in plans.values())
    return "\n".join(
        [
            f"{label_of(question.design)}, {epsilon_words(epsilon_of(question.design))}",
            f"So many that a share of {question.meaning.value} is wrong by more than "
            f"{float(question.error):.6g} with probability {float(question.failure):.6g} at most; "
            "the lines below say where this is guaranteed.",
            table(("method", "people"), rows),
            *notes,
            *(f"{method}: {reason}" for method, reason in reasons.items()),
        ]
    )
