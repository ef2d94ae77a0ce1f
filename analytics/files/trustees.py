"""A trustee's work: noise once for each table, a share once for it, and records beside the key.

A record is the file itself, put beside the key before anything leaves. So an interrupted run gives
the same file again, and another list, or another noise, never gets one: a list of one known person
among others' ballots cannot be opened in a second try, nor a total under fresh noise.
"""

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from analytics.privacy.mechanisms import VettedNoise
from surveys.collecting.keys.key_files import make_directory, write_new
from surveys.randomized_response.messages import sentence
from surveys.trust.digests import canonical
from surveys.trust.keyfiles import PrivateKey
from surveys.trust.refusals import TrustRefusal
from surveys.trust.tally.files import BallotList, NoisyTotals, TallyPlan, read_json
from surveys.trust.tally.group import times_base

RESTORED = "restored"


class UsedBefore(TrustRefusal):
    """This key was used for this table already, for something else."""


class Source(Protocol):
    """Where noise comes from."""

    def drawn_within(self, sigma: Any, half: int, count: int) -> list[int]: ...


@dataclass(frozen=True)
class KeyRecords:
    """What a key was used for: files in a folder beside it."""

    directory: Path

    @classmethod
    def beside(cls, key_file: Path) -> "KeyRecords":
        """Those of a key file, by whichever name it is called."""
        whole = key_file.resolve()
        return cls(whole.with_name(f"{whole.name}.used"))

    @property
    def is_restored(self) -> bool:
        """Whether the key came back from paper, so that earlier records may be elsewhere."""
        return (self.directory / RESTORED).exists()

    def note_restored(self) -> None:
        """From now on nothing is drawn before it is said what was drawn. Raises OSError."""
        make_directory(self.directory.absolute())
        with contextlib.suppress(FileExistsError):
            write_new(self.directory.absolute() / RESTORED, b"")

    def kept(self, kind: str, plan: TallyPlan) -> dict[str, Any] | None:
        """The file of this kind for this table, if there was one. Raises TrustRefusal, OSError."""
        try:
            content = self._path(kind, plan).read_bytes()
        except FileNotFoundError:
            return None
        return read_json(content)

    def keep(self, kind: str, plan: TallyPlan, file: Mapping[str, Any]) -> dict[str, Any]:
        """The first such file: this one, unless another run was faster. Raises OSError."""
        make_directory(self.directory.absolute())
        with contextlib.suppress(FileExistsError):
            write_new(self._path(kind, plan), canonical(file))
        return read_json(self._path(kind, plan).read_bytes())

    def _path(self, kind: str, plan: TallyPlan) -> Path:
        name = f"{kind}-{plan.table.revision.hex()}-{plan.table.number}.json"
        return self.directory.absolute() / name


def noise_file(
    private: PrivateKey,
    listed: BallotList,
    records: KeyRecords,
    *,
    may_be_first: bool = False,
    source: Source | None = None,
) -> dict[str, Any]:
    """A trustee's noise for a list of ballots: the same again for the same list.

    ``may_be_first`` says of a key that came back from paper that it has drawn none before. Raises
    TrustRefusal or OSError.
    """
    plan, trustee = listed.plan, number_of(private, listed.plan)
    if (before := records.kept("noise", plan)) is None:
        if records.is_restored and not may_be_first:
            raise UsedBefore(
                sentence(
                    "This key was restored from paper, so noise may already have been drawn with "
                    "the key for this table. If noise was drawn before, give the earlier noise "
                    "file with --earlier. If not, add --no-noise-was-drawn."
                )
            )
        half = 2 ** (plan.bits - 1)
        values = (source or VettedNoise()).drawn_within(plan.sigma, half, plan.table.cells)
        before = records.keep("noise", plan, listed.noise_file(trustee, values))
    _require_same_list(before, listed)
    return before


def adopt_noise(
    private: PrivateKey, listed: BallotList, records: KeyRecords, file: Mapping[str, Any]
) -> dict[str, Any]:
    """Take a restored key's own earlier file for its record. Raises TrustRefusal or OSError.

    Nothing in it shows who drew it: its holder has to know that it is their own.
    """
    if not records.is_restored:
        raise UsedBefore(
            sentence(
                "Leave out --earlier. An earlier noise file can be used only with a key that "
                "was restored from paper."
            )
        )
    listed.read_noise(file, number_of(private, listed.plan))
    kept = records.keep("noise", listed.plan, file)
    if canonical(kept) != canonical(file):
        raise UsedBefore(
            sentence("A different noise file for this table is already stored with this key.")
        )
    return kept


def share_file(private: PrivateKey, totals: NoisyTotals, records: KeyRecords) -> dict[str, Any]:
    """What opens these totals, once its own noise is in them; the same again for the same ones.

    Raises TrustRefusal or OSError.
    """
    plan = totals.listed.plan
    trustee = number_of(private, plan)
    own = records.kept("noise", plan)
    if own is None or canonical(own) != canonical(totals.noises[trustee - 1]):
        raise UsedBefore(
            sentence(
                "Use the noise file that was drawn with this key for this table. Your noise "
                "file is a different file. With a different noise file, the total would be "
                "opened with less noise than was promised."
            )
        )
    before = records.kept("share", plan)
    if before is None:
        before = records.keep("share", plan, totals.share_file(trustee, private.number))
    _require_same_list(before, totals.listed)
    if before.get("noise") != totals.digest.hex():
        raise UsedBefore(
            sentence(
                "This table was already opened with this key and other noise files. Use those "
                "earlier noise files, because each total is opened only once."
            )
        )
    return before


def number_of(private: PrivateKey, plan: TallyPlan) -> int:
    """Which trustee of a table this key is, from 1. Raises TrustRefusal."""
    keys = [trustee.key for trustee in plan.trustees]
    own = times_base(private.number)
    if own not in keys:
        raise TrustRefusal(sentence("This key does not belong to a trustee of this table."))
    return keys.index(own) + 1


def _require_same_list(file: Mapping[str, Any], listed: BallotList) -> None:
    if file.get("list") != listed.digest.hex():
        raise UsedBefore(
            sentence(
                "This key was already used for another list of ballots (locked answers) of this "
                "table. Use the list that was used first, because a table is opened only once."
            )
        )
