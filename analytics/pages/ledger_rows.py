"""The ledger's page in words: amounts, lines, and offers: what a next report would cost.

Costs add up as mu², exactly; epsilons do not. So every epsilon here is that of a sum: what was
spent is rounded up, what is left is rounded down.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from uuid import UUID

from django.utils.translation import gettext, gettext_lazy

from analytics.pages.rows import question_words, title_of
from analytics.privacy.accounting import QUANTUM, Budget, Cost
from analytics.queries import Account, LedgerLine
from analytics.reports.amounts import (
    amount,
    guess_blocks,
    plain,
    rounded_down,
    rounded_up,
    share_of,
)
from analytics.reports.words import ADJACENCY_WORDS, ANSWER_WORDS
from analytics.services.ledger import NO_PROMISE
from surveys.randomized_response.messages import sentence
from surveys.reports.documents import Block
from surveys.staff.audit.rows import person
from surveys.wording.language.messages import translated
from surveys.wording.language.numbers import localized
from surveys.wording.odds import odds_words

SHARES = (Fraction(1, 10), Fraction(1, 4), Fraction(1, 2), Fraction(3, 4), Fraction(1))
DEFAULT_SHARE = Fraction(1, 2)
# All that is left, as a share: the part of the limit that it is, cut off where it would be more.
_FINEST = 10**12
PAID_FOR = {
    False: gettext_lazy("All reports on what people wrote"),
    True: gettext_lazy("All reports on what people wrote and all tables of their answers"),
}
SPENT = sentence(
    "The budget that was promised to respondents is spent or reserved, so no private report can "
    "be requested. If a report is cancelled before its texts are read, the amount reserved for "
    "the report becomes free again. Budget that is spent cannot be recovered."
)


@dataclass(frozen=True)
class Offer:
    """A next report of some share of the budget: what it costs and what it leaves.

    ``value`` stands for the share in forms; ``fits``: enough is left for it.
    """

    value: str
    share: Fraction
    name: str
    cost: Cost
    fits: bool
    epsilon: str
    odds: str
    spent_then: str
    left_then: str
    part_then: float  # of mu², spent or set aside

    @property
    def words(self) -> str:
        """All of it as one sentence for a choice."""
        own = gettext("{name}: epsilon {epsilon} for this report, {odds}").format(
            name=self.name, epsilon=self.epsilon, odds=self.odds
        )
        return gettext(
            "{own}. Spent afterwards: {spent_then}. Share of the promised mu² left afterwards: "
            "{left_then}."
        ).format(own=own, spent_then=self.spent_then, left_then=self.left_then)


@dataclass(frozen=True)
class AmountRow:
    """A part of the promise: the epsilon that it is by itself, and its share of mu²."""

    name: str
    epsilon: str
    share: str


@dataclass(frozen=True)
class LineRow:
    """One expenditure."""

    at: datetime
    report: UUID
    title: str
    question: str
    who: str
    share: str
    epsilon: str
    mu_squared: str
    threshold_delta: str


@dataclass(frozen=True)
class LedgerWords:
    """What a survey promised, and what became of it; ``paid_for`` says what draws on it."""

    paid_for: str
    epsilon: str
    delta: str
    adjacency: str
    odds: str
    guesses: tuple[Block, ...]
    amounts: tuple[AmountRow, ...]
    limit: str
    spent: str
    reserved: str
    left: str
    threshold_limit: str
    threshold_spent: str
    spent_epsilon: str
    spent_odds: str
    left_epsilon: str
    parts: tuple[tuple[str, float], ...]
    picture_words: str
    offers: tuple[Offer, ...]

    @property
    def part_charged(self) -> float:
        """What of mu² is spent or set aside."""
        return sum(share for _, share in self.parts[:2])


def ledger_words(account: Account) -> LedgerWords:
    """A survey's account. Raises BudgetError if it is overspent."""
    terms, spent, reserved, left = account.budget, account.spent, account.reserved, account.left
    limit = terms.limit
    parts = tuple(
        (name, float(Fraction(part.mu_squared) / Fraction(limit.mu_squared)))
        for name, part in (
            (gettext("Spent"), spent),
            (gettext("Reserved"), reserved),
            (gettext("Left"), left),
        )
    )
    lowered = tuple(
        zip(
            (gettext("spent"), gettext("reserved"), gettext("left")),
            (share for _, share in parts),
            strict=True,
        )
    )
    shares = ", ".join(f"{name} {localized(f'{100 * share:.4g}')} %" for name, share in lowered)
    return LedgerWords(
        paid_for=str(PAID_FOR[account.pays_for_tables]),
        epsilon=plain(terms.epsilon),
        delta=plain(terms.delta),
        adjacency=translated(
            (ANSWER_WORDS if account.pays_for_tables else ADJACENCY_WORDS)[terms.adjacency]
        ),
        odds=odds_words(terms.epsilon),
        guesses=guess_blocks(terms.epsilon, plain(terms.epsilon)),
        amounts=tuple(_amounts(account)),
        limit=amount(limit.mu_squared),
        spent=amount(spent.mu_squared),
        reserved=amount(reserved.mu_squared),
        left=amount(left.mu_squared),
        threshold_limit=amount(limit.threshold_delta),
        threshold_spent=amount(spent.threshold_delta),
        spent_epsilon=spent_epsilon(terms, spent),
        spent_odds=odds_words(_epsilon(terms, spent)),
        left_epsilon=_left_epsilon(account),
        parts=parts,
        picture_words=gettext("Shares of the promised mu²: {told}.").format(told=shares),
        offers=offers_of(account),
    )


