"""Cells that are known to break a bound, each with the reason."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from benchmarks.intervals.bounds import SHARES, Cell


@dataclass(frozen=True)
class Known:
    """Of these families, at these numbers of people and shares, in one part."""

    part: str
    families: tuple[str, ...]
    cells: tuple[tuple[int, float], ...]
    why: str

    def __contains__(self, cell: Cell) -> bool:
        return cell.family in self.families and (cell.n, cell.share) in self.cells


_RARE = (
    "no one of these people says 60, and one in a hundred might, as in the next cells: an interval "
    "that holds there reaches as far here"
)
_NO_BOUNDS = (
    "numbers whose bounds are not known: no interval holds for all their laws (Bahadur and Savage, "
    "1956), and one of the variance misses where few people, who may all agree, carry most of the "
    "weight or of the law"
)
_OF_R = (
    "these are the numbers of R's survey (svyciprop, method beta), which take the spread among the "
    "2, 10 or 100 people who carry half of the weight from these people"
)
_TWENTY = tuple((20, share) for share in SHARES)
_OF_TEN = ((20, 0.02), (20, 0.2), (100, 0.02), (100, 0.2))
_AGREE = (100, 0.5)

KNOWN = (
    Known(
        "once",
        ("mean: direct number, some say 60 (page)",),
        ((20, 0.0), (100, 0.0), (1_000, 0.0)),
        _RARE,
    ),
    Known(
        "live",
        ("mean: direct number, some say 60 (page)",),
        ((100, 0.0), (1_000, 0.0), (5_000, 0.0)),
        _RARE,
    ),
    Known("once", ("weighted: Direct, 10%, related",), ((20, 0.2), (20, 0.5)), _OF_R),
    Known(
        "once",
        ("weighted: Direct, 10%, unrelated",),
        ((20, 0.2), (20, 0.5), (100, 0.2), (1_000, 0.02)),
        _OF_R,
    ),
    Known("once", ("weighted: Two coins, 10%, related",), _TWENTY, _OF_R),
    Known(
        "once",
        ("two groups: means (package)",),
        (*_TWENTY, *((100, share) for share in SHARES[1:])),
        _NO_BOUNDS,
    ),
    Known(
        "once",
        ("weighted: mean, 10%, related (package)",),
        (*_OF_TEN, (20, 0.5), (1_000, 0.02)),
        _NO_BOUNDS,
    ),
    Known(
        "once",
        ("poststratified: Direct, 10%, total (package)",),
        (*_OF_TEN, _AGREE, (1_000, 0.02)),
        _NO_BOUNDS,
    ),
    Known(
        "once",
        ("poststratified: Two coins, 10%, total (package)",),
        (*_TWENTY, (100, 0.0), (100, 0.02), _AGREE),
        _NO_BOUNDS,
    ),
    Known(
        "once",
        ("clustered: Direct, total (package)",),
        ((20, 0.02), (20, 0.2), (100, 0.02)),
        _NO_BOUNDS,
    ),
)


def unexpected(part: str, cells: Iterable[Cell]) -> Iterator[str]:
    """In words: each cell that breaks a bound and is not known to, or is known to and does not."""
    for cell in cells:
        is_known = any(cell in known for known in KNOWN if known.part == part)
        if cell.problems and not is_known:
            yield f"breaks a bound: {cell}"
        elif is_known and not cell.problems:
            yield f"is listed in known.py and holds: {cell}"


def reasons() -> str:
    """Why, a line for each entry."""
    lines = (
        f"\n{known.part}: {', '.join(known.families)}: {len(known.cells)} cells: {known.why}"
        for known in KNOWN
    )
    return "".join(lines)
