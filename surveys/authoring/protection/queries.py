"""Which ways out of weak protection a draft has as it stands."""

from itertools import chain

from surveys.authoring.drafts import NotReady, draft_questionnaire
from surveys.authoring.protection.ways import Trials, Way
from surveys.models import Survey
from surveys.questionnaire.document import Questionnaire


def trials_with(survey: Survey, drafted: Questionnaire) -> Trials:
    """A draft to try changes on; ``drafted`` is what its questions make together."""
    questions = list(survey.questions.prefetch_related("options", "conditions__source"))
    return Trials(survey, questions, drafted)


def every_way(survey: Survey) -> dict[str, Way]:
    """All that a draft's list offers, by code; nothing where something is missing."""
    try:
        trials = trials_with(survey, draft_questionnaire(survey))
    except NotReady:
        return {}
    return {way.change.code: way for way in chain(trials.ways(), trials.leaving_out().values())}
