"""Write ``analytics/text/stems`` anew: the commonest public word of every stem, by language.

Run: ``python -m benchmarks.inflections``. It needs wordfreq (extra ``bench``), whose lists count
words of public texts; the 20,000 commonest of a language are used. A stem that is itself the
commonest word is left out.
"""

import gzip
import importlib
from collections.abc import Iterable
from pathlib import Path

from analytics.text import inflections
from analytics.text.tokens import STEMMERS, Tokenizer

WORDS = 20_000
OTHER_CODES = {"no": "nb"}


def main() -> None:
    lists = importlib.import_module("wordfreq")
    known = set(lists.available_languages())
    for language in STEMMERS:
        code = OTHER_CODES.get(language, language)
        if code not in known:
            print(f"{language}: no list")
            continue
        forms = commonest(language, lists.top_n_list(code, WORDS, ascii_only=False))
        write(inflections.FOLDER / f"{language}.txt.gz", forms)
        print(f"{language}: {len(forms):,} stems")


def commonest(language: str, words: Iterable[str]) -> dict[str, str]:
    """The first word of each stem; ``words`` come by frequency, the commonest first."""
    tokenizer, found = Tokenizer(language, skip_non_answers=False), dict[str, str]()
    for word in words:
        stems = tokenizer.words(word)
        if len(stems) == 1:
            found.setdefault(stems[0], word)
    return {stem: word for stem, word in sorted(found.items()) if stem != word}


def write(path: Path, forms: dict[str, str]) -> None:
    lines = "".join(f"{stem}\t{word}\n" for stem, word in forms.items())
    # Without a time, so that the same words are the same bytes.
    path.write_bytes(gzip.compress(lines.encode(), mtime=0))


if __name__ == "__main__":
    main()
