"""Designs by name, with parameters as somebody types them: ``warner``, ``p_direct=3/4``.

Names are those of the registries, parameters the fields of the classes. Fractions and decimals
are taken exactly as they are written, so 1/6 is one sixth.
"""

import dataclasses
import difflib
import inspect
import json
import math
import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from surveys.randomized_response import (
    PROTOCOLS,
    QUANTITATIVE_REGISTRY,
    REGISTRY,
    TWO_GROUP_REGISTRY,
    AnchoredCrosswise,
    Channel,
    Design,
    DesignError,
    FrequencyProtocol,
    LinearScrambling,
    ModularNoise,
    Support,
    TruncatedGeometricNoise,
    TwoGroupDesign,
)

NamedDesign = Design | TwoGroupDesign | FrequencyProtocol | LinearScrambling

DESIGNS: dict[str, type[Any]] = {
    **REGISTRY,
    **TWO_GROUP_REGISTRY,
    "anchored_crosswise": AnchoredCrosswise,
    **QUANTITATIVE_REGISTRY,
    **PROTOCOLS,
}
# Short enough that no number typed here takes long to read.
RATIONAL = re.compile(
    r"[+-]?([0-9]{1,20}/[0-9]{1,20}|[0-9]{0,20}\.?[0-9]{1,30}(e[+-]?[0-9]{1,2})?)"
)
LOGARITHM = re.compile(r"ln\s*\(?\s*([0-9./]{1,40})\s*\)?")


def named_design(name: str, settings: Mapping[str, Any]) -> NamedDesign:
    """The design of that name. Values are texts, lists of texts for several. Raises DesignError.

    ``epsilon`` may stand for the parameters it determines where the design has ``from_epsilon``.
    """
    if name not in DESIGNS:
        raise DesignError("design", name, _remedy(name, list(DESIGNS)))
    kind = DESIGNS[name]
    make = kind.from_epsilon if "epsilon" in settings and hasattr(kind, "from_epsilon") else kind
    parameters = inspect.signature(make).parameters
    for given in settings:
        if given not in parameters:
            raise DesignError(f"{name}: parameter", given, _remedy(given, _known(kind)))
    for parameter in parameters.values():
        if parameter.default is parameter.empty and parameter.name not in settings:
            remedy = f"it is missing: set {parameter.name}; {name} has {', '.join(_known(kind))}"
            raise DesignError(f"{name}: {parameter.name}", None, remedy)
    design: NamedDesign = make(**{key: _parsed(key, value) for key, value in settings.items()})
    return design


def described_design(place: str, description: Any) -> NamedDesign:
    """The design of an object ``{"design": name, parameter: value, ...}``. Raises DesignError."""
    if not isinstance(description, Mapping) or not isinstance(description.get("design"), str):
        remedy = 'write an object such as {"design": "warner", "p_direct": "3/4"}'
        raise DesignError(place, description, remedy)
    settings = {key: value for key, value in description.items() if key != "design"}
    return named_design(description["design"], settings)


def label_of(design: NamedDesign | Channel) -> str:
    """The design and its parameters in words."""
    if isinstance(design, (Design, TwoGroupDesign)):
        return design.label
    if isinstance(design, Channel):
        return f"Channel ({design.reported_levels} by {design.true_levels})"
    fields = dataclasses.fields(design)  # type: ignore[arg-type]
    told = ", ".join(f"{f.name} = {_words(getattr(design, f.name))}" for f in fields)
    return f"{design.name} ({told})"


def epsilon_of(design: NamedDesign | Channel) -> float | None:
    """The privacy loss of one report; None where it is infinite or has no finite bound."""
    epsilon = getattr(design, "epsilon", math.inf)
    return float(epsilon) if math.isfinite(epsilon) else None


def _parsed(name: str, value: Any) -> Any:
    """A value in the type that the parameter of this name has in every design."""
    if isinstance(value, str) and value.strip()[:1] in ("[", "{"):
        value = _json(name, value)
    if name == "matrix":
        return _matrix(name, value)
    if name == "noise":
        return _noise(name, value)
    if name in ("permanent", "instantaneous"):
        return Support(*_pair(name, _several(name, value)))
    if name in ("p_forced", "p_cards", "probabilities"):
        return _several(name, value)
    return _number(name, value)


def _number(name: str, value: Any) -> Fraction | float:
    text = value.strip().lower() if isinstance(value, str) else ""
    logarithm = LOGARITHM.fullmatch(text)
    if name == "epsilon" and logarithm:
        odds = _number(name, logarithm[1])
        if odds > 0:
            return math.log(odds)
    if not RATIONAL.fullmatch(text) or re.search(r"/0+$", text):
        raise DesignError(name, value, "write a number such as 3/4 or 0.75")
    return Fraction(text)


def _several(name: str, value: Any) -> tuple[Fraction | float, ...]:
    items = value.split(",") if isinstance(value, str) else value
    if not isinstance(items, list):
        raise DesignError(name, value, "write several numbers with commas between them")
    return tuple(_number(f"{name}[{i}]", item) for i, item in enumerate(items))


def _pair(name: str, values: tuple[Any, ...]) -> tuple[Any, Any]:
    if len(values) != 2:
        raise DesignError(name, values, "write P(support if true), P(support if another)")
    return values[0], values[1]


def _matrix(name: str, value: Any) -> Channel:
    if isinstance(value, Mapping):
        value = value.get("matrix")
    if not isinstance(value, list) or not all(isinstance(row, list) for row in value):
        remedy = 'write a list of rows, one per report: [["3/4", "1/4"], ["1/4", "3/4"]]'
        raise DesignError(name, value, remedy)
    return Channel.from_matrix(_several(f"{name}[{y}]", row) for y, row in enumerate(value))


def _noise(name: str, value: Any) -> TruncatedGeometricNoise | ModularNoise:
    if isinstance(value, Mapping) and set(value) == {"ratio"}:
        return TruncatedGeometricNoise(_number("ratio", value["ratio"]))
    if isinstance(value, Mapping) and set(value) == {"probabilities"}:
        return ModularNoise(_several("probabilities", value["probabilities"]))
    remedy = 'write {"ratio": "1/2"} or {"probabilities": ["3/4", "1/8", "1/8"]}'
    raise DesignError(name, value, remedy)


def _json(name: str, text: str) -> Any:
    try:
        return json.loads(text, parse_float=str, parse_int=str, parse_constant=str)
    except (json.JSONDecodeError, RecursionError):
        raise DesignError(name, text, "this is no JSON: check brackets and quotes") from None


def _known(kind: type[Any]) -> list[str]:
    names = [field.name for field in dataclasses.fields(kind) if field.init]
    if hasattr(kind, "from_epsilon"):
        return [*names, "epsilon"]
    return names


def _remedy(name: str, known: list[str]) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    return f"did you mean {near[0]}?" if near else f"choose one of {', '.join(known)}"


def _words(value: Any) -> str:
    return f"({value.if_true}, {value.if_other})" if isinstance(value, Support) else str(value)
