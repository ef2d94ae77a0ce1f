"""deposit_files, zipped: what a deposit has, and the zip of it.

The same survey gives the same bytes: no file has a time, and nothing says when it was made.
"""

import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from itertools import islice

from django.template.loader import get_template
from django.utils.translation import gettext, override

from surveys.models import Revision
from surveys.models.queries import questionnaire_of
from surveys.models.refusals import NotPossible
from surveys.results import exports
from surveys.results.codebook.book import codebook
from surveys.results.deposit.ddi import RowsFile, ddi_codebook
from surveys.results.deposit.figures import figures_of
from surveys.results.deposit.licences import LICENCES, Licence
from surveys.results.deposit.releases import PublishedFile, published_files
from surveys.results.deposit.texts import (
    FIGURES,
    README,
    ROWS,
    SUMS,
    Held,
    citation_file,
    readme,
    why_no_rows,
)
from surveys.results.handover.markdown import codebook_markdown
from surveys.results.locked.queries import tally_states
from surveys.results.locked.rows import facts, file_table
from surveys.results.queries import reading_now, response_count
from surveys.web.downloads import Sink, table_csv
from surveys.web.responses import json_file

LANGUAGE = "en"  # of the deposit's own words; questions read as their author wrote them
MOMENT = (1980, 1, 1, 0, 0, 0)  # the earliest time of a zip, of every file
READABLE = 0o644 << 16
OWN_NUMBERS = ("responses", "withheld_rows", "how_to_read_withheld")  # of a codebook
LINES = 5_000  # of rows that are written at once
Part = tuple[bytes, int]  # some bytes, and how many rows end in them


@dataclass(frozen=True)
class DepositFile(Held):
    """``parts`` makes it when it is written."""

    parts: Callable[[], Iterable[Part]]


def deposit_files(revision: Revision, licence: Licence) -> list[DepositFile]:
    """All files but README.md, which names them, and the sums."""
    files = [*_about(revision, licence), *_codebooks(revision, licence)]
    if not why_no_rows(revision):
        files += _rows(revision)
    published = (*published_files(revision), *_totals(revision))
    return files + [_file(one.name, one.words, one.content) for one in published]


def held_files(revision: Revision) -> list[Held]:
    """The names of all files, each with what it holds; the same with every licence."""
    files = deposit_files(revision, next(iter(LICENCES.values())))
    return [
        Held(README, gettext("what the deposit is, and how to reproduce the figures")),
        *files,
        Held(SUMS, gettext("digests (checksums) of all files")),
    ]


def _file(name: str, words: str, content: Callable[[], str | bytes]) -> DepositFile:
    def parts() -> Iterator[Part]:
        made = content()
        yield made.encode() if isinstance(made, str) else made, 0

    return DepositFile(name, words, parts)


def _about(revision: Revision, licence: Licence) -> Iterator[DepositFile]:
    questionnaire = questionnaire_of(revision)
    text = partial(licence.text, questionnaire.title, questionnaire.organisation)
    yield _file("LICENSE", gettext("the licence of the deposit"), text)
    yield _file(
        "CITATION.cff",
        gettext("how to cite the data"),
        partial(citation_file, questionnaire, licence),
    )


def _codebooks(revision: Revision, licence: Licence) -> Iterator[DepositFile]:
    yield _file(
        "codebook.json",
        gettext(
            "every column: its codes, its channel (probabilities of the reported answers) and "
            "how estimates are computed"
        ),
        lambda: json_file(_codebook(revision)),
    )
    yield _file("codebook.md", gettext("a readable codebook"), lambda: _markdown(revision))
    words = gettext("the codebook in the format that archives accept: DDI-Codebook 2.5")
    yield _file("ddi.xml", words, lambda: _ddi(revision, licence))


def _codebook(revision: Revision) -> dict[str, object]:
    """Without rows it has no number of the survey's own: a promise may hide who took part."""
    content = codebook(revision, responses=response_count(revision))
    if why_no_rows(revision):
        for name in OWN_NUMBERS:
            content.pop(name, None)
    return content


