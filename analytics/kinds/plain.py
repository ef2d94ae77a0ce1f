"""Values to and from what JSON holds, by the types of their fields (cattrs)."""

from decimal import Decimal
from enum import StrEnum
from typing import Any, TypeVar

from cattrs import Converter
from cattrs.errors import ForbiddenExtraKeysError

Value = TypeVar("Value")

# What reading raises where plain values do not have the shape of a class.
MISSHAPEN = (
    KeyError,
    TypeError,
    AttributeError,
    ArithmeticError,
    ValueError,
    ForbiddenExtraKeysError,
)

_CONVERTER = Converter(detailed_validation=False, forbid_extra_keys=True)
# As they are: cattrs would turn "3" into 3, and a message into a text that is in English for good.
# What a number or a text may be is checked by the class that has it.
for _primitive in (bool, int, float, str):
    _CONVERTER.register_structure_hook(_primitive, lambda value, _: value)
# They are texts too, but only some texts are one of them.
_CONVERTER.register_structure_hook(StrEnum, lambda value, kind: kind(value))
_CONVERTER.register_structure_hook(Decimal, lambda value, _: Decimal(value))
_CONVERTER.register_unstructure_hook(Decimal, lambda value: f"{value:f}")


def to_plain(value: Any) -> dict[str, Any]:
    """The fields of a dataclass as dictionaries, lists, numbers and texts; decimals are texts."""
    return dict(_CONVERTER.unstructure(value))


def from_plain(plain: Any, kind: type[Value]) -> Value:
    """The value of this class that ``to_plain`` wrote. Raises one of ``MISSHAPEN``."""
    return _CONVERTER.structure(plain, kind)
