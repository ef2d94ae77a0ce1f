"""A private tree's pages: ask for one with its margin and cost, read it, take it away."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, cast
from uuid import UUID

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse, JsonResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_safe

from analytics.kinds.documents import DocumentError
from analytics.kinds.private_trees import (
    ALPHAS,
    DEEPEST,
    PrivateBranch,
    PrivateTreeReport,
    PrivateTreeSettings,
    leaf_margin,
)
from analytics.kinds.registry import PRIVATE_TREE
from analytics.kinds.settings import SettingsError
from analytics.models import Report
from analytics.pages.forms import LONGEST_QUESTION, OnceForm
from analytics.pages.ledger_rows import Offer, offers_of
from analytics.pages.rows import ANSWER_WORDS, report_rows, rounded_up
from analytics.privacy.accounting import Adjacency
from analytics.queries import (
    PENDING,
    TREE,
    account_of,
    private_tree_of,
    question_texts,
    reports_of,
)
from analytics.services import record_download
from analytics.services.ledger import NO_PROMISE, RELEASED_ALONE, TEXTS_ALONE
from analytics.sources.survey_trees import explainable
from analytics.tasks import make_later
from surveys.models import Survey
from surveys.models.queries import is_erased, questionnaire_of, revision_of
from surveys.models.refusals import NotAllowed, NotPossible
from surveys.questionnaire.kinds.levels import LevelQuestion
from surveys.randomized_response.errors import StatisticsError
from surveys.staff.access import StaffRequest, may, post_only, survey_with
from surveys.staff.queries import account_names
from surveys.staff.roles import Ability
from surveys.web.downloads import file_name, table_csv
from surveys.web.responses import csv_download, json_download

REFUSALS = (NotAllowed, NotPossible, StatisticsError)
SHOWN = 20
ASKED_FOR = "The report is asked for. This page shows how far it is."
ASKED_BEFORE = "That form was sent before, and this is the report it asked for."
TOO_FEW = "A private tree needs two direct questions with answers to choose from."
NOT_YOURS = "A private tree spends the survey's budget, which is its owner's to decide."
NOTHING_LEFT = "Too little of the budget is left for a private tree."
ERASED = "The answers are gone, as respondents were promised. Trees that were made stay."
HOW_TO_READ = (
    "Each leaf has an estimated number of people for each answer, with noise of one standard "
    "deviation noise; margin holds in 95 of 100 cases. Numbers are unbiased and may lie below 0. "
    "p_value is that of the split below a node, from noisy counts, corrected for the questions "
    "that were left. epsilon, delta and adjacency are what this report promises each respondent."
)
Row = dict[str, Any]


class PrivateTreeForm(OnceForm):
    """Which answer, which others may go with it, how deep, for how much of the budget."""

    question = forms.ChoiceField(label="Which answers go with", help_text="A direct question.")
    by = forms.MultipleChoiceField(
        label="Questions that may explain it",
        widget=forms.CheckboxSelectMultiple,
        help_text="Direct ones. The more there are, the more noise each table has.",
    )
    depth = forms.IntegerField(
        label="Most questions on a path",
        min_value=1,
        max_value=DEEPEST,
        initial=2,
        widget=forms.NumberInput(attrs={"autocomplete": "off"}),
        help_text="Every level takes its part of the budget.",
    )
    alpha = forms.ChoiceField(
        label="Level of the test",
        choices=[(str(alpha), f"{100 * alpha:.0f} %") for alpha in ALPHAS],
        initial="0.05",
    )
    share = forms.ChoiceField(
        label="What it may cost", help_text="What is spent stays spent. More means less noise."
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
        given = self.cleaned_data
        if not {"question", "by", "depth", "alpha"} <= set(given):
            return given
        try:
            given["settings"] = PrivateTreeSettings(
                int(given["question"]),
                tuple(int(n) for n in given["by"]),
                given["depth"],
                float(given["alpha"]),
            )
        except SettingsError as problem:
            self.add_error("by" if problem.argument == "by" else None, str(problem))
        return given

    @property
    def chosen_share(self) -> Fraction:
        """The share of the budget, of a valid form."""
        return self.offers[self.cleaned_data["share"]].share


@dataclass(frozen=True)
class LeafRow:
    """A leaf in words: the answers that lead to it, and its people by answer."""

    path: str
    people: tuple[str, ...]


@dataclass(frozen=True)
class TreeShown:
    """A finished private tree in words."""

    report: PrivateTreeReport
    sentence: str
    leaves: tuple[LeafRow, ...]
    margin: str
    epsilon: str
    promise: str


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
    messages.success(request, ASKED_FOR if asked.state in PENDING else ASKED_BEFORE)
    return redirect("analytics:report", survey.pk, asked.pk)


def shown(asked: Report) -> dict[str, Any]:
    """What a finished private tree says, or why it cannot be shown."""
    try:
        result = private_tree_of(asked)
    except DocumentError as problem:
        return {"problem": problem}
    if result is None:
        return {}
    return {"shown": tree_shown(result), "body": "analytics/_private_tree.html"}


def tree_csv(
    request: StaffRequest, survey: Survey, asked: Report, about: dict[str, Any]
) -> StreamingHttpResponse:
    """A row for each leaf and answer, written down in the audit log. Raises Http404."""
    result = _result(asked)
    record_download(report=asked, file="csv", by=request.user)
    name = file_name(survey.title, "private-tree.csv")
    return csv_download(table_csv(tree_rows(result, about)), name)


def tree_json(
    request: StaffRequest, survey: Survey, asked: Report, about: dict[str, Any]
) -> JsonResponse:
    """The whole report, written down in the audit log. Raises Http404."""
    document = {"how_to_read": HOW_TO_READ, **about, "report": _result(asked).to_document()}
    record_download(report=asked, file="json", by=request.user)
    return json_download(document, file_name(survey.title, "private-tree.json"))


def tree_shown(report: PrivateTreeReport) -> TreeShown:
    """The tree in words."""
    splits = sum(1 for _, branch in _walk(report.root) if branch.question)
    sentence = (
        f"{splits} {'question goes' if splits == 1 else 'questions go'} with the answer."
        if splits
        else "No other answer is seen to go with this one through the noise."
    )
    leaves = tuple(
        LeafRow(_path(path), tuple(f"{people:,.0f}".replace("-", "−") for people in leaf.people))
        for path, leaf in _leaves(report)
    )
    return TreeShown(
        report,
        sentence,
        leaves,
        f"{math.ceil(report.margin):,}",
        rounded_up(report.epsilon),
        ANSWER_WORDS[report.adjacency],
    )


def tree_rows(report: PrivateTreeReport, about: dict[str, Any]) -> Iterator[Row]:
    """A row for each leaf and answer, with its noise and the promise."""
    for path, leaf in _leaves(report):
        for answer, people in zip(report.levels, leaf.people, strict=True):
            yield {
                "path": _path(path),
                "answer": answer,
                "people": people,
                "noise": report.noise,
                "margin": report.margin,
                "epsilon": report.epsilon,
                "delta": report.delta,
                "adjacency": str(report.adjacency),
                **about,
            }


def _walk(
    branch: PrivateBranch, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], PrivateBranch]]:
    yield path, branch
    for below in branch.branches:
        yield from _walk(below, (*path, f"{branch.question}: {below.answer}"))


def _leaves(report: PrivateTreeReport) -> Iterator[tuple[tuple[str, ...], PrivateBranch]]:
    return ((path, branch) for path, branch in _walk(report.root) if not branch.question)


def _path(path: tuple[str, ...]) -> str:
    return " and ".join(path) or "All people"


def _margin_words(offer: Offer, adjacency: Adjacency) -> str:
    people = math.ceil(leaf_margin(offer.cost, adjacency))
    return f"Each number of a leaf within ± {people:,} people."


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
    from analytics.services.private_trees import request_private_tree  # loads the noise library

    try:
        return request_private_tree(
            survey=survey,
            settings=form.cleaned_data["settings"],
            share=form.chosen_share,
            by=request.user,
            later=make_later,
            key=form.cleaned_data["key"],
        )
    except REFUSALS as problem:
        form.add_error(None, str(problem))
        return None


def _page(
    request: StaffRequest, survey: Survey, form: PrivateTreeForm | None, why_not: str
) -> HttpResponse:
    found = list(reports_of(survey, request.user).filter(kind=TREE)[:SHOWN])
    people = account_names(one.actor for one in found if one.actor)
    context: dict[str, Any] = {
        "survey": survey,
        "form": form or {"can_ask": False},
        "why_not": why_not,
        "kind": PRIVATE_TREE,
        "address": "analytics:ask-private-tree",
        "rows": report_rows(found, question_texts(survey), people),
    }
    return render(request, "analytics/answers.html", context)


def _result(asked: Report) -> PrivateTreeReport:
    try:
        result = private_tree_of(asked)
    except DocumentError as problem:
        raise Http404 from problem
    if result is None:
        raise Http404
    return result