def _markdown(revision: Revision) -> str:
    reading = reading_now(revision.survey, revision)
    has_rows = not why_no_rows(revision)
    return codebook_markdown(revision, reading, with_numbers=has_rows)


def _ddi(revision: Revision, licence: Licence) -> bytes:
    why = why_no_rows(revision)
    rows = None if why else RowsFile(ROWS, response_count(revision))
    return ddi_codebook(revision, licence, rows=rows, why_no_rows=why)


def _rows(revision: Revision) -> Iterator[DepositFile]:
    """The rows, the figures of the dashboard, and the scripts that make the one of the other."""
    yield DepositFile(
        ROWS,
        gettext(
            "one row for each person: the reported answers as codes, and columns that correct "
            "these answers for chance (debiased)"
        ),
        lambda: _row_parts(revision),
    )
    yield _file(
        FIGURES,
        gettext("the estimates of the dashboard, and how each estimate is computed from the rows"),
        lambda: json_file(
            {"questions": list(figures_of(revision, reading_now(revision.survey, revision)))}
        ),
    )
    for name, words in (
        ("figures.py", gettext("a Python script that computes the estimates from the rows")),
        ("figures.R", gettext("an R script that computes the estimates from the rows")),
    ):
        yield _file(name, words, partial(_script, name))


def _script(name: str) -> str:
    """As it stands in the template, which has nothing to fill in."""
    backend = get_template(f"surveys/results/deposit/{name}")
    source: str = backend.template.source  # type: ignore[attr-defined]
    return source


def _row_parts(revision: Revision) -> Iterator[Part]:
    """The file of codes with the debiased columns."""
    lines = exports.responses_csv(revision, codes=True, debiased=True)
    yield next(lines).encode(), 0
    while block := list(islice(lines, LINES)):
        yield "".join(block).encode(), len(block)


def _totals(revision: Revision) -> Iterator[PublishedFile]:
    """The opened totals of counted questions."""
    for state in tally_states(revision.survey, revision):
        if state.opened is None:
            continue
        number = state.table.table
        rows = list(file_table(state.opened).file_rows())
        content = {**facts(revision.survey, state), "rows": rows}
        words = gettext("opened totals of locked table {number}").format(number=number)
        yield PublishedFile(
            f"totals/table-{number}.csv", words, partial(_lines, table_csv(iter(rows)))
        )
        yield PublishedFile(f"totals/table-{number}.json", words, partial(json_file, content))


def _lines(lines: Iterable[str]) -> bytes:
    return "".join(lines).encode()


def zipped(revision: Revision, licence: str) -> Iterator[Part]:
    """The zip, as it is written. Raises NotPossible if answers are opened meanwhile.

    Its files would be of other people then.
    """
    before = response_count(revision)
    with override(LANGUAGE):
        yield from _zipped(revision, LICENCES[licence])
        if response_count(revision) != before:
            raise NotPossible(
                gettext(
                    "The deposit was not created: answers were opened while it was being written. "
                    "Create the deposit again."
                )
            )


def _zipped(revision: Revision, licence: Licence) -> Iterator[Part]:
    sink, sums = Sink(), dict[str, str]()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in _with_readme(revision, licence):
            digest = sha256()
            with archive.open(_entry(file.name), "w", force_zip64=True) as member:
                for content, rows in file.parts():
                    member.write(content)
                    digest.update(content)
                    yield sink.drain(), rows
            sums[file.name] = digest.hexdigest()
        lines = "".join(f"{digest}  {name}\n" for name, digest in sorted(sums.items()))
        archive.writestr(_entry(SUMS), lines)
    yield sink.drain(), 0


def _with_readme(revision: Revision, licence: Licence) -> Iterator[DepositFile]:
    """All files but the sums; the first one says what the others are."""
    files = deposit_files(revision, licence)
    text = readme(revision, licence, files)
    yield _file(README, "", lambda: text)
    yield from files


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, MOMENT)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = READABLE
    return entry
