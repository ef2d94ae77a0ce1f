"""A report on a file of texts: FileRequest to report, paid by the file's ledger."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from analytics.files.ledgers import LedgerEntry, OpenLedger, opened
from analytics.files.promises import Promise
from analytics.kinds.documents import TopicReport
from analytics.kinds.making import local_partitions, make_report
from analytics.kinds.registry import ReportKind, check_kind
from analytics.kinds.settings import Settings, SettingsError, Watch
from analytics.privacy.accounting import Cost
from analytics.privacy.checks import IntArray
from analytics.privacy.mechanisms import Noise
from analytics.sources.files import FileError, FileSource, read_bags
from analytics.sources.files import opened as opened_file
from analytics.sources.partitions import partitions_of_file
from analytics.topics.partitions import Partitions, count_respondents
from surveys.randomized_response.messages import sentence

OUTPUTS = (".json", ".html")
# How much of the way reading takes, as the progress shows it.
_READING = 0.5


@dataclass(frozen=True)
class FileRequest:
    """A report on a file. Private kinds have a ``promise`` and may have a ``ledger``.

    A ``scheduler`` names a Dask cluster whose workers have the file at the same path. Raises
    SettingsError for what does not go together.
    """

    source: FileSource
    kind: ReportKind
    settings: Settings
    promise: Promise | None = None
    ledger: Path | None = None
    scheduler: str | None = None

    def __post_init__(self) -> None:
        check_kind(self.kind, self.settings)
        if self.scheduler is not None:
            _require_for_cluster(self)
        if self.kind.is_private and self.promise is None:
            remedy = "add --epsilon and --delta, such as 2 and 1e-6: a private report spends them"
            raise SettingsError("epsilon", None, remedy)
        if not self.kind.is_private and (self.promise or self.ledger):
            remedy = f"leave --epsilon, --delta and --ledger out: {self.kind.title} is not private"
            if self.promise:
                raise SettingsError("epsilon", self.promise.epsilon, remedy)
            raise SettingsError("ledger", str(self.ledger), remedy)

    @property
    def spending(self) -> str:
        """What a run costs, in words."""
        if self.promise is None:
            return "This report is not private, is for internal eyes only and keeps no account."
        spending = f"epsilon {self.promise.epsilon:g} at delta {self.promise.delta:g}"
        if self.promise.share != 1:
            spending = f"a share of {float(self.promise.share):.4g} of what {spending} allows"
        anew = (
            f"Every run spends anew: this one {spending}. Runs on the same texts add up, and so do "
            "copies of the file."
        )
        if self.ledger is None:
            return f"{anew} The account is yours to keep, or --ledger keeps it."
        return f"{anew} The account is kept in {self.ledger.name}, for runs that name it."


Finish = Callable[[TopicReport], None]


class Interrupted(Exception):
    """A person stopped a run; the words say whether its cost stays charged."""

    def __init__(self, *, has_drawn: bool) -> None:
        rest = (
            "The run had drawn noise, so all that it may cost stays charged"
            if has_drawn
            else "and nothing spent"
        )
        super().__init__(f"Stopped: nothing was written{'.' if has_drawn else ''} {rest}.")


class PaidNoise:
    """Noise that is paid for before it is first drawn: a run that has drawn is never free.

    What was drawn, and how long the run takes from then on, may tell something about texts.
    """

    def __init__(self, noise: Noise, pay: Callable[[], None]) -> None:
        self._noise, self._pay = noise, pay
        self.has_drawn = False

    @property
    def is_private(self) -> bool:
        return self._noise.is_private

    def added_to(self, values: IntArray, lattice_sd: float) -> IntArray:
        """Raises OSError if the ledger cannot be written: then nothing is drawn."""
        if not self.has_drawn:
            self._pay()
            self.has_drawn = True
        return self._noise.added_to(values, lattice_sd)


def report_on_file(request: FileRequest, noise: Noise, watch: Watch, finish: Finish) -> TopicReport:
    """The report, given to ``finish`` once it is written in the ledger.

    A ledger is held from before the file is read until after ``finish``. All that the run may cost
    is charged before its first draw, and set right when the report is done; what is refused,
    stopped or fails before that draw costs nothing. Raises FileError, LedgerError, BudgetError,
    SettingsError, TopicsError, TextError, Interrupted.
    """
    with _account(request) as account:
        paid = PaidNoise(noise, partial(_charge, request, account))
        try:
            report = _made(request, paid, watch)
        except KeyboardInterrupt:
            raise Interrupted(has_drawn=paid.has_drawn) from None
        _charge(request, account, report.cost)
        finish(report)
    return report


def _charge(request: FileRequest, account: OpenLedger | None, cost: Cost | None = None) -> None:
    """Write the run's line behind those of others: its cost, or all that it may cost."""
    if account is None or request.promise is None:
        return
    paid = cost or request.promise.cost
    account.pay(LedgerEntry.of(request.kind.name, request.source.path, paid))


