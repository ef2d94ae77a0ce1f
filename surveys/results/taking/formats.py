"""Format: as what all answers may be taken away; the registry that a new kind of file extends."""

from collections import ChainMap
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from surveys.models import Revision
from surveys.results import exports
from surveys.results.deposit import contents
from surveys.results.deposit.licences import LICENCES
from surveys.results.labelled import data_files
from surveys.results.taking import files
from surveys.web.downloads import PARQUET_TYPE

ZIP_TYPE = "application/zip"
CSV_TYPE = "text/csv; charset=utf-8"
Part = tuple[bytes, int]  # some bytes of the file, and how many rows end in them


@dataclass(frozen=True)
class Format:
    """``parts`` writes the file: the same table as the direct download, with the same rules."""

    title: str | Promise
    ending: str
    content_type: str
    parts: Callable[[Revision], Iterator[Part]]
    contents: str = "responses"  # what the file holds, as its name and the audit log say it


def _csv(codes: bool) -> Callable[[Revision], Iterator[Part]]:
    def parts(revision: Revision) -> Iterator[Part]:
        lines = exports.responses_csv(revision, codes=codes, debiased=True)
        yield next(lines).encode(), 0
        yield from _together(lines)

    return parts


def _together(lines: Iterable[str], size: int = 1_000) -> Iterator[Part]:
    """Rows of a CSV, so many at once; a row may have line ends of its own."""
    block: list[str] = []
    for line in lines:
        block.append(line)
        if len(block) == size:
            yield "".join(block).encode(), size
            block = []
    yield "".join(block).encode(), len(block)


def _parquet(codes: bool) -> Callable[[Revision], Iterator[Part]]:
    """A block at a time; how many rows are in it is known but for the last."""

    def parts(revision: Revision) -> Iterator[Part]:
        for content in exports.responses_parquet(revision, codes=codes, debiased=True):
            yield content, exports.BLOCK

    return parts


def _labelled(ending: str) -> Callable[[Revision], Iterator[Part]]:
    return lambda revision: data_files.zipped(revision, ending, files.scratch)


FORMATS = {
    "csv": Format(gettext_lazy("Responses (CSV)"), "csv", CSV_TYPE, _csv(codes=False)),
    "csv-codes": Format(
        gettext_lazy("Responses as codes (CSV)"), "csv", CSV_TYPE, _csv(codes=True)
    ),
    "parquet": Format(
        gettext_lazy("Responses (Parquet)"), "parquet", PARQUET_TYPE, _parquet(codes=False)
    ),
    "parquet-codes": Format(
        gettext_lazy("Responses as codes (Parquet)"), "parquet", PARQUET_TYPE, _parquet(codes=True)
    ),
    "sav": Format(gettext_lazy("Responses for SPSS (.sav)"), "sav.zip", ZIP_TYPE, _labelled("sav")),
    "dta": Format(
        gettext_lazy("Responses for Stata (.dta)"), "dta.zip", ZIP_TYPE, _labelled("dta")
    ),
}


def _deposit(licence: str) -> Callable[[Revision], Iterator[Part]]:
    return lambda revision: contents.zipped(revision, licence)


# A deposit has its licence in its kind, so that one of each can be asked for.
DEPOSITS = {
    f"deposit-{licence}": Format(one.name, "zip", ZIP_TYPE, _deposit(licence), "deposit")
    for licence, one in LICENCES.items()
}
KINDS = ChainMap(FORMATS, DEPOSITS)
