"""OptionLists: the sheet ``choices``, in which questions with the same options share a list."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from surveys.definitions.definition import DraftOption, DraftQuestion, SpecialAnswer
from surveys.definitions.imports.quotes import WORDS
from surveys.definitions.kinds import NO
from surveys.definitions.kinds import YES as YES_VALUE
from surveys.definitions.names import numbered
from surveys.definitions.xlsforms.columns import (
    YES,
    Cells,
    more_cells,
    more_in,
    rest_of,
    text_cells,
    texts_in,
    with_rest,
)

LONGEST_NAME = 60
YES_AND_NO = {
    YES_VALUE: {"en": "Yes", "de": "Ja", "fr": "Oui", "es": "Sí", "ar": "نعم"},
    NO: {"en": "No", "de": "Nein", "fr": "Non", "es": "No", "ar": "لا"},
}
# As the pages of respondents have them: whether people believe in their protection.
BELIEVED = (
    {
        "en": "Not at all",
        "de": "Gar nicht",
        "fr": "Pas du tout",
        "es": "Nada",
        "ar": "لا على الإطلاق",
    },
    {"en": "A little", "de": "Ein wenig", "fr": "Un peu", "es": "Un poco", "ar": "قليلًا"},
    {
        "en": "Mostly",
        "de": "Größtenteils",
        "fr": "En grande partie",
        "es": "En gran parte",
        "ar": "في معظم الأمر",
    },
    {
        "en": "Completely",
        "de": "Völlig",
        "fr": "Complètement",
        "es": "Completamente",
        "ar": "تمامًا",
    },
)
Options = Sequence[DraftOption | SpecialAnswer]


class OptionLists:
    """The lists of one form, as rows."""

    def __init__(self, languages: Sequence[str]) -> None:
        self.languages = [language for language in WORDS if language in languages]
        self.by_name: dict[str, list[Cells]] = {}
        self._names: dict[tuple[str, ...], str] = {}
        self._used: set[str] = set()

    @property
    def rows(self) -> list[Cells]:
        """The rows of the sheet."""
        return [{"list_name": name, **cells} for name, its in self.by_name.items() for cells in its]

    @property
    def has_repeated_values(self) -> bool:
        """Whether a list has a value twice, which no definition forbids of special answers."""
        names = ([cells["name"] for cells in its] for its in self.by_name.values())
        return any(len(set(each)) < len(each) for each in names)

    def named(self, question: DraftQuestion) -> str:
        """The list of a question's answers; empty for a question without."""
        if question.kind == "yes_no":
            return self._fixed("yes_no", YES_AND_NO)
        if question.kind == "trust":
            return self._fixed("trust", {str(n): texts for n, texts in enumerate(BELIEVED, 1)})
        return self._listed(question.name, question.options)

    def special(self, question: DraftQuestion) -> str:
        """The list of what may be answered beside a number; empty for nothing."""
        return self._listed(f"{question.name}_special", question.special)

    def _fixed(self, name: str, texts: Mapping[str, Mapping[str, str]]) -> str:
        options = [
            DraftOption(value=value, text={each: words[each] for each in self.languages})
            for value, words in texts.items()
        ]
        return self._listed(name, options)

    def _listed(self, wanted: str, options: Options) -> str:
        if not options:
            return ""
        rows = [_option_cells(option) for option in options]
        key = tuple(map(str, rows))
        if key not in self._names:
            name = self._names[key] = numbered(wanted, self._used, LONGEST_NAME)
            self._used.add(name.casefold())
            self.by_name[name] = rows
        return self._names[key]


def _option_cells(option: DraftOption | SpecialAnswer) -> Cells:
    value = option.code if isinstance(option, SpecialAnswer) else option.value
    cells = {"name": value, **text_cells("label", option.text)}
    if isinstance(option, DraftOption) and option.exclusive:
        cells["exclusive"] = YES
    again = {name: part for name, part in option_in(cells).items() if name != "exclusive"}
    return cells | more_cells(rest_of({"value": value, "text": dict(option.text)}, again))


def option_in(cells: Mapping[str, str]) -> dict[str, Any]:
    """The JSON of an option, ``more`` aside."""
    option: dict[str, Any] = {"value": cells.get("name", ""), "text": texts_in(cells, "label")}
    if cells.get("exclusive", "").casefold() == YES:
        option["exclusive"] = True
    return option


def options_in(rows: Iterable[Mapping[str, str]]) -> list[dict[str, Any]]:
    """The JSON of the options of a list. Raises ValueError where ``more`` is none."""
    return [with_rest(option_in(cells), more_in(cells)) for cells in rows]
