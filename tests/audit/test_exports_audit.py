"""Files of 100,000 answers, as the worker writes them, are read whole by pandas."""

import resource
import time
from collections import Counter

import numpy as np
import pandas as pd
import pytest

from surveys.models import Export, Response, Survey
from surveys.results.taking import files, services
from surveys.results.taking.formats import FORMATS
from tests import factories
from tests.stored import store_rows

pytestmark = [pytest.mark.audit, pytest.mark.django_db(transaction=True)]
ROWS = 100_000
LABELS = {"00": "Bus", "01": "=Tram", "02": "Zürich–Bern"}  # one that a spreadsheet would run


@pytest.fixture
def survey(owner, settings, tmp_path) -> Survey:
    settings.EXPORTS_DIR = tmp_path / "exports"
    draft = factories.make_survey(owner)
    factories.add_question(draft, *LABELS.values(), text="How?", kind="choice", design="direct")
    factories.add_serial_number(draft, width=6)
    survey = factories.launched(draft)
    codes = np.array(list(LABELS))[np.random.default_rng(1).integers(0, len(LABELS), ROWS)]
    store_rows(survey.revision, [f"{code}{place:06d}" for place, code in enumerate(codes)])
    return survey


@pytest.mark.parametrize("kind", FORMATS)
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
    assert list(table.columns) == ["q001", "q002"]
    assert sorted(map(int, table["q002"])) == list(range(ROWS))
    stored = Counter(Response.objects.values_list("answers", flat=True))
    assert stored.total() == ROWS
    expected = Counter(_shown(answers[:2], kind) for answers in stored)
    assert Counter(table["q001"]) == expected


def _shown(code: str, kind: str) -> str:
    """The code, or its label: guarded in what a spreadsheet may open."""
    if kind.endswith("codes"):
        return code
    guard = "'" if kind == "csv" and LABELS[code].startswith("=") else ""
    return guard + LABELS[code]
