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
    served = Path(settings.STATIC_ROOT) / Path(staticfiles_storage.url(name)).relative_to(
        settings.STATIC_URL
    )
    digest = hashlib.sha384(served.read_bytes()).digest()
    return "sha384-" + base64.b64encode(digest).decode("ascii")
