"""Catalogues of translations: read and write .po files, compile .mo files. No gettext is needed.

The format: https://www.gnu.org/software/gettext/manual/html_node/PO-Files.html and MO-Files.html.
"""

import ast
import re
import struct
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

WIDTH = 90  # of a line of a .po file
MAGIC = 0x950412DE
TEXT = re.compile(r'(msgid|msgid_plural|msgstr|msgstr\[\d\])? ?(".*")')


@dataclass(frozen=True)
class Entry:
    """A text and its translations: one, or as many as the language has plural forms."""

    msgid: str
    plural: str = ""
    translations: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    is_fuzzy: bool = False

    @property
    def is_complete(self) -> bool:
        return bool(self.translations) and all(self.translations) and not self.is_fuzzy


def read(path: Path) -> list[Entry]:
    """The entries of a .po file; the first one is its header, with an empty text."""
    return [_entry(block) for block in re.split(r"\n\s*\n", path.read_text()) if block.strip()]


def write(path: Path, entries: Iterable[Entry]) -> None:
    """The same as a file that editors of translations open."""
    path.write_text("\n\n".join("\n".join(_lines(entry)) for entry in entries) + "\n")


def merged(entries: Iterable[Entry], found: Iterable[Entry], forms: int) -> list[Entry]:
    """A catalogue with exactly the texts that were found, and its translations of these."""
    header, *known = entries
    kept = {(entry.msgid, entry.plural): entry for entry in known}
    return [header, *(_with_translations(entry, kept, forms) for entry in found)]


def forms_of(header: Entry) -> int:
    """How many plural forms a catalogue's language has."""
    found = re.search(r"nplurals=(\d)", header.translations[0])
    if found is None:
        raise ValueError("The header says no nplurals.")
    return int(found.group(1))


def compiled(entries: Iterable[Entry]) -> bytes:
    """The .mo file of a catalogue: sorted texts and translations, each ended by NUL."""
    texts = {
        _joined((entry.msgid, entry.plural) if entry.plural else (entry.msgid,)): _joined(
            entry.translations
        )
        for entry in entries
        if entry.is_complete
    }
    keys = sorted(texts)
    count, start = len(keys), 7 * 4
    places, data = b"", b""
    for strings in (keys, [texts[key] for key in keys]):
        for string in strings:
            places += struct.pack("<2I", len(string), start + 16 * count + len(data))
            data += string + b"\0"
    head = struct.pack("<7I", MAGIC, 0, count, start, start + 8 * count, 0, start + 16 * count)
    return head + places + data


def _joined(strings: Iterable[str]) -> bytes:
    return "\0".join(strings).encode()


def _with_translations(entry: Entry, kept: Mapping[tuple[str, str], Entry], forms: int) -> Entry:
    before = kept.get((entry.msgid, entry.plural), entry)
    empty = ("",) * (forms if entry.plural else 1)
    translations = before.translations or empty
    return replace(entry, translations=translations, is_fuzzy=before.is_fuzzy)


def _entry(block: str) -> Entry:
    texts: dict[str, str] = {}
    name = ""
    for line in block.splitlines():
        if found := TEXT.fullmatch(line):
            name = found.group(1) or name
            texts[name] = texts.get(name, "") + ast.literal_eval(found.group(2))
    translations = tuple(text for name, text in texts.items() if name.startswith("msgstr"))
    sources = tuple(line[3:] for line in block.splitlines() if line.startswith("#: "))
    is_fuzzy = any(line.startswith("#,") and "fuzzy" in line for line in block.splitlines())
    return Entry(texts["msgid"], texts.get("msgid_plural", ""), translations, sources, is_fuzzy)


def _lines(entry: Entry) -> Iterator[str]:
    yield from (f"#: {source}" for source in entry.sources)
    if entry.is_fuzzy:
        yield "#, fuzzy"
    yield from _text("msgid", entry.msgid)
    if entry.plural:
        yield from _text("msgid_plural", entry.plural)
    for place, text in enumerate(entry.translations):
        yield from _text(f"msgstr[{place}]" if entry.plural else "msgstr", text)


def _text(name: str, text: str) -> Iterator[str]:
    """A string on one line, or cut behind spaces and line feeds into several."""
    quoted = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    if len(quoted) <= WIDTH - len(name) and "\\n" not in quoted:
        yield f'{name} "{quoted}"'
        return
    yield f'{name} ""'
    line = ""
    for word in re.findall(r".*?(?:\\n| |$)", quoted):
        if line and (len(line) + len(word) > WIDTH or line.endswith("\\n")):
            yield f'"{line}"'
            line = ""
        line += word
    if line:
        yield f'"{line}"'
