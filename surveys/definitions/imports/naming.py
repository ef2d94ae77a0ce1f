"""NamedEntry: an entry with the name of its question and the values of its options."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from surveys.definitions.imports.conditions import RuleSource, yes_no_values
from surveys.definitions.imports.entries import Entry, FormChoice
from surveys.definitions.imports.remarks import Remarks, Spot
from surveys.definitions.names import free_name, free_value
from surveys.randomized_response.messages import sentence

Valued = tuple[tuple[str, FormChoice], ...]  # each choice after its value


@dataclass(frozen=True)
class NamedEntry:
    """An entry, and what it and its parts are called here."""

    entry: Entry
    name: str
    options: Valued
    rows: Valued

    @property
    def source(self) -> RuleSource:
        """What conditions read of it."""
        if self.entry.yes_and_no:
            return RuleSource(self.entry, self.name, yes_no_values(*self.entry.yes_and_no))
        values: dict[str, str] = {}
        for value, choice in self.options:  # of two of one value conditions read the first
            values.setdefault(choice.value, value)
        return RuleSource(self.entry, self.name, values)


def named_entries(entries: Sequence[Entry], remarks: Remarks) -> Iterator[NamedEntry]:
    """Give each entry a name of its own, near to that in the form; notes those that differ."""
    used: set[str] = set()
    for entry in entries:
        name = free_name(entry.name, used, "q")
        used.add(name.casefold())
        _note(remarks, entry.spot, entry.name, name)
        options, rows = _valued(entry.options, remarks), _valued(entry.rows, remarks)
        yield NamedEntry(entry, name, options, rows)


def _valued(choices: Sequence[FormChoice], remarks: Remarks) -> Valued:
    used: set[str] = set()
    valued = []
    for choice in choices:
        value = free_value(choice.value, used)
        used.add(value.casefold())
        _note(remarks, choice.spot, choice.value, value)
        valued.append((value, choice))
    return tuple(valued)


def _note(remarks: Remarks, spot: Spot, text: str, name: str) -> None:
    if name != text:
        remarks.changed(
            spot,
            text,
            sentence("The name in Deniable is “{name}”.", name=name),
            sentence(
                "If programs that read the data need another name, change the name in the form."
            ),
        )
