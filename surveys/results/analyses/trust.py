"""ArmTrust: the answers to the trust block in each arm, all of them or, of too few people, none."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.translation import gettext_lazy

from surveys.counts import joint
from surveys.counts.tasks import count_later
from surveys.kinds.levels.promise import LevelQuestion
from surveys.kinds.number.promise import NumberQuestion
from surveys.models import Revision
from surveys.models.queries import questionnaire_of
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.kinds.question import Question
from surveys.questionnaire.kinds.registry import Table
from surveys.results.disclosure import FIRST, AnswerGroup, Shown, pooled
from surveys.results.queries import ItemCounts
from surveys.results.questions import question_report
from surveys.results.reading import Reading
from surveys.results.rows.trust import BELIEVING, KINDS, LEVELS, Trust, trust_of

ByArm = dict[str, Counter[str]]  # how often each code came, by the code of the arm


@dataclass(frozen=True)
class ArmTrust:
    """One arm by its name, and what its people say of the protection."""

    arm: str
    trust: Trust


@dataclass(frozen=True)
class TrustInArms:
    """Each arm in which the trust block was answered; none while ``reason`` says why."""

    arms: tuple[ArmTrust, ...]
    reason: str = ""


FEW = gettext_lazy(
    "Results of single arms are not shown, because in one arm too few people chose one of the "
    "options."
)
COUNTING = gettext_lazy(
    "The background program (worker) is counting the answers of each arm. Open this page again in "
    "a minute."
)


def trust_in_arms(revision: Revision, reading: Reading) -> TrustInArms | None:
    """Trust beside each arm; None without arms, without the block, or without answers to it.

    All arms are shown or none: what is left out would follow from the others and the whole.
    """
    questionnaire = questionnaire_of(revision)
    asked = list(_asked(questionnaire)) if questionnaire.arms else []
    try:
        counts = [(number, item, _by_arm(revision, number)) for number, item in asked]
    except joint.BeingCounted:
        return TrustInArms((), str(COUNTING))
    answered = [(number, item, by_arm) for number, item, by_arm in counts if by_arm]
    if not answered:
        return None
    if not all(MAY_BE_SHOWN(item, by_arm) for _, item, by_arm in answered):
        return TrustInArms((), str(FEW))
    shown = []
    for arm in questionnaire.arms:
        reports = [
            question_report(number, ItemCounts(item, by_arm[arm.code]), reading)
            for number, item, by_arm in answered
            if arm.code in by_arm
        ]
        trust = trust_of(reports, reading)
        if trust is not None:
            shown.append(ArmTrust(arm.text, trust))
    return TrustInArms(tuple(shown))


def _asked(questionnaire: Questionnaire) -> Iterator[tuple[int, Question]]:
    """The questions of the trust block that readers see, with their numbers from 1."""
    for number, item in questionnaire.numbered.readable:
        if item.kind in KINDS:
            yield number, item


def _by_arm(revision: Revision, number: int) -> ByArm:
    """Answers alone. Raises joint.BeingCounted, and has them counted."""
    questionnaire = questionnaire_of(revision)
    item, numbers = questionnaire.items[number - 1], (number, len(questionnaire.row.variables))
    joint.ask(revision.pk, numbers, later=count_later)
    by_arm: ByArm = {}
    for (code, arm), count in joint.counts_of(revision.pk, numbers).by_codes.items():
        if item.in_rules.given(code) is not None:
            by_arm.setdefault(arm, Counter())[code] += count
    return by_arm


def _beliefs(item: LevelQuestion, by_arm: ByArm) -> bool:
    groups = [AnswerGroup(arm, _believers(item, counts)) for arm, counts in by_arm.items()]
    return _is_whole(pooled(groups, known=FIRST))


def _numbers(item: NumberQuestion, by_arm: ByArm) -> bool:
    """All numbers together, as only their mean is shown."""
    groups = [AnswerGroup(arm, Counter({(0,): counts.total()})) for arm, counts in by_arm.items()]
    return _is_whole(pooled(groups, known=()))


# Whether each arm keeps the rule for groups of which direct answers are shown.
MAY_BE_SHOWN: Table[[ByArm], bool] = Table.with_levels(
    _beliefs, lambda item, by_arm: False, number=_numbers
)


def _is_whole(shown: Shown) -> bool:
    return not shown.pooled and not shown.withheld


def _believers(item: LevelQuestion, counts: Counter[str]) -> Counter[tuple[int, ...]]:
    """Who believes and who does not, as that is all that is shown."""
    believing = {item.levels[level].code for level in BELIEVING}
    believers: Counter[tuple[int, ...]] = Counter()
    for level in item.levels[:LEVELS]:
        believers[(int(level.code in believing),)] += counts[level.code]
    return believers
