"""Keys that sign vouchers: two primes in one file for each survey, beside the keys of batches.

All web servers share that directory, and whichever is asked signs. The file is made when the survey
is launched and overwritten at the close, from which on nothing is signed.
"""

from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

from surveys.collecting.keys import key_files
from surveys.collecting.keys.batch_keys import KeyLost
from surveys.trust.vouchers import PRIME_BYTES, SigningKey


class SigningKeyLost(KeyLost):
    """The key that signs a survey's vouchers is not there, or is another survey's."""


def keep(directory: Path, survey_id: UUID, signing: SigningKey) -> None:
    """Put a key into its file, durably. Raises OSError, FileExistsError."""
    key_files.make_directory(directory)
    key_files.write_new(path_of(directory, survey_id), signing.to_bytes())


def read(directory: Path, survey_id: UUID, modulus: bytes) -> SigningKey:
    """The key whose public half was published. Raises SigningKeyLost."""
    try:
        content = path_of(directory, survey_id).read_bytes()
    except FileNotFoundError:
        raise SigningKeyLost(survey_id) from None
    if len(content) != 2 * PRIME_BYTES:
        raise SigningKeyLost(survey_id)
    signing = SigningKey.from_bytes(content)
    if signing.modulus != modulus:
        raise SigningKeyLost(survey_id)
    return signing


def is_kept(directory: Path, survey_id: UUID, modulus: bytes) -> bool:
    """Whether the key is there, and the right one."""
    try:
        read(directory, survey_id, modulus)
    except SigningKeyLost:
        return False
    return True


def destroy(directory: Path, survey_id: UUID) -> None:
    """Overwrite the file and remove it; nothing happens if it is gone already."""
    key_files.destroy(path_of(directory, survey_id))


def paths(directory: Path) -> Iterator[Path]:
    """All such files."""
    return directory.glob("*.voucher")


def path_of(directory: Path, survey_id: UUID) -> Path:
    """The file of a survey's key."""
    return directory / f"{survey_id}.voucher"
