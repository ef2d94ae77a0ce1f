"""The kinds and designs of drafted questions, by their names in the database, and their fields.

``surveys.authoring.draft.kinds`` has the same for forms of the editor; a test compares the two.
"""

# Beside the fields that every question has.
FIELDS: dict[str, frozenset[str]] = {
    "yes_no": frozenset({"known_share", "counted_table"}),
    "choice": frozenset({"options", "random_options", "counted_table"}),
    "scale": frozenset({"options", "counted_table"}),
    "number": frozenset({"minimum", "maximum", "decimal_places", "special"}),
    "date": frozenset({"first_day", "last_day"}),
    "text": frozenset({"longest"}),
    "other": frozenset({"longest"}),
    "rating": frozenset({"options", "catalogue", "shown", "adaptive"}),
    "ticks": frozenset({"options", "shown", "most", "random_options"}),
    "matrix": frozenset({"options", "rows", "shown", "random_options"}),
    "rank": frozenset({"options", "random_options"}),
    "trust": frozenset(),
    "honest": frozenset(),
    "info": frozenset(),
    "agree": frozenset(),
}
KINDS = tuple(FIELDS)
SOMETIMES = frozenset().union(*FIELDS.values())
PAGES = ("info", "agree")  # what is read and not answered
WITH_OPTIONS = tuple(kind for kind, its in FIELDS.items() if "options" in its)

# The parameters of each design.
PARAMETERS: dict[str, frozenset[str]] = {
    "direct": frozenset(),
    "two_coins": frozenset(),
    "forced_response": frozenset({"forced"}),
    "k_ary": frozenset({"epsilon"}),
    "warner": frozenset({"p_sensitive"}),
    "unrelated": frozenset({"p_sensitive", "harmless_yes"}),
    "unrelated_shown": frozenset({"p_sensitive", "harmless", "harmless_yes"}),
    "crosswise": frozenset({"harmless", "harmless_yes"}),
    "two_groups": frozenset({"p_sensitive", "harmless", "harmless_yes"}),
    "channel_matrix": frozenset({"channel"}),
    "subset": frozenset({"epsilon"}),
    "oue": frozenset({"epsilon"}),
    "scale_histogram": frozenset({"epsilon"}),
    "scale_cdf": frozenset({"epsilon"}),
    "scale_mean": frozenset({"epsilon"}),
}
DESIGNS = tuple(PARAMETERS)

# A yes or no has no options of its own; these are its values, in the order of its answers.
YES, NO = "yes", "no"
