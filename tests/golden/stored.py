"""The copies as they are stored: a compressed file for each folder, since they are much alike.

PostgreSQL has a second copy where it says something else: it gives the keys of a JSON object in an
order of its own, and rows that have no order in another one. ``python -m tests.golden.stored
FOLDER`` writes them there as files, one for each address, to read
them or to compare two versions.
"""

import lzma
import sys
from collections import defaultdict
from pathlib import Path

COPIES = Path(__file__).parent / "copies"
OTHER = "postgresql/"
HEAD = "\x1e"  # begins the name of a file; no copy has it


def read(engine: str = "sqlite") -> dict[str, str]:
    """The text of every copy, by its file, as this database gives it."""
    every = _all()
    usual = {file: text for file, text in every.items() if not file.startswith(OTHER)}
    own = {file.removeprefix(OTHER): every[file] for file in every if file.startswith(OTHER)}
    return {**usual, **own} if engine == "postgresql" else usual


def write(copies: dict[str, str], engine: str = "sqlite") -> None:
    """Put these in place of all others of this database."""
    usual = read()
    if engine == "postgresql":
        differ = {file: text for file, text in copies.items() if usual.get(file) != text}
        _write_all({**usual, **{f"{OTHER}{file}": text for file, text in differ.items()}})
        return
    own = {file: text for file, text in _all().items() if file.startswith(OTHER)}
    _write_all({**copies, **own})


def _all() -> dict[str, str]:
    found = {}
    for path in sorted(COPIES.rglob("*.xz")):
        folder = path.relative_to(COPIES).with_suffix("").as_posix()
        for part in lzma.decompress(path.read_bytes()).decode().split(HEAD)[1:]:
            name, _, text = part.partition("\n")
            found[f"{folder}/{name}"] = text
    return found


def _write_all(copies: dict[str, str]) -> None:
    folders: dict[str, list[str]] = defaultdict(list)
    for file, text in sorted(copies.items()):
        folder, _, name = file.rpartition("/")
        folders[folder].append(f"{HEAD}{name}\n{text}")
    for path in COPIES.rglob("*.xz"):
        path.unlink()
    for folder, parts in folders.items():
        path = COPIES / f"{folder}.xz"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(lzma.compress("".join(parts).encode()))


def unpack(target: Path) -> None:
    """Write each as a file below a folder."""
    for file, text in _all().items():
        path = target / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


if __name__ == "__main__":
    unpack(Path(sys.argv[1]))
