"""Launch and close, from the list of surveys and from the page of one."""

from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from surveys.authoring import services
from surveys.authoring.drafts import NotReady
from surveys.collecting.queries import waiting_count
from surveys.models import Survey
from surveys.staff.admin import REFUSALS, by_whom


@admin.action(description="Launch: freeze and open", permissions=["rule"])
def launch(page: Any, request: HttpRequest, surveys: QuerySet[Survey]) -> None:
    """Launch the chosen surveys."""
    for survey in surveys:
        launch_survey(request, survey)


@admin.action(description="Close: take no more answers, for good", permissions=["rule"])
def close(page: Any, request: HttpRequest, surveys: QuerySet[Survey]) -> HttpResponse | None:
    """Close them; asks first, because it cannot be undone and may store a small last batch."""
    if "confirmed" in request.POST:
        for survey in surveys:
            close_survey(request, survey)
        return None
    context = {
        **page.admin_site.each_context(request),
        "title": "Close for good?",
        "opts": page.opts,
        "surveys": [(survey, closing_warning(survey)) for survey in surveys],
        "checkbox": ACTION_CHECKBOX_NAME,
    }
    return render(request, "admin/surveys/survey/close_confirmation.html", context)


def launch_survey(request: HttpRequest, survey: Survey) -> None:
    """Launch one survey and say where it is, or why it cannot be."""
    try:
        services.launch(survey=survey, by=by_whom(request))
    except NotReady as problem:
        for reason in problem.reasons:
            messages.error(request, f"{survey}: {reason}")
    except REFUSALS as problem:
        messages.error(request, str(problem))
    else:
        link = reverse("respondent:start", args=[survey.pk])
        messages.info(request, f"{survey} is open at {request.build_absolute_uri(link)}")


def close_survey(request: HttpRequest, survey: Survey) -> None:
    """Close one survey and warn of a small last batch, or say why it cannot be."""
    try:
        last = services.close(survey=survey, by=by_whom(request))
    except REFUSALS as problem:
        messages.error(request, str(problem))
        return
    messages.info(request, f"{survey} is closed.")
    warning = _small_batch(last, survey.batch_size)
    if warning:
        messages.warning(request, f"{survey}: {warning}")


def closing_warning(survey: Survey) -> str:
    """What closing now would say of the last batch; nothing where that is a whole one."""
    if survey.state != Survey.State.OPEN:
        return ""
    return _small_batch(waiting_count(survey.revision.pk), survey.batch_size)


def _small_batch(answers: int, least: int) -> str:
    if not 0 < answers < least:
        return ""
    if answers == 1:
        return (
            f"The last batch has only 1 answer, fewer than {least}: a person who knows who "
            "answered last knows whose it is."
        )
    return (
        f"The last batch has only {answers} answers, fewer than {least}: a person who saw in which "
        "order people answered can link each of these people to their answers with 1 chance in "
        f"{answers}."
    )
