"""JSON of typed values, and JSON Schema (2020-12) of their types: one way from the same classes.

Values are frozen dataclasses of numbers, texts, days, keys, tuples and mappings from texts.
"""

import math
import types
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import date
from enum import StrEnum
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints
from uuid import UUID

Schema = dict[str, Any]
PLAIN: dict[Any, Schema] = {
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
    UUID: {"type": "string", "format": "uuid"},
    date: {"type": "string", "format": "date"},
    type(None): {"type": "null"},
    Any: {},
}


def plain(value: Any) -> Any:
    """A value as JSON has it. A number that JSON does not have is null."""
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(name): plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, bool | int):
        return value
    return value.isoformat() if isinstance(value, date) else str(value)


def schema_of(kind: Any, named: dict[str, Schema]) -> Schema:
    """The schema of a type; those of dataclasses go into ``named``, each once."""
    if kind in PLAIN:
        return PLAIN[kind]
    if is_dataclass(kind):
        return _of_record(kind, named)
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return {"type": "string", "enum": [str(member) for member in kind]}
    origin, inside = get_origin(kind), get_args(kind)
    if origin is Literal:
        return {"type": "string", "enum": list(inside)}
    if origin in (Union, types.UnionType):
        return {"anyOf": [schema_of(part, named) for part in inside]}
    if origin in (tuple, list):
        return {"type": "array", "items": schema_of(inside[0], named)}
    if origin in (dict, Mapping):
        return {"type": "object", "additionalProperties": schema_of(inside[1], named)}
    raise TypeError(f"no schema for {kind}")


def _of_record(kind: Any, named: dict[str, Schema]) -> Schema:
    name = kind.__name__
    if name not in named:
        named[name] = {}  # a record may have itself within
        hints = get_type_hints(kind)
        named[name] = {
            "type": "object",
            "description": (kind.__doc__ or "").partition("\n")[0],
            "properties": {
                field.name: schema_of(hints[field.name], named) for field in fields(kind)
            },
            "required": [field.name for field in fields(kind)],
            "additionalProperties": False,
        }
    return {"$ref": f"#/components/schemas/{name}"}
