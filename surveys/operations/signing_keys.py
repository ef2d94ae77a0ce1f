"""Keys that sign vouchers: put a lost one back with the offline recovery key.

Each is sealed for it at launch, as opening keys are. Without a copy the codes that were not
exchanged yet are worthless, and the survey takes no more answers but by the form without script.
"""

from pathlib import Path

from django.conf import settings

from surveys.authoring.services import voucher_label
from surveys.collecting.keys import signing_keys
from surveys.collecting.spool import keys_directory
from surveys.models import Openings, Survey
from surveys.models.queries import questionnaire_of_id
from surveys.models.refusals import NotPossible
from surveys.operations.opening_keys import unsealed
from surveys.staff.audit.services import record
from surveys.trust import sealing
from surveys.trust.vouchers import PRIME_BYTES, SigningKey


def copy_key(survey: Survey) -> None:
    """Seal the key for the recovery key, if the launch could not. Raises NotPossible."""
    state, modulus = _signing(survey)
    if not settings.RECOVERY_KEY:
        raise NotPossible(
            "No copy was made: no recovery key is set. Set DENIABLE_RECOVERY_KEY first."
        )
    if state.voucher_recovery:
        raise NotPossible(
            f'No copy was made: the key that signs vouchers of "{survey}" has a copy already.'
        )
    try:
        signing = signing_keys.read(keys_directory(), survey.pk, modulus)
    except signing_keys.SigningKeyLost:
        raise NotPossible(
            f'No copy was made: the key that signs vouchers of "{survey}" is not in '
            f"{keys_directory()}."
        ) from None
    copy = sealing.seal(settings.RECOVERY_KEY, voucher_label(state.pk), signing.to_bytes())
    # Not once the survey is closed meanwhile: the copy would outlive its use.
    still_open = Openings.objects.filter(pk=state.pk, revision__survey__state=Survey.State.OPEN)
    still_open.update(voucher_recovery=copy)
    record("copied a key of vouchers", by=None, survey=survey)


def _signing(survey: Survey) -> tuple[Openings, bytes]:
    """The state of an open survey that exchanges codes, and its public key. Raises NotPossible."""
    state = Openings.objects.filter(revision__survey=survey).first()
    plan = questionnaire_of_id(state.pk).vouchers if state else None
    if state is None or plan is None or survey.state != Survey.State.OPEN:
        raise NotPossible(f'Nothing was done: "{survey}" is not open, or signs no vouchers.')
    return state, plan.modulus


def recover(survey: Survey, recovery_key: Path) -> None:
    """Put the key that signs vouchers back into its file. Raises NotPossible, OSError."""
    state, modulus = _signing(survey)
    if signing_keys.is_kept(keys_directory(), survey.pk, modulus):
        raise NotPossible(
            f'Nothing was recovered: the key that signs vouchers of "{survey}" is in its '
            "directory already."
        )
    if not state.voucher_recovery:
        raise NotPossible(
            "Nothing was recovered: the database has no copy of the key that signs vouchers of "
            f'"{survey}", because no recovery key was set when the survey was launched. Codes '
            "that were not exchanged yet are worthless."
        )
    label = voucher_label(state.pk)
    content = unsealed(survey, state.voucher_recovery, label, recovery_key)
    signing = SigningKey.from_bytes(content)
    if len(content) != 2 * PRIME_BYTES or signing.modulus != modulus:
        raise NotPossible("Nothing was recovered: the copy in the database belongs to another key.")
    # What is there is damaged or another key's, and a file of a key is never written over.
    signing_keys.destroy(keys_directory(), survey.pk)
    signing_keys.keep(keys_directory(), survey.pk, signing)
    record("recovered a key of vouchers", by=None, survey=survey)
