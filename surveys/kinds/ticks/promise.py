"""TicksQuestion: a choice of several options, each of them a yes or no."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, Self

from surveys.questionnaire.kinds.parts import PartsQuestion, part_fields, part_texts, part_values
from surveys.questionnaire.kinds.question import InRules
from surveys.questionnaire.logic.rules import Given
from surveys.questionnaire.refusals import NotAlone, PartlyDeclined, TooManyTicks

MOST_TICKS_OPTIONS = 32
MOST_NAMED = 10  # options of a question that rules name: 1,024 sets of these are walked through
TICKED = 1  # the place of "yes" among the levels


@dataclass(frozen=True, kw_only=True)
class TicksQuestion(PartsQuestion):
    """Options of which a person ticks at most ``most``; level 0 is "no" and level 1 is "yes".

    A person who would rather not answer has the declining level at every option. The options with
    the numbers in ``alone`` are ticked without any other: "none of these".
    """

    most: int
    alone: tuple[int, ...] = ()

    @property
    def differing(self) -> int:
        """In how many options two people differ at most; declining differs in all of them.

        Of m options e stand alone, and at most c are ticked. Two sets of others differ in
        min(m - e, 2c); such a set and an option that stands alone in min(c, m - e) + 1; two that
        stand alone in 2.
        """
        if self.decline_level is not None:
            return self.sent
        e = len(self.alone)
        others = self.size - e
        apart = min(others, 2 * self.most)
        if e:
            apart = max(apart, min(self.most, others) + 1, min(e, 2))
        return min(self.sent, apart)

    def read(self, values: Sequence[str], *, own_coin: bool) -> str:
        """Raises TooManyTicks, NotAlone, PartlyDeclined; not of reports, which may be of any."""
        code = super().read(values, own_coin=own_coin)
        if not self.is_randomized:
            self._require_possible(self.slot_code.levels_in(code))
        return code

    def _require_possible(self, answers: Sequence[tuple[int, int]]) -> None:
        levels = [level for _, level in answers]
        ticked = [number for number, level in answers if level == TICKED]
        if len(ticked) > self.most:
            raise TooManyTicks(len(ticked), self.most)
        if len(ticked) > 1 and not set(ticked).isdisjoint(self.alone):
            raise NotAlone
        if self.decline_level in levels and set(levels) != {self.decline_level}:
            raise PartlyDeclined

    @cached_property
    def in_rules(self) -> "TicksInRules":
        return TicksInRules(self)

    def to_document(self) -> dict[str, Any]:
        alone = {"alone": list(self.alone)} if self.alone else {}
        return {**super().to_document(), "most": self.most, **alone}

    @classmethod
    def from_document(cls, entry: Mapping[str, Any]) -> Self:
        return cls(
            **part_fields(entry),
            parts=part_texts(entry),
            values=part_values(entry),
            most=entry["most"],
            alone=tuple(entry.get("alone", ())),
        )


@dataclass(frozen=True, eq=False)
class TicksInRules(InRules[TicksQuestion]):
    """Rules name options by their numbers, and count how many were ticked."""

    @property
    def readable(self) -> frozenset[str]:
        is_read = not self.question.is_randomized
        return frozenset({"is", "marked", "answered"}) if is_read else frozenset()

    @property
    def nameable(self) -> Mapping[str, str]:
        number_code = self.question.slot_code.of_number
        return {number_code(number): text for number, text in enumerate(self.question.parts, 1)}

    def given(self, code: str) -> Given | None:
        """The numbers of the options that were ticked, perhaps of none."""
        item, levels = self.question, self.question.slot_code.levels_in(code)
        if not self.readable or not levels or levels[0][1] == item.decline_level:
            return None
        return Given(tuple(item.slot_code.of_number(n) for n, level in levels if level == TICKED))

    def told_apart(self, limits: Collection[int]) -> tuple[Given | None, ...]:
        """Sets of the options that rules name, each with any number of the others.

        Of those that no rule names, it counts how many are ticked, and not which.
        """
        item = self.question
        declined = [] if item.decline_level is None else [None]
        return (*map(Given, self._sets(limits)), *declined) if self.readable else (None,)

    def _sets(self, limits: Collection[int]) -> Iterator[tuple[str, ...]]:
        item = self.question
        alone = [item.slot_code.of_number(number) for number in item.alone]
        others = [code for code in self.nameable if code not in alone]
        named = [code for code in others if int(code) in limits]
        unnamed = [code for code in others if int(code) not in limits]
        for ticks in range(min(len(named), item.most) + 1):
            for chosen in combinations(named, ticks):
                counts = range(min(len(unnamed), item.most - ticks) + 1)
                yield from ((*chosen, *unnamed[:count]) for count in counts)
        yield from ((code,) for code in alone)