def _account(request: FileRequest) -> AbstractContextManager[OpenLedger | None]:
    """The ledger, held, if what the report may cost is left in it. Nothing was read so far."""
    if request.promise is None:
        return nullcontext()
    terms, cost = request.promise.terms, request.promise.cost
    return nullcontext() if request.ledger is None else opened(request.ledger, terms, cost)


def _made(request: FileRequest, noise: Noise, watch: Watch) -> TopicReport:
    if request.scheduler and request.promise:
        return _made_by_cluster(request, request.promise, noise, watch)
    texts = read_bags(request.source, request.settings, _Part(watch, 0.0, _READING))
    partitions = local_partitions([texts.bags], request.kind, request.settings)
    rest = _Part(watch, _READING, 1.0)
    if request.promise is None:
        return make_report(
            request.kind.name, partitions, request.settings, watch=rest, keys=texts.keys
        )
    return _private(request, request.promise, partitions, texts.bags.respondents, noise, rest)


def _made_by_cluster(
    request: FileRequest, promise: Promise, noise: Noise, watch: Watch
) -> TopicReport:
    """The same report, with the file read and counted by the workers of a cluster."""
    source = request.source
    watch.reach(sentence("Reading answers"), 0.0)
    opened_file(source.path).close()
    with partitions_of_file(
        source.path,
        source.column,
        request.settings,
        respondent=source.respondent,
        scheduler=request.scheduler,
    ) as partitions:
        people = count_respondents(partitions)
        if not people:
            raise FileError(f"{source.path.name} has no rows: give at least one")
        return _private(request, promise, partitions, people, noise, _Part(watch, _READING, 1.0))


def _private(
    request: FileRequest,
    promise: Promise,
    partitions: Partitions,
    people: int,
    noise: Noise,
    watch: Watch,
) -> TopicReport:
    return make_report(
        request.kind.name,
        partitions,
        request.settings,
        budget_terms=promise.terms.budget(people),
        cost=promise.cost,
        noise=noise,
        watch=watch,
    )


def _require_for_cluster(request: FileRequest) -> None:
    """Workers read what ``partitions_of_file`` reads, and name no respondent."""
    if not request.kind.is_private:
        remedy = f"leave --cluster out: {request.kind.title} shows respondents by their names"
        raise SettingsError("cluster", request.scheduler, remedy)
    if request.source.path.suffix.lower() not in (".csv", ".parquet"):
        remedy = "leave --cluster out, or save the file as .csv or .parquet"
        raise SettingsError("cluster", request.scheduler, remedy)
    if request.source.delimiter not in (None, ","):
        remedy = "leave --cluster out, or save the file with commas"
        raise SettingsError("cluster", request.scheduler, remedy)


@dataclass(frozen=True)
class _Part:
    """A watch for a part of the way."""

    watch: Watch
    start: float
    stop: float

    def reach(self, stage: str, fraction: float) -> None:
        self.watch.reach(stage, self.start + (self.stop - self.start) * fraction)
