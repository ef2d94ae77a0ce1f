"""Identical blocks: runs of six and more lines that stand in two places.

Lines are compared without the white space at their ends and with each inner run of it as one space.
Blank lines, comments and imports are passed over. A run is as long as it can be made; of places
that overlap, the second does not count. A block that stands in three places is one block.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import combinations
from pathlib import Path

SHORTEST = 6
PASSED_OVER = re.compile(r"$|#|//|/\*|\*|\{#.*#\}$|import\s|from\s[\w.]+\simport\s")

Place = tuple[Path, int]  # a file, and an index into its lines that count


def repeated_blocks(paths: Iterable[Path]) -> dict[tuple[str, ...], list[tuple[Path, int]]]:
    """Each block with the file and line number of every place it stands in."""
    numbered = {path: list(_lines(path)) for path in paths}
    lines = {path: [text for _, text in each] for path, each in numbered.items()}
    blocks: dict[tuple[str, ...], set[Place]] = defaultdict(set)
    for first, second in _pairs(lines):
        length = _common(lines, first, second)
        path, start = first
        blocks[tuple(lines[path][start : start + length])] |= {first, second}
    return {
        block: sorted((path, numbered[path][start][0]) for path, start in places)
        for block, places in blocks.items()
    }


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """The lines that count, with their numbers."""
    in_import = False
    for number, line in enumerate(path.read_text().splitlines(), start=1):
        text = " ".join(line.split())
        opens = bool(re.match(r"(from|import)\b.*[({]$", text))
        if not in_import and not opens and not PASSED_OVER.match(text):
            yield number, text
        in_import = opens or (in_import and not re.match(r"[)}]", text))


def _pairs(lines: dict[Path, list[str]]) -> Iterator[tuple[Place, Place]]:
    """Places with the same six lines; only where a run starts."""
    windows: dict[tuple[str, ...], list[Place]] = defaultdict(list)
    for path, texts in lines.items():
        for start in range(len(texts) - SHORTEST + 1):
            windows[tuple(texts[start : start + SHORTEST])].append((path, start))
    for places in windows.values():
        for first, second in combinations(places, 2):
            if not _same_before(lines, first, second) and not _overlap(first, second):
                yield first, second


def _same_before(lines: dict[Path, list[str]], first: Place, second: Place) -> bool:
    (one, start), (other, place) = first, second
    return min(start, place) > 0 and lines[one][start - 1] == lines[other][place - 1]


def _overlap(first: Place, second: Place) -> bool:
    return first[0] == second[0] and abs(first[1] - second[1]) < SHORTEST


def _common(lines: dict[Path, list[str]], first: Place, second: Place) -> int:
    """The number of lines that are the same from these places on."""
    (one, start), (other, place) = first, second
    pairs = zip(lines[one][start:], lines[other][place:], strict=False)
    length = 0
    for mine, yours in pairs:
        if mine != yours:
            break
        length += 1
    return length
