"""``python -m tests.locale.make``: bring the catalogues up to date with what is marked.

Texts that are new stand in each .po file without a translation, those that are gone are taken out,
and the .mo files, which the program reads, are compiled. Translate what is empty and run it again.
"""

import os
import sys
from pathlib import Path

from tests.locale import catalogues

LOCALE = Path(__file__).parent.parent.parent / "locale"


def po_files(catalogue: str) -> list[Path]:
    return sorted((LOCALE / catalogue).glob("*/LC_MESSAGES/django.po"))


def main() -> None:
    from tests.locale.sources import CATALOGUES, marked_texts  # only once Django is set up

    for catalogue in CATALOGUES:
        _make(catalogue, marked_texts(catalogue))


def _make(catalogue: str, found: list[catalogues.Entry]) -> None:
    for path in po_files(catalogue):
        known = catalogues.read(path)
        entries = catalogues.merged(known, found, catalogues.forms_of(known[0]))
        catalogues.write(path, entries)
        path.with_suffix(".mo").write_bytes(catalogues.compiled(entries))
        missing = sum(not entry.is_complete for entry in entries)
        language = path.parent.parent.name
        sys.stdout.write(
            f"{catalogue}, {language}: {len(entries) - 1} texts, {missing} not translated\n"
        )


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    import django

    django.setup()
    main()
