"""Static files: named by content, compressed, and checked by the browser before they run."""

import base64
import hashlib
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from posixpath import dirname, join, normpath
from typing import Any

from django.conf import settings
from django.contrib.staticfiles.storage import staticfiles_storage
from whitenoise.storage import CompressedManifestStaticFilesStorage

IMPORTED = re.compile(r'\bfrom "(\.[^"]+\.js)"')


class HashedStaticFiles(CompressedManifestStaticFilesStorage):
    """Rewrites ES imports to the hashed names too, so that one release is one set of bytes.

    A script that imports a file which was not built is left out, and all others are served.
    """

    support_js_module_import_aggregation = True

    def post_process(
        self, paths: dict[str, tuple[Any, str]], *args: Any, **options: Any
    ) -> Iterator[Any]:
        """As Django asks for it: ``paths`` has each file's storage and path by its name."""
        whole = {name: one for name, one in paths.items() if _imports(name, *one) <= paths.keys()}
        yield from super().post_process(whole, *args, **options)


def _imports(name: str, storage: Any, path: str) -> set[str]:
    """The names of the files that a script imports."""
    if not name.endswith(".js"):
        return set()
    with storage.open(path) as file:
        found = IMPORTED.findall(file.read().decode())
    return {normpath(join(dirname(name), one)) for one in found}


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


def is_served(name: str) -> bool:
    """Whether it was built and collected here: no page can be written that loads another file."""
    try:
        return _served(name).exists()
    except ValueError:  # the list of what was collected does not name it
        return False


def _served(name: str) -> Path:
    address = Path(staticfiles_storage.url(name))
    return Path(settings.STATIC_ROOT) / address.relative_to(settings.STATIC_URL)
