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
                    "uncertainty. They are found from noisy counts: how often two words occur "
                    "together. Every look at the answers is charged."
                ),
                is_private=True,
                can_refine=True,
                can_list_words=True,
            ),
            ReportKind(
                "published",
                sentence("Published private method"),
                sentence(
                    "Private NMF with outliers as it was published, with everything charged. For "
                    "comparison: the default finds clearer topics for the same budget."
                ),
                is_private=True,
                can_list_words=True,
            ),
            ReportKind(
                "private_svd",
                sentence("Private singular values"),
                sentence(
                    "The strongest directions in which answers differ, with the words that make "
                    "them, from the same noisy counts. Directions are not topics: words may count "
                    "against."
                ),
                is_private=True,
                finds="direction",
                can_list_words=True,
            ),
            ReportKind(
                "exact_topics",
                sentence("Exact topics (internal)"),
                sentence(
                    "Topics without any noise, with typical comments. Not private: for the data "
                    "curator alone, never to be published."
                ),
                is_private=False,
                can_list_words=True,
            ),
            ReportKind(
                "exact_svd",
                sentence("Exact singular values and clusters (internal)"),
                sentence(
                    "Singular values without any noise, and clusters of respondents and of words. "
                    "Not private: for the data curator alone, never to be published."
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
        "Tables of direct answers for people outside the staff of the survey: every number with "
        "its margin of error, which is known before the budget is spent."
    ),
    is_private=True,
    finds="table",
)


# The same: it counts direct answers, level by level.
PRIVATE_TREE = ReportKind(
    "private_tree",
    sentence("Which answers go with this one? (private)"),
    sentence(
        "A tree of direct answers that go with one answer, from noisy counts. Every look at the "
        "answers is charged, so that it may be published."
    ),
    is_private=True,
    finds="leaf",
)


# Neither: what a survey that only releases tables shows at its openings, charged at its launch.
SCHEDULE = ReportKind(
    "schedule",
    sentence("Tables released at openings"),
    sentence(
        "Tables of direct answers, made anew at each opening of a survey whose direct answers "
        "no person reads. All of them together were charged at launch."
    ),
    is_private=True,
    finds="table",
)


# Neither: totals that trustees open, charged as soon as the list of ballots is made available.
LOCKED = ReportKind(
    "locked",
    sentence("Totals of locked answers"),
    sentence(
        "Totals of answers that are added up while they are locked. Trustees open them, with "
        "chance added. They are charged at the close, when the locked answers can be downloaded."
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
            sentence("{title} has nothing to refine: leave it out", title=kind.title),
        )
    if settings.vocabulary and not kind.can_list_words:
        raise SettingsError(
            "vocabulary",
            "a list",
            sentence("{title} takes no public vocabulary", title=kind.title),
        )
