"""SurveyBar: the pages of one survey, as tabs and in a menu, for what a person may do there."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import date

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from surveys.models import Survey
from surveys.models.queries import is_erased
from surveys.staff.roles import Ability


@dataclass(frozen=True)
class SurveyPage:
    """A page of a survey, by the name of its address, and the names of the pages below it.

    ``counts_answers``: there is nothing to open before the launch and after answers are deleted.
    """

    name: str
    label: Promise
    ability: Ability = Ability.READ
    counts_answers: bool = False
    below: tuple[str, ...] = ()

    def is_offered(self, abilities: Collection[Ability], *, has_answers: bool) -> bool:
        return self.ability in abilities and (has_answers or not self.counts_answers)

    def current(self, name: str) -> str:
        """What ``aria-current`` says of it on the page of this name: "page", "true" or nothing."""
        if name == self.name:
            return "page"
        return "true" if name in self.below else ""


TABS = (
    SurveyPage("surveys:dashboard", gettext_lazy("Dashboard")),
    SurveyPage("surveys:break-down", gettext_lazy("Break-downs"), counts_answers=True),
    SurveyPage(
        "analytics:overview",
        gettext_lazy("Reports on texts"),
        below=("analytics:report", "analytics:permit", "analytics:ask", "analytics:give-permit"),
    ),
    SurveyPage(
        "analytics:releases",
        gettext_lazy("Released tables"),
        below=("analytics:release", "analytics:publish"),
    ),
    SurveyPage(
        "surveys:invitations",
        gettext_lazy("Invitations"),
        Ability.INVITE,
        below=("surveys:mailing", "surveys:new-mailing", "surveys:invitation-sheets"),
    ),
)
TOOLS = (
    (
        gettext_lazy("Analyses"),
        (
            SurveyPage("surveys:weighted", gettext_lazy("Weights"), counts_answers=True),
            SurveyPage("surveys:regression", gettext_lazy("Regression"), counts_answers=True),
            SurveyPage(
                "analytics:groups", gettext_lazy("Who answers differently?"), counts_answers=True
            ),
            SurveyPage(
                "analytics:clouds", gettext_lazy("Several questions together"), counts_answers=True
            ),
            SurveyPage(
                "analytics:tree",
                gettext_lazy("Which answers go together?"),
                Ability.RULE,
                counts_answers=True,
            ),
            SurveyPage("analytics:private-tree", gettext_lazy("Private tree"), counts_answers=True),
            SurveyPage("analytics:compare-groups", gettext_lazy("Compare two comparisons")),
        ),
    ),
    (
        gettext_lazy("Reports"),
        (
            SurveyPage("analytics:ledger", gettext_lazy("Privacy ledger")),
            SurveyPage("analytics:compare", gettext_lazy("Compare two reports")),
        ),
    ),
    (
        gettext_lazy("Survey"),
        (
            SurveyPage("surveys:reminders", gettext_lazy("Reminders"), Ability.INVITE),
            SurveyPage("surveys:members", gettext_lazy("Members"), Ability.RULE),
            SurveyPage("surveys:deposit", gettext_lazy("Deposit"), counts_answers=True),
            SurveyPage("surveys:survey-tokens", gettext_lazy("Programs"), Ability.RULE),
            SurveyPage("surveys:audit", gettext_lazy("Audit log"), Ability.RULE),
        ),
    ),
)


@dataclass(frozen=True)
class SurveyLink:
    """A page as its link is written: name of the address, label, value of ``aria-current``."""

    name: str
    label: Promise
    current: str


@dataclass(frozen=True)
class SurveyBar:
    """The tabs, and the groups of the menu with their headings; empty groups are left out."""

    tabs: tuple[SurveyLink, ...]
    tools: tuple[tuple[Promise, tuple[SurveyLink, ...]], ...]

    @property
    def open_page(self) -> Promise | None:
        """The label of the page that is open, or of the one above it."""
        linked = (*self.tabs, *(link for _, links in self.tools for link in links))
        return next((link.label for link in linked if link.current), None)

    @property
    def is_in_tools(self) -> bool:
        """Whether the page that is open stands in the menu."""
        return any(link.current for _, links in self.tools for link in links)


def survey_bar(survey: Survey, abilities: Collection[Ability], name: str, today: date) -> SurveyBar:
    """The bar on the page whose address has this name."""
    has_answers = survey.state != Survey.State.DRAFT and not is_erased(survey, today)

    def links(pages: Iterable[SurveyPage]) -> tuple[SurveyLink, ...]:
        offered = (page for page in pages if page.is_offered(abilities, has_answers=has_answers))
        return tuple(SurveyLink(page.name, page.label, page.current(name)) for page in offered)

    tools = ((heading, links(pages)) for heading, pages in TOOLS)
    return SurveyBar(links(TABS), tuple(group for group in tools if group[1]))
