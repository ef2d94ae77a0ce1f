"""fields_of_design: the fields of a PlanRequest that a design stands for."""

from collections.abc import Callable, Mapping
from typing import Any

from ..designs import (
    Crosswise,
    Direct,
    ForcedResponse,
    KAry,
    TwoCoins,
    UnrelatedQuestion,
    Warner,
)
from ..designs.design import Design
from .request_fields import RequestError

_FIELDS: Mapping[type[Design], Callable[[Any], dict[str, Any]]] = {
    TwoCoins: lambda d: {"design": "two-coins", "levels": d.options},
    Warner: lambda d: {"design": "warner", "p": d.p_direct},
    ForcedResponse: lambda d: {
        "design": "forced-response",
        "forced": (d.p_forced_no, d.p_forced_yes),
    },
    KAry: lambda d: {"design": "k-ary", "levels": d.options, "epsilon": d.epsilon},
    UnrelatedQuestion: lambda d: {
        "design": "unrelated-question",
        "p": d.p_sensitive,
        "other": d.q_other_yes,
    },
    Crosswise: lambda d: {"design": "crosswise", "other": d.p_harmless_yes},
    Direct: lambda d: {"design": "direct", "levels": d.options},
}


def fields_of_design(design: Design) -> dict[str, Any]:
    """Its name and its parameters as a request has them. Raises RequestError for other designs.

    >>> from randomized_response.designs import Warner
    >>> from randomized_response.planning.planned_fields import fields_of_design
    >>> fields_of_design(Warner(0.7))
    {'design': 'warner', 'p': 0.7}
    """
    if type(design) not in _FIELDS:
        known = ", ".join(kind.__name__ for kind in _FIELDS)
        remedy = f"requests plan for {known}; for others use plan_sample_size(design, ...)"
        raise RequestError("design", design.label, remedy)
    return _FIELDS[type(design)](design)
