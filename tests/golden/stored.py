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


def read(engine: str = "sqlite", folder: Path = COPIES) -> dict[str, str]:
    """The text of every copy, by its file, as this database gives it."""
    every = _all(folder)
    usual = {file: text for file, text in every.items() if not file.startswith(OTHER)}
    own = {file.removeprefix(OTHER): every[file] for file in every if file.startswith(OTHER)}
    return {**usual, **own} if engine == "postgresql" else usual


def write(copies: dict[str, str], engine: str = "sqlite", folder: Path = COPIES) -> None:
    """Put these in place of all others of this database."""
    usual = read(folder=folder)
    if engine == "postgresql":
        differ = {file: text for file, text in copies.items() if usual.get(file) != text}
        _write_all({**usual, **{f"{OTHER}{file}": text for file, text in differ.items()}}, folder)
        return
    own = {file: text for file, text in _all(folder).items() if file.startswith(OTHER)}
    _write_all({**copies, **own}, folder)


def _all(copies: Path) -> dict[str, str]:
    found = {}
    for path in sorted(copies.rglob("*.xz")):
        folder = path.relative_to(copies).with_suffix("").as_posix()
        for part in lzma.decompress(path.read_bytes()).decode().split(HEAD)[1:]:
            name, _, text = part.partition("\n")
            found[f"{folder}/{name}"] = text
    return found


def _write_all(copies: dict[str, str], target: Path) -> None:
    folders: dict[str, list[str]] = defaultdict(list)
    for file, text in sorted(copies.items()):
        folder, _, name = file.rpartition("/")
        folders[folder].append(f"{HEAD}{name}\n{text}")
    for path in target.rglob("*.xz"):
        path.unlink()
    for folder, parts in folders.items():
        path = target / f"{folder}.xz"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(lzma.compress("".join(parts).encode()))


def unpack(target: Path) -> None:
    """Write each as a file below a folder."""
    for file, text in _all(COPIES).items():
        path = target / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


if __name__ == "__main__":
    unpack(Path(sys.argv[1]))
