"""From a draft's tables and trustees to a TallyPromise; reasons why none can be promised."""

from collections.abc import Iterator, Mapping, Sequence

from surveys.authoring.draft.reasons import Reason, of_question
from surveys.collecting.scripts import can_count
from surveys.kinds.counted.promise import CountedQuestion
from surveys.models import Survey, releasing
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.facts.numbered import MOST_NAMES, MOST_RATINGS
from surveys.questionnaire.kinds.question import Question
from surveys.questionnaire.kinds.registry import of_kind
from surveys.questionnaire.plans.tallies import (
    MOST_CELLS,
    MOST_TOGETHER,
    LockedTable,
    TallyPromise,
    TrusteeKey,
    cells_of,
    is_noise,
)
from surveys.randomized_response.messages import sentence
from surveys.trust.refusals import TrustRefusal
from surveys.trust.tally.trustees import joint_key, joint_key_of, promised_trustee

Tables = Mapping[int, Sequence[int]]  # by their numbers, the numbers of their questions


def tally_of(survey: Survey, drafted: Questionnaire) -> TallyPromise | None:
    """What a draft would promise; None where it counts nothing locked, or lacks something."""
    if not (tables := _tables(drafted.items)):
        return None
    noise, has_own_coin = _noise(survey), drafted.own_coin.is_offered
    try:
        locked = tuple(
            LockedTable(
                table,
                tuple(numbers),
                cells_of(drafted.items, numbers, has_own_coin=has_own_coin),
                noise.get(table, ""),
            )
            for table, numbers in tables.items()
        )
        promise = TallyPromise(_trustees(survey), locked)
        joint_key_of(promise)
    except (ValueError, TrustRefusal):
        return None  # ``tally_reasons`` says what is wrong
    return promise


def tally_reasons(survey: Survey, drafted: Questionnaire) -> Iterator[str]:
    """Why a draft cannot promise that answers are counted while they are locked."""
    tables = _tables(drafted.items)
    if not tables:
        return
    if not can_count():
        yield sentence(
            "This installation cannot count locked answers, because a file that its pages need "
            "for locking is missing. Empty the field “table of locked answers (number)” of each "
            "question."
        )
    yield from _trustee_reasons(_trustees(survey))
    yield from _table_reasons(drafted.items, tables)
    yield from _size_reasons(drafted, tables)
    yield from _noise_reasons(tables, _noise(survey))
    yield from _promise_reasons(drafted)
    yield from _budget_reasons(drafted)


def _tables(items: Sequence[Question]) -> dict[int, list[int]]:
    tables: dict[int, list[int]] = {}
    for number, item in of_kind(CountedQuestion, items):
        tables.setdefault(item.table, []).append(number)
    return dict(sorted(tables.items()))


def _trustees(survey: Survey) -> tuple[TrusteeKey, ...]:
    return tuple(TrusteeKey(one.name, one.key, one.proof) for one in survey.trustees.all())


def _noise(survey: Survey) -> dict[int, str]:
    return {row.table: row.sigma for row in survey.locked_tables.all()}


def _trustee_reasons(trustees: Sequence[TrusteeKey]) -> Iterator[str]:
    if not trustees:
        yield sentence(
            "The survey has no trustee, so no one could open the totals of locked answers. "
            "Upload the public key of at least one trustee."
        )
        return
    try:
        joint_key(list(map(promised_trustee, trustees)))
    except TrustRefusal as refusal:
        yield sentence("Trustees: {problem}", problem=refusal.problem)


def _table_reasons(items: Sequence[Question], tables: Tables) -> Iterator[str]:
    """Gaps between numbers, and questions that cannot be counted together."""
    if list(tables) != list(range(1, len(tables) + 1)):
        yield sentence(
            "The tables of locked answers have the numbers {tables}. Number the tables from 1 "
            "without gaps.",
            tables=", ".join(map(str, tables)),
        )
    for table, numbers in tables.items():
        if len(numbers) > MOST_TOGETHER:
            yield sentence(
                "Locked table {table} has {count} questions. Count at most {most} questions in "
                "one table.",
                table=table,
                count=len(numbers),
                most=MOST_TOGETHER,
            )
        first, *others = (items[number - 1] for number in numbers)
        for number, item in zip(numbers[1:], others, strict=True):
            if item.rule != first.rule:
                why = sentence(
                    "This question and question {first} are counted in the same locked table, "
                    "but the two questions are not asked of the same people. People who are "
                    "asked only one of the two questions would be missing from the table. Count "
                    "this question in another table.",
                    first=numbers[0],
                )
                yield of_question(number, item.text, Reason(why, "counted_table"))


def _size_reasons(drafted: Questionnaire, tables: Tables) -> Iterator[str]:
    has_own_coin = drafted.own_coin.is_offered
    cells = sum(
        cells_of(drafted.items, numbers, has_own_coin=has_own_coin) for numbers in tables.values()
    )
    if cells > MOST_CELLS:
        yield sentence(
            "The tables of locked answers have {cells} cells together, but a page can lock only "
            "{most} cells. Count fewer questions together, or offer fewer options.",
            cells=cells,
            most=MOST_CELLS,
        )


def _noise_reasons(tables: Tables, noise: Mapping[int, str]) -> Iterator[str]:
    for table in tables.keys() - {n for n, sigma in noise.items() if is_noise(sigma)}:
        yield sentence("Enter how much noise is added to locked table {table}.", table=table)
    for table in noise.keys() - tables.keys():
        yield sentence(
            "Locked table {table} has noise, but no question is counted in the table. Delete "
            "the table, or count a question in the table.",
            table=table,
        )


def _promise_reasons(drafted: Questionnaire) -> Iterator[str]:
    """Ballots wait until the close, and people have to be able to check the page."""
    if not drafted.is_sealed:
        yield Reason(
            sentence(
                "In a live survey, answers cannot be counted locked, because each batch is "
                "stored immediately. Open answers at the close, or every few days."
            ),
            "opening",
        )
    if drafted.numbered.drawn_by_server:
        yield sentence(
            "Answers cannot be counted locked if the server draws the items to rate. People "
            "could then not check that the page locks the answers. To let the page draw, show "
            "all items equally often. Ask at most {questions} rating questions, with item names "
            "of at most {kilobytes} KB.",
            questions=MOST_RATINGS,
            kilobytes=MOST_NAMES // 1024,
        )


def _budget_reasons(drafted: Questionnaire) -> Iterator[str]:
    """What is opened is charged, so that all of it has to fit."""
    releaser = releasing.registered()
    if releaser is None:
        yield sentence(
            "This installation cannot charge tables of locked answers to a privacy budget. "
            "Empty the field “table of locked answers (number)” of each question."
        )
    elif drafted.tally is not None:
        yield from releaser.locked_reasons(drafted)
