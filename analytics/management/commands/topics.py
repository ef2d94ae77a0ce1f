"""``manage.py topics``: options, progress bar and output of a topic report on a file."""

from argparse import ArgumentParser
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, OutputWrapper

from analytics.files.ledgers import LedgerError, write_whole
from analytics.files.reports import OUTPUTS, FileRequest, Interrupted, report_on_file
from analytics.kinds.documents import TopicReport
from analytics.kinds.registry import DEFAULT, KINDS, kind_of
from analytics.kinds.settings import Settings, SettingsError
from analytics.management.options import (
    BAD_FILE,
    NO_BUDGET,
    PROMISE_OPTIONS,
    STOPPED,
    add_promise,
    in_options,
    line,
    output_of,
    permitted,
    promise_of,
)
from analytics.pages.standalone import as_html, as_json
from analytics.privacy.errors import BudgetExceeded
from analytics.privacy.mechanisms import VettedNoise
from analytics.sources.files import FileError, FileSource
from surveys.randomized_response.errors import StatisticsError

_DELIMITERS = {"tab": "\t", "comma": ",", "semicolon": ";", "bar": "|"}
_BAR = 24


class Command(BaseCommand):
    help = "Make a topic report on the texts of a file."
    # Nothing here touches the database or the settings of a server.
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        add = parser.add_argument
        add("--input", required=True, help="A .csv, .jsonl or .parquet file.")
        add("--column", required=True, help="The column of the texts.")
        add(
            "--respondent",
            help="The column that says who wrote each text. Default: each row is one respondent.",
        )
        add(
            "--delimiter",
            choices=_DELIMITERS,
            help="The delimiter of a CSV file. Default: found from the header.",
        )
        add("--kind", default=DEFAULT, choices=list(KINDS), help=f"Default: {DEFAULT}.")
        add_promise(parser)
        add("--topics", default="10", help="The largest number of topics, 1 to 50. Default: 10.")
        add(
            "--language",
            default="en",
            help="The ISO code of the language of the texts, or none. Default: en.",
        )
        add("--whole-words", action="store_true", help="Count whole words instead of their stems.")
        add(
            "--longest-phrase",
            default="1",
            help="The longest phrase to count: 1, 2 or 3 words. Default: 1.",
        )
        add("--stop-words", help="A file of more words to leave out, one word on each line.")
        add("--refine", action="store_true", help="Look at long texts a second time.")
        add(
            "--public-vocabulary",
            help="A file of public words, one word on each line. The list costs nothing.",
        )
        add(
            "--seed", help="The seed of the random starts of the internal kinds. Noise has no seed."
        )
        add(
            "--cluster",
            action="store_true",
            help="Count on the machines of DENIABLE_DASK_SCHEDULER, which have the file, too.",
        )
        add("--output", help="A new .json or .html file. Default: JSON on the standard output.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Make one report. Raises CommandError with the exit code."""
        try:
            request, output = request_of(options), output_of(options, OUTPUTS)
            if options["verbosity"]:
                self.stderr.write(f"{request.source.unit}\n{request.spending}", style_func=str)
            bar = ProgressBar(self.stderr, enabled=bool(options["verbosity"]))
            report_on_file(request, VettedNoise(), bar, self._finish(request, output, bar))
        except FileError as refusal:
            raise CommandError(str(refusal), returncode=BAD_FILE) from None
        except (BudgetExceeded, LedgerError) as refusal:
            raise CommandError(line(refusal), returncode=NO_BUDGET) from None
        except StatisticsError as refusal:
            raise CommandError(
                in_options(refusal, _OPTIONS).replace("or null", "or none")
            ) from None
        except ValueError as refusal:  # every typed refusal is of this kind
            raise CommandError(line(refusal)) from None
        except Interrupted as stop:
            raise CommandError(str(stop), returncode=STOPPED) from None
        except KeyboardInterrupt:
            words = "Stopped: nothing was written and nothing spent."
            raise CommandError(words, returncode=STOPPED) from None

    def _finish(
        self, request: FileRequest, output: Path | None, bar: "ProgressBar"
    ) -> Callable[[TopicReport], None]:
        def finish(report: TopicReport) -> None:
            bar.close()
            write = as_html if output and output.suffix.lower() == ".html" else as_json
            text = write(request, report)
            if output is None:
                self.stdout.write(text, ending="")
                return
            try:
                write_whole(output, text)
            except OSError as problem:
                # It may have been paid for: what cannot be kept in the file is printed here.
                self.stdout.write(as_json(request, report), ending="")
                raise CommandError(
                    f"{output} cannot be written ({problem.strerror}). The report was printed on "
                    "the standard output instead."
                ) from None

        return finish


class ProgressBar:
    """One line on a terminal that is drawn over; elsewhere a line for every stage.

    tqdm, which the demonstration uses, is not installed everywhere that reports are made.
    """

    def __init__(self, stream: OutputWrapper, *, enabled: bool = True) -> None:
        self.stream, self.enabled = stream, enabled
        self.is_terminal = stream.isatty()
        self.stage = ""

    def reach(self, stage: str, fraction: float) -> None:
        """Show a stage and how much is done."""
        if not self.enabled:
            return
        line = f"{100 * fraction:3.0f} %  {stage}"
        if self.is_terminal:
            done = round(_BAR * fraction)
            self._write(f"\r\x1b[K[{'#' * done}{'.' * (_BAR - done)}] {line}")
        elif stage != self.stage:
            self._write(line + "\n")
        self.stage = stage

    def close(self) -> None:
        """Leave the line to what is written next."""
        if self.enabled and self.is_terminal and self.stage:
            self._write("\n")

    def _write(self, text: str) -> None:
        self.stream.write(text, style_func=str, ending="")
        self.stream.flush()


# Fields of a request that a person writes as an option of another spelling or of the same.
_OPTIONS = {
    **PROMISE_OPTIONS,
    "longest_phrase": "--longest-phrase",
    "stop_words": "--stop-words",
    "vocabulary": "--public-vocabulary",
    "path": "--input",
    **{
        name: f"--{name}"
        for name in (
            *(
                "kind",
                "topics",
                "refine",
                "language",
                "seed",
                "output",
                "cluster",
                "column",
                "respondent",
            ),
        )
    },
}


def request_of(options: Mapping[str, Any]) -> FileRequest:
    """What the options ask for. Raises SettingsError, BudgetError, FileError, LedgerError."""
    kind = kind_of(options["kind"])
    if kind.is_private and options["seed"] is not None:
        remedy = "leave the option out: noise that can be repeated does not protect"
        raise SettingsError("seed", options["seed"], remedy)
    delimiter = _DELIMITERS.get(options["delimiter"] or "")
    source = FileSource(Path(options["input"]), options["column"], options["respondent"], delimiter)
    ledger = Path(options["ledger"]) if options["ledger"] else None
    scheduler = _scheduler() if options["cluster"] else None
    promise = (permitted(options) if kind.is_private else None) or promise_of(options)
    return FileRequest(source, kind, _settings_of(options), promise, ledger, scheduler)


def _scheduler() -> str:
    """The cluster that the environment names. Raises SettingsError."""
    address: str | None = settings.DASK_SCHEDULER
    if address is None:
        remedy = "set DENIABLE_DASK_SCHEDULER, or leave --cluster out"
        raise SettingsError("cluster", None, remedy)
    return address


def _settings_of(options: Mapping[str, Any]) -> Settings:
    language = options["language"]
    return Settings(
        topics=_whole("topics", options["topics"]),
        refine=options["refine"],
        language=None if language == "none" else language,
        stems=not options["whole_words"],
        longest_phrase=_whole("longest_phrase", options["longest_phrase"]),
        stop_words=_words(options["stop_words"]),
        vocabulary=_words(options["public_vocabulary"]),
        seed=0 if options["seed"] is None else _whole("seed", options["seed"]),
    )


def _words(path: str | None) -> tuple[str, ...]:
    """The lines of a public list. Raises FileError."""
    if path is None:
        return ()
    try:
        lines = Path(path).read_text("utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise FileError(f"{path} is not UTF-8: save the list of words as UTF-8") from None
    except OSError as problem:
        raise FileError(f"{path} cannot be read: {problem.strerror}: check the path") from None
    words = tuple(line.strip() for line in lines if line.strip())
    if not words:
        raise FileError(f"{path} contains no words: write one word on each line")
    return words


def _whole(name: str, text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise SettingsError(name, text, "write a whole number") from None
