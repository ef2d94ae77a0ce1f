"""``manage.py rank``: options and output of ranking a file of histograms, without a database."""

import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from django.core.management.base import BaseCommand, CommandError

from ranking.methods.histograms import Histograms, HistogramsUnreadable, read_histograms
from ranking.methods.registry import (
    HOW_TO_WRITE,
    PLAIN,
    Method,
    check_origin,
    learned_prior,
    read_prior,
    read_utilities,
)
from ranking.methods.tables import RankedTable, rank_by_gibbs, rank_table
from ranking.pages.exports import Listing, json_text
from surveys import PROGRAM
from surveys.randomized_response.designs import Channel, KAry
from surveys.randomized_response.errors import StatisticsError
from surveys.web.downloads import table_csv

STDIN = "-"
WIDTHS = {"rank": 8, "ratings": 10, "score": 10, "low": 10, "high": 10, "plausible ranks": 18}
TOGETHER = "--design and --epsilon describe randomized ratings together."
NO_CHOICE = (
    "--prior cannot be used: randomized ratings have a prior of their own (linear Bayes or "
    "Gibbs). Leave --prior out."
)


class Command(BaseCommand):
    help = "Rank the items of a file by the histograms of their ratings. Needs no database."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--histograms",
            required=True,
            help="A .csv or .json file of items: the name of each item and a count for each "
            "level, the lowest level first. Write - for the standard input, which is read "
            "as CSV unless it starts like JSON.",
        )
        parser.add_argument(
            "--utilities", required=True, help="One utility for each level, such as 1,2,3,4,5."
        )
        parser.add_argument(
            "--prior",
            help=f"For open ratings: {HOW_TO_WRITE}. Default: popularity where it predicts items "
            "that were held out clearly better, otherwise empirical.",
        )
        parser.add_argument(
            "--design", choices=["k_ary"], help="For randomized ratings: their design."
        )
        parser.add_argument(
            "--epsilon", help="For randomized ratings: the epsilon of one rating, in nats."
        )
        parser.add_argument(
            "--declines",
            action="store_true",
            help='For randomized ratings: the last count is of "not rated", which is reported '
            "like a level.",
        )
        parser.add_argument(
            "--gibbs",
            action="store_true",
            help="For randomized ratings: use Gibbs sampling instead of linear Bayes.",
        )
        parser.add_argument("--seed", type=int, help="A seed that makes --gibbs repeatable.")
        parser.add_argument("--order", choices=["score", "cautious"], default="score")
        parser.add_argument(
            "--level", default="0.95", help="The level of the intervals. Default: 0.95."
        )
        parser.add_argument("--top", type=int, help="Print only this many items, the best first.")
        parser.add_argument("--format", choices=["table", "csv", "json"], default="table")

    def handle(self, **options: Any) -> None:
        """Print the ranking. Raises CommandError that names the option or the line."""
        if options["top"] is not None and options["top"] < 1:
            raise CommandError("--top: give a number of 1 or more.")
        if options["seed"] is not None and options["seed"] < 0:
            refused = f"--seed {options['seed']} cannot be used"
            raise CommandError(f"{refused}: write a whole number of 0 or more.")
        try:
            method = _method(options)
        except StatisticsError as problem:
            raise CommandError(problem.about(f"--{problem.argument}")) from None
        histograms = _histograms(options["histograms"])
        try:
            _require_counts(histograms, method)
            method = _with_prior(method, options["prior"], histograms)
            table = _ranked(histograms, method, options)
            listing = Listing(table, histograms.names, table.ranking.order[: options["top"]])
            for piece in FORMATS[options["format"]](listing):
                self.stdout.write(piece, ending="")
        except StatisticsError as problem:
            is_option = problem.argument in ("prior", "utilities")
            words = problem.about(f"--{problem.argument}") if is_option else str(problem)
            raise CommandError(words) from None


def _method(options: dict[str, Any]) -> Method:
    utilities = read_utilities(options["utilities"])
    channel = _channel(options, len(utilities) + options["declines"])
    if channel is not None and options["prior"]:
        raise CommandError(NO_CHOICE)
    if channel is None and (options["gibbs"] or options["declines"]):
        raise CommandError(
            "Add --design k_ary and --epsilon: --gibbs and --declines are for randomized ratings."
        )
    prior = read_prior(options["prior"]) if options["prior"] else PLAIN["empirical"]
    level, declines, hidden = _level(options["level"]), options["declines"], options["gibbs"]
    return Method(utilities, prior, options["order"], level, channel, declines, hidden)


