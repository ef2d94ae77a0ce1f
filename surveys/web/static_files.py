"""Static files: named by content, compressed, and checked by the browser before they run."""

import base64
import hashlib
from functools import lru_cache
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles.storage import staticfiles_storage
from whitenoise.storage import CompressedManifestStaticFilesStorage


class HashedStaticFiles(CompressedManifestStaticFilesStorage):
    """Rewrites ES imports to the hashed names too, so that one release is one set of bytes."""

    support_js_module_import_aggregation = True


@lru_cache(maxsize=64)
def integrity(name: str) -> str:
    """Subresource integrity of a static file, as ``sha384-...``."""
    digest = hashlib.sha384(_served(name).read_bytes()).digest()
    return "sha384-" + base64.b64encode(digest).decode("ascii")


@lru_cache(maxsize=64)
def sent_bytes(name: str) -> int:
    """How many bytes of a static file are sent: as gzip, unless that is hardly smaller."""
    served = _served(name)
    compressed = served.with_name(f"{served.name}.gz")
    return (compressed if compressed.exists() else served).stat().st_size


def _served(name: str) -> Path:
    address = Path(staticfiles_storage.url(name))
    return Path(settings.STATIC_ROOT) / address.relative_to(settings.STATIC_URL)
