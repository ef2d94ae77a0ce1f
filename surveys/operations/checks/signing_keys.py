"""``doctor``: can the codes of open surveys be exchanged, and could a lost key be put back?"""

from collections.abc import Iterator

from surveys.collecting.keys import signing_keys
from surveys.collecting.spool import keys_directory
from surveys.models import Openings, Survey
from surveys.models.queries import questionnaire_of_id
from surveys.operations.checks.findings import Finding, fine, problem, warning


def exchangeable() -> Iterator[Finding]:
    """Whether every open survey that exchanges codes has its key, and a copy of it."""
    states = list(_signing())
    lost = [state for state in states if not _is_kept(state)]
    for state in lost:
        survey = state.revision.survey
        yield problem(
            "vouchers",
            f'the key that signs vouchers of "{survey}" is not in {keys_directory()}, so no code '
            "can be exchanged and no page can send answers",
            "Put the key back into this directory, or recover it with manage.py vouchers "
            f"--recover {survey.pk} --key FILE",
        )
    if states and not lost:
        yield fine(
            "vouchers",
            f"surveys with vouchers checked: {len(states)}; all keys that sign vouchers are in "
            "place",
        )
    for state in states:
        if not state.voucher_recovery:
            yield warning(
                "vouchers",
                f'the key that signs vouchers of "{state.revision.survey}" has no copy, because '
                "no recovery key was set when the survey was launched. If the key's file is "
                "lost, all codes that were not exchanged before are worthless",
                "Set DENIABLE_RECOVERY_KEY, then run manage.py vouchers --copy-key "
                f"{state.revision.survey.pk}",
            )


def _signing() -> Iterator[Openings]:
    surveys = Survey.objects.filter(state=Survey.State.OPEN).exclude(voucher_wait=None)
    states = Openings.objects.filter(revision__survey__in=surveys)
    return states.select_related("revision__survey").defer("revision__document").iterator()


def _is_kept(state: Openings) -> bool:
    plan = questionnaire_of_id(state.pk).vouchers
    directory, survey = keys_directory(), state.revision.survey_id
    return plan is None or signing_keys.is_kept(directory, survey, plan.modulus)
