"""Views of a survey's members: add, change role, remove, hand over. Each is a form sent by POST."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from surveys.models import Membership
from surveys.models.refusals import NotAllowed, NotPossible
from surveys.staff.access import StaffRequest, post_only, survey_with
from surveys.staff.members import services as members_services
from surveys.staff.members.forms import MemberForm, OwnerForm, RoleForm
from surveys.staff.members.services import add_member, change_role, remove_member
from surveys.staff.queries import members_of
from surveys.staff.roles import Ability

if TYPE_CHECKING:
    from surveys.models import Survey


REFUSALS = (NotAllowed, NotPossible)


@login_required
@require_safe
def members(request: StaffRequest, survey_id: UUID) -> HttpResponse:
    """All who have a role, and the forms to change that."""
    return _page(request, survey_with(request, survey_id, Ability.RULE))


@login_required
@post_only("surveys:members", "survey_id", ability=Ability.RULE)
def add(request: StaffRequest, survey_id: UUID) -> HttpResponse:
    """Give a user a role."""
    survey = survey_with(request, survey_id, Ability.RULE)
    form = MemberForm(request.POST)
    if not form.is_valid():
        return _page(request, survey, adding=form)
    try:
        member = add_member(survey=survey, by=request.user, **form.cleaned_data)
    except REFUSALS as problem:
        form.add_error("username", str(problem))
        return _page(request, survey, adding=form)
    messages.success(
        request,
        _now(member),
    )
    return redirect("surveys:members", survey.pk)


@login_required
@post_only("surveys:members", "survey_id", ability=Ability.RULE)
def change(request: StaffRequest, survey_id: UUID, member_id: UUID) -> HttpResponse:
    """Give a member another role."""
    survey = survey_with(request, survey_id, Ability.RULE)
    form = RoleForm(request.POST)
    if not form.is_valid():
        messages.error(request, gettext("Nothing was changed: choose editor or analyst."))
        return redirect("surveys:members", survey.pk)
    return _do(
        request,
        survey,
        lambda: change_role(
            survey=survey, member_id=member_id, role=form.cleaned_data["role"], by=request.user
        ),
        _now,
    )


@login_required
@post_only("surveys:members", "survey_id", ability=Ability.RULE)
def remove(request: StaffRequest, survey_id: UUID, member_id: UUID) -> HttpResponse:
    """Take a member's role away."""
    survey = survey_with(request, survey_id, Ability.RULE)
    return _do(
        request,
        survey,
        lambda: remove_member(survey=survey, member_id=member_id, by=request.user),
        lambda member: gettext("{user} has no role in this survey any more.").format(
            user=member.user
        ),
    )


@login_required
@post_only("surveys:members", "survey_id", ability=Ability.RULE)
def hand_over(request: StaffRequest, survey_id: UUID) -> HttpResponse:
    """Make another user the owner."""
    survey = survey_with(request, survey_id, Ability.RULE)
    form = OwnerForm(request.POST, prefix="owner")
    if not form.is_valid():
        return _page(request, survey, handing=form)
    try:
        owner = members_services.hand_over(
            survey=survey, username=form.cleaned_data["username"], by=request.user
        )
    except REFUSALS as problem:
        form.add_error("username", str(problem))
        return _page(request, survey, handing=form)
    messages.success(
        request,
        gettext("{owner} owns this survey now. {before} is now an editor of this survey.").format(
            owner=owner, before=survey.owner
        ),
    )
    return redirect("surveys:dashboard", survey.pk)


def _do(
    request: StaffRequest,
    survey: "Survey",
    act: Callable[[], Any],
    in_words: Callable[[Any], str],
) -> HttpResponse:
    try:
        messages.success(request, in_words(act()))
    except REFUSALS as problem:
        messages.error(request, str(problem))
    return redirect("surveys:members", survey.pk)


def _page(
    request: StaffRequest,
    survey: "Survey",
    *,
    adding: MemberForm | None = None,
    handing: OwnerForm | None = None,
) -> HttpResponse:
    context = {
        "survey": survey,
        "members": [
            (member, RoleForm({"role": member.role}, auto_id=f"{member.pk}_%s"))
            for member in members_of(survey)
        ],
        "adding": adding or MemberForm(),
        "handing": handing or OwnerForm(prefix="owner"),
    }
    return render(request, "surveys/staff/members.html", context)


def _now(member: Membership) -> str:
    if member.role == Membership.Role.EDITOR:
        return gettext("{user} is an editor of this survey now.").format(user=member.user)
    return gettext("{user} is an analyst of this survey now.").format(user=member.user)
