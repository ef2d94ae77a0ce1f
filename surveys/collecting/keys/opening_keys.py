"""Files of opening keys: the private halves, one for each survey, for the worker alone.

Made at launch, read by the openings, destroyed some days after the close. The public half is in
the survey's document.
"""

from pathlib import Path
from uuid import UUID

from django.conf import settings

from surveys.collecting.keys import key_files
from surveys.trust import sealing


class OpeningKeyLost(LookupError):
    """The private half of a survey's opening key is not there, or belongs to another survey."""


def directory() -> Path:
    """Where the private halves are."""
    return Path(settings.OPENING_KEYS_DIR)


def keep(survey_id: UUID, private: bytes) -> None:
    """Put a private half into its file, durably. Raises OSError, FileExistsError."""
    key_files.make_directory(directory())
    key_files.write_new(path_of(survey_id), private)


def read(survey_id: UUID, public: bytes) -> bytes:
    """The private half that belongs to a survey's public one. Raises OpeningKeyLost."""
    try:
        private = path_of(survey_id).read_bytes()
    except FileNotFoundError:
        raise OpeningKeyLost(survey_id) from None
    if len(private) != sealing.KEY_BYTES or sealing.public_of(private) != public:
        raise OpeningKeyLost(survey_id)
    return private


def is_whole(survey_id: UUID, public: bytes) -> bool:
    """Whether the private half is there, and the right one."""
    try:
        read(survey_id, public)
    except OpeningKeyLost:
        return False
    return True


def destroy(survey_id: UUID) -> None:
    """Overwrite the private half and remove it; nothing happens if it is gone already."""
    key_files.destroy(path_of(survey_id))


def path_of(survey_id: UUID) -> Path:
    """The file of a survey's private half."""
    return directory() / f"{survey_id}.opening"
