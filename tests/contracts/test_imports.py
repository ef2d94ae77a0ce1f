"""What a process does not load: the slow libraries that only some pages and jobs need."""

import subprocess
import sys

from benchmarks.structure import ROOT

SLOW = ["scipy.stats", "scipy.optimize"]
# All that only numbers, pictures and reports need; a command or a server starts without any of it.
LATER = [*SLOW, "scipy.fft", "scipy.linalg", "scipy.sparse", "scipy.special"]
LATER += ["opendp", "snowballstemmer", "analytics.topics", "analytics.text.bags", "vl_convert"]
# A report is made, and a picture is drawn; neither loads what the other needs.
NEEDED = """
import analytics.services.making
from surveys.web.drawing.pictures import svg
svg({"mark": "bar"})
"""
LOADED = """
import sys, django, os
os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
for step in {steps}:
    exec(step)
    print(*[name for name in {names} if name in sys.modules])
"""


def loaded(imports: str, names: list[str], tmp_path) -> list[str]:
    """Which of these modules a fresh process has after some imports."""
    (found,) = loaded_by([imports], names, tmp_path)
    return found


def loaded_by(steps: list[str], names: list[str], tmp_path) -> list[list[str]]:
    """Which of these it has after each of several steps."""
    done = subprocess.run(
        [sys.executable, "-c", LOADED.format(steps=steps, names=names)],
        cwd=ROOT,
        env={"DENIABLE_DATA_DIR": str(tmp_path), "DENIABLE_HTTPS": "off"},
        capture_output=True,
        text=True,
        check=True,
    )
    return [line.split() for line in done.stdout.splitlines()]


def test_all_pages_and_the_admin_are_there_before_a_formula_or_a_topic_model_is_loaded(tmp_path):
    """What every ``manage.py`` command pays, because each checks all addresses, and every server.

    Respondents' pages are among them. On SQLite the driver of PostgreSQL is not needed either.
    """
    pages = ["surveys.collecting.pages"]
    never = [*LATER, "psycopg"]
    steps = ["django.setup(); import config.urls", NEEDED]
    first, then = loaded_by(steps, [*pages, *never], tmp_path)
    assert first == pages
    assert {"analytics.topics", "vl_convert"} <= set(then), "what needs them loads them"


def test_designs_and_draws_load_no_scipy_at_all(tmp_path):
    imports = "from surveys.randomized_response import designs, drawing"
    assert loaded(imports, ["scipy", "numpy"], tmp_path) == ["numpy"]
