"""The program's files that make respondents' pages, each with its digest: ``release.json``.

A wheel carries the file as it was built; a running site works it out from the files it has. It
imports nothing of the site, because building a wheel needs it too.
"""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

NAME = "release.json"
# Templates, the words in them, scripts, styles, pictures, and what others wrote.
PATTERNS = (
    "templates/base_respondent.html",
    "templates/error.html",
    "templates/kinds/**/*",
    "templates/surveys/collecting/**/*",
    "locale/respondents/**/*.mo",
    "static/surveys/collecting/**/*",
    "static/surveys/web/tokens.css",
    "static/vendor/**/*",
)


def release_file(root: Path, version: str) -> bytes:
    """``{"files": {path: SHA-256}, "version"}`` of the program in this folder; paths are sorted."""
    files = {path: hashlib.sha256((root / path).read_bytes()).hexdigest() for path in paths(root)}
    document = {"version": version, "files": files}
    return (json.dumps(document, sort_keys=True, indent=1) + "\n").encode()


def paths(root: Path) -> list[str]:
    """Of the files that make respondents' pages, below the program's folder."""
    return sorted({path.relative_to(root).as_posix() for path in _matching(root)})


def _matching(root: Path) -> Iterator[Path]:
    for pattern in PATTERNS:
        yield from (path for path in root.glob(pattern) if path.is_file())
