"""PLANNED_DESIGNS: what a request plans for, by name; fields_of_design: a design as its fields."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..designs.binary import Crosswise, ForcedResponse, UnrelatedQuestion, Warner
from ..designs.categorical import Direct, ForcedResponseOptions, KAry, TwoCoins
from ..designs.design import Design
from ..designs.local.optimised import OptimisedScale
from ..designs.local.scales import Purpose
from ..designs.rounded import RoundedNumber
from ..messages import sentence
from .request_fields import RequestError

if TYPE_CHECKING:
    from .requests import PlanRequest


@dataclass(frozen=True)
class PlannedDesign:
    """A design by its label, the fields that it has ``parameters`` in, and how it is made of them.

    ``most_parts``: of a question with parts, the most that it may have; each of them is planned for
    by itself, and a drawn few are sent of each person.
    """

    label: str
    parameters: tuple[str, ...]
    make: "Callable[[PlanRequest], Design | RoundedNumber]"
    most_parts: int = 0


def _long_scale(label: str, purpose: Purpose) -> PlannedDesign:
    return PlannedDesign(
        label,
        ("levels", "epsilon"),
        lambda asked: OptimisedScale(asked.levels, purpose, asked.epsilon),
    )


PLANNED_DESIGNS = {
    "two-coins": PlannedDesign(
        sentence("Two coins"), ("levels",), lambda asked: TwoCoins(asked.levels)
    ),
    "warner": PlannedDesign(sentence("Warner"), ("p",), lambda asked: Warner(asked.p)),
    "forced-response": PlannedDesign(
        sentence("Forced response"),
        ("forced",),
        lambda asked: ForcedResponseOptions(asked.forced),
    ),
    "k-ary": PlannedDesign(
        sentence("k-ary, by epsilon"),
        ("levels", "epsilon"),
        lambda asked: KAry.from_epsilon(asked.levels, asked.epsilon),
    ),
    "unrelated-question": PlannedDesign(
        sentence("Unrelated question"),
        ("p", "other"),
        lambda asked: UnrelatedQuestion(asked.p, asked.other),
    ),
    "crosswise": PlannedDesign(
        sentence("Crosswise"), ("other",), lambda asked: Crosswise(asked.other)
    ),
    "long-scale-histogram": _long_scale(
        sentence("Long scale, best for the share of each answer"), Purpose.HISTOGRAM
    ),
    "long-scale-cdf": _long_scale(
        sentence("Long scale, best for the shares up to each answer"), Purpose.CDF
    ),
    "long-scale-mean": _long_scale(sentence("Long scale, best for the mean"), Purpose.MEAN),
    # The most parts are those of a survey's questions; a test holds the numbers together.
    "multiple-choice": PlannedDesign(
        sentence("Multiple choice, some randomly drawn options are sent"),
        ("parts", "sent", "epsilon"),
        lambda asked: KAry.from_epsilon(2, asked.epsilon / asked.sent),
        most_parts=32,
    ),
    "table": PlannedDesign(
        sentence("Table, some randomly drawn rows are sent"),
        ("parts", "sent", "levels", "epsilon"),
        lambda asked: KAry.from_epsilon(asked.levels, asked.epsilon / asked.sent),
        most_parts=20,
    ),
    "rounded-number": PlannedDesign(
        sentence("Number, rounded by chance"),
        ("numbers", "epsilon"),
        lambda asked: RoundedNumber.from_epsilon(asked.numbers, asked.epsilon),
    ),
    "direct": PlannedDesign(
        sentence("Direct: not protected"), ("levels",), lambda asked: Direct(asked.levels)
    ),
}


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
    >>> from randomized_response.planning.planned_designs import fields_of_design
    >>> fields_of_design(Warner(0.7))
    {'design': 'warner', 'p': 0.7}
    """
    if type(design) not in _FIELDS:
        known = ", ".join(kind.__name__ for kind in _FIELDS)
        remedy = f"requests plan for {known}; for others use plan_sample_size(design, ...)"
        raise RequestError("design", design.label, remedy)
    return _FIELDS[type(design)](design)
