"""View of a trial: a survey tried on simulated respondents, before anybody is asked."""

from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from surveys.authoring import drafts
from surveys.kinds.levels.promise import LevelQuestion
from surveys.kinds.picked.promise import PickedQuestion
from surveys.planning import trial_forms
from surveys.planning.trials import trial_report
from surveys.questionnaire.kinds.registry import of_kind
from surveys.results.routes import drawn_words
from surveys.staff.access import StaffRequest, survey_with
from surveys.staff.roles import Ability
from surveys.wording.language.messages import translated


@login_required
@require_safe
def trial(request: StaffRequest, survey_id: UUID) -> HttpResponse:
    """What the draft would find out: bias, coverage and power of the whole survey."""
    survey = survey_with(request, survey_id, Ability.EDIT)
    if survey.state != "draft":
        raise Http404
    template = "surveys/planning/trial.html"
    try:
        questionnaire = drafts.draft_questionnaire(survey)
    except drafts.NotReady as problem:
        reasons = list(map(translated, problem.reasons))
        return render(request, template, {"survey": survey, "reasons": reasons})
    leveled = of_kind(LevelQuestion, questionnaire.items)
    # Hundreds of shares are no form.
    items = [(number, item) for number, item in leveled if not isinstance(item, PickedQuestion)]
    simulated = {number for number, _ in items}
    left_out = [
        number
        for number, item in enumerate(questionnaire.items, start=1)
        if item.is_randomized and number not in simulated
    ]
    draw, routes = questionnaire.draw, questionnaire.routes
    shares = {number: float(draw.share_of(item) * routes.share_of(item)) for number, item in items}
    form = trial_forms.TrialForm(request.GET, items=items, shares_asked=shares)
    report = None
    if items and form.is_bound and form.is_valid():
        report = trial_report(form.asked, form.trial)
    context = {"survey": survey, "form": form, "report": report, "items": items}
    context |= {"left_out": left_out, "drawn_words": drawn_words(questionnaire)}
    context["has_arms"] = bool(questionnaire.arms)
    return render(request, template, context | {"query": form.permalink})
