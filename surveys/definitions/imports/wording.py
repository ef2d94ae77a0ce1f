"""TextWriter: the texts of a form as plain text by language, cut to what there is room for."""

from collections.abc import Mapping

from surveys.definitions.imports.entries import ReadForm
from surveys.definitions.imports.markup import plain_text
from surveys.definitions.imports.remarks import Remarks, Spot
from surveys.randomized_response.messages import sentence


class TextWriter:
    """Writes the texts of one form; notes what is changed in them."""

    def __init__(self, form: ReadForm, remarks: Remarks) -> None:
        self.form, self.remarks = form, remarks

    def written(
        self,
        texts: Mapping[str, str],
        spot: Spot,
        longest: int,
        *,
        column: str = "label",
        instead: str = "",
        has_paragraphs: bool = False,
    ) -> dict[str, str]:
        """The texts by language; ``instead`` in the author's own where there is no text at all."""
        shown = {
            language: self._plain(texts[language], self._at(spot, column, language), has_paragraphs)
            for language in self.form.languages
            if texts.get(language, "").strip()
        }
        shown = {
            language: self._cut(text, self._at(spot, column, language), longest)
            for language, text in shown.items()
            if text
        }
        if shown or instead:
            self._complete(shown, spot, column, instead)
        return {language: shown[language] for language in self.form.languages if language in shown}

    def _at(self, spot: Spot, column: str, language: str) -> Spot:
        name = self.form.columns.get((column, language), spot.column)
        return Spot(spot.sheet, spot.row, name)

    def _plain(self, text: str, spot: Spot, has_paragraphs: bool) -> str:
        shown = plain_text(text, has_markdown=self.form.has_markdown)
        if "".join(shown.split()) != "".join(text.split()):
            self.remarks.changed(
                spot,
                text,
                sentence("The formatting of the text is removed."),
                sentence("Read the text again. Links are still readable as addresses."),
            )
        return shown if has_paragraphs else " ".join(shown.split())

    def _cut(self, text: str, spot: Spot, longest: int) -> str:
        if len(text) <= longest:
            return text
        self.remarks.changed(
            spot,
            text,
            sentence(
                "The text has {count} characters and is cut to {most}.",
                count=len(text),
                most=longest,
            ),
            sentence(
                "Shorten the text, or move a part of the text to an information page that "
                "people see first."
            ),
        )
        return f"{text[: longest - 1].rstrip()}…"

    def _complete(self, shown: dict[str, str], spot: Spot, column: str, instead: str) -> None:
        """Note texts that lack a language; the author's own gets another one's."""
        first, *others = self.form.languages
        if first not in shown:
            shown[first] = next(iter(shown.values()), instead)
            self.remarks.changed(
                self._at(spot, column, first),
                "",
                sentence(
                    "The text in the language “{language}” is missing. “{text}” is used instead.",
                    language=first,
                    text=shown[first],
                ),
                sentence("Write the missing text."),
            )
        for language in others:
            if language not in shown and column != "title":
                self.remarks.changed(
                    self._at(spot, column, language),
                    shown[first],
                    sentence("The text in the language “{language}” is missing.").format(
                        language=language
                    ),
                    sentence("Translate the text before the launch."),
                )
