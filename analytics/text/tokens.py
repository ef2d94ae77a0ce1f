"""Tokenizer: words of a text by public rules: normalised, stems, stop words, phrases, non-answers.

A text is split at white space, and each piece is normalised (Unicode NFKC, case folded, invisible
characters removed) and searched for words: letters with their marks, digits after a letter, an
apostrophe inside; a Han character by itself; an emoji with its modifiers. Pieces repeat far more
often than texts do, so each is worked out once and remembered.
"""

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import regex
import stopwordsiso

from surveys.randomized_response.checks import checked_whole_number
from surveys.randomized_response.errors import StatisticsError

if TYPE_CHECKING:
    import snowballstemmer

MOST_WORDS = 300  # distinct words that count of one respondent
MOST_USED = 1_000  # words of one report
STEMMERS = {
    "ar": "arabic", "ca": "catalan", "da": "danish", "de": "german", "el": "greek",
    "en": "english", "es": "spanish", "eu": "basque", "fi": "finnish", "fr": "french",
    "ga": "irish", "hi": "hindi", "hu": "hungarian", "hy": "armenian", "id": "indonesian",
    "it": "italian", "lt": "lithuanian", "nl": "dutch", "no": "norwegian", "pt": "portuguese",
    "ro": "romanian", "ru": "russian", "sv": "swedish", "tr": "turkish",
}  # fmt: skip

# Answers that say nothing, compared after case folding and without punctuation at the ends.
NON_ANSWERS = frozenset(
    """
    -|n/a|na|nil|none|no|nope|nothing|no answer|no comment|no comments|no idea|not applicable
    |not sure|unsure|don't know|dont know|don’t know|do not know|i don't know|i dont know
    |i don’t know|i do not know|dk|idk|refused|prefer not to say|rather not say|?|x
    |weiß nicht|weiss nicht|ich weiß nicht|keine angabe|keine ahnung|nichts|k. a|k.a|nein
    |je ne sais pas|ne sait pas|sans opinion|rien|aucun|aucune|non|no sé|no se|no sabe|nada
    |ninguno|ninguna|sin comentarios|non so|niente|nessuno|weet niet|geen mening|geen|niets
    |não sei|nenhum|nenhuma|vet ej|vet inte|ved ikke|vet ikke
    """.replace("\n", "")
    .replace("    ", "")
    .split("|")
)

_PICTURE = r"\p{Extended_Pictographic}"
_WORD = regex.compile(
    r"\p{Han}\p{M}*"
    r"|\p{L}\p{M}*(?:(?!\p{Han})[\p{L}\p{N}]\p{M}*)*(?:'\p{L}\p{M}*(?:\p{L}\p{M}*)*)*"
    rf"|{_PICTURE}\p{{Emoji_Modifier}}*(?:\u200d{_PICTURE}\p{{Emoji_Modifier}}*)*"
)
# Variation selectors choose a glyph; format characters (soft hyphens, directions, joiners) are not
# seen at all. A joiner stays between pictures, where it makes one picture of several.
_INVISIBLE = regex.compile(
    rf"(?<!{_PICTURE}\p{{Emoji_Modifier}}*)\u200d|[\p{{Cf}}\p{{VS}}--\u200d]", regex.V1
)
_APOSTROPHES = str.maketrans({"’": "'", "ʼ": "'", "＇": "'", "‘": "'"})
# Written without spaces between words: rules without a dictionary cut them into single characters,
# or take a sentence for a word, so that these languages are not offered.
_WITHOUT_SPACES = frozenset({"ja", "th", "zh"})
_ENDS = " \t\r\n.,;:!…\"'()[]"
_LONGEST_WORD = 64
_LONGEST_NON_ANSWER = 40


class TextError(StatisticsError):
    """Texts, or a way of reading them, from which no words can be counted."""


class VocabularyError(StatisticsError):
    """A vocabulary that these answers and this budget cannot give."""


def normalise(piece: str) -> str:
    """Case-folded NFKC without invisible characters: spellings that look alike become equal."""
    visible = _INVISIBLE.sub("", piece.translate(_APOSTROPHES))
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", visible).casefold())


def languages() -> tuple[str, ...]:
    """ISO 639-1 codes of the languages with a public stop list and spaces between words."""
    return tuple(sorted(set(stopwordsiso.langs()) - _WITHOUT_SPACES))


def is_non_answer(text: str) -> bool:
    """Whether the whole text is one of the public list's ways of saying nothing."""
    if len(text) > _LONGEST_NON_ANSWER:
        return False
    bare = text.casefold().strip(_ENDS)
    return not bare or bare in NON_ANSWERS


@dataclass(frozen=True)
class Tokenizer:
    """How texts become words: all of it public, fixed before any text is read.

    ``language`` is an ISO 639-1 code with a public stop list, or None for neither stop list nor
    stems. ``stems`` reduces words by the Snowball stemmer of the language, where there is one.
    ``extra_stop_words`` are dropped too. ``longest_phrase`` (1 to 3) also counts phrases of so many
    adjacent kept words. ``skip_non_answers`` drops texts such as "don't know". Raises TextError.
    """

    language: str | None = "en"
    stems: bool = True
    extra_stop_words: frozenset[str] = frozenset()
    longest_phrase: int = 1
    skip_non_answers: bool = True

    def __post_init__(self) -> None:
        if self.language in _WITHOUT_SPACES:
            remedy = "its words are not told apart without spaces, so no topics can be found in it"
            raise TextError("language", self.language, remedy)
        if self.language is not None and self.language not in languages():
            remedy = f"give one of {', '.join(languages())}, or None"
            raise TextError("language", self.language, remedy)
        if not 1 <= checked_whole_number("longest_phrase", self.longest_phrase, TextError) <= 3:
            raise TextError("longest_phrase", self.longest_phrase, "give 1, 2 or 3 words")

    def words(self, text: str) -> tuple[str, ...]:
        """The kept words of one text in their order, phrases not included. Raises TextError."""
        if not isinstance(text, str):
            raise TextError("text", text, "give a text (str); leave out who wrote nothing")
        if self.skip_non_answers and is_non_answer(text):
            return ()
        return tuple(word for piece in text.split() for word in self.words_of_piece(piece))

    def words_of_piece(self, piece: str) -> tuple[str, ...]:
        """The kept words of a piece of text without white space."""
        if piece.isascii() and piece.isalnum() and piece[0].isalpha():
            words = [piece.lower()]  # what the rules below give, ten times faster
        else:
            words = _WORD.findall(normalise(piece))
        cut = (word[:_LONGEST_WORD] for word in words)
        return tuple(self._stem(word) for word in cut if word not in self._stop_words)

    @cached_property
    def _stop_words(self) -> frozenset[str]:
        public: Iterable[str] = stopwordsiso.stopwords(self.language) if self.language else ()
        return frozenset(normalise(word) for word in (*public, *self.extra_stop_words))

    def _stem(self, word: str) -> str:
        return str(self._stemmer.stemWord(word)) if self._stemmer is not None else word

    @cached_property
    def _stemmer(self) -> "snowballstemmer.stemmer | None":
        name = STEMMERS.get(self.language or "") if self.stems else None
        if name is None:
            return None
        import snowballstemmer  # a module for each language

        return snowballstemmer.stemmer(name)
