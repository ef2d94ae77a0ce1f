"""Script, CORE, scripts_of: the files that a revision's page runs, their length, what each does."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from django.contrib.staticfiles import finders
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from surveys.kinds.rating.promise import drawn_by_server
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.kinds.registry import Table
from surveys.randomized_response.messages import sentence
from surveys.trust.bundles import CURVES, HPKE, Bundle

MOST_LINES = 800  # of all files that one page runs, so that a person can read them in an evening
MOST_REQUESTS = 14  # in all: the page, its style, its icon, its scripts, names of rated items
MOST_FILES = MOST_REQUESTS - 3  # of script, others' too


@dataclass(frozen=True)
class Script:
    """One file of the script; ``sentence`` says to respondents what it does.

    A ``bundle`` is others' cryptography: a person need not read it, who trusts them.
    """

    name: str
    sentence: Promise
    bundle: Bundle | None = None

    @property
    def path(self) -> str:
        return self.bundle.path if self.bundle else f"surveys/collecting/{self.name}.js"

    @property
    def others(self) -> str:
        """Of which package, in which version; empty for a file of ours."""
        return f"{self.bundle.package} {self.bundle.version}" if self.bundle else ""

    @cached_property
    def lines(self) -> int:
        """How many lines the file has, comments included. Raises FileNotFoundError."""
        file = finders.find(self.path)
        if file is None:
            raise FileNotFoundError(self.path)
        return len(Path(file).read_text().splitlines())


CHANNEL = Script(
    "channel",
    gettext_lazy(
        "It makes the random draws that decide what is sent. It uses your browser's secure random "
        "numbers."
    ),
)
SEND = Script(
    "send",
    gettext_lazy(
        "It reads your answers. It sends each answer as chance drew it, or as you gave it where "
        "nothing is drawn. Your answers count once."
    ),
)
REPLIES = Script(
    "replies",
    gettext_lazy(
        "It shows what arrived. Its sentences come with the page, so no reply can change them."
    ),
)
STEPS = Script("steps", gettext_lazy("It shows one screen after the other."))
# Every page runs these. The last one begins only once all others have come as they should.
CORE = (CHANNEL, SEND, REPLIES, STEPS)
INVITATION = Script(
    "invitation",
    gettext_lazy(
        "It asks this server, before the questions begin, whether your invitation code can be used."
    ),
)
VOUCHER = Script(
    "voucher",
    gettext_lazy(
        "It exchanges your code for a blind signature, and checks that the survey's own key "
        "made this signature. The server cannot read what it signs."
    ),
)
PRACTICE = Script("practice", gettext_lazy("It flips coins for practice and explains the checks."))
TYPED = Script("typed", gettext_lazy("It reads numbers, dates and texts that you type."))
LISTS = Script(
    "lists",
    gettext_lazy(
        "It finds answers in long lists. Where chance marks options of a list, it draws which "
        "options are marked."
    ),
)
PARTS = Script(
    "parts",
    gettext_lazy(
        "It reads answers that have several parts. If only some parts are sent, it draws which "
        "ones."
    ),
)
ALONE = Script(
    "alone",
    gettext_lazy("It clears all other answers if you tick an answer that excludes them."),
)
RATINGS = Script(
    "ratings",
    gettext_lazy(
        "It draws the items that you rate. For this draw, the page loads the names of all items."
    ),
)
SUBSET = Script("subset", gettext_lazy("It draws which of the protected questions you are asked."))
LOGIC = Script(
    "logic",
    gettext_lazy("It works out which questions are for you, from what you answered before."),
)
ARMS = Script("arms", gettext_lazy("It draws the group that you are in, when you press Start."))
ORDER = Script(
    "order",
    gettext_lazy(
        "It draws the order in which you see answers or questions. Their numbers do not change, "
        "and nothing about the order is sent."
    ),
)
QUOTES = Script(
    "quotes", gettext_lazy("It inserts your earlier answers into the text of later questions.")
)

HPKE_FILE = Script(
    "hpke",
    gettext_lazy(
        "It locks texts by a standard that cryptographers have examined (RFC 9180). Others "
        "wrote this file, for many programs."
    ),
    HPKE,
)
SEAL = Script(
    "seal",
    gettext_lazy(
        "It locks what you write before it is sent, so that only the researchers can open it."
    ),
)
CURVES_FILE = Script(
    "curves",
    gettext_lazy(
        "It calculates with points of a curve that cryptographers have examined (edwards25519, "
        "RFC 8032). Others wrote this file, for many programs."
    ),
    CURVES,
)
BALLOT = Script(
    "ballot",
    gettext_lazy(
        "It locks answers that are only counted. It proves that each answer counts once, without "
        "showing which answer it is."
    ),
)

# What a kind of question needs beside the core.
NEEDED: Table[[], Sequence[Script]] = Table.mostly(
    lambda item: (),
    long_list=lambda item: (LISTS,),
    picked=lambda item: (LISTS,),
    number=lambda item: (TYPED,),
    text=lambda item: (TYPED,),
    other=lambda item: (TYPED,),
    ticks=lambda item: (PARTS, ALONE) if item.alone else (PARTS,),
    matrix=lambda item: (PARTS,),
    ranking=lambda item: (PARTS,),
    ranked_pair=lambda item: (PARTS,),
    rounded=lambda item: (TYPED,),
    day=lambda item: (TYPED,),
)


def modules_of(questionnaire: Questionnaire) -> tuple[Script, ...]:
    """What the page runs beside the core: it follows from the questions, never from a person."""
    return tuple(dict.fromkeys(_modules(questionnaire)))


def _modules(questionnaire: Questionnaire) -> Iterator[Script]:
    if questionnaire.invitation_only:
        yield INVITATION
    if questionnaire.vouchers is not None:
        yield VOUCHER
    if questionnaire.drawn:
        yield PRACTICE
    for item in questionnaire.items:
        yield from NEEDED(item)
    if questionnaire.numbered.drawn_in_page:
        yield RATINGS
    if questionnaire.seals is not None:
        yield SEAL  # after what reads texts
    if questionnaire.tally is not None:
        yield BALLOT
    if questionnaire.asked is not None:
        yield SUBSET
    if questionnaire.routes.has_rules:
        yield LOGIC
    if any(item.quoting for item in questionnaire.items):
        yield QUOTES
    if questionnaire.arms:
        yield ARMS
    if questionnaire.layout.is_random:
        yield ORDER  # after the rules, which go by the order of the author


def scripts_of(questionnaire: Questionnaire) -> tuple[Script, ...]:
    """All files in the order in which they build on each other."""
    *before, last = CORE
    modules = modules_of(questionnaire)
    of_texts = (HPKE_FILE,) if SEAL in modules else ()
    of_tables = (CURVES_FILE,) if BALLOT in modules else ()
    return (*of_texts, *of_tables, *before, *modules, last)


def can_seal() -> bool:
    """Whether pages have the file that seals texts for researchers' keys, and what it builds on."""
    return finders.find(SEAL.path) is not None and not HPKE.fault()


