"""``python -m tests.surveys.programs.write_document``: write what is kept of the interface anew.

The document, the examples that the program answers, and the page made of both.
"""

import os
import subprocess
import sys

import django

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    django.setup()
    from benchmarks.reference import page
    from tests.conftest import ROOT
    from tests.surveys.programs.test_document import KEPT, written

    KEPT.write_text(written())
    examples = [sys.executable, "-m", "pytest", "-q", "tests/surveys/programs/test_examples.py"]
    # A test has a database of its own.
    own = {name: value for name, value in os.environ.items() if name != "DENIABLE_DATA_DIR"}
    subprocess.run(examples, env={**own, "WRITE_EXAMPLES": "on"}, check=True)
    (ROOT / "docs" / "api.md").write_text(page())