def line_rows(
    account: Account,
    lines: Iterable[LedgerLine],
    texts: Mapping[UUID, str],
    people: Mapping[int, str],
) -> list[LineRow]:
    """Expenditures in words, with the texts of questions and the names of accounts by key."""
    return [
        LineRow(
            at=line.at,
            report=line.report,
            title=_line_title(line),
            question=question_words(line.kind, texts.get(line.question, "–")),
            who=person(line.actor, dict(people)),
            share=share_of(line.cost.mu_squared, account.budget.limit.mu_squared),
            epsilon=spent_epsilon(account.budget, line.cost),
            mu_squared=amount(line.cost.mu_squared),
            threshold_delta=amount(line.cost.threshold_delta),
        )
        for line in lines
    ]


def why_no_private(account: Account | None) -> str:
    """Why private reports are not offered; "" if they are."""
    if account is None:
        return translated(NO_PROMISE)
    if not any(offer.fits for offer in offers_of(account)):
        return translated(SPENT)
    return ""


def offers_of(account: Account) -> tuple[Offer, ...]:
    """Reports of several shares of the budget, those too dear as well."""
    return tuple(_offers(account.budget, account.taken))


def spent_epsilon(terms: Budget, spent: Cost) -> str:
    """The epsilon that spending within the limit amounts to, at the budget's delta, rounded up."""
    return rounded_up(_epsilon(terms, spent), terms.epsilon)


def left_share(terms: Budget, spent: Cost) -> Fraction:
    """All that is left after ``taken``, as a share of the limit, rounded down."""
    limit, left = terms.limit, terms.left(spent)
    pairs = ((left.mu_squared, limit.mu_squared), (left.threshold_delta, limit.threshold_delta))
    least = min(Fraction(part) / Fraction(limit) for part, limit in pairs if limit)
    return Fraction(int(least * _FINEST), _FINEST)


def _line_title(line: LedgerLine) -> str:
    title = title_of(line.kind)
    if line.is_finished:
        return title
    return gettext("{title} (not finished; you can resume this report at no further cost)").format(
        title=title
    )


def _amounts(account: Account) -> Iterator[AmountRow]:
    terms = account.budget
    rows = (
        (gettext("Promised"), terms.limit, plain(terms.epsilon)),
        (gettext("Spent"), account.spent, spent_epsilon(terms, account.spent)),
        (gettext("Reserved"), account.reserved, spent_epsilon(terms, account.reserved)),
        (gettext("Left"), account.left, _left_epsilon(account)),
    )
    for name, cost, epsilon in rows:
        yield AmountRow(name, epsilon, share_of(cost.mu_squared, terms.limit.mu_squared))


def _left_epsilon(account: Account) -> str:
    terms = account.budget
    return rounded_down(min(_epsilon(terms, account.left), terms.epsilon))


def _offers(terms: Budget, spent: Cost) -> Iterator[Offer]:
    for share in SHARES:
        yield _offer(
            terms,
            spent,
            share,
            str(share),
            gettext("{share} % of the budget").format(share=100 * share),
        )
    rest = left_share(terms, spent)
    if 0 < rest < 1 and rest not in SHARES:
        name = gettext("all that is left, {share} % of the budget").format(
            share=localized(f"{float(100 * rest):.3g}")
        )
        yield _offer(terms, spent, rest, str(rest), name)


def _offer(terms: Budget, spent: Cost, share: Fraction, value: str, name: str) -> Offer:
    cost = terms.limit.part(share)
    then = spent + cost
    fits = then <= terms.limit
    left = terms.left(then) if fits else Cost()
    own = _epsilon(terms, cost)
    return Offer(
        value=value,
        share=share,
        name=name,
        cost=cost,
        fits=fits,
        epsilon=rounded_up(own, terms.epsilon),
        odds=odds_words(own),
        spent_then=gettext("epsilon {spent} of {promised}").format(
            spent=spent_epsilon(terms, then), promised=plain(terms.epsilon)
        )
        if fits
        else "–",
        left_then=share_of(left.mu_squared, terms.limit.mu_squared) if fits else "–",
        part_then=float(Fraction(then.mu_squared) / Fraction(terms.limit.mu_squared)),
    )


def _epsilon(terms: Budget, cost: Cost) -> float:
    """0 for nothing: any delta above 0 is more than enough then."""
    nothing = cost.mu_squared < QUANTUM and cost.threshold_delta < QUANTUM
    return 0.0 if nothing else cost.epsilon(terms.delta)
