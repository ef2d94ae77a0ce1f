"""checked_call: functions whose wrong arguments are refused in the words of the package.

Python's own error for a keyword that does not exist names neither those that do, nor what to do.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache, wraps
from inspect import Parameter, Signature, signature
from typing import Any, ParamSpec, TypeVar

from .errors import CallError

P = ParamSpec("P")
T = TypeVar("T")


def checked_call(function: Callable[P, T]) -> Callable[P, T]:
    """The same function, which raises CallError for arguments that it does not have, or lacks."""

    @wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> T:
        require_arguments(function, args, kwargs)
        return function(*args, **kwargs)

    return called


def require_arguments(
    function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]
) -> None:
    """Raise CallError where the function cannot be called so."""
    asked = _signature(function)
    try:
        asked.bind(*args, **kwargs)
    except TypeError:
        remedy = f"{function.__name__} takes {_words(asked)}"
        argument, value = _wrong(asked, args, kwargs)
        raise CallError(argument, value, remedy) from None


@cache
def _signature(function: Callable[..., Any]) -> Signature:
    return signature(function)


def _wrong(asked: Signature, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[str, object]:
    """The first argument that is wrong, and its value."""
    known = asked.parameters.values()
    unknown = [name for name in kwargs if name not in asked.parameters]
    if unknown:
        return unknown[0], kwargs[unknown[0]]
    by_position = [p.name for p in known if p.kind is not Parameter.KEYWORD_ONLY]
    if len(args) > len(by_position):
        return "arguments", f"{len(args)} by position"
    named = [*by_position[: len(args)], *kwargs]
    twice = [name for name in kwargs if named.count(name) > 1]
    if twice:
        return twice[0], kwargs[twice[0]]
    needed = [p.name for p in known if p.default is Parameter.empty]
    return next(name for name in needed if name not in named), "nothing"


def _words(asked: Signature) -> str:
    """Its arguments, those without a usual value first in their order."""
    by_name = [p.name for p in asked.parameters.values() if p.kind is Parameter.KEYWORD_ONLY]
    others = [p.name for p in asked.parameters.values() if p.kind is not Parameter.KEYWORD_ONLY]
    words = ", ".join(others)
    if not by_name:
        return words
    return f"{words}{'; ' if words else ''}by name {', '.join(by_name)}"
