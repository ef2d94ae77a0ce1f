"""Routes: who is asked which question, by their arm and by their answers to earlier questions."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from surveys.kinds.levels.promise import LevelQuestion
from surveys.questionnaire.arms import Arm, total_weight
from surveys.questionnaire.families import in_ways, protected_numbers
from surveys.questionnaire.kinds.question import Question
from surveys.questionnaire.kinds.registry import of_kind
from surveys.questionnaire.logic.rules import Rule, asked_of, loosened, reduced, within


@dataclass(frozen=True)
class Routes:
    """The rules of the questions ``items``, over their answers and over the ``arms``."""

    items: tuple[Question, ...]
    arms: tuple[Arm, ...]

    @cached_property
    def has_rules(self) -> bool:
        """Whether some question is asked only of those whose answers its rule names."""
        return any(item.rule for item in self.items)

    @cached_property
    def read_answers(self) -> bool:
        """Whether the answers to some question decide if another one is asked."""
        return any(item.rule and item.rule.questions for item in self.items)

    @property
    def arm_codes(self) -> tuple[str, ...]:
        """The codes of the arms; one that is empty where there are none."""
        return tuple(arm.code for arm in self.arms) or ("",)

    def arms_asked(self, item: Question) -> tuple[str, ...]:
        """The codes of the arms in which a question may be asked."""
        rule = item.rule or Rule("all")
        return tuple(c for c in self.arm_codes if reduced(rule, {}, c) is not False)

    def share_of(self, item: Question) -> Fraction:
        """How many of all people are in an arm in which a question may be asked."""
        if not self.arms:
            return Fraction(len(self.arms_asked(item)))
        codes = self.arms_asked(item)
        asked = [arm for arm in self.arms if arm.code in codes]
        return Fraction(total_weight(asked), total_weight(self.arms))

    def asked_of(self, codes: Sequence[str]) -> tuple[bool, ...]:
        """Which questions unprotected answers leave to a person with the codes of a row.

        This is known of every stored row. Whether protected answers then hide one is not.
        """
        answers, arm = codes[: len(self.items)], codes[len(self.items) :]
        answered = [
            item.in_rules.given(code) for item, code in zip(self.items, answers, strict=True)
        ]
        return asked_of(self.open_rules, answered, *arm)

    @cached_property
    def open_rules(self) -> tuple[Rule | None, ...]:
        """What the rule of each question asks of unprotected answers; None if it is nothing.

        A question that these hide is sent as "not asked"; one that protected answers hide goes
        through its channel all the same.
        """
        protected = protected_numbers(self.items)
        rules = (item.rule and loosened(item.rule, protected) for item in self.items)
        return tuple(None if isinstance(rule, bool) else rule for rule in rules)

    @cached_property
    def protected_rules(self) -> frozenset[int]:
        """The numbers of the questions whose rules read protected answers."""
        protected = protected_numbers(self.items)
        numbered = enumerate(self.items, start=1)
        return frozenset(n for n, i in numbered if i.rule and i.rule.questions & protected)

    @cached_property
    def told_by_others(self) -> dict[int, tuple[Rule, dict[int, LevelQuestion]]]:
        """Questions whose people who are not asked count as an answer, by their numbers.

        Each with its rule, which reads families as one answer, and the questions that this rule
        reads: their reports, beside its own, tell how many were asked.
        """
        hiding = {}
        for number, item in of_kind(LevelQuestion, self.items):
            if item.hidden is None or item.hidden.is_own:
                continue
            ruled = in_ways(self.items)[number - 1].rule
            rules = {within(ruled, arm) for arm in self.arms_asked(item)}
            rule = rules.pop() if len(rules) == 1 else None  # arms asked by different answers
            sources = {n: self.items[n - 1] for n in sorted(rule.questions if rule else ())}
            levels = {
                n: source for n, source in sources.items() if isinstance(source, LevelQuestion)
            }
            if rule is not None and len(levels) == len(sources):
                hiding[number] = rule, levels
        return hiding
