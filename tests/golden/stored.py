"""The copies as they are stored: a compressed file for each folder, since they are much alike.

``python -m tests.golden.stored FOLDER`` writes them there as files, one for each address, to read
them or to compare two versions.
"""

import lzma
import sys
from collections import defaultdict
from pathlib import Path

COPIES = Path(__file__).parent / "copies"
HEAD = "\x1e"  # begins the name of a file; no copy has it


def read() -> dict[str, str]:
    """The text of every copy, by its file."""
    found = {}
    for path in sorted(COPIES.rglob("*.xz")):
        folder = path.relative_to(COPIES).with_suffix("").as_posix()
        for part in lzma.decompress(path.read_bytes()).decode().split(HEAD)[1:]:
            name, _, text = part.partition("\n")
            found[f"{folder}/{name}"] = text
    return found


def write(copies: dict[str, str]) -> None:
    """Put these in place of all others."""
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
    for file, text in read().items():
        path = target / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


if __name__ == "__main__":
    unpack(Path(sys.argv[1]))
