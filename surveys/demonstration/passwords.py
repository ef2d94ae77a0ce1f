"""Passwords of the demonstration: generated once, kept in private files beside its database."""

import os
import secrets
from pathlib import Path

from django.conf import settings


def kept_password(name: str) -> str:
    """The password in the file of this name, made anew where there is none."""
    path = Path(settings.ENVIRONMENT.data_dir) / name
    if not path.exists() or not path.read_text().strip():
        path.unlink(missing_ok=True)
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(secrets.token_urlsafe(12))
    return path.read_text().strip()