def can_count() -> bool:
    """Whether pages have the file that locks answers for trustees, and what it builds on."""
    return finders.find(BALLOT.path) is not None and not CURVES.fault()


def lightened(questionnaire: Questionnaire) -> Questionnaire:
    """The same; the server draws rated items where a page that does would load or run too much."""
    scripts, names = scripts_of(questionnaire), len(questionnaire.numbered.drawn_in_page)
    if not names or (len(scripts) + names <= MOST_FILES and not too_long(scripts)):
        return questionnaire
    return replace(questionnaire, items=tuple(map(drawn_by_server, questionnaire.items)))


def too_long(scripts: Sequence[Script]) -> str:
    """Why no page may run all these files, in words for its author; empty if one may.

    The lines of others are not counted.
    """
    ours = [script for script in scripts if script.bundle is None]
    lines = sum(script.lines for script in ours)
    if lines <= MOST_LINES and len(scripts) <= MOST_FILES:
        return ""
    further = ", ".join(f"{other.name} {other.lines}" for other in ours if other not in CORE)
    return sentence(
        "The page would run {lines} lines of script in {count} files. Respondents are promised "
        "at most {most_lines} lines in {most_files} files, so that people can read and check the "
        "scripts. Remove a feature of the survey that needs one of these files: {further}.",
        lines=lines,
        count=len(scripts),
        most_lines=MOST_LINES,
        most_files=MOST_FILES,
        further=further,
    )


# What reads an invitation code on the pages for one's own coin.
CODE_SCRIPTS = (CHANNEL, SEND, INVITATION)
