"""What the demonstration publishes with noise: a release of tables, and totals of locked answers.

The release is made once, open to all, for a tenth of the budget.
"""

from fractions import Fraction
from io import BytesIO
from uuid import UUID

from analytics.files.trustees import KeyRecords, noise_file, share_file
from analytics.kinds.registry import TABLE_RELEASE
from analytics.kinds.tables.settings import TableQuestion, TableSettings
from analytics.models import Report
from analytics.services.making import make
from analytics.services.requests import request_report
from analytics.workloads.asks import Ask
from surveys.demonstration.locked import TABLE
from surveys.demonstration.trustees import NAMES, key_file, private_key
from surveys.models import Survey
from surveys.models.refusals import NotPossible
from surveys.results.exports import locked_table
from surveys.results.locked.counts import OpenedTable
from surveys.results.locked.queries import tally_state
from surveys.results.locked.services import take_file
from surveys.trust.digests import canonical
from surveys.trust.tally.files import NoisyTotals, read_list

# That of a form, so that preparing the demonstration again asks for nothing new.
KEY = UUID("6d1f4b0e-3a5c-4e0f-9a55-2f1c7e0b16aa")
SHARE = Fraction(1, 10)
MARRIAGE, AGE, RELIGIOUS = 2, 3, 6
SETTINGS = TableSettings(
    (TableQuestion(MARRIAGE, Ask.CDF), TableQuestion(AGE), TableQuestion(RELIGIOUS)),
    ((MARRIAGE,), (AGE,), (RELIGIOUS,), (MARRIAGE, RELIGIOUS)),
    is_public=True,
)


def publish_once(survey: Survey) -> Report:
    """The release of the demonstration's survey, made now if it was not before.

    Raises NotPossible: the survey was launched by a version that promised no tables.
    """
    report = request_report(
        survey=survey,
        kind=TABLE_RELEASE.name,
        settings=SETTINGS,
        share=SHARE,
        by=survey.owner,
        later=lambda report, run: None,
        key=KEY,
    )
    make(report.pk, report.run)
    return Report.objects.get(pk=report.pk)


def open_totals(survey: Survey) -> OpenedTable:
    """The opened totals of the survey that is over, by its trustees' keys; opened once.

    Raises NotPossible (there is no list of locked answers), OSError or TrustRefusal (the keys are
    not where they were).
    """
    if (opened := _opened(survey)) is None:
        _open(survey)
        opened = _opened(survey)
    if opened is None:
        raise NotPossible("There are no locked answers to open.")
    return opened


def _opened(survey: Survey) -> OpenedTable | None:
    state = tally_state(survey, survey.revision, TABLE)
    return state.opened if state else None


def _open(survey: Survey) -> None:
    """All that its trustees and its owner do, in their order."""
    listed = read_list(BytesIO(b"".join(locked_table(survey.revision, TABLE) or ())))
    trustees = [
        (private_key(survey.pk, n), KeyRecords.beside(key_file(survey.pk, n)))
        for n in range(1, len(NAMES) + 1)
    ]
    noises = [noise_file(private, listed, records) for private, records in trustees]
    totals = NoisyTotals(listed, tuple(noises))
    shares = [share_file(private, totals, records) for private, records in trustees]
    for file in (*noises, *shares):
        take_file(survey=survey, number=TABLE, content=canonical(file), by=survey.owner)
