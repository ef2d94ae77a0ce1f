"""Designs by name with typed settings (``warner``, ``p_direct=3/4``): parsed, or refused in words.

Names are those of the registries, parameters the fields of the classes. Fractions and decimals
are taken exactly as they are written, so 1/6 is one sixth.
"""

import dataclasses
import difflib
import inspect
import json
import math
import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from ..designs.channel import Channel
from ..designs.design import Design, design_label, parameters_of
from ..designs.discretised import ModularNoise, TruncatedGeometricNoise
from ..designs.local.protocol import FrequencyProtocol, Support
from ..designs.local.scales import Purpose
from ..designs.quantitative import QUANTITATIVE_REGISTRY, LinearScrambling
from ..designs.registry import PROTOCOLS, REGISTRY
from ..designs.two_group import TWO_GROUP_REGISTRY, AnchoredCrosswise, TwoGroupDesign
from ..errors import DesignError
from ..messages import shortened
from .design_parameters import meaning_of, number_words

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
LOGARITHM = re.compile(r"ln\s*(?:\(\s*)?([0-9./]{1,40})\s*\)?")


class SettingError(DesignError):
    """A design that cannot be made from what was written; the message says what to write."""

    def __str__(self) -> str:
        return self.remedy


def named_design(name: str, settings: Mapping[str, Any], place: str = "") -> NamedDesign:
    """The design of that name. Values are texts, lists of texts for several. Raises SettingError.

    ``epsilon`` may stand for the parameters it determines where the design has ``from_epsilon``.
    ``place``: where in a file the settings are; without it they are options of a command.

    >>> from randomized_response.files import named_design
    >>> named_design("warner", {"p_direct": "3/4"})
    Warner(p_direct=Fraction(3, 4))
    """
    try:
        return _design(name, settings, is_in_file=bool(place))
    except SettingError as problem:
        words = f"{place}: {problem}" if place else str(problem)
        raise SettingError(problem.argument, problem.value, words) from None


def described_design(place: str, description: Any) -> NamedDesign:
    """The design of an object ``{"design": name, parameter: value, ...}``. Raises SettingError.

    >>> from randomized_response.files import described_design
    >>> described_design("line 3", {"design": "crosswise", "p_harmless_yes": "1/4"})
    Crosswise(p_harmless_yes=Fraction(1, 4))
    """
    if not isinstance(description, Mapping) or not isinstance(description.get("design"), str):
        remedy = 'write an object such as {"design": "warner", "p_direct": "3/4"}'
        raise SettingError(place, description, f"{place}: {remedy}")
    settings = {key: value for key, value in description.items() if key != "design"}
    return named_design(description["design"], settings, place)


def _design(name: str, settings: Mapping[str, Any], *, is_in_file: bool) -> NamedDesign:
    spelled = _spelled_in_file if is_in_file else _spelled_as_option
    name = name if name in DESIGNS else name.lower().replace("-", "_")
    if name not in DESIGNS:
        words = f"{spelled('design', name)} cannot be used: {_remedy(name, list(DESIGNS))}"
        raise SettingError("design", name, words)
    kind = DESIGNS[name]
    make = kind.from_epsilon if "epsilon" in settings and hasattr(kind, "from_epsilon") else kind
    _refuse_unknown(name, settings, set(inspect.signature(make).parameters), spelled)
    missing = [p for p in _required(make) if p not in settings]
    if missing:
        raise SettingError(missing[0], None, _missing_words(name, missing, is_in_file=is_in_file))
    try:
        design: NamedDesign = make(**{key: _parsed(key, value) for key, value in settings.items()})
    except DesignError as problem:
        words = _value_words(name, problem, settings, spelled)
        raise SettingError(problem.argument, problem.value, words) from None
    return design


