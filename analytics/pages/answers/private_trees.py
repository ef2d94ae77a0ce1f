"""A private tree's pages: ask for one with its margin and cost, read it, take it away."""

import math
from fractions import Fraction
from typing import Any, cast
from uuid import UUID

from django import forms
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_safe

from analytics import services
from analytics.kinds.private_trees import (
    ALPHAS,
    DEEPEST,
    PrivateTreeSettings,
    leaf_margin,
)
from analytics.kinds.registry import PRIVATE_TREE
from analytics.kinds.settings import SettingsError
from analytics.models import Report
from analytics.pages.answers.asking import asking_page, led_to, requested
from analytics.pages.ledger_rows import Offer, offers_of
from analytics.privacy.accounting import Adjacency
from analytics.queries import TREE, account_of
from analytics.reports.asking import LONGEST_QUESTION, OnceForm
from analytics.services.ledger import NO_PROMISE, RELEASED_ALONE, TEXTS_ALONE
from analytics.sources.survey_trees import explainable
from surveys.kinds.levels.promise import LevelQuestion
from surveys.models import Survey
from surveys.models.queries import is_erased, questionnaire_of, revision_of
from surveys.randomized_response.messages import sentence
from surveys.staff.access import StaffRequest, may, post_only, survey_with
from surveys.staff.roles import Ability
from surveys.wording.language.messages import said_by, translated
from surveys.wording.language.numbers import grouped

TOO_FEW = sentence("A private tree needs two direct questions with answers to choose from.")
NOT_YOURS = sentence(
    "A private tree spends the budget of the survey. Only the owner of the survey can request a "
    "private tree."
)
NOTHING_LEFT = sentence("Too little of the budget is left for a private tree.")
ERASED = sentence(
    "The answers were deleted, as respondents were promised, so no new tree can be made. "
    "Earlier trees remain."
)
# In files, which stay in English.


class PrivateTreeForm(OnceForm):
    """Which answer, which others may go with it, how deep, for how much of the budget."""

    question = forms.ChoiceField(
        label=gettext_lazy("Question to explain"),
        help_text=gettext_lazy("Choose a direct question."),
    )
    by = forms.MultipleChoiceField(
        label=gettext_lazy("Questions that may explain the answers"),
        widget=forms.CheckboxSelectMultiple,
        help_text=gettext_lazy(
            "Choose direct questions. The more questions you choose, the more noise each table has."
        ),
    )
    depth = forms.IntegerField(
        label=gettext_lazy("Questions per path, at most"),
        min_value=1,
        max_value=DEEPEST,
        initial=2,
        widget=forms.NumberInput(attrs={"autocomplete": "off"}),
        help_text=gettext_lazy(
            "The tree asks questions one after another (levels). Each level uses a part of the "
            "budget."
        ),
    )
    alpha = forms.ChoiceField(
        label=gettext_lazy("Significance level"),
        choices=[(str(alpha), f"{100 * alpha:.0f} %") for alpha in ALPHAS],
        initial="0.05",
    )
    share = forms.ChoiceField(
        label=gettext_lazy("What the tree may cost"),
        help_text=gettext_lazy(
            "A larger share means less noise. Budget that is spent cannot be recovered."
        ),
    )

    def __init__(
        self,
        data: Any = None,
        *,
        items: dict[int, LevelQuestion],
        offers: tuple[Offer, ...],
        adjacency: Adjacency,
    ) -> None:
        super().__init__(data)
        self.offers = {offer.value: offer for offer in offers}
        choices = [(str(n), f"{n}. {item.text}"[:LONGEST_QUESTION]) for n, item in items.items()]
        for name in ("question", "by"):
            cast(forms.ChoiceField, self.fields[name]).choices = choices
        cast(forms.ChoiceField, self.fields["share"]).choices = [
            (offer.value, f"{_margin_words(offer, adjacency)} {offer.words}") for offer in offers
        ]

    can_ask = True

    def clean(self) -> dict[str, Any]:
        """The settings, or what is wrong with them."""
        values = self.cleaned_data
        if not {"question", "by", "depth", "alpha"} <= set(values):
            return values
        try:
            values["settings"] = PrivateTreeSettings(
                int(values["question"]),
                tuple(int(n) for n in values["by"]),
                values["depth"],
                float(values["alpha"]),
            )
        except SettingsError as problem:
            self.add_error("by" if problem.argument == "by" else None, said_by(problem))
        return values

    @property
    def chosen_share(self) -> Fraction:
        """The share of the budget, of a valid form."""
        return self.offers[self.cleaned_data["share"]].share


@login_required
@require_safe
def tree_page(request: StaffRequest, survey_id: UUID) -> HttpResponse:
    """Private trees so far, and the form that asks for one, with its cost and its margin."""
    survey = survey_with(request, survey_id)
    form, why_not = _form(request, survey)
    return _page(request, survey, form, why_not)


@login_required
@post_only("analytics:private-tree", "survey_id", ability=Ability.RULE)
def ask_tree(request: StaffRequest, survey_id: UUID) -> HttpResponse:
    """Ask for a private tree; the form again, as it was filled in, where that is not possible."""
    survey = survey_with(request, survey_id, Ability.RULE)
    form, why_not = _form(request, survey)
    asked = _requested(request, survey, form) if form and form.is_valid() else None
    if asked is None:
        return _page(request, survey, form, why_not)
    return led_to(request, survey, asked)


def _margin_words(offer: Offer, adjacency: Adjacency) -> str:
    people = math.ceil(leaf_margin(offer.cost, adjacency))
    return gettext("Margin of each number in a leaf: ± {people} people.").format(
        people=grouped(people)
    )


def _form(request: StaffRequest, survey: Survey) -> tuple[PrivateTreeForm | None, str]:
    """The form, or why nothing can be asked."""
    revision, account = revision_of(survey), account_of(survey)
    if revision is None or is_erased(survey, timezone.now().date()):
        return None, ERASED
    if questionnaire_of(revision).releases:
        return None, RELEASED_ALONE
    items = explainable(questionnaire_of(revision))
    if account is None:
        return None, NO_PROMISE
    if not account.pays_for_tables:
        return None, TEXTS_ALONE
    if len(items) < 2:
        return None, TOO_FEW
    if not may(request.user, survey, Ability.RULE):
        return None, NOT_YOURS
    offers = tuple(offer for offer in offers_of(account) if offer.fits)
    if not offers:
        return None, NOTHING_LEFT
    data = request.POST if request.method == "POST" else None
    adjacency = account.budget.adjacency
    return PrivateTreeForm(data, items=items, offers=offers, adjacency=adjacency), ""


def _requested(request: StaffRequest, survey: Survey, form: PrivateTreeForm) -> Report | None:
    wish = {"survey": survey, "kind": TREE, "share": form.chosen_share, "by": request.user}
    return requested(form, services.request_report, **wish)


def _page(
    request: StaffRequest, survey: Survey, form: PrivateTreeForm | None, why_not: str
) -> HttpResponse:
    context: dict[str, Any] = {
        "form": form or {"can_ask": False},
        "why_not": translated(why_not),
        "title": translated(PRIVATE_TREE.title),
        "explanation": translated(PRIVATE_TREE.explanation),
        "nothing": gettext("No tree can be requested now"),
        "address": "analytics:ask-private-tree",
    }
    return asking_page(request, survey, TREE, context)
