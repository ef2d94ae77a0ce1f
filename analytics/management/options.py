"""Options of commands on a person's own file: its promise, its ledger, its output; refusals."""

from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from analytics.files.ledgers import read
from analytics.files.promises import Promise
from analytics.kinds.settings import SettingsError
from analytics.privacy.accounting import Adjacency
from surveys.randomized_response.errors import StatisticsError

# Exit codes beside 0 (made), 1 (refused) and 2 (options that do not exist).
BAD_FILE, NO_BUDGET, STOPPED = 3, 4, 130
_FIRST = str(Adjacency.ADD_OR_REMOVE)
_EXAMPLES = {"epsilon": "2", "delta": "1e-6"}
PROMISE_OPTIONS = {
    name: f"--{name}" for name in ("epsilon", "delta", "share", "adjacency", "ledger")
}


def add_promise(parser: ArgumentParser) -> None:
    """The options of what a run may cost, and of the ledger that keeps it."""
    add = parser.add_argument
    add("--epsilon", help="How much may be learned about one respondent. Only for private kinds.")
    add(
        "--delta",
        help="The chance with which the limit of --epsilon may fail: below 1/respondents.",
    )
    add(
        "--share", help="The share of the promise that this run may spend, such as 1/4. Default: 1."
    )
    add(
        "--adjacency",
        choices=list(map(str, Adjacency)),
        help="Which two files must be hard to tell apart: with one respondent more or fewer, or "
        f"with one respondent replaced. Default: {_FIRST}.",
    )
    add(
        "--ledger",
        help="A .json file that keeps the account of what is spent. Overspending is refused.",
    )


def promise_of(options: Mapping[str, Any]) -> Promise | None:
    """The promise that the options make; None where they make none. Raises SettingsError."""
    epsilon, delta = options["epsilon"], options["delta"]
    if epsilon is None and delta is None:
        _refuse_terms(options)
        return None
    for name in ("epsilon", "delta"):
        if options[name] is None:
            remedy = (
                f"add --{name}, such as --{name} {_EXAMPLES[name]}: a promise has both an epsilon "
                "and a delta"
            )
            raise SettingsError(name, None, remedy)
    promise = Promise(
        _number("epsilon", epsilon),
        _number("delta", delta),
        Adjacency(options["adjacency"] or _FIRST),
        _fraction("share", options["share"] or "1"),
    )
    if not promise.cost.mu_squared:
        raise SettingsError("share", options["share"], "spend more than nothing on the report")
    return promise


def permitted(options: Mapping[str, Any]) -> Promise | None:
    """What a permit given as the ledger pays for; None where it is none.

    Raises LedgerError, and SettingsError where the options make a promise of their own.
    """
    ledger = read(Path(options["ledger"])) if options["ledger"] else None
    promise = Promise.permitted(ledger) if ledger else None
    if promise is not None:
        for name in ("epsilon", "delta", "share", "adjacency"):
            if options[name] is not None:
                raise SettingsError(
                    name, options[name], "leave this option out: the permit says the value"
                )
    return promise


def _refuse_terms(options: Mapping[str, Any]) -> None:
    """Terms of a promise that is not made would be forgotten without a word."""
    for name in ("share", "adjacency"):
        if options[name] is not None:
            remedy = (
                "the option is a part of a promise: give --epsilon and --delta too, or leave the "
                "option out"
            )
            raise SettingsError(name, options[name], remedy)


def output_of(options: Mapping[str, Any], endings: Sequence[str]) -> Path | None:
    """Where the report goes, checked before anything is spent. Raises SettingsError."""
    if not options["output"]:
        return None
    path = Path(options["output"])
    if path.suffix.lower() not in endings:
        raise SettingsError(
            "output", options["output"], f"give a file that ends in {' or '.join(endings)}"
        )
    if path.exists():
        raise SettingsError("output", options["output"], "the file exists: give a new name")
    if not path.parent.is_dir():
        raise SettingsError(
            "output", options["output"], "the folder does not exist: make the folder first"
        )
    return path


def _number(name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise SettingsError(name, text, "write a number, such as 2 or 1e-6") from None


def _fraction(name: str, text: str) -> Fraction:
    try:
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise SettingsError(name, text, "write a share between 0 and 1, such as 1/4") from None


def in_options(refusal: StatisticsError, options: Mapping[str, str]) -> str:
    """A refusal in the words of the command line, where its argument is an option."""
    if refusal.argument not in options:
        return line(refusal)
    option = options[refusal.argument]
    return line(refusal.about(option))


def line(refusal: object) -> str:
    """A refusal as one line."""
    return " ".join(str(refusal).split())
