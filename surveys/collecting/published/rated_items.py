"""``items-<n>.json``: the names of all items that a question has rated; the page draws of them."""

import base64
import hashlib
import json
from collections.abc import Mapping
from functools import lru_cache
from uuid import UUID

from surveys.catalogues.queries import names_of
from surveys.models.queries import questionnaire_of_id
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.ratings import catalogue_digest
from surveys.trust.digests import canonical


def items_files(questionnaire: Questionnaire) -> dict[int, bytes]:
    """The file of each question whose items its page draws, by its number from 1."""
    drawn = questionnaire.numbered.drawn_in_page
    ratings = dict(questionnaire.numbered.ratings)
    return {number: items_file(names_of(ratings[number])) for number in drawn}


def items_file(names: Mapping[int, str]) -> bytes:
    """Names by their numbers, as canonical JSON in the order of the numbers."""
    return canonical({"names": [name for _, name in sorted(names.items())]})


@lru_cache(maxsize=64)
def launched_items(revision_id: UUID) -> Mapping[int, bytes]:
    """The same of a launched survey, whose names stay as they are."""
    return items_files(questionnaire_of_id(revision_id))


def digest_in(content: bytes) -> str:
    """What the launched document says of the names in such a file. Raises ValueError."""
    names = json.loads(content)["names"]
    if not all(isinstance(name, str) for name in names) or content != canonical({"names": names}):
        raise ValueError(content[:20])
    return catalogue_digest(enumerate(names, start=1))


def integrity_of(content: bytes) -> str:
    """Subresource integrity, as ``sha384-...``: the page loads no other file."""
    return "sha384-" + base64.b64encode(hashlib.sha384(content).digest()).decode("ascii")
