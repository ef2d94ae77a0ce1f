"""DraftKind: what an author can choose for a question of each kind, and which fields that uses."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from surveys.models import Question
from surveys.questionnaire.kinds.folders import entries
from surveys.questionnaire.kinds.question import Question as PromisedQuestion

DESIGNS = Question.Design
LONG_LISTS = frozenset({DESIGNS.SUBSET, DESIGNS.OUE})
LONG_SCALES = frozenset({DESIGNS.SCALE_HISTOGRAM, DESIGNS.SCALE_CDF, DESIGNS.SCALE_MEAN})
OF_PARTS = frozenset({DESIGNS.DIRECT, DESIGNS.TWO_COINS, DESIGNS.K_ARY})
OF_ANY_ANSWERS = OF_PARTS | {DESIGNS.FORCED_RESPONSE, DESIGNS.CHANNEL_MATRIX}
# Every question has these.
ALWAYS = frozenset(
    {"survey", "text", "help", "required", "kind", "design", "protection", "arms"}
    | {"rule_joins", "rule_text", "behind", "name", "unfinished"}
    | {"section", "section_text", "section_rule", "random_screens", "random_section"}
    | {"same_screen"}
)
OF_DESIGN: dict[Question.Design, frozenset[str]] = {
    DESIGNS.DIRECT: frozenset(),
    DESIGNS.TWO_COINS: frozenset(),
    DESIGNS.FORCED_RESPONSE: frozenset({"forced"}),
    DESIGNS.WARNER: frozenset({"p_sensitive"}),
    DESIGNS.UNRELATED: frozenset({"p_sensitive", "harmless_yes"}),
    DESIGNS.UNRELATED_SHOWN: frozenset({"p_sensitive", "harmless", "harmless_yes"}),
    DESIGNS.CROSSWISE: frozenset({"harmless", "harmless_yes"}),
    DESIGNS.TWO_GROUPS: frozenset({"p_sensitive", "harmless", "harmless_yes"}),
    DESIGNS.CHANNEL_MATRIX: frozenset({"channel"}),
    **dict.fromkeys({DESIGNS.K_ARY} | LONG_LISTS | LONG_SCALES, frozenset({"epsilon"})),
}


@dataclass(frozen=True, kw_only=True)
class DraftKind:
    """How a draft's question becomes one that is promised, and what keeps it from that.

    ``fields`` are those that it uses beside ``ALWAYS`` and its design's, ``designs`` all that it
    can be launched with. ``is_tabulated`` is true of a kind whose direct answers tables can count,
    ``stands_below`` of one that belongs to the last answer of the question before.
    """

    build: Callable[[Question], PromisedQuestion]
    reasons: Callable[[Question], Iterator[str]]
    fields: frozenset[str] = frozenset()
    designs: frozenset[Question.Design] = frozenset({DESIGNS.DIRECT})
    is_tabulated: bool = False
    is_text: bool = False
    stands_below: bool = False

    @property
    def has_options(self) -> bool:
        return "option_lines" in self.fields


@cache
def draft_kinds() -> Mapping[Question.Kind, DraftKind]:
    """Every kind that an author can choose, as the kinds' folders have them."""
    return entries("draft", "DRAFTS")


def draft_kind(question: Question) -> DraftKind:
    """The kind that an author chose for this question."""
    return draft_kinds()[Question.Kind(question.kind)]


@cache
def sometimes() -> frozenset[str]:
    """The fields that some kind or some design uses, and others do not."""
    of_kinds = (kind.fields for kind in draft_kinds().values())
    return frozenset().union(*of_kinds, *OF_DESIGN.values())


def used_fields(kind: Question.Kind, design: Question.Design) -> frozenset[str]:
    """Return the fields that this kind and design use, beside those of every question."""
    drafted = draft_kinds()[kind]
    return drafted.fields | (OF_DESIGN[design] if design in drafted.designs else frozenset())


@cache
def fields_by_design() -> dict[str, dict[str, list[str]]]:
    """{kind: {design: names}}, as a script reads it."""
    return {
        kind.value: {design.value: sorted(used_fields(kind, design)) for design in DESIGNS}
        for kind in Question.Kind
    }


def designs_by_kind() -> dict[str, list[str]]:
    """{kind: designs}, as a script reads it."""
    kinds = draft_kinds()
    return {
        kind.value: sorted(design.value for design in kinds[kind].designs) for kind in Question.Kind
    }


def hidden_fields(kind: str, design: str) -> frozenset[str]:
    """Return the fields that this kind and design do not use; none for a kind that is unknown."""
    used = fields_by_design().get(kind, {}).get(design)
    return frozenset() if used is None else sometimes().difference(used)
