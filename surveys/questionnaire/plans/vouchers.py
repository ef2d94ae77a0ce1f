"""VoucherPlan: the key that signs unseen who may answer once, as frozen at launch, and the wait.

``{"n": 512 hexadecimal digits, "wait": seconds}``, with ``"script_only": true`` where the form
without the script is refused. Absent where an invitation's code is sent with the answers.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Self

# Mean seconds between exchange and Send, if the page waits at all. ``docs/privacy.md`` has what a
# server that logs every moment finds out with it and without.
MEAN_WAIT = 60
WAITS = (0, MEAN_WAIT)
# No wait is longer, so that people who wait are still there at its end.
LONGEST_WAIT = timedelta(minutes=5)
# After the last day: exchanged before midnight, sent after it. Twice the longest wait.
TAKEN_FOR = timedelta(minutes=10)
DIGITS = 512  # of a modulus of 2,048 bits


@dataclass(frozen=True)
class VoucherPlan:
    """What a launched document says of vouchers; a draft has no modulus ``n`` yet.

    ``wait`` is the mean in seconds of the random time that the page waits before it sends. With
    ``script_only`` no code is taken with answers, so that all come with vouchers. Raises
    ValueError.
    """

    wait: int = MEAN_WAIT
    script_only: bool = False
    n: str = ""

    def __post_init__(self) -> None:
        if self.wait not in WAITS or not isinstance(self.script_only, bool):
            raise ValueError("Pages wait 0 or 60 seconds in the mean, and no other time.")
        if not isinstance(self.n, str) or set(self.n) - set("0123456789abcdef"):
            raise ValueError("The key of vouchers is hexadecimal digits in small letters.")
        # The highest bit is set, so that each number of that size is nearly surely below it.
        if self.n and (len(self.n) != DIGITS or self.n[0] < "8" or not int(self.n[-1], 16) % 2):
            raise ValueError("The key of vouchers is an odd number of 2,048 bits.")

    @classmethod
    def from_document(cls, entry: Mapping[str, Any] | None) -> Self | None:
        """None where codes are sent with answers. Raises ValueError, KeyError or TypeError."""
        if entry is None:
            return None
        return cls(entry["wait"], entry.get("script_only", False), entry["n"])

    def to_document(self) -> dict[str, Any]:
        """What the launched document holds."""
        refused = {"script_only": True} if self.script_only else {}
        return {"n": self.n, "wait": self.wait, **refused}

    @property
    def modulus(self) -> bytes:
        """The public key, 256 bytes."""
        return bytes.fromhex(self.n)
