"""Views of locked tables: how far their opening is, trustees' files in and out, counts as files."""

from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse, JsonResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from surveys.collecting.published.audit import has_audit
from surveys.models import Survey
from surveys.models.queries import printed_digest, revision_of
from surveys.models.refusals import NotAllowed, NotPossible
from surveys.results.locked.forms import TrusteeFileForm
from surveys.results.locked.queries import (
    NOISE,
    TallyState,
    tally_state,
    tally_states,
    trustee_file,
)
from surveys.results.locked.rows import citation, facts, file_table, table_row, verifying
from surveys.results.locked.services import TakenFile, take_file
from surveys.staff.access import StaffRequest, abilities_of, post_only, survey_with
from surveys.staff.audit.services import record_download
from surveys.staff.roles import Ability
from surveys.trust.refusals import TrustRefusal
from surveys.trust.tally.files import MOST_BYTES
from surveys.web.addresses import start_address
from surveys.web.downloads import file_name, table_csv
from surveys.web.responses import attached, csv_download, json_download
from surveys.wording.language.messages import translated


@login_required
@require_safe
def overview(request: StaffRequest, survey_id: UUID) -> HttpResponse:
    """Each locked table: what is missing until it is opened, or its counts."""
    return _page(request, survey_with(request, survey_id))


@login_required
@post_only("surveys:locked", "survey_id", ability=Ability.RULE)
def take(request: StaffRequest, survey_id: UUID, number: int) -> HttpResponse:
    """Take a trustee's file; the form again where it is refused."""
    survey = survey_with(request, survey_id, Ability.RULE)
    state = _state(survey, number)
    form = TrusteeFileForm(request.POST, request.FILES, number=number)
    if form.is_valid():
        content = form.cleaned_data["file"].read(MOST_BYTES + 1)
        try:
            taken = take_file(survey=survey, number=number, content=content, by=request.user)
        except (NotAllowed, NotPossible, TrustRefusal) as refusal:
            form.add_error("file", _refusal_words(refusal))
        else:
            messages.success(request, _taken_words(taken))
            return redirect("surveys:locked", survey.pk)
    if not state.takes_files:  # its form is not on the page
        messages.error(request, " ".join(map(str, form.errors["file"])))
    return _page(request, survey, form)


@login_required
@require_safe
def file(
    request: StaffRequest, survey_id: UUID, number: int, trustee: int, kind: str
) -> HttpResponse:
    """A noise or share file as a trustee wrote it, for the others and for people who check."""
    survey = survey_with(request, survey_id, Ability.RULE)
    content = trustee_file(_state(survey, number), kind, trustee)
    if content is None:
        raise Http404
    record_download("trustee's file", survey=survey, by=request.user)
    headers = attached(file_name(survey.title, f"table-{number}-{kind}-{trustee}.json"))
    return HttpResponse(content, content_type="application/json", headers=headers)


@login_required
@require_safe
def counts_csv(request: StaffRequest, survey_id: UUID, number: int) -> StreamingHttpResponse:
    """The counts of a table with their margins, a row for each answer and each combination."""
    survey = survey_with(request, survey_id)
    opened = _state(survey, number).opened
    if opened is None:
        raise Http404
    record_download("locked totals", survey=survey, by=request.user)
    rows = file_table(opened).file_rows()
    return csv_download(table_csv(rows), file_name(survey.title, f"locked-{number}.csv"))


@login_required
@require_safe
def counts_json(request: StaffRequest, survey_id: UUID, number: int) -> JsonResponse:
    """The same rows with who opened them, how to read them, and how to cite them."""
    survey = survey_with(request, survey_id)
    state = _state(survey, number)
    if state.opened is None:
        raise Http404
    record_download("locked totals", survey=survey, by=request.user)
    rows = list(file_table(state.opened).file_rows())
    content = {**facts(survey, state), "rows": rows}
    return json_download(content, file_name(survey.title, f"locked-{number}.json"))


def _state(survey: Survey, number: int) -> TallyState:
    revision = revision_of(survey)
    state = tally_state(survey, revision, number) if revision else None
    if state is None:
        raise Http404
    return state


def _page(
    request: StaffRequest, survey: Survey, refused: TrusteeFileForm | None = None
) -> HttpResponse:
    revision = revision_of(survey)
    states = tally_states(survey, revision) if revision else []
    if not states:
        raise Http404
    printed = printed_digest(survey.pk)
    tables = [
        (
            table_row(state),
            citation(survey, state),
            tuple(verifying(state, printed)),
            _form(state.table.table, refused),
        )
        for state in states
    ]
    audit = f"{start_address(survey.pk, survey.language)}audit.json" if has_audit(survey) else ""
    context = {
        "survey": survey,
        "tables": tables,
        "may": {ability.value for ability in abilities_of(request.user, survey)},
        "audit": audit,
    }
    return render(request, "surveys/results/locked/page.html", context)


def _form(number: int, refused: TrusteeFileForm | None) -> TrusteeFileForm:
    """The one that was sent, beside its table."""
    return refused if refused and refused.number == number else TrusteeFileForm(number=number)


def _refusal_words(refusal: Exception) -> str:
    return translated(refusal.problem) if isinstance(refusal, TrustRefusal) else str(refusal)


def _taken_words(taken: TakenFile) -> str:
    if taken.is_opened:
        return gettext(
            "Uploaded: the share file of {name}. It was the last share file, so the totals are "
            "now open."
        ).format(name=taken.trustee)
    if not taken.is_new:
        return gettext("Nothing changed: this file of {name} was already uploaded.").format(
            name=taken.trustee
        )
    words = gettext("Uploaded: the share file of {name}.")
    if taken.kind == NOISE:
        words = gettext("Uploaded: the noise file of {name}.")
    return words.format(name=taken.trustee)
