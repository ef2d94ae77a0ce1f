"""The command ``plan``: people to ask for a wanted error, by every method, as text or JSON."""

from argparse import ArgumentParser
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..designs.design import Design, epsilon_words
from ..errors import StatisticsError
from ..planning.invitations import invitations_of
from ..planning.planning import PLANNING_METHODS, Meaning, Plan, plan_sample_size
from ..planning.sampled_people import SAMPLING_FIELDS, SampledPeople
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
    people: SampledPeople

    @property
    def share_answering(self) -> Fraction:
        """The share of people in the smallest arm; 1 where there are none."""
        return min(self.people.arm_shares)


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
    for name, asked in SAMPLING_FIELDS.items():
        default = f" Default: {asked.usual}." if asked.usual else ""
        both = (f"--{name}", f"--{name.replace('_', '-')}")
        parser.add_argument(*dict.fromkeys(both), help=f"{asked.help}{default}")
    parser.add_argument("--format", choices=["text", "json"], default="text")


def run(options: dict[str, Any]) -> str:
    """The plan as text. Raises UsageError with one line that names place and remedy."""
    question = in_options(lambda: _asked(options))
    plans, reasons = _plans(question)
    invited = _invited(question, plans, reasons)
    if not plans:
        raise UsageError(f"No method has a plan: {'; '.join(dict.fromkeys(reasons.values()))}")
    if options["format"] == "json":
        return as_json(_as_data(question, plans, reasons, invited))
    return _for_people(question, plans, reasons, invited)


def _asked(options: dict[str, Any]) -> _Question:
    return _Question(
        design_from(options),
        _share("--error", options["error"]),
        _share("--failure", options["failure"]),
        MEANINGS[options["meaning"]],
        _people(options["population"]),
        _sampled(options),
    )


def _sampled(options: dict[str, Any]) -> SampledPeople:
    """How people are sampled. Raises TableError."""
    typed = {name: options[name] for name in SAMPLING_FIELDS if options[name] is not None}
    try:
        return SampledPeople(
            **{name: SAMPLING_FIELDS[name].read(name, text) for name, text in typed.items()}
        )
    except StatisticsError as refusal:
        raise TableError(f"--{refusal.argument}: {refusal.remedy}") from None


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
                drawn=question.share_answering,
                effects=question.people.effects_of(question.share_answering),
            )
        except StatisticsError as refusal:
            # The package names a member of its enumeration, the command an option.
            reasons[method] = refusal.remedy.replace("Meaning.POPULATION", "--meaning population")
    return plans, reasons


def _as_data(
    question: _Question, plans: dict[str, Plan], reasons: dict[str, str], invited: dict[str, int]
) -> dict[str, Any]:
    is_simple = question.people.is_simple_sample
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
        **({} if is_simple else {"sample": {**_effects(question), "invitations": invited}}),
    }


def _effects(question: _Question) -> dict[str, float]:
    effects = question.people.effects_of(question.share_answering)
    return {
        "weights_effect": float(effects.weights),
        "clusters_effect": float(effects.clusters),
    }


def _invited(
    question: _Question, plans: dict[str, Plan], reasons: dict[str, str]
) -> dict[str, int]:
    """The invitations of each method; one that all people are too few for has a reason instead."""
    people, invited = question.people, {}
    for method, plan in list(plans.items()):
        answers = [plan.n] * len(people.arm_shares)
        try:
            invited[method] = invitations_of(people, answers, population=question.population)
        except StatisticsError as refusal:
            reasons[method] = refusal.remedy
            del plans[method]
    return invited


def _for_people(
    question: _Question, plans: dict[str, Plan], reasons: dict[str, str], invited: dict[str, int]
) -> str:
    rows: list[tuple[str, ...]] = [(method, f"{plan.n:,}") for method, plan in plans.items()]
    head: tuple[str, ...] = ("method", "people")
    lines: list[str] = []
    if not question.people.is_simple_sample:
        answers = "answers of each arm" if question.people.arms else "answers"
        head = ("method", answers, "invitations")
        rows = [(*row, f"{invited[row[0]]:,}") for row in rows]
        lines = [
            "Unequal weights multiply the variance by {weights_effect:.6g}, clusters its sampling "
            "part by {clusters_effect:.6g}.".format(**_effects(question))
        ]
    notes = dict.fromkeys(plan.assumption for plan in plans.values())
    return "\n".join(
        [
            f"{label_of(question.design)}, {epsilon_words(epsilon_of(question.design))}",
            f"So many that a share of {question.meaning.value} is wrong by more than "
            f"{float(question.error):.6g} with probability {float(question.failure):.6g} at most; "
            "the lines below say where this is guaranteed.",
            table(head, rows),
            *lines,
            *notes,
            *(f"{method}: {reason}" for method, reason in reasons.items()),
        ]
    )