def _with_prior(method: Method, chosen: str | None, histograms: Histograms) -> Method:
    """The method with the learned prior if none was chosen. Raises PriorError."""
    if method.is_randomized:
        return method
    check_origin(method.prior, histograms.origin)
    if chosen:
        return method
    utilities = np.array(method.utilities)
    return replace(method, prior=learned_prior(histograms.counts, utilities, histograms.origin))


def _channel(options: dict[str, Any], levels: int) -> Channel | None:
    if options["design"] is None and options["epsilon"] is None:
        return None
    if options["design"] is None:
        raise CommandError(f"Add --design k_ary: {TOGETHER}")
    if options["epsilon"] is None:
        raise CommandError(f"Add --epsilon, such as --epsilon 1.1: {TOGETHER}")
    return KAry.from_epsilon(levels, _number("epsilon", options["epsilon"], "1.1")).channel


def _level(text: str) -> float:
    level = _number("level", text, "0.95")
    if not 0 < level < 1:
        raise CommandError("--level: give a number between 0 and 1, such as 0.95.")
    return level


def _number(name: str, text: str, example: str) -> float:
    try:
        return float(text)
    except ValueError:
        words = f"--{name}: {text!r} is not a number. Write a number such as {example}."
        raise CommandError(words) from None


def _histograms(source: str) -> Histograms:
    try:
        content = sys.stdin.buffer.read() if source == STDIN else Path(source).read_bytes()
    except OSError as problem:
        words = f"--histograms: {source} cannot be read: {problem.strerror}."
        raise CommandError(words) from None
    try:
        return read_histograms(content, form=_form(source, content))
    except HistogramsUnreadable as problem:
        raise CommandError(str(problem)) from None


def _require_counts(histograms: Histograms, method: Method) -> None:
    """Raises CommandError for utilities that are not as many as the levels in the file."""
    counts, utilities = histograms.counts.shape[1], len(method.utilities)
    if counts != utilities + method.declines:
        declines = " and --declines adds a count" if method.declines else ""
        raise CommandError(
            f"--utilities has {utilities} numbers{declines}, but each item has {counts} counts. "
            f"Write --utilities with {counts - method.declines} numbers, or give "
            f"{utilities + method.declines} counts for each item."
        )


def _form(source: str, content: bytes) -> str:
    if source == STDIN:
        start = content.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
        return "json" if start in (b"{", b"[") else "csv"
    form = Path(source).suffix.lower().removeprefix(".")
    if form not in ("csv", "json"):
        raise CommandError(
            "--histograms: give a file whose name ends in .csv or .json, or - for the standard "
            "input."
        )
    return form


def _ranked(histograms: Histograms, method: Method, options: dict[str, Any]) -> RankedTable:
    if options["gibbs"]:
        rng = np.random.default_rng(options["seed"])
        return rank_by_gibbs(histograms.counts, method, rng=rng)
    return rank_table(histograms.counts, method)


def _json(listing: Listing) -> Iterator[str]:
    yield json_text({"program": PROGRAM, **listing.document()}) + "\n"


def _text(listing: Listing) -> Iterator[str]:
    yield listing.table.method.words + "\n"
    for note in _notes(listing.table):
        yield note + "\n"
    yield "\n" + _line(WIDTHS, "item") + "\n"
    for row in listing.rows():
        yield _line(_cells(row), row["name"]) + "\n"


def _notes(table: RankedTable) -> Iterator[str]:
    ghosts = table.average_ghosts
    if ghosts is not None:
        shown = ", ".join(f"{count:.3g}" for count in ghosts)
        yield f"Ghost ratings of an average item, lowest level first: {shown}"
    elif table.prior:
        yield "Ghost ratings without limit: every item has the average of all ratings."
    if table.prior and table.prior.note:
        yield table.prior.note


def _cells(row: dict[str, Any]) -> list[str]:
    best, worst = row["best_plausible_rank"], row["worst_plausible_rank"]
    return [
        f"{row['rank']}{'=' if row['tied'] else ''}",
        f"{row['ratings']:g}" if isinstance(row["ratings"], float) else str(row["ratings"]),
        *(f"{row[name]:.4f}" for name in ("score", "low", "high")),
        "" if best is None else f"{best} to {worst}",
    ]


def _line(cells: Any, name: str) -> str:
    padded = [f"{cell:>{width}}" for cell, width in zip(cells, WIDTHS.values(), strict=True)]
    return "".join(padded) + f"  {name}"


FORMATS = {"json": _json, "csv": lambda listing: table_csv(listing.rows()), "table": _text}
