"""Bundles of others' cryptography that pages load: which, whose, and whether they stand here.

They are no files of this repository: ``config/bundles.py`` builds them into ``static/vendor/``,
where ``digests.txt`` pins every byte. The standard library alone, because wheels are built with it.
"""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

DIRECTORY = Path(__file__).parents[2] / "static" / "vendor"
HOW_TO_BUILD = "python -m config.bundles"


@dataclass(frozen=True)
class Bundle:
    """One file that is built of one package, and of the packages that this one builds on.

    ``uses`` are the names that pages use of it, after the module that exports them.
    """

    package: str
    uses: tuple[tuple[str, tuple[str, ...]], ...]
    builds_on: tuple[str, ...] = ()

    @property
    def exports(self) -> tuple[str, ...]:
        """All names that pages use of it, sorted."""
        return tuple(sorted(name for _, names in self.uses for name in names))

    @property
    def file(self) -> str:
        """After the package, without the scope that publishes it."""
        return f"{self.package.rpartition('/')[2]}.js"

    @property
    def path(self) -> str:
        """Below the static files."""
        return f"vendor/{self.file}"

    @property
    def version(self) -> str:
        """As ``package.json`` pins it."""
        pinned: str = _pinned()[self.package]
        return pinned

    @property
    def digest(self) -> str:
        """The SHA-256 of its only right content, in hexadecimal."""
        lines = (DIRECTORY / "digests.txt").read_text().splitlines()
        digests = {file: digest for digest, file in (line.split() for line in lines)}
        return digests[self.file]

    def fault(self) -> str:
        """Why pages cannot load it, in a sentence; empty where they can."""
        built = DIRECTORY / self.file
        if not built.exists():
            return f"static/vendor/{self.file} was not built. Run {HOW_TO_BUILD}"
        if (found := hashlib.sha256(built.read_bytes()).hexdigest()) != self.digest:
            return (
                f"static/vendor/{self.file} has the SHA-256 {found}, where digests.txt has "
                f"{self.digest}. Run {HOW_TO_BUILD}"
            )
        return ""


HPKE = Bundle(
    "hpke",
    (
        (
            "hpke",
            ("AEAD_AES_256_GCM", "CipherSuite", "KDF_HKDF_SHA256", "KEM_DHKEM_X25519_HKDF_SHA256"),
        ),
    ),
)
CURVES = Bundle(
    "@noble/curves",
    (
        ("@noble/curves/abstract/edwards.js", ("edwards",)),
        ("@noble/curves/utils.js", ("bytesToNumberLE", "concatBytes", "hexToBytes")),
    ),
    builds_on=("@noble/hashes",),
)
BUNDLES = (HPKE, CURVES)


def faults() -> list[str]:
    """Why pages cannot load some bundle, a sentence each; empty where they can load all."""
    return [fault for bundle in BUNDLES if (fault := bundle.fault())]


def _pinned() -> dict[str, str]:
    packages: dict[str, str] = json.loads((DIRECTORY / "package.json").read_text())["dependencies"]
    return packages
