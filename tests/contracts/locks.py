"""What the locks of ``config/`` pin."""

import re

from benchmarks.structure import ROOT


def text(name: str) -> str:
    """The lock of a role, of the service, or of all (``requirements``)."""
    return (ROOT / "config" / f"{name}.lock").read_text()


def locked(name: str) -> set[str]:
    """The packages that it pins."""
    return set(re.findall(r"^([\w.-]+)==\S+", text(name), re.M))


def pins(name: str) -> set[str]:
    """Versions and digests."""
    return set(re.findall(r"^[\w.-]+==\S+|--hash=\S+", text(name), re.M))
