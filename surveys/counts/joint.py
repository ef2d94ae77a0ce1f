"""Several questions together: how often each combination of codes came; of large surveys, kept.

A small survey is counted when it is asked about. A large one is counted by a worker, once
for each choice of questions and opening; what was counted before is shown until
then, with the day that it stands for. Nothing but rows that readers see is counted.
"""

import json
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import islice
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Count, F, Q, QuerySet
from django.db.models.functions import Substr
from django.utils import timezone
from django.utils.translation import gettext, gettext_noop

from surveys.counts import queries
from surveys.models import JointCount, Openings, Response
from surveys.models.queries import opened_responses, questionnaire_of_id, read_all
from surveys.wording.language.numbers import day_words, grouped

AT_ONCE = 20_000  # responses that are counted while a person waits: some 20 ms
STEP = 50_000  # responses after which a worker says how far it is: less than a second
READ = 5_000  # rows that are read from the database together
MOST_COMBINATIONS = 200_000  # a page reads as many in a fifth of a second
MOST_KEPT = 200  # choices of questions of one survey
# A live survey changes with every batch: it is counted again when this part of it is not counted.
STALE = 0.05
SILENCE = timedelta(minutes=5)  # of a worker, after which another one begins
# Kept in English; a page looks it up in its own language.
TOO_MANY = gettext_noop(
    "The answers to these questions have too many combinations. Choose fewer questions."
)

Codes = tuple[str, ...]
Later = Callable[[int], None]


@dataclass(frozen=True)
class Joint:
    """How often each combination of codes came; ``as_of``: of which answers, in words."""

    by_codes: Counter[Codes]
    as_of: str = ""


class BeingCounted(Exception):
    """A worker counts these questions together; ``counted`` of ``total`` responses so far."""

    def __init__(self, counted: int, total: int, problem: str) -> None:
        super().__init__("being counted")
        self.counted, self.total, self.problem = counted, total, problem


def counts_of(revision_id: UUID, numbers: Sequence[int]) -> Joint:
    """How often each combination of codes of these questions came, in their order.

    Raises BeingCounted if a large survey's were not counted yet: ``ask`` has them counted.
    """
    total = queries.total(revision_id)
    if total <= AT_ONCE:
        return Joint(_grouped(opened_responses(revision_id), revision_id, numbers))
    kept = JointCount.objects.filter(revision=revision_id, questions=_name(numbers)).first()
    if kept is None or not kept.content:
        counted, problem = (kept.counted, kept.problem) if kept else (0, "")
        raise BeingCounted(counted, total, problem)
    places = [sorted(set(numbers)).index(number) for number in numbers]
    rows = json.loads(zlib.decompress(bytes(kept.content)))
    by_codes = Counter({tuple(codes[index] for index in places): n for codes, n in rows})
    return Joint(by_codes, _as_of(kept, total))


def ask(revision_id: UUID, numbers: Sequence[int], *, later: Later) -> None:
    """Have them counted if they are not, or not as they stand now; ``later`` queues a job."""
    total = queries.total(revision_id)
    if total <= AT_ONCE:
        return
    with transaction.atomic():
        kept, _ = JointCount.objects.get_or_create(
            revision_id=revision_id, questions=_name(numbers)
        )
        if _is_current(kept, total):
            return
        now = timezone.now()
        silent = JointCount.objects.filter(
            Q(asked_at=None) | Q(asked_at__lt=now - SILENCE), pk=kept.pk
        )
        if silent.update(asked_at=now, counted=0, problem=""):
            _forget_oldest(revision_id)
            transaction.on_commit(lambda: later(kept.pk))


def count(key: int) -> None:
    """Count one choice of questions, step by step, and keep it. A worker's; may be repeated."""
    kept = JointCount.objects.filter(pk=key).first()
    if kept is None:
        return  # its answers were erased meanwhile
    state = Openings.objects.filter(pk=kept.revision_id).values_list("done", "done_on").first()
    done, done_on = state or (0, None)
    counts: Counter[Codes] = Counter()
    numbers = [int(number) for number in kept.questions.split(",")]
    for block in _blocks(kept.revision_id, done, numbers):
        counts.update(block)
        if len(counts) > MOST_COMBINATIONS:
            total = queries.total(kept.revision_id)
            _update(key, asked_at=None, problem=TOO_MANY, content=b"", total=total, opening=done)
            return
        if not _update(key, counted=counts.total(), asked_at=timezone.now()):
            return  # its answers were erased meanwhile
    content = zlib.compress(json.dumps(sorted(counts.items())).encode())
    as_counted = {"total": counts.total(), "opening": done, "as_of": done_on}
    _update(key, content=content, asked_at=None, **as_counted)


def _grouped(
    rows: "QuerySet[Response]", revision_id: UUID, numbers: Sequence[int]
) -> Counter[Codes]:
    """One grouped query over the fixed-width answers."""
    offsets = questionnaire_of_id(revision_id).row.offsets
    chosen = [offsets[number - 1] for number in numbers]
    codes = {
        f"code{order}": Substr(F("answers"), start + 1, item.width)
        for order, (item, start) in enumerate(chosen)
    }
    grouped = rows.values(**codes).annotate(count=Count("pk")).values_list(*codes, "count")
    return Counter({tuple(row[:-1]): row[-1] for row in grouped.iterator()})


def _blocks(revision_id: UUID, done: int, numbers: Sequence[int]) -> Iterator[list[Codes]]:
    """The codes of all rows of openings up to this one, so many at once.

    One pass: ranges of the rows' keys would each be looked for among all rows of the survey.
    """
    offsets = questionnaire_of_id(revision_id).row.offsets
    chosen = [slice(at, at + item.width) for item, at in (offsets[n - 1] for n in numbers)]
    rows = Response.objects.filter(revision=revision_id, opening__lte=done)
    left = read_all(rows, "answers", at_once=READ)
    while block := [tuple(row[index] for index in chosen) for (row,) in islice(left, STEP)]:
        yield block


def _name(numbers: Sequence[int]) -> str:
    return ",".join(map(str, sorted(set(numbers))))


def _is_current(kept: JointCount, total: int) -> bool:
    """Whether it counts, or was refused for, what readers see now; of a live survey, nearly."""
    return (
        bool(kept.content or kept.problem)
        and kept.total >= (1 - STALE) * total
        and (kept.total == total or not questionnaire_of_id(kept.revision_id).is_sealed)
    )


def _as_of(kept: JointCount, total: int) -> str:
    if kept.total == total and not kept.as_of:
        return ""
    if kept.as_of is None:
        return gettext("Based on {counted} of the {total} responses.").format(
            counted=grouped(kept.total), total=grouped(total)
        )
    return gettext("Based on the answers opened up to {day}.").format(day=day_words(kept.as_of))


def _forget_oldest(revision_id: UUID) -> None:
    """Questions can be chosen in more ways than can be kept."""
    kept = JointCount.objects.filter(revision=revision_id).order_by("-pk")
    JointCount.objects.filter(pk__in=[count.pk for count in kept.only("pk")[MOST_KEPT:]]).delete()


def _update(key: int, **values: Any) -> int:
    return JointCount.objects.filter(pk=key).update(**values)
