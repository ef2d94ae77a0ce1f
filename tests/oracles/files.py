"""Where oracle files are, and when a computed result agrees with one."""

import json
import math
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
DEFAULT_FILE = HERE / "rr_oracles.json"
COMPARISON_ONLY = "peer_"

Case = dict[str, Any]


def oracle_directory() -> Path:
    """The directory in the environment variable ORACLES, by default the one of the tests."""
    return Path(os.environ.get("ORACLES") or HERE)


def lacks_data(case: Case) -> bool:
    """Whether a case names a file of data that stands neither beside the cases nor in ../data."""
    places = oracle_directory(), oracle_directory().parent / "data"
    parts = [part for part in (case["params"], case.get("input")) if isinstance(part, dict)]
    named = [part["file"] for part in parts if "file" in part]
    return any(not any((place / name).exists() for place in places) for name in named)


def cases_in(path: Path) -> list[Case]:
    """The cases of a file of this schema; none if the file follows another one."""
    content = json.loads(path.read_text(encoding="utf-8"))
    cases = content.get("cases") if isinstance(content, dict) else None
    if not isinstance(cases, list):
        return []
    return [c for c in cases if isinstance(c, dict) and {"design", "estimator"} <= c.keys()]


def all_cases() -> Iterator[tuple[str, Case]]:
    """(test id, case) for every recognised file; ids are unique within a file."""
    for path in sorted(oracle_directory().glob("*_oracles.json")):
        for case in cases_in(path):
            yield f"{path.stem}-{case['id']}", case


def seed_cases(system: str) -> Iterator[tuple[str, Case]]:
    """(id, case) of every case of a system in the files that hold a list of cases."""
    for path in sorted(oracle_directory().glob("*_oracles.json")):
        content = json.loads(path.read_text(encoding="utf-8"))
        for case in content if isinstance(content, list) else []:
            if case.get("system") == system:
                yield case["id"], case


def is_near(computed: Any, expected: Any, tolerance: float) -> bool:
    """Whether all numbers within agree to an absolute tolerance; all else must be the same."""
    if isinstance(expected, dict):
        same = set(expected) == set(computed)
        return same and all(is_near(computed[k], v, tolerance) for k, v in expected.items())
    if isinstance(expected, list):
        pairs = zip(computed, expected, strict=False)
        same = len(computed) == len(expected)
        return same and all(is_near(c, e, tolerance) for c, e in pairs)
    if expected is None or isinstance(expected, str):
        return bool(computed == expected)
    return computed is not None and bool(abs(computed - expected) <= tolerance)


def disagreements(expected: Case, computed: Case, tolerance: Case) -> list[str]:
    """One line per expected output that is missing or differs; empty when all agree."""
    lines = []
    for key, value in expected.items():
        if key.startswith(COMPARISON_ONLY):
            continue
        allowed = {**tolerance, **_nested(tolerance, key)}
        if key not in computed:
            lines.append(f"{key}: not computed")
        elif not agrees(computed[key], value, allowed["abs"], allowed["rel"]):
            lines.append(f"{key}: computed {computed[key]}, expected {value}")
    return lines


def agrees(result: Any, expected: Any, absolute: float, relative: float) -> bool:
    """|r - e| <= abs + rel * max(1, |e|), entry by entry; null and "infinite" must be the same."""
    if expected is None:
        return result is None
    if expected == "infinite":
        return result == math.inf
    if isinstance(expected, dict):
        return bool(result == expected)
    if isinstance(expected, list):
        items = list(result)
        pairs = zip(items, expected, strict=False)
        same_length = len(items) == len(expected)
        return same_length and all(agrees(r, e, absolute, relative) for r, e in pairs)
    if result is None or not math.isfinite(result):
        return False
    return bool(abs(result - expected) <= absolute + relative * max(1.0, abs(expected)))


def _nested(tolerance: Case, key: str) -> Case:
    override = tolerance.get(key)
    return override if isinstance(override, dict) else {}
