"""ReportKind, private or internal: the closed set of kinds of report, in words.

Pages name kinds and load no more than this; how each is made is in ``making``.
"""

from dataclasses import dataclass
from types import MappingProxyType

from analytics.kinds.settings import Settings, SettingsError
from surveys.randomized_response.messages import sentence

DEFAULT = "private_topics"


@dataclass(frozen=True)
class ReportKind:
    """A kind of report in words.

    ``is_private``: its reports may be published. ``finds`` is what one of its topics is called.
    ``can_refine``: the setting ``refine`` has an effect. ``can_list_words``: a public vocabulary
    may be given.
    """

    name: str
    title: str
    explanation: str
    is_private: bool
    finds: str = "topic"
    can_refine: bool = False
    can_list_words: bool = False


KINDS = MappingProxyType(
    {
        kind.name: kind
        for kind in (
            ReportKind(
                "private_topics",
                sentence("Private topics"),
                sentence(
                    "What respondents write about: topics with their words, sizes and "
                    "uncertainty. Topics are found from noisy counts of how often two words "
                    "occur together. Every look at the answers is charged to the privacy budget."
                ),
                is_private=True,
                can_refine=True,
                can_list_words=True,
            ),
            ReportKind(
                "published",
                sentence("Published private method"),
                sentence(
                    "The method “private NMF with outliers” as it was published. Everything "
                    "that the method looks at is charged to the privacy budget. Use this report "
                    "for comparison: the default report finds clearer topics for the same budget."
                ),
                is_private=True,
                can_list_words=True,
            ),
            ReportKind(
                "private_svd",
                sentence("Private singular values"),
                sentence(
                    "The strongest directions in which answers differ, with the words that form "
                    "each direction. Directions are found from noisy counts of how often two "
                    "words occur together. A direction is not a topic: the loadings of its words "
                    "can also be below 0."
                ),
                is_private=True,
                finds="direction",
                can_list_words=True,
            ),
            ReportKind(
                "exact_topics",
                sentence("Exact topics (internal)"),
                sentence(
                    "Topics without noise, with typical comments. This report is not private. It "
                    "is only for the data curator and must never be published."
                ),
                is_private=False,
                can_list_words=True,
            ),
            ReportKind(
                "exact_svd",
                sentence("Exact singular values and clusters (internal)"),
                sentence(
                    "Singular values without noise, with clusters of respondents and of words. "
                    "This report is not private. It is only for the data curator and must never "
                    "be published."
                ),
                is_private=False,
                finds="cluster",
                can_list_words=True,
            ),
        )
    }
)


# Not one of KINDS: it counts direct answers, and is asked for by a page of its own.
TABLE_RELEASE = ReportKind(
    "tables",
    sentence("Table release"),
    sentence(
        "Tables of direct answers for people outside the survey team. Every number has a margin "
        "of error, which is known before the budget is spent."
    ),
    is_private=True,
    finds="table",
)


# The same: it counts direct answers, level by level.
PRIVATE_TREE = ReportKind(
    "private_tree",
    sentence("Which answers go with a chosen answer? (private)"),
    sentence(
        "A tree that shows which direct answers occur together with one chosen answer, built "
        "from noisy counts. Every look at the answers is charged to the privacy budget, so the "
        "tree may be published."
    ),
    is_private=True,
    finds="leaf",
)


# Neither: what a survey that only releases tables shows at its openings, charged at its launch.
SCHEDULE = ReportKind(
    "schedule",
    sentence("Tables released at openings"),
    sentence(
        "Tables of direct answers, for surveys in which no person reads direct answers. The "
        "tables are made again at each opening of the survey. The tables of all openings "
        "together were charged to the privacy budget at launch."
    ),
    is_private=True,
    finds="table",
)


# Neither: totals that trustees open, charged as soon as the list of ballots is made available.
LOCKED = ReportKind(
    "locked",
    sentence("Totals of locked answers"),
    sentence(
        "Totals of answers that are added up while the answers are locked. Trustees open the "
        "totals, with random noise added. When the survey closes and the locked answers can be "
        "downloaded, the totals are charged to the privacy budget."
    ),
    is_private=True,
    finds="table",
)


def kind_of(name: object) -> ReportKind:
    """The kind of this name. Raises SettingsError."""
    if not isinstance(name, str) or name not in KINDS:
        raise SettingsError("kind", name, sentence("give one of {kinds}", kinds=", ".join(KINDS)))
    return KINDS[name]


def check_kind(kind: ReportKind, settings: Settings) -> None:
    """Raises SettingsError where a setting has no effect on this kind."""
    if settings.refine and not kind.can_refine:
        raise SettingsError(
            "refine",
            True,
            sentence(
                "a report “{title}” cannot look at the texts a second time, so leave this setting "
                "out",
                title=kind.title,
            ),
        )
    if settings.vocabulary and not kind.can_list_words:
        raise SettingsError(
            "vocabulary",
            "a list",
            sentence("a report “{title}” cannot use a public list of words", title=kind.title),
        )
