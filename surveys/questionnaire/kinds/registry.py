"""Kind and Table: the closed set of kinds of question, and tables with an entry for each kind.

A room that treats kinds differently has a ``Table``. A new kind is a file beside this one and a
line in ``Table``; the type checker then asks for its entry in every table in which each kind has
one of its own, and the contract tests of all kinds run over it. A table of few exceptions is made
by ``Table.mostly``: what it does with most kinds holds for a new one too. Where kinds with levels
are told from all others, it is made by ``Table.with_levels``.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Concatenate, Generic, ParamSpec, Self, TypeVar, cast, get_type_hints

from surveys.kinds.counted.promise import CountedQuestion
from surveys.kinds.day.promise import DayQuestion
from surveys.kinds.family.promise import FamilyQuestion, FollowUpQuestion
from surveys.kinds.levels.promise import LevelQuestion
from surveys.kinds.long_list.promise import ListQuestion
from surveys.kinds.long_scale.promise import ScaleQuestion
from surveys.kinds.matrix.promise import MatrixQuestion
from surveys.kinds.number.promise import NumberQuestion, RoundedQuestion
from surveys.kinds.picked.promise import PickedQuestion
from surveys.kinds.ranking.promise import RankedPairQuestion, RankingQuestion
from surveys.kinds.rating.promise import RatingQuestion
from surveys.kinds.silent.promise import ConsentQuestion, InformationQuestion
from surveys.kinds.text.promise import OtherQuestion, TextQuestion
from surveys.kinds.ticks.promise import TicksQuestion
from surveys.kinds.two_questions.promise import ComparedQuestion, GroupedQuestion, PairedQuestion
from surveys.questionnaire.kinds.folders import entries
from surveys.questionnaire.kinds.question import Question

P = ParamSpec("P")
R = TypeVar("R")
K = TypeVar("K", bound=Question)


@dataclass(frozen=True, kw_only=True)
class Table(Generic[P, R]):
    """What a room does with each kind; calling it does so with one question."""

    levels: Callable[Concatenate[LevelQuestion, P], R]
    long_scale: Callable[Concatenate[ScaleQuestion, P], R]
    paired: Callable[Concatenate[PairedQuestion, P], R]
    compared: Callable[Concatenate[ComparedQuestion, P], R]
    grouped: Callable[Concatenate[GroupedQuestion, P], R]
    long_list: Callable[Concatenate[ListQuestion, P], R]
    number: Callable[Concatenate[NumberQuestion, P], R]
    text: Callable[Concatenate[TextQuestion, P], R]
    other: Callable[Concatenate[OtherQuestion, P], R]
    rating: Callable[Concatenate[RatingQuestion, P], R]
    information: Callable[Concatenate[InformationQuestion, P], R]
    consent: Callable[Concatenate[ConsentQuestion, P], R]
    ticks: Callable[Concatenate[TicksQuestion, P], R]
    matrix: Callable[Concatenate[MatrixQuestion, P], R]
    rounded: Callable[Concatenate[RoundedQuestion, P], R]
    day: Callable[Concatenate[DayQuestion, P], R]
    ranking: Callable[Concatenate[RankingQuestion, P], R]
    ranked_pair: Callable[Concatenate[RankedPairQuestion, P], R]
    family: Callable[Concatenate[FamilyQuestion, P], R]
    follow_up: Callable[Concatenate[FollowUpQuestion, P], R]
    counted: Callable[Concatenate[CountedQuestion, P], R]
    picked: Callable[Concatenate[PickedQuestion, P], R]

    @classmethod
    def mostly(
        cls, usual: Callable[Concatenate[Question, P], R], **others: Callable[..., R]
    ) -> Self:
        """A table that does the same with all kinds but the named ``others``.

        Raises TypeError for a name that is no kind's.
        """
        return cls(**{**dict.fromkeys(cls.__dataclass_fields__, usual), **others})

    @classmethod
    def with_levels(
        cls,
        leveled: Callable[Concatenate[LevelQuestion, P], R],
        usual: Callable[Concatenate[Question, P], R],
        **others: Callable[..., R],
    ) -> Self:
        """A table that does the same with all kinds that stand on ``LevelQuestion``.

        ``usual`` is for all kinds but those and the named ``others``; raises TypeError as above.
        """
        standing = [name for name, kind in kinds().items() if issubclass(kind, LevelQuestion)]
        return cls.mostly(usual, **{**dict.fromkeys(standing, leveled), **others})

    def __call__(self, question: Question, *args: P.args, **kwargs: P.kwargs) -> R:
        return self.entry(question)(question, *args, **kwargs)

    def entry(self, question: Question) -> Callable[Concatenate[Question, P], R]:
        """What the table does with a question of this kind."""
        entry: Callable[..., R] = getattr(self, kind_name(question))
        return entry


def standing_on(
    kind: Callable[..., K], entry: Callable[Concatenate[K, P], R]
) -> dict[str, Callable[..., R]]:
    """The same ``entry`` for a class and for all kinds that stand on it, for ``Table.mostly``."""
    base = cast(type[Question], kind)  # where type[K] is wanted, abstract classes are refused
    return {name: entry for name, standing in kinds().items() if issubclass(standing, base)}


def in_folders(file: str, name: str) -> dict[str, Callable[..., Any]]:
    """What the dictionaries ``name`` in the kinds' ``file`` have for each class, for a table.

    No kind's file may import the module that has the table: it would be asked before it has all.
    """
    return {_names()[kind]: entry for kind, entry in entries(file, name).items()}


@cache
def kinds() -> dict[str, type[Question]]:
    """The class of each kind, by its name in tables: the fields of ``Table``."""
    # A hint is Callable[Concatenate[K, P], R]; its first argument is the Concatenate.
    hints = get_type_hints(Table).items()
    return {name: hint.__args__[0].__args__[0] for name, hint in hints}


def kind_name(question: Question) -> str:
    """The name of its kind in tables, in file names of templates and in launched documents."""
    return _names()[type(question)]


@cache
def _names() -> dict[type[Question], str]:
    return {kind: name for name, kind in kinds().items()}


def question_document(question: Question) -> dict[str, Any]:
    """One question in a launched document; ``form`` is the name of its kind."""
    return {**question.to_document(), "form": kind_name(question)}


def read_question(entry: Mapping[str, Any]) -> Question:
    """One question of a launched document. Raises ValueError for one that is of no kind."""
    kind = kinds().get(entry["form"])
    if kind is None:
        raise ValueError(f"Question {entry.get('id')} is of no form known here: {entry['form']}.")
    return kind.from_document(entry)


def of_kind(kind: Callable[..., K], questions: Iterable[Question]) -> Iterator[tuple[int, K]]:
    """The questions of one kind, or of a kind that stands on it, with their numbers from 1."""
    base = cast(type[K], kind)  # where type[K] is wanted, abstract classes are refused
    for number, question in enumerate(questions, start=1):
        if isinstance(question, base):
            yield number, question
