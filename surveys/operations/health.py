"""View for load balancers and monitors: can answers be taken?"""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from surveys.operations.checks import readiness


@require_safe
def health(request: HttpRequest) -> HttpResponse:
    """``ok``, or 503 with the names of the checks that failed; doctor knows the rest."""
    failing = readiness.failing()
    text = f"failing: {', '.join(failing)}" if failing else "ok"
    return HttpResponse(f"{text}\n", content_type="text/plain", status=503 if failing else 200)