def _refuse_unknown(
    name: str, settings: Mapping[str, Any], usable: set[str], spelled: Callable[[str, Any], str]
) -> None:
    known = _known(DESIGNS[name])
    for parameter, value in settings.items():
        if parameter in usable:
            continue
        if parameter in known:
            epsilon = spelled("epsilon", settings["epsilon"])
            words = f"{epsilon} determines {parameter} already: leave one of them out."
        else:
            refused, remedy = spelled(parameter, value), _remedy(parameter, known)
            words = f"{refused} cannot be used: {name} has no parameter {parameter}: "
            words += remedy if remedy.endswith("?") else f"{remedy}."
        raise SettingError(parameter, value, words)


def _missing_words(name: str, missing: list[str], *, is_in_file: bool) -> str:
    def entry(parameter: str) -> str:
        return f'"{parameter}"' if is_in_file else f"--set {parameter}=VALUE"

    words = [f"The design {name} is not complete."]
    words += [f"Add {entry(p)}: {meaning_of(name, p)}." for p in missing]
    by_epsilon = getattr(DESIGNS[name], "from_epsilon", None)
    determined = [p for p in missing if by_epsilon and p not in _required(by_epsilon)]
    if determined:
        instead = f"In place of {' and '.join(determined)} you can write {entry('epsilon')}"
        words.append(f"{instead}: {meaning_of(name, 'epsilon')}.")
    return " ".join(words)


def _value_words(
    name: str,
    problem: DesignError,
    settings: Mapping[str, Any],
    spelled: Callable[[str, Any], str],
) -> str:
    """The refusal of a value that was written, or of several together."""
    parameter, *places = re.findall(r"[^][]+", problem.argument)
    if parameter not in settings:
        return f"{spelled('design', name)}: {problem}."
    written = spelled(parameter, settings[parameter])
    which = zip(("row", "entry")[-len(places) :], places, strict=True) if places else ()
    entry = ", ".join(f"{word} {int(number) + 1}" for word, number in which)
    is_wrong = f"{entry} is {problem.value}: " if entry else ""
    return f"{written} cannot be used: {is_wrong}{problem.remedy}."


def _spelled_as_option(name: str, value: Any) -> str:
    shown = shortened(value if isinstance(value, str) else json.dumps(value))
    return f"--design {shown}" if name == "design" else f"--set {name}={shown}"


def _spelled_in_file(name: str, value: Any) -> str:
    return f'"{name}": {shortened(json.dumps(value, ensure_ascii=False))}'


def _required(make: Callable[..., Any]) -> list[str]:
    parameters = inspect.signature(make).parameters.values()
    return [p.name for p in parameters if p.default is p.empty]


def label_of(design: NamedDesign | Channel) -> str:
    """The design and its parameters in words.

    >>> from randomized_response.files import label_of, named_design
    >>> label_of(named_design("warner", {"p_direct": "3/4"}))
    'Warner (p_direct = 3/4)'
    """
    if isinstance(design, (Design, TwoGroupDesign)):
        return design.label
    if isinstance(design, Channel):
        return design_label(design)
    return f"{design.name} {parameters_of(design, _words)}"


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
    if name == "purpose":
        if value not in list(Purpose):
            raise DesignError(name, value, f"write one of {', '.join(Purpose)}")
        return Purpose(value)
    if name in ("permanent", "instantaneous"):
        values = _several(name, value)
        if len(values) != 2:
            raise DesignError(name, values, "write two probabilities, such as 3/4,1/4")
        return Support(*values)
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
    # 1/0 is spelled like a number.
    if not RATIONAL.fullmatch(text) or re.search(r"/0+$", text):
        raise DesignError(name, value, number_words(name.partition("[")[0]))
    return Fraction(text)


def _several(name: str, value: Any) -> tuple[Fraction | float, ...]:
    items = value.split(",") if isinstance(value, str) else value
    if not isinstance(items, list):
        raise DesignError(name, value, "write several numbers with commas between them")
    return tuple(_number(f"{name}[{i}]", item) for i, item in enumerate(items))


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
