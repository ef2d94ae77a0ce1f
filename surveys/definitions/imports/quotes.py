"""QuoteWriter: answers that a form puts into later texts, as our quotes, where they can be quoted.

A form writes ``${x}`` (XLSForm), ``[x]`` (REDCap) or ``{x}`` (LimeSurvey). A definition writes the
words that stand there where the page cannot fill in the answer, and the name at their end:
``{your answer to x}``.
"""

import re
from collections.abc import Mapping

from surveys.definitions.imports.conditions import RuleSource
from surveys.definitions.imports.entries import Entry, ReadForm
from surveys.definitions.imports.remarks import Remarks, Spot
from surveys.questionnaire.logic.quotes import LONGEST_QUOTED
from surveys.randomized_response.messages import Message, sentence

WORDS = {
    "en": "your answer to",
    "de": "Ihre Antwort auf",
    "fr": "votre réponse à",
    "es": "su respuesta a",
    "ar": "إجابتك عن",
}
QUOTED = frozenset(["yes_no", "choice", "scale", "number"])
GAP = "…"
# A quote as a definition writes it: its words, and the name of the question.
NAMED_QUOTE = re.compile(r"\{([^{}\d]*\s)([A-Za-z][A-Za-z0-9_]*)\}")


class QuoteWriter:
    """Writes the quotes of one form anew; notes those that cannot be."""

    def __init__(
        self,
        form: ReadForm,
        remarks: Remarks,
        sources: Mapping[str, RuleSource],
        positions: Mapping[str, int],
    ) -> None:
        self.form, self.remarks = form, remarks
        self.sources, self.positions = sources, positions
        self._noted: set[tuple[Spot, str]] = set()

    def requoted(self, entry: Entry, name: str, texts: Mapping[str, str]) -> dict[str, str]:
        """The texts of the question with this name, by language."""
        return {
            language: self._requoted(entry, name, language, text)
            for language, text in texts.items()
        }

    def _requoted(self, entry: Entry, name: str, language: str, text: str) -> str:
        opening, closing = self.form.quote_marks
        parts: list[str] = []
        at = 0
        while (start := text.find(opening, at)) >= 0:
            end = text.find(closing, start + len(opening))
            if end < 0:
                break
            inside = text[start + len(opening) : end]
            field = inside.strip().partition(":" if opening == "[" else ".")[0]
            parts.append(text[at:start])
            if self._is_field(field):
                parts.append(self._quote(entry, name, language, field))
                at = end + len(closing)
            else:
                parts.append(opening)
                at = start + len(opening)
        return "".join([*parts, text[at:]])

    def _is_field(self, name: str) -> bool:
        # In REDCap the same brackets stand around words that are no fields.
        is_known = name in self.sources or name in self.form.lost or name in self.form.calculations
        return is_known or self.form.quote_marks[0] != "["

    def _quote(self, entry: Entry, name: str, language: str, field: str) -> str:
        source = self.sources.get(field)
        against = self._against(source, name)
        if source and against is None:
            return f"{{{WORDS[language]} {source.name}}}"
        if (entry.spot, field) not in self._noted:
            self._noted.add((entry.spot, field))
            entry.loses(
                self.remarks,
                entry.spot,
                field,
                sentence(
                    "The text quotes an answer. The quote is replaced by “{gap}”: {why}"
                ).format(gap=GAP, why=against or ""),
                sentence("Rewrite the text so that it does not quote an answer."),
            )
        return GAP

    def _against(self, source: RuleSource | None, name: str) -> Message | None:
        """Why an answer cannot be quoted; None if it can."""
        if source is None:
            return sentence("the quoted answer does not come from a question of this survey.")
        is_short = source.entry.kind == "text" and source.entry.longest <= LONGEST_QUOTED
        if source.entry.kind not in QUOTED and not is_short:
            return sentence("an answer of this kind does not fit into a sentence.")
        if self.positions[source.name] >= self.positions[name]:
            return sentence("the question of the quoted answer comes later.")
        if source.entry.rule or any(group.rule for group in source.entry.groups):
            return sentence("the question of the quoted answer is not asked of all people.")
        return None
