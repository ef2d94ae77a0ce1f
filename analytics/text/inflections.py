"""A word that people know for a stem: the commonest public form, never one out of the answers.

Which form respondents wrote most often would be another statistic of their texts, to be paid for.
So the forms come from public lists (``stems/README.md``), and words that a researcher listed in
public stand for their own stems.
"""

import gzip
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

FOLDER = Path(__file__).parent / "stems"
NONE: Mapping[str, str] = MappingProxyType({})


@cache
def forms_of(language: str) -> Mapping[str, str]:
    """Stem to word, without those that are the same; empty for a language without a list."""
    path = FOLDER / f"{language}.txt.gz"
    if not path.exists():
        return NONE
    lines = gzip.decompress(path.read_bytes()).decode().splitlines()
    return MappingProxyType(dict(line.split("\t") for line in lines))


def readable(word: str, forms: Mapping[str, str], listed: Mapping[str, str] = NONE) -> str:
    """The word, or the words of a phrase, in the form that people know.

    ``listed`` are forms of whole words or phrases that go before; a stem without a form stays.

    >>> readable("offici languag", {"offici": "official", "languag": "language"})
    'official language'
    """
    return listed.get(word) or " ".join(forms.get(part, part) for part in word.split())
