"""The groups of a survey's form: five fields begin it, and all others stand under a name."""

from collections.abc import Iterator, Sequence
from typing import Any

from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy

from surveys.authoring.grouping.groups import Group, filled_in
from surveys.models import Survey
from surveys.web.locales import offers_informal

# Each survey has its own; all that belongs to a group has a usual value.
FIRST = ("title", "introduction", "organisation", "contact", "language")
# A launch asks for these: as long as one is empty in a draft, its group is open.
ASKED_AT_LAUNCH = ("close_on", "delete_on", "planned_responses")


def _default(name: str) -> Any:
    field: Any = Survey._meta.get_field(name)
    return field.get_default()


WHO = Group(
    "who",
    gettext_lazy("Who may answer"),
    gettext_lazy("Ask everyone who has the link, or only people whom you invite."),
    gettext_lazy(
        "If you change nothing, everyone who has the link can answer, as often as they like."
    ),
    ("invitation_only", "voucher_wait", "script_only"),
)
DAYS = Group(
    "days",
    gettext_lazy("Last day, and when answers are deleted"),
    gettext_lazy("Choose when the survey closes and when all its answers are deleted."),
    gettext_lazy(
        "If you choose no day for deletion, answers are kept. You can launch the survey only "
        "with a last day. A live survey needs no last day."
    ),
    ("close_on", "delete_on"),
)
PLAN = Group(
    "plan",
    gettext_lazy("How many answers you need"),
    gettext_lazy("Choose how many responses you plan for, and how precise results must be."),
    gettext_lazy(
        "If you change nothing, there is no plan. If answers are opened every few days, you need "
        "a plan before launch."
    ),
    Survey.PLAN,
)
OPENINGS = Group(
    "openings",
    gettext_lazy("When answers are opened"),
    gettext_lazy(
        "Answers wait, encrypted, until they are opened. Choose when you and others see results."
    ),
    format_lazy(
        gettext_lazy(
            "If you change nothing, answers are opened every {days} days and after the last day. "
            "In a survey with invitations, answers are opened only after the last day. Answers "
            "are stored in batches of {size}."
        ),
        days=_default("opening_days"),
        size=_default("batch_size"),
    ),
    ("opening", "opening_days", "opening_hour", "batch_size", "below_k"),
)
PUBLISHED = Group(
    "published",
    gettext_lazy("Promised tables and reports"),
    gettext_lazy(
        "Promise a limit: how much all that you publish may reveal, taken together, about any "
        "one person."
    ),
    gettext_lazy(
        "If you change nothing, no protected table or report is promised, and staff see direct "
        "answers as they were given. No rows of answers may be published."
    ),
    ("released_together", "release_share", "publish_rows"),
    ("budgets",),
)
KEYS = Group(
    "keys",
    gettext_lazy("Answers locked with your own keys"),
    gettext_lazy(
        "Let the browser lock texts or counted answers with keys that this server does not have."
    ),
    gettext_lazy(
        "If you change nothing, this server can open all answers when their opening is due."
    ),
    rows=("text_keys", "trustees", "locked_tables"),
)
ASKING = Group(
    "asking",
    gettext_lazy("Ways of asking"),
    gettext_lazy("Compare several ways of asking, or ask each person only some questions."),
    gettext_lazy(
        "If you change nothing, all people are asked in the same way. A question is left out only "
        "for people who do not meet its conditions."
    ),
    ("arms", "asked"),
)
LANGUAGES = Group(
    "languages",
    gettext_lazy("More languages, form of address, link at the end"),
    gettext_lazy(
        "Offer more languages, address people informally, or offer a link after people have sent "
        "their answers."
    ),
    gettext_lazy(
        "If you change nothing, the survey is in your language only, addresses people formally, "
        "and has no link of yours on the last page."
    ),
    ("also_in", "informal", "end_link"),
)
MARKS = Group(
    "marks",
    gettext_lazy("Emphasis and lists in texts"),
    gettext_lazy("Show words in italics or in bold, and lines as lists."),
    gettext_lazy("If you change nothing, stars and hyphens are shown as you type them."),
    ("marked_up",),
)
OWN_WORDS = Group(
    "explanations",
    gettext_lazy("Explanations in your own words"),
    gettext_lazy("Say in your own words how people tick, rank or write an answer, and thank them."),
    gettext_lazy("If you change nothing, respondents read the sentences of the program."),
    ("explanations", "own_explanations"),
)
WORKED_OUT = Group(
    "worked-out",
    gettext_lazy("What the program calculates"),
    gettext_lazy(
        "You cannot edit these lines. They are calculated from the questions and from what you do "
        "on other pages."
    ),
    fields=("owned_by", "time_it_takes", "state", "total_protection"),
    is_always_open=True,
)
GROUPS = (
    WHO,
    DAYS,
    OPENINGS,
    PLAN,
    PUBLISHED,
    KEYS,
    ASKING,
    LANGUAGES,
    MARKS,
    OWN_WORDS,
    WORKED_OUT,
)


def offered_fields(survey: Survey, names: Sequence[Any]) -> list[Any]:
    """The fields that mean something for this survey: only two languages have an informal address.

    One that is chosen stays in sight, to be taken back.
    """
    is_addressed = survey.informal or offers_informal(survey.languages)
    return [name for name in names if name != "informal" or is_addressed]


def needed_fields(survey: Survey) -> frozenset[str]:
    """The fields whose group is open: those with a value of their own, and those still empty."""
    return filled_in(survey) | frozenset(_still_empty(survey))


def _still_empty(survey: Survey) -> Iterator[str]:
    if survey.state == Survey.State.DRAFT:
        yield from (name for name in ASKED_AT_LAUNCH if getattr(survey, name) is None)
