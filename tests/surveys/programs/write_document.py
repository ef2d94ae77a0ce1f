"""``python -m tests.surveys.programs.write_document``: write the kept document anew."""

import os

import django

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    django.setup()
    from tests.surveys.programs.test_document import KEPT, written

    KEPT.write_text(written())
