"""What the page says before tables are published, and the proof that it was read."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any
from uuid import UUID

from django.utils.translation import gettext, gettext_lazy

from analytics import queries
from analytics.kinds.tables.settings import TableSettings
from analytics.pages.ledger_rows import spent_epsilon
from analytics.reports.amounts import plain
from analytics.reports.release_page import table_title
from analytics.services import ledger
from analytics.services.releases import Outlook, outlook_of
from analytics.services.requests import Later, request_report
from surveys.models.refusals import NotPossible
from surveys.randomized_response.errors import StatisticsError
from surveys.staff.acts import Act, AskingSection
from surveys.wording.language.messages import said_by, translated
from surveys.wording.language.numbers import grouped
from surveys.wording.texts import RELEASE_AUDIENCE

if TYPE_CHECKING:
    from django.contrib.auth.models import User


@dataclass(frozen=True)
class PublishTables(Act):
    """Release tables of a survey: what is published cannot be taken back."""

    settings: TableSettings
    share: Fraction
    key: UUID
    later: Later

    name = "publish-tables"
    button = gettext_lazy("Publish permanently")

    @property
    def title(self) -> str:
        return gettext("Publish these tables of “{survey}”?").format(survey=self.survey)

    def problems(self) -> list[str]:
        try:
            if not outlook_of(self.survey, self.settings, self.share).fits():
                return [
                    gettext(
                        "This release costs more than is left of the budget. Give the release a "
                        "smaller share of the budget."
                    )
                ]
        except (NotPossible, StatisticsError) as problem:
            return [said_by(problem)]
        return []

    def sections(self) -> list[AskingSection]:
        outlook = outlook_of(self.survey, self.settings, self.share)
        return [
            AskingSection(gettext("What is published"), tuple(_published(outlook, self.settings))),
            AskingSection(gettext("Permanent cost"), tuple(_spent(outlook))),
        ]

    def state(self) -> Any:
        """What is asked, and what was spent before: another release meanwhile asks again."""
        account = queries.account_of(self.survey)
        spent = account and ledger.written(account.taken)
        return [self.settings.to_data(), str(self.share), spent]

    def do(self, by: "User") -> str:
        request_report(
            survey=self.survey,
            kind=queries.TABLES,
            settings=self.settings,
            share=self.share,
            by=by,
            later=self.later,
            key=self.key,
        )
        return gettext(
            "The release was requested and paid for. Its page shows the tables as soon as the "
            "noise is drawn."
        )


def _published(outlook: Outlook, settings: TableSettings) -> Iterator[str]:
    asked = outlook.planned.asked
    for table in asked.tables:
        yield table_title(asked, table)
    yield gettext("{count} numbers in all, each with its margin of error.").format(
        count=grouped(asked.numbers)
    )
    if settings.totals:
        numbers = ", ".join(map(str, settings.totals))
        yield gettext(
            "Exact counts of the reported answers to these questions: {numbers}. These counts can "
            "be published only once."
        ).format(numbers=numbers)
    if settings.is_public:
        yield gettext(
            "All people who have the address of the release page can read and download the release."
        )
    else:
        yield gettext(
            "Only staff of this survey can open the release page. Staff can pass on the files of "
            "the release."
        )
    yield translated(RELEASE_AUDIENCE)
    yield gettext(
        "The noise is drawn once. You cannot change the numbers, draw the noise again or take the "
        "numbers back."
    )


def _spent(outlook: Outlook) -> Iterator[str]:
    account, cost = outlook.account, outlook.aside
    before, after = account.taken, account.taken + cost
    yield gettext("This release: epsilon {epsilon}.").format(
        epsilon=spent_epsilon(account.budget, cost)
    )
    if before.mu_squared:
        yield gettext("Already spent or reserved: epsilon {epsilon}.").format(
            epsilon=spent_epsilon(account.budget, before)
        )
    then, promised = spent_epsilon(account.budget, after), account.budget.epsilon
    yield gettext("Spent afterwards, permanently: epsilon {epsilon} of {promised}.").format(
        epsilon=then, promised=plain(promised)
    )
