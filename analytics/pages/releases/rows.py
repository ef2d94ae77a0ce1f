"""A planned release in words: its margins, and what it costs."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils.translation import gettext

from analytics.reports.amounts import plain, rounded_up, share_of
from analytics.reports.release_page import at_least, in_people, in_points, table_title
from surveys.wording.language.numbers import grouped
from surveys.wording.odds import odds_words

if TYPE_CHECKING:  # it loads the noise library, which pages only need where they work
    from analytics.services.releases import Outlook


@dataclass(frozen=True)
class ForecastRow:
    """A table with its 95 % margins, in people and in percentage points of all respondents."""

    title: str
    numbers: str
    typical: str
    largest: str
    points: str
    largest_points: str


@dataclass(frozen=True)
class OutlookRows:
    """What a release would publish and cost."""

    tables: tuple[ForecastRow, ...]
    margin: str
    best: str
    is_sharp: bool
    share: str
    epsilon: str
    odds: str
    spent_then: str
    promised: str
    left_then: str
    second: str
    fits: bool
    is_wide: bool


def outlook_rows(outlook: "Outlook") -> OutlookRows:
    """A planned release in words. Raises BudgetError if the account is overspent."""
    account, planned, people = outlook.account, outlook.planned, outlook.respondents
    terms, cost = account.budget, outlook.aside
    before = account.taken
    fits = outlook.fits()
    after = before + cost
    least = planned.least_typical
    return OutlookRows(
        tables=tuple(_forecasts(outlook)),
        margin=in_people(planned.typical),
        best="" if least is None else at_least(least),
        is_sharp=planned.is_sharp,
        share=share_of(cost.mu_squared, terms.limit.mu_squared),
        epsilon=rounded_up(account.epsilon(cost), terms.epsilon),
        odds=odds_words(account.epsilon(cost)),
        spent_then=rounded_up(account.epsilon(after), terms.epsilon) if fits else "",
        promised=plain(terms.epsilon),
        left_then=share_of(terms.left(after).mu_squared, terms.limit.mu_squared) if fits else "",
        second=_second(outlook) if fits else "",
        fits=fits,
        is_wide=planned.typical > people,
    )


def _forecasts(outlook: "Outlook") -> Iterator[ForecastRow]:
    planned, people = outlook.planned, outlook.respondents
    for forecast in planned.forecasts:
        yield ForecastRow(
            title=table_title(planned.asked, forecast.table),
            numbers=grouped(forecast.numbers),
            typical=in_people(forecast.typical),
            largest=in_people(forecast.largest),
            points=in_points(100 * forecast.typical / people),
            largest_points=in_points(100 * forecast.largest / people),
        )


def _second(outlook: "Outlook") -> str:
    """What the same tables would cost once more, later."""
    account = outlook.account
    if not outlook.fits(2):
        return gettext(
            "more than is left after this release. The budget cannot pay for a second release "
            "with these margins"
        )
    twice = account.taken + outlook.aside + outlook.aside
    left = account.budget.left(twice)
    return gettext(
        "the same amount. After both releases, epsilon {epsilon} would be spent in total, and "
        "{share} of the promised mu² would be left"
    ).format(
        epsilon=rounded_up(account.epsilon(twice), account.budget.epsilon),
        share=share_of(left.mu_squared, account.budget.limit.mu_squared),
    )
