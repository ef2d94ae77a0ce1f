"""What a process does not load: the slow libraries that only some pages and jobs need."""

import subprocess
import sys

from benchmarks.structure import ROOT

SLOW = ["scipy.stats", "scipy.optimize"]
# All that only numbers, pictures and reports need; a command or a server starts without any of it.
LATER = [*SLOW, "scipy.fft", "scipy.linalg", "scipy.sparse", "scipy.special"]
LATER += ["opendp", "snowballstemmer", "analytics.topics", "analytics.text.bags", "vl_convert"]
LOADED = """
import sys, django, os
os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
{imports}
print(*[name for name in {names} if name in sys.modules])
"""


def loaded(imports: str, names: list[str], tmp_path) -> list[str]:
    """Which of these modules a fresh process has after some imports."""
    done = subprocess.run(
        [sys.executable, "-c", LOADED.format(imports=imports, names=names)],
        cwd=ROOT,
        env={"DENIABLE_DATA_DIR": str(tmp_path), "DENIABLE_HTTPS": "off"},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.split()


def test_all_pages_and_the_admin_are_there_before_a_formula_or_a_topic_model_is_loaded(tmp_path):
    """What every ``manage.py`` command pays, because each checks all addresses, and every server.

    Respondents' pages are among them. On SQLite the driver of PostgreSQL is not needed either.
    """
    pages = ["surveys.collecting.pages"]
    never = [*LATER, "psycopg"]
    assert loaded("django.setup(); import config.urls", [*pages, *never], tmp_path) == pages


def test_designs_and_draws_load_no_scipy_at_all(tmp_path):
    imports = "from surveys.randomized_response import designs, drawing"
    assert loaded(imports, ["scipy", "numpy"], tmp_path) == ["numpy"]


def test_what_needs_a_slow_library_loads_it(tmp_path):
    """In one process, a second and a half of work: neither of the two loads the other's library."""
    drawing = "from surveys.web.drawing.pictures import svg; svg({'mark': 'bar'})"
    making = "import analytics.services.making"
    found = loaded(f"django.setup(); {making}; {drawing}", LATER, tmp_path)
    assert {"analytics.topics", "vl_convert"} <= set(found)
