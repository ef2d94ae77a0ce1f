"""Which fields of a question's admin page are used or hidden, by its kind and its design."""

from surveys.models import Question

KINDS, DESIGNS = Question.Kind, Question.Design

# Every question has these.
ALWAYS = frozenset(
    {"survey", "text", "help", "required", "kind", "design", "protection", "arms", "rule_joins"}
    | {"behind"}
    | {"section", "section_text", "random_screens", "random_section", "same_screen"}
)
WITH_OPTIONS = frozenset({"option_lines"})
OF_KIND: dict[Question.Kind, frozenset[str]] = {
    KINDS.YES_NO: frozenset({"known_share"}),
    KINDS.CHOICE: WITH_OPTIONS | {"random_options"},
    KINDS.SCALE: WITH_OPTIONS,
    KINDS.NUMBER: frozenset({"minimum", "maximum", "decimal_places"}),
    KINDS.DATE: frozenset({"first_day", "last_day"}),
    KINDS.TEXT: frozenset({"longest"}),
    KINDS.OTHER: frozenset({"longest"}),
    KINDS.RATING: WITH_OPTIONS | {"catalogue", "shown", "adaptive"},
    KINDS.TICKS: WITH_OPTIONS | {"shown", "most", "random_options"},
    KINDS.MATRIX: WITH_OPTIONS | {"shown", "table_rows", "random_options"},
    KINDS.RANKING: WITH_OPTIONS | {"random_options"},
    KINDS.TRUST: frozenset(),
    KINDS.HONEST: frozenset(),
    KINDS.INFORMATION: frozenset(),
    KINDS.CONSENT: frozenset(),
}
OF_DESIGN: dict[Question.Design, frozenset[str]] = {
    DESIGNS.DIRECT: frozenset(),
    DESIGNS.TWO_COINS: frozenset(),
    DESIGNS.FORCED_RESPONSE: frozenset({"forced"}),
    DESIGNS.K_ARY: frozenset({"epsilon"}),
    DESIGNS.WARNER: frozenset({"p_sensitive"}),
    DESIGNS.UNRELATED: frozenset({"p_sensitive", "harmless_yes"}),
    DESIGNS.UNRELATED_SHOWN: frozenset({"p_sensitive", "harmless", "harmless_yes"}),
    DESIGNS.CROSSWISE: frozenset({"harmless", "harmless_yes"}),
    DESIGNS.TWO_GROUPS: frozenset({"p_sensitive", "harmless", "harmless_yes"}),
    DESIGNS.CHANNEL_MATRIX: frozenset({"channel"}),
    DESIGNS.SUBSET: frozenset({"epsilon"}),
    DESIGNS.OUE: frozenset({"epsilon"}),
    DESIGNS.SCALE_HISTOGRAM: frozenset({"epsilon"}),
    DESIGNS.SCALE_CDF: frozenset({"epsilon"}),
    DESIGNS.SCALE_MEAN: frozenset({"epsilon"}),
}
LONG_LISTS = frozenset({DESIGNS.SUBSET, DESIGNS.OUE})
LONG_SCALES = frozenset({DESIGNS.SCALE_HISTOGRAM, DESIGNS.SCALE_CDF, DESIGNS.SCALE_MEAN})
OF_ANY_ANSWERS = frozenset(
    {
        DESIGNS.DIRECT,
        DESIGNS.TWO_COINS,
        DESIGNS.FORCED_RESPONSE,
        DESIGNS.K_ARY,
        DESIGNS.CHANNEL_MATRIX,
    }
)
# The designs that each kind can be launched with; no other needs its fields.
DESIGNS_OF: dict[Question.Kind, frozenset[Question.Design]] = {
    KINDS.YES_NO: frozenset(DESIGNS) - LONG_LISTS - LONG_SCALES,
    KINDS.CHOICE: OF_ANY_ANSWERS | LONG_LISTS,
    KINDS.SCALE: OF_ANY_ANSWERS | LONG_SCALES,
    KINDS.NUMBER: frozenset({DESIGNS.DIRECT, DESIGNS.K_ARY}),
    KINDS.DATE: frozenset({DESIGNS.DIRECT, DESIGNS.TWO_COINS, DESIGNS.K_ARY}),
    KINDS.TEXT: frozenset({DESIGNS.DIRECT}),
    KINDS.OTHER: frozenset({DESIGNS.DIRECT}),
    KINDS.RATING: frozenset({DESIGNS.DIRECT, DESIGNS.K_ARY}),
    KINDS.TICKS: frozenset({DESIGNS.DIRECT, DESIGNS.TWO_COINS, DESIGNS.K_ARY}),
    KINDS.MATRIX: frozenset({DESIGNS.DIRECT, DESIGNS.TWO_COINS, DESIGNS.K_ARY}),
    KINDS.RANKING: frozenset({DESIGNS.DIRECT, DESIGNS.TWO_COINS, DESIGNS.K_ARY}),
    KINDS.TRUST: frozenset({DESIGNS.DIRECT}),
    KINDS.HONEST: frozenset({DESIGNS.DIRECT}),
    KINDS.INFORMATION: frozenset({DESIGNS.DIRECT}),
    KINDS.CONSENT: frozenset({DESIGNS.DIRECT}),
}
SOMETIMES = frozenset().union(*OF_KIND.values(), *OF_DESIGN.values())


def used_fields(kind: Question.Kind, design: Question.Design) -> frozenset[str]:
    """Return the fields that this kind and design use, beside those of every question."""
    return OF_KIND[kind] | (OF_DESIGN[design] if design in DESIGNS_OF[kind] else frozenset())


# {kind: {design: names}}, as a script reads it.
TABLE = {
    kind.value: {design.value: sorted(used_fields(kind, design)) for design in DESIGNS}
    for kind in KINDS
}

DESIGNS_TABLE = {kind.value: sorted(design.value for design in DESIGNS_OF[kind]) for kind in KINDS}


def hidden_fields(kind: str, design: str) -> frozenset[str]:
    """Return the fields that this kind and design do not use; none for a kind that is unknown."""
    used = TABLE.get(kind, {}).get(design)
    return frozenset() if used is None else SOMETIMES.difference(used)
