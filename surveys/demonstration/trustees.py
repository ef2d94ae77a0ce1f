"""Keys of the demonstration's trustees, all in one folder beside its database.

In service each trustee keeps a key where neither the server nor another trustee reads it.
"""

from pathlib import Path
from uuid import UUID

from django.conf import settings

from surveys.collecting.keys.key_files import make_directory, write_new
from surveys.demonstration.passwords import kept_password
from surveys.models import Survey, TallyTrustee
from surveys.trust.keyfiles import (
    TRUSTEE,
    PrivateKey,
    new_key,
    sealed_file,
    unsealed_file,
    written,
)
from surveys.trust.tally.trustees import trustee_of

NAMES = ("the demonstration's first trustee", "the demonstration's second trustee")
KEPT_IN = "trustees_passphrase"  # the file with the passphrase of both


def key_file(survey_id: UUID, position: int) -> Path:
    """Where the key of a survey's trustee is, from 1."""
    return Path(settings.ENVIRONMENT.data_dir) / "trustees" / f"{survey_id}-{position}.key"


def add_trustees(draft: Survey) -> None:
    """Make their keys, as ``trustee new`` does, and add their public halves to a draft."""
    for position, name in enumerate(NAMES, start=1):
        file = key_file(draft.pk, position)
        make_directory(file.parent)
        file.unlink(missing_ok=True)  # of a demonstration that was interrupted before its launch
        private = new_key(name, TRUSTEE)
        write_new(file, written(sealed_file(private, kept_password(KEPT_IN))).encode())
        public = trustee_of(name, private.number)
        TallyTrustee.objects.create(
            survey=draft,
            position=position,
            name=name,
            key=public.key.hex(),
            proof=public.proof.hex(),
        )


def private_key(survey_id: UUID, position: int) -> PrivateKey:
    """The key of a survey's trustee, from 1. Raises OSError or TrustRefusal."""
    content = key_file(survey_id, position).read_bytes()
    return unsealed_file(content, kept_password(KEPT_IN), TRUSTEE)
