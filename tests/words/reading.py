"""How hard a text is to read: Flesch-Kincaid grade for English, LIX for German.

Sources: Kincaid, Fishburne, Rogers and Chissom (1975), "Derivation of new readability formulas",
Naval Technical Training Command, Research Branch Report 8-75; Björnsson (1968), "Läsbarhet".
"""

import re
from collections.abc import Iterable, Sequence
from statistics import median

# Placeholders are filled with a short word: a number, an answer, a day.
FILLED = re.compile(r"%\(\w+\)s|\{\w*\}")
MARKUP = re.compile(r"<[^>]*>")
# A sentence ends with one of these, and with a quotation mark that closes behind it.
ENDS = re.compile(r"(?<=[.!?])[»”“\"’)]*\s+|\n+")
ENDED = re.compile(r"[.!?:][»”“\"’)]*$")
WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")

VOWELS = re.compile("[aeiouy]+")
# An e that is not heard: "time", "pages", "asked", "safely"; it is in "table", "changes", "added".
INSIDE = re.compile(
    "(?<=[aeiouy][^aeiouy])e(?=(ly|ful|ment|ness|less|where|one|thing|fore|hold|times)$)"
)
SILENT = re.compile("([^aeiouyl]e|[aeiouy]le|[aeiouyr]le|[^aeiouytd]ed|[^aeiouycgsxzh]es)$")
# Two vowels that are heard apart: "variety", "area", "radio", "being", "usual".
APART = re.compile("(?<![cstl])ia|(?<![cstx])io(?!n)|iu|ea$|ua(?!r)|[yue]i(?=ng)|ie(?=t|nc)")
EXACT = {
    "anyone": 3,
    "everyone": 3,
    "everything": 3,
    "idea": 3,
    "every": 2,
    "being": 2,
    "does": 1,
    "goes": 1,
}


def sentences(texts: Iterable[str]) -> list[str]:
    """What reads like a sentence: it has an end. Labels and parts of sentences are none."""
    plain = (MARKUP.sub("", FILLED.sub("nine", text)) for text in texts)
    found = (one.strip() for text in plain for one in ENDS.split(text))
    return [one for one in found if ENDED.search(one) and len(words(one)) > 1]


def words(text: str) -> list[str]:
    return WORD.findall(text)


def syllables(word: str) -> int:
    """Of an English word, by its vowels; at least one."""
    parts = re.sub("['’].*", "", word.lower()).split("-")
    return sum(EXACT.get(part) or _heard(part) for part in parts)


def _heard(part: str) -> int:
    part = INSIDE.sub("", part)
    count = len(VOWELS.findall(part)) + len(APART.findall(part))
    return max(count - bool(SILENT.search(part)), 1)


def grade(said: Sequence[str]) -> float:
    """The Flesch-Kincaid grade of these sentences, in years of American schools."""
    counted = [word for sentence in said for word in words(sentence)]
    heard = sum(map(syllables, counted))
    return 0.39 * len(counted) / len(said) + 11.8 * heard / len(counted) - 15.59


def lix(said: Sequence[str]) -> float:
    """Words a sentence, and words of more than six letters in a hundred."""
    counted = [word for sentence in said for word in words(sentence)]
    long = sum(len(re.sub(r"\W", "", word)) > 6 for word in counted)
    return len(counted) / len(said) + 100 * long / len(counted)


def words_a_sentence(said: Sequence[str]) -> float:
    """At the median."""
    return median(len(words(sentence)) for sentence in said)
