"""``python -m tests.locale.make``: bring the catalogues up to date with what is marked.

Texts that are new stand in each .po file without a translation, those that are gone are taken out,
and the .mo files, which the program reads, are compiled. Translate what is empty and run it again.
A catalogue with "du" or "tu" has the texts that say "Sie" or "vous" in its language, and no others.
One of an earlier edition keeps its words, without those of sentences that no page says any more.
"""

import os
import sys
from dataclasses import replace
from pathlib import Path

from tests.locale import catalogues

LOCALE = Path(__file__).parent.parent.parent / "locale"


def po_files(catalogue: str) -> list[Path]:
    return sorted((LOCALE / catalogue).glob("*/LC_MESSAGES/django.po"))


def po_file(catalogue: str, language: str) -> Path:
    return LOCALE / catalogue / language / "LC_MESSAGES" / "django.po"


def main() -> None:
    from tests.locale.sources import CATALOGUES, marked_texts  # only once Django is set up

    for catalogue in CATALOGUES:
        _make(catalogue, marked_texts(catalogue))


def _make(catalogue: str, found: list[catalogues.Entry]) -> None:
    from tests.locale.address import BASE_OF
    from tests.locale.editions import NEWEST_OF

    paths = {path.parent.parent.name: path for path in po_files(catalogue)}
    newest = [name for name in paths if name not in NEWEST_OF]
    for name in sorted(newest, key=lambda name: name in BASE_OF):  # after those they differ from
        _make_newest(catalogue, name, found)
    for name in paths.keys() & NEWEST_OF.keys():
        _make_earlier(catalogue, name, found)


def _make_newest(catalogue: str, name: str, found: list[catalogues.Entry]) -> None:
    from tests.locale.address import BASE_OF, overlaid, to_say_otherwise

    path, base = po_file(catalogue, name), BASE_OF.get(name)
    if base is None:
        entries = compiled = _merged(path, found)
    else:
        formal = catalogues.read(po_file(catalogue, base))
        wanted = to_say_otherwise(base, formal[1:])
        # Without what they say formally: a new one stands there empty.
        entries = _merged(path, [replace(one, translations=()) for one in wanted])
        compiled = overlaid(formal, entries[1:])
    _write(path, entries, compiled)
    missing = sum(not entry.is_complete for entry in entries)
    sys.stdout.write(f"{catalogue}, {name}: {len(entries) - 1} texts, {missing} not translated\n")


def _make_earlier(catalogue: str, name: str, found: list[catalogues.Entry]) -> None:
    from tests.locale.editions import marked, words_of

    path = po_file(catalogue, name)
    entries = marked(catalogues.read(path), found)
    _write(path, entries, words_of(name, entries))


def _write(path: Path, entries: list[catalogues.Entry], compiled: list[catalogues.Entry]) -> None:
    catalogues.write(path, entries)
    path.with_suffix(".mo").write_bytes(catalogues.compiled(compiled))


def _merged(path: Path, found: list[catalogues.Entry]) -> list[catalogues.Entry]:
    known = catalogues.read(path)
    return catalogues.merged(known, found, catalogues.forms_of(known[0]))


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    import django

    django.setup()
    main()
