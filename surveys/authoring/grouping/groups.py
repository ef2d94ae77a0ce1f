"""Group: fields of an admin form under one name, which opens where they are needed."""

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any

from django.contrib.admin.helpers import AdminForm, Fieldset, InlineAdminFormSet
from django.db.models import Field, Model
from django.utils.functional import Promise

Words = str | Promise
EMPTY = (None, "")


@dataclass(frozen=True)
class Group:
    """Fields under a name, with a sentence on what they decide and one on what is usual.

    ``rows`` are prefixes of the inlines that belong to it.
    """

    key: str
    name: Words
    decides: Words
    usual: Words = ""
    fields: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()
    is_always_open: bool = False

    @property
    def css_class(self) -> str:
        """The class of its fields on the page."""
        return f"group-{self.key}"

    def holds(self, line: str | Sequence[str]) -> bool:
        """Whether a line of a form, one field or several, belongs to it."""
        return (line if isinstance(line, str) else line[0]) in self.fields


@dataclass(frozen=True)
class ShownGroup:
    """A group as a page shows it. Fields without a group stand on top of the page."""

    group: Group | None
    fieldset: Fieldset
    inlines: tuple[InlineAdminFormSet, ...]
    is_open: bool


def fieldsets(lines: Iterable[Any], groups: Iterable[Group]) -> list[Any]:
    """The fieldsets that Django's admin asks for: lines of no group, then those of each group.

    A group without lines has a fieldset too, since inlines may belong to it.
    """
    left = list(lines)
    of_groups = []
    for group in groups:
        own = [line for line in left if group.holds(line)]
        left = [line for line in left if line not in own]
        of_groups.append((None, {"fields": own, "classes": (group.css_class,)}))
    return [(None, {"fields": left}), *of_groups]


def shown_groups(
    page: AdminForm,
    inlines: Iterable[InlineAdminFormSet],
    groups: Iterable[Group],
    *,
    needed: AbstractSet[str],
) -> Iterator[ShownGroup]:
    """The groups of a page made by ``fieldsets``, without those that have nothing to show.

    A group is open with a field that is ``needed`` or has an error, and with rows.
    """
    by_class = {group.css_class: group for group in groups}
    opening = needed | set(page.form.errors)
    for fieldset in page:
        group = by_class.get(fieldset.classes)
        rows = tuple(inline for inline in inlines if group and inline.formset.prefix in group.rows)
        if any(fieldset) or rows:
            yield ShownGroup(group, fieldset, rows, _is_open(group, rows, opening))


def filled_in(row: Model) -> frozenset[str]:
    """Names of the fields whose value is not their default."""
    fields = row._meta.concrete_fields
    return frozenset(field.name for field in fields if _differs(field, row))


def has_rows(inline: InlineAdminFormSet) -> bool:
    """Whether rows are stored, or were sent with something in them or with an error."""
    rows = inline.formset
    if rows.initial_form_count():
        return True
    return bool(rows.is_bound and (rows.has_changed() or rows.total_error_count()))


def _is_open(
    group: Group | None, rows: Iterable[InlineAdminFormSet], opening: AbstractSet[str]
) -> bool:
    if group is None or group.is_always_open:
        return True
    return not opening.isdisjoint(group.fields) or any(map(has_rows, rows))


def _differs(field: "Field[Any, Any]", row: Model) -> bool:
    """A form stores an empty text where a column without a default has null."""
    value, default = getattr(row, field.attname), field.get_default()
    return value != default and not (value in EMPTY and default in EMPTY)
