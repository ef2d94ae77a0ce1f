"""QuestionForm, AddressForm: answers live in the address. Counts and parts as people type them."""

import re
from collections.abc import Iterable
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.formats import get_format
from django.utils.translation import gettext, gettext_lazy

LEVELS = [("90", "90 %"), ("95", "95 %"), ("99", "99 %")]
LARGEST_COUNT = 10**9
LONGEST_COUNT = 15  # characters: 12 digits with their thousands apart
# Between digits, neither of which belongs to a fraction: 1/4,1/4 are two.
DECIMAL_COMMA = re.compile("(?<![0-9/])[0-9]+,[0-9]+(?![0-9/])")
THOUSANDS = re.compile(r"-?[1-9][0-9]{0,2}\.[0-9]{3}")
HOW_TO_PART = gettext_lazy(
    "Write a point before decimals, and a semicolon or space between numbers."
)


def read_count(text: str) -> int | None:
    """Return the whole number in plain digits or with thousands apart as here; None for others."""
    written = text.strip()
    separator = re.escape(get_format("THOUSAND_SEPARATOR"))
    if re.fullmatch(f"[0-9]{{1,3}}({separator}[0-9]{{3}}){{1,3}}", written):
        written = re.sub(separator, "", written)
    return int(written) if re.fullmatch("[0-9]{1,12}", written) else None


def split_parts(text: str) -> list[str]:
    """Return what stands between blanks, semicolons and commas: of numbers without decimals."""
    return [part for part in re.split(r"[\s,;]+", text) if part]


def read_parts(text: str, *, takes_commas: bool = False) -> list[str]:
    """Return what stands between blanks, semicolons and commas; a number keeps its "%".

    ``takes_commas``: numbers of this field may have a decimal comma, so that it parts nothing where
    decimals have one, or beside a semicolon. Of other fields "2,5" is refused there, because it is
    one number to some. Raises ValidationError.
    """
    written = re.sub(r"(?<!\s)\s+%", "%", text)
    has_commas = get_format("DECIMAL_SEPARATOR") == ","
    if takes_commas and (has_commas or ";" in written):
        return [part for part in re.split(r"[\s;]+|,(?![0-9])", written) if part]
    if has_commas and DECIMAL_COMMA.search(written):
        raise forms.ValidationError(HOW_TO_PART)
    return split_parts(written)


def refuse_thousands(numbers: Iterable[str]) -> None:
    """Raise ValidationError for a decimal such as "1.000", if a thousand is written so here."""
    for number in numbers:
        if get_format("THOUSAND_SEPARATOR") == "." and THOUSANDS.fullmatch(number):
            words = gettext("“{number}” can be read in two ways. Write {plain} or {decimal}.")
            plain = number.replace(".", "")
            raise forms.ValidationError(
                words.format(number=number, plain=plain, decimal=f"{number}0")
            )


class CountField(forms.IntegerField):
    """A whole number of people, in plain digits."""

    def __init__(self, *, least: int = 1, most: int = LARGEST_COUNT, **kwargs: Any) -> None:
        typed = forms.TextInput(attrs={"inputmode": "numeric", "autocomplete": "off"})
        super().__init__(min_value=least, max_value=most, **{"widget": typed, **kwargs})

    def to_python(self, value: Any) -> Any:
        if value not in self.empty_values and not re.fullmatch("-?[0-9]{1,12}", str(value).strip()):
            raise forms.ValidationError(
                gettext("Write a whole number with digits only, such as 1000.")
            )
        return super().to_python(value)


class QuestionForm(forms.Form):
    """A form whose answers live in the address, to be kept and passed on."""

    @property
    def permalink(self) -> str:
        """A query string that asks the same again."""
        query = QueryDict(mutable=True)
        query.update({name: str(self[name].value()) for name in self.fields if self[name].value()})
        return query.urlencode()


class AddressForm(forms.Form):
    """A form whose answers live in the address, several values of a field too."""

    asks_with: str  # the field that shows that the form was sent

    @classmethod
    def was_asked(cls, query: QueryDict) -> bool:
        """Whether the address asks for something; an address without it shows the empty form."""
        return cls.asks_with in query

    def read_address(self, query: QueryDict) -> None:
        """Take the answers from an address that asks for something; otherwise stay empty."""
        self.is_bound = self.was_asked(query)
        self.data = self.with_defaults(query) if self.is_bound else query

    @property
    def permalink(self) -> str:
        """A query string that asks the same again."""
        query = QueryDict(mutable=True)
        for name in self.fields:
            value = self[name].value()
            chosen = value if isinstance(value, list | tuple) else [value]
            query.setlist(name, [str(text) for text in chosen if text not in (None, "")])
        return query.urlencode()

    def with_defaults(self, query: QueryDict) -> QueryDict:
        """What was asked, completed with every field's initial value."""
        complete = query.copy()
        for name, field in self.fields.items():
            initial = field.initial
            if name not in complete and initial not in (None, "", []):
                complete[name] = str(initial() if callable(initial) else initial)
        return complete
