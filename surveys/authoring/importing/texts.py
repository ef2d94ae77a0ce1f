"""DraftTexts: the words of a definition as a draft has them, the author's own and translations.

A draft stores each text in its author's language; a translation belongs to its words. A quote names
a question by its number, where a definition names it.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from django.utils.translation import override

from surveys.authoring.draft.building import NO_AND_YES
from surveys.definitions.definition import LONGEST_QUESTION, DraftQuestion
from surveys.definitions.imports.quotes import NAMED_QUOTE
from surveys.definitions.imports.remarks import Remarks, Spot
from surveys.definitions.kinds import NO, YES
from surveys.definitions.shapes import Texts
from surveys.models.translations import digest_of
from surveys.randomized_response.messages import sentence
from surveys.wording.language.messages import translated

CUT = "…"
LONGEST_HEADING = 150
SENTENCE_END = re.compile(r"[.!?؟:](?=\s)")


def yes_and_no(language: str) -> dict[str, str]:
    """The words of both answers to a yes or no in this language, by their values."""
    with override(language):
        return dict(zip((NO, YES), map(translated, NO_AND_YES), strict=True))


def headings_of(page: DraftQuestion) -> dict[str, str]:
    """The first line or sentence of a page's text, by language; a part of one that is long."""
    return {language: _parted(page, text)[0] for language, text in page.text.items()}


def bodies_of(page: DraftQuestion) -> dict[str, str]:
    """What stands below the headings: the rest of the text, and the page's help.

    All of the text, where its heading is only a part of a sentence.
    """
    rests = {language: _parted(page, text)[1] for language, text in page.text.items()}
    languages = dict.fromkeys([*rests, *page.help])
    bodies = {
        language: "\n\n".join(filter(None, (rests.get(language), page.help.get(language))))
        for language in languages
    }
    return {language: body for language, body in bodies.items() if body}


def _parted(page: DraftQuestion, text: str) -> tuple[str, str]:
    """A heading and what stands below it. With help, the text of a page is its heading."""
    if page.help and len(text) <= LONGEST_QUESTION:
        return text, ""
    first, _, rest = text.strip().partition("\n")
    if len(first) <= LONGEST_HEADING:
        return first.strip(), rest.strip()
    end = SENTENCE_END.search(first, 0, LONGEST_HEADING + 1)
    if end:
        return first[: end.end()].strip(), text.strip()[end.end() :].strip()
    start = first[: LONGEST_HEADING - len(CUT)].rpartition(" ")[0] or first[: LONGEST_HEADING - 1]
    return f"{start}{CUT}", text.strip()


@dataclass
class DraftTexts:
    """``numbers`` are those of the questions by their names; the author's language comes first.

    ``translations`` grow with each text that is asked for: by language and digest of the author's.
    ``cuts`` counts the texts that were too long.
    """

    languages: Sequence[str]
    numbers: Mapping[str, int]
    remarks: Remarks
    translations: dict[tuple[str, str], str] = field(default_factory=dict)
    cuts: int = 0

    def own_words(self, texts: Texts, longest: int, spot: Spot, *, has_lines: bool = False) -> str:
        """The author's words of a text; empty for one that there is not. Its translations are kept.

        What is longer than ``longest`` is cut, and noted. Line ends are blanks, as an editor's form
        makes them, but where a text ``has_lines``.
        """
        if not texts:
            return ""
        known = {
            language: self._fitted(text, longest, spot, has_lines=has_lines)
            for language, text in texts.items()
        }
        first = next((each for each in self.languages if each in known), next(iter(known)))
        if first != self.languages[0]:
            self.remarks.changed(
                spot,
                texts[first],
                sentence(
                    "This text is missing in the author's language, “{own}”. The text in "
                    "“{other}” is used instead.",
                    own=self.languages[0],
                    other=first,
                ),
                sentence("Write the text in the author's language."),
            )
        own = known.pop(first)
        self._translate(own, known, spot)
        return own

    def _fitted(self, text: str, longest: int, spot: Spot, *, has_lines: bool) -> str:
        if not has_lines:
            text = " ".join(text.split())
        text = NAMED_QUOTE.sub(self._numbered, text)
        if len(text) <= longest:
            return text
        self.cuts += 1
        self.remarks.left_out(
            spot,
            text,
            sentence(
                "The text is too long. Everything after its first {longest} characters is left "
                "out.",
                longest=longest - 1,
            ),
            sentence("Shorten the text, or divide it between several questions or pages."),
        )
        return text[: longest - len(CUT)] + CUT

    def _numbered(self, quote: re.Match[str]) -> str:
        words, name = quote.groups()
        return f"{{{words}{self.numbers[name]}}}" if name in self.numbers else quote[0]

    def _translate(self, own: str, others: Texts, spot: Spot) -> None:
        for language, text in others.items():
            if language not in self.languages[1:]:
                continue  # the definition does not ask in it
            kept = self.translations.setdefault((language, digest_of(own)), text)
            if kept != text:
                self.remarks.changed(
                    spot,
                    text,
                    sentence(
                        "The text “{own}” is in the file more than once, with different "
                        "translations into “{language}”. A draft has only one translation of the "
                        "same words, so “{kept}” is used everywhere.",
                        own=own,
                        kept=kept,
                        language=language,
                    ),
                    sentence("Change the words of one of the two texts, and translate it again."),
                )
