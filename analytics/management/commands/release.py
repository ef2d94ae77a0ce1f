"""``manage.py release``: options and output of a release of tables of a file."""

import json
from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from analytics.files.ledgers import LedgerError, write_whole
from analytics.files.releases import FileColumn, FileRelease, release_file
from analytics.kinds.settings import SettingsError
from analytics.kinds.tables.planned import PlannedTables
from analytics.kinds.tables.released import TableRelease
from analytics.management.options import (
    BAD_FILE,
    NO_BUDGET,
    PROMISE_OPTIONS,
    STOPPED,
    add_promise,
    in_options,
    line,
    output_of,
    promise_of,
)
from analytics.pages.releases.exports import Download
from analytics.privacy.errors import BudgetExceeded
from analytics.privacy.mechanisms import VettedNoise
from analytics.reports.release_page import at_least, in_people, method
from analytics.workloads.asks import Ask
from surveys import PROGRAM
from surveys.randomized_response.errors import StatisticsError
from surveys.randomized_response.files.tables import TableError
from surveys.web.downloads import table_csv

OUTPUTS = (".json", ".csv")
_OPTIONS = {
    **PROMISE_OPTIONS,
    "budget": "--share",
    "levels": "--levels",
    "cuts": "--cuts",
    "column": "--levels",
    "ask": "--ask",
    "table": "--table",
    "tables": "--table",
    "output": "--output",
}


class Command(BaseCommand):
    help = (
        "Release tables of a file with differential privacy. One row of the file is one respondent."
    )
    # Nothing here touches the database or the settings of a server.
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        add = parser.add_argument
        add("--input", required=True, help="A .csv or .json file.")
        pair: dict[str, Any] = {"action": "append", "default": []}
        add(
            "--levels",
            metavar="COLUMN=A|B|C",
            help="The levels of a column, all of them public, in order.",
            **pair,
        )
        add(
            "--cuts",
            metavar="COLUMN=30,45",
            help="The numbers at which a column of numbers is cut.",
            **pair,
        )
        add(
            "--ask",
            metavar="COLUMN=cdf",
            help="What to ask of a column: counts (default), cdf or ranges.",
            **pair,
        )
        add(
            "--table",
            metavar="COLUMN,COLUMN",
            help="Columns that are counted together. Repeat this option for each table. Default: "
            "a table of each column.",
            **pair,
        )
        add_promise(parser)
        add(
            "--plan",
            action="store_true",
            help="Print the margins and the cost. Nothing is read or spent.",
        )
        add("--output", help="A new .json or .csv file. Default: JSON on the standard output.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Plan or make one release. Raises CommandError with the exit code."""
        try:
            request, output = request_of(options), output_of(options, OUTPUTS)
            if options["plan"]:
                self.stdout.write("\n".join(plan_lines(request.planned)))
                return
            release_file(request, VettedNoise(), self._finish(request, output))
        except TableError as refusal:
            raise CommandError(line(refusal), returncode=BAD_FILE) from None
        except (BudgetExceeded, LedgerError) as refusal:
            raise CommandError(line(refusal), returncode=NO_BUDGET) from None
        except StatisticsError as refusal:
            raise CommandError(in_options(refusal, _OPTIONS)) from None
        except KeyboardInterrupt:
            words = "Stopped. What was charged to the ledger stays charged."
            raise CommandError(words, returncode=STOPPED) from None

    def _finish(self, request: FileRelease, output: Path | None) -> Callable[[TableRelease], None]:
        def finish(release: TableRelease) -> None:
            made = Download(release, {"file": request.path.name}, method(release))
            if output is None:
                self.stdout.write(_json(made), ending="")
                return
            text = (
                _json(made)
                if output.suffix.lower() == ".json"
                else "".join(table_csv(made.cells()))
            )
            try:
                write_whole(output, text)
            except OSError as problem:
                # It is paid for: what cannot be kept in the file is printed here.
                self.stdout.write(_json(made), ending="")
                raise CommandError(
                    f"{output} cannot be written ({problem.strerror}). The release was printed on "
                    "the standard output instead."
                ) from None

        return finish


def request_of(options: Mapping[str, Any]) -> FileRelease:
    """What the options ask for. Raises SettingsError, BudgetError."""
    promise = promise_of(options)
    if promise is None:
        remedy = "add --epsilon and --delta, such as 1 and 1e-6: a release spends them"
        raise SettingsError("epsilon", None, remedy)
    columns = tuple(_columns(options))
    tables = tuple(tuple(_parts(table, ",")) for table in options["table"])
    return FileRelease(
        Path(options["input"]),
        columns,
        tables or tuple((column.name,) for column in columns),
        promise,
        Path(options["ledger"]) if options["ledger"] else None,
    )


def plan_lines(planned: PlannedTables) -> Iterator[str]:
    """Margins and cost in words, before anything is read or spent."""
    for forecast in planned.forecasts:
        title = planned.asked.title(forecast.table)
        yield (
            f"{title}: {forecast.numbers:,} numbers, with a margin of typically "
            f"{in_people(forecast.typical)} people, at most {in_people(forecast.largest)}"
        )
    best = planned.least_typical
    tail = (
        ""
        if best is None
        else f"; no strategy with Gaussian noise has a typical margin below {at_least(best)}"
    )
    yield f"all tables: a margin of typically {in_people(planned.typical)} people{tail}"
    yield f"cost: {planned.cost}"


def _columns(options: Mapping[str, Any]) -> Iterator[FileColumn]:
    levels, cuts = _pairs(options, "levels"), _pairs(options, "cuts")
    asks = _pairs(options, "ask")
    if not levels and not cuts:
        raise SettingsError(
            "levels", None, "describe a column, such as --levels 'town=North|South'"
        )
    for name in (*levels, *(name for name in cuts if name not in levels)):
        yield FileColumn(
            name,
            tuple(_parts(levels.get(name, ""), "|")),
            tuple(_parts(cuts.get(name, ""), ",")),
            _ask(asks.pop(name, str(Ask.COUNTS))),
        )
    for name in asks:
        raise SettingsError("ask", name, "describe this column with --levels or --cuts")


def _pairs(options: Mapping[str, Any], option: str) -> dict[str, str]:
    """``column=value`` of an option that is given once for each column."""
    pairs: dict[str, str] = {}
    for text in options[option]:
        name, sign, value = text.partition("=")
        if not sign or not name.strip() or not value.strip():
            raise SettingsError(option, text, "write a column, = and the value of the column")
        if name.strip() in pairs:
            raise SettingsError(option, name.strip(), "give the option once for each column")
        pairs[name.strip()] = value
    return pairs


def _parts(text: str, sign: str) -> Sequence[str]:
    return [part.strip() for part in text.split(sign) if part.strip()]


def _ask(text: str) -> Ask:
    with suppress(ValueError):
        return Ask(text.strip())
    raise SettingsError("ask", text, "give counts, cdf or ranges")


def _json(made: Download) -> str:
    document = {"program": PROGRAM, **made.document()}
    return json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
