"""Keys for sealed texts, as tests upload them."""

import json

from django.core.files.uploadedfile import SimpleUploadedFile

from surveys.models import Survey, TextKey
from surveys.trust.keyfiles import PrivateKey
from surveys.trust.sealing import new_private
from tests.surveys.authoring.test_admin import form_of


def new_key(name: str = "Registry") -> PrivateKey:
    return PrivateKey(name, new_private())


def file_of(key: PrivateKey) -> bytes:
    return json.dumps(key.public.to_document()).encode()


def upload(content: bytes) -> SimpleUploadedFile:
    return SimpleUploadedFile("a.public.json", content)


def sent(survey: Survey, *files: bytes, delete: int | None = None) -> dict[str, object]:
    """The survey's form with these files in the rows that are free."""
    stored = [str(key) for key in survey.text_keys.values_list("pk", flat=True)]
    count = len(stored) + len(files)
    rows: dict[str, object] = {
        "text_keys-TOTAL_FORMS": count,
        "text_keys-INITIAL_FORMS": len(stored),
    }
    for place in range(count):
        rows[f"text_keys-{place}-survey"] = str(survey.pk)
    for place, key in enumerate(stored):
        rows[f"text_keys-{place}-id"] = key
    for place, content in enumerate(files, start=len(stored)):
        rows[f"text_keys-{place}-file"] = upload(content)
    if delete is not None:
        rows[f"text_keys-{delete}-DELETE"] = "on"
    return form_of(survey, **{"opening": "close", "close_on": "2099-01-01", **rows})


def add_key(survey: Survey, key: PrivateKey, layer: int = 1) -> TextKey:
    return TextKey.objects.create(
        survey=survey, layer=layer, name=key.name, key=key.public.key.hex()
    )
