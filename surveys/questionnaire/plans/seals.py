"""Seals: the researchers' keys for which a survey's page seals free texts, as frozen at launch.

``{"keys": [{"name", "key"}, ...], "suite": "X25519 HKDF-SHA256 AES-256-GCM"}``: one key, or two of
which both are needed; the first is layer 1, innermost. Absent where texts are readable.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self

# RFC 9180's names of the key agreement, the derivation and the cipher. Frozen and never negotiated.
SUITE_NAME = "X25519 HKDF-SHA256 AES-256-GCM"
# One key, or two of which both are needed.
MOST_LAYERS = 2
KEY_DIGITS = 64
# What a layer adds to what it seals: an encapsulated key of 32 bytes and a tag of 16 (RFC 9180).
ADDED_BYTES = 48


@dataclass(frozen=True)
class SealKey:
    """The public half of a key: ``name`` says who holds the other, ``key`` is 32 bytes as hex."""

    name: str
    key: str

    def __post_init__(self) -> None:
        if not (isinstance(self.name, str) and isinstance(self.key, str)):
            raise ValueError("A key has a name and 64 hexadecimal digits.")
        if len(self.key) != KEY_DIGITS or set(self.key) - set("0123456789abcdef"):
            raise ValueError("A key is 64 hexadecimal digits in small letters.")

    @property
    def public(self) -> bytes:
        """The key itself."""
        return bytes.fromhex(self.key)


@dataclass(frozen=True)
class Seals:
    """In which order texts are sealed for which keys. Raises ValueError for what none launches."""

    keys: tuple[SealKey, ...]
    suite: str = SUITE_NAME

    def __post_init__(self) -> None:
        if self.suite != SUITE_NAME:
            raise ValueError("Texts are sealed in a way that this program does not know.")
        if not 1 <= len(self.keys) <= MOST_LAYERS:
            raise ValueError("Texts are sealed for one key, or for two.")
        if len({key.key for key in self.keys}) < len(self.keys):
            raise ValueError("The two keys are the same.")

    @classmethod
    def from_document(cls, entry: Mapping[str, Any] | None) -> Self | None:
        """None where texts are readable. Raises ValueError, and KeyError or TypeError for junk."""
        if entry is None:
            return None
        keys = tuple(SealKey(key["name"], key["key"]) for key in entry["keys"])
        return cls(keys, entry["suite"])

    def to_document(self) -> dict[str, Any]:
        """What the launched document holds."""
        return {"keys": [asdict(key) for key in self.keys], "suite": self.suite}

    @property
    def layers(self) -> int:
        """How many keys are needed."""
        return len(self.keys)

    @property
    def publics(self) -> tuple[bytes, ...]:
        """The keys in the order of layers, the innermost first."""
        return tuple(key.public for key in self.keys)
