"""Files of 100,000 answers, as the worker writes them, are read whole by pandas and by R."""

import json
import resource
import time
from collections import Counter

import numpy as np
import pandas as pd
import pytest

from surveys.models import Export, Response, Survey
from surveys.results.labelled.data_files import PROGRAMS
from surveys.results.taking import files, services
from surveys.results.taking.formats import FORMATS
from tests import factories
from tests.audit.programs import r_prints
from tests.stored import store_rows

pytestmark = [pytest.mark.audit, pytest.mark.django_db(transaction=True)]
ROWS = 100_000
# The guess of types is readr's own: codes have to stay what they are without being told so.
READR = """
table <- readr::read_csv(commandArgs(TRUE)[1], show_col_types = FALSE)
stopifnot(nrow(readr::problems(table)) == 0)
serial <- as.integer(table$q002)
stopifnot(!anyNA(table$q001), all(is.na(table$q002_missing)))
stopifnot(all(sort(serial) == seq_len(nrow(table)) - 1))
counts <- as.list(table(table$q001))
quoted <- paste0(encodeString(names(counts), quote = '"'), ":", counts, collapse = ",")
cat('{"columns":["', paste(names(table), collapse = '","'), '"],"counts":{', quoted, "}}", sep = "")
"""
DEBIASED = [f"q003_{answer}" for answer in ("yes", "no", "declined")]
LABELS = {"00": "Bus", "01": "=Tram", "02": "Zürich–Bern"}  # one that a spreadsheet would run


@pytest.fixture
def survey(owner, settings, tmp_path) -> Survey:
    settings.EXPORTS_DIR = tmp_path / "exports"
    draft = factories.make_survey(owner)
    factories.add_question(draft, *LABELS.values(), text="How?", kind="choice", design="direct")
    factories.add_serial_number(draft, width=6)
    factories.add_question(draft, text="Ever without a ticket?")
    survey = factories.launched(draft)
    codes = np.array(list(LABELS))[np.random.default_rng(1).integers(0, len(LABELS), ROWS)]
    store_rows(survey.revision, [f"{code}{place:06d}01" for place, code in enumerate(codes)])
    return survey


@pytest.mark.parametrize("kind", [kind for kind in FORMATS if kind not in PROGRAMS])
def test_pandas_reads_every_row_of_each_kind(survey, kind, capsys):
    export = services.ask(survey, kind, by=survey.owner, later=lambda key: None)
    start = time.process_time()
    services.write(export.pk)
    used = time.process_time() - start
    path, export = files.path_of(export.pk), Export.objects.get(pk=export.pk)
    assert path.stat().st_size == export.size
    read = pd.read_parquet if kind.startswith("parquet") else pd.read_csv
    table = read(path) if kind.startswith("parquet") else read(path, dtype=str)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    with capsys.disabled():
        print(f"\n{kind}: {ROWS / used:,.0f} rows per second of CPU, {peak:.0f} MiB with pandas")
    assert list(table.columns) == ["q001", "q002", "q002_missing", "q003_rep", *DEBIASED]
    assert {table[name].astype(float).nunique() for name in DEBIASED} == {1}  # all said Yes
    assert sorted(map(int, table["q002"])) == list(range(ROWS))
    assert table["q002"].astype(float).mean() == (ROWS - 1) / 2
    assert table["q002_missing"].isna().all()
    stored = Counter(Response.objects.values_list("answers", flat=True))
    assert stored.total() == ROWS
    expected = Counter(_shown(answers[:2], kind) for answers in stored)
    assert Counter(table["q001"]) == expected


@pytest.mark.parametrize("kind", [kind for kind in FORMATS if kind.startswith("csv")])
def test_readr_reads_every_row_of_a_csv(survey, kind):
    """R's reader of tables, from Debian's r-cran-readr; without it this fails."""
    export = services.ask(survey, kind, by=survey.owner, later=lambda key: None)
    services.write(export.pk)
    found = json.loads(r_prints(READR, files.path_of(export.pk)))
    assert found["columns"] == ["q001", "q002", "q002_missing", "q003_rep", *DEBIASED]
    stored = Response.objects.values_list("answers", flat=True)
    assert Counter(found["counts"]) == Counter(_shown(answers[:2], kind) for answers in stored)


def _shown(code: str, kind: str) -> str:
    """The code, or its label: guarded in what a spreadsheet may open."""
    if kind.endswith("codes"):
        return code
    guard = "'" if kind == "csv" and LABELS[code].startswith("=") else ""
    return guard + LABELS[code]
