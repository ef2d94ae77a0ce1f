"""save_translations: what a draft's texts are called in another language; audit log."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from django.db import transaction

from surveys.authoring.draft.languages import SourceText
from surveys.authoring.services import begin_edit
from surveys.models import Survey, Translation
from surveys.models.translations import digest_of
from surveys.staff.audit.services import record

if TYPE_CHECKING:
    from django.contrib.auth.models import User


@transaction.atomic
def save_translations(
    *,
    survey: Survey,
    language: str,
    written: Iterable[tuple[SourceText, str, str]],
    by: "User",
) -> dict[str, str]:
    """Store what was typed for each text, unless another person changed it since it was shown.

    ``written`` has, for each text, the digest of the translation that was shown and what was typed.
    Returns by the digests of the texts what others stored meanwhile; these stay as they are.
    Raises NotAllowed or NotPossible (not a draft).
    """
    begin_edit(survey=survey, by=by)
    stored = {row.digest: row for row in survey.translations.filter(language=language)}
    theirs: dict[str, str] = {}
    changed = 0
    for source, seen, text in written:
        old = stored.get(source.digest)
        before = old.text if old else ""
        if text == before or digest_of(text) == seen:  # this person did not change it
            continue
        if digest_of(before) != seen:
            theirs[source.digest] = before
            continue
        changed += 1
        _store(survey, language, source.digest, text)
    if changed:
        record("translated", by=by, survey=survey, after={"language": language, "texts": changed})
    return theirs


def _store(survey: Survey, language: str, digest: str, text: str) -> None:
    """An empty text is no translation."""
    rows = Translation.objects.filter(survey=survey, language=language)
    if text:
        rows.update_or_create(
            digest=digest,
            defaults={"text": text},
            create_defaults={"survey": survey, "language": language, "text": text},
        )
    else:
        rows.filter(digest=digest).delete()
