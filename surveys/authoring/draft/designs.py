"""The device of a drafted question, as its author typed it: weights, pairs, matrix, denominators.

Every refusal is a ValueError in the author's words: which field, which cell, what to write instead.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import Any

from django.utils.translation import gettext

from surveys.authoring.draft.kinds import draft_kind
from surveys.authoring.draft.typed import (
    PROBABILITY,
    check_columns,
    check_rows,
    probability_of,
    split_probabilities,
    two_probabilities,
    typed_matrix,
)
from surveys.kinds.levels.promise import Level, Leveled, LevelQuestion, Weights, level_code
from surveys.kinds.long_list.promise import ListQuestion, Marking
from surveys.kinds.long_scale.promise import (
    FEWEST_ANSWERS,
    MOST_ANSWERS,
    PURPOSES,
    ScaleQuestion,
)
from surveys.kinds.two_questions.promise import (
    COMPARISONS,
    ComparedQuestion,
    GroupedQuestion,
    PairedQuestion,
    SecondQuestion,
)
from surveys.models import Question
from surveys.questionnaire.sharing import folded
from surveys.randomized_response.designs import (
    Channel,
    ChannelMatrix,
    Crosswise,
    Design,
    ForcedResponseOptions,
    IntegerChannel,
    KAry,
    OptimisedScale,
    TwoCoins,
    UnrelatedQuestion,
    Warner,
)
from surveys.randomized_response.designs.channel import LARGEST_DENOMINATOR
from surveys.randomized_response.errors import DesignError
from surveys.randomized_response.messages import Listed, sentence
from surveys.wording.language.messages import translated

LARGEST_EPSILON = 5
LARGEST_GROWTH = 10_000  # of the noise: a hundred million answers tell as much as one undisturbed
DESIGNS = Question.Design
WITH_SECOND = {DESIGNS.UNRELATED_SHOWN, DESIGNS.CROSSWISE, DESIGNS.TWO_GROUPS}
TWO_ANSWERS = WITH_SECOND | {DESIGNS.WARNER, DESIGNS.UNRELATED}
GIVES_AWAY = sentence(
    "At least one answer would give away the person who sends it (epsilon is infinite). What you "
    "can do: {remedy}"
)
ASK_DIRECTLY = sentence("ask the question directly.")
INFINITE = {
    DESIGNS.FORCED_RESPONSE: sentence(
        "give every answer a forced probability above 0, or ask the question directly."
    ),
    DESIGNS.WARNER: sentence("choose a probability below 1, such as 3/4."),
    DESIGNS.UNRELATED: (
        sentence(
            "choose a probability below 1 for the question. For the second question, choose a "
            "share of Yes above 0 and below 1."
        )
    ),
    DESIGNS.CROSSWISE: sentence(
        "for the second question, choose a share of Yes above 0 and below 1."
    ),
}
INFINITE[DESIGNS.UNRELATED_SHOWN] = INFINITE[DESIGNS.TWO_GROUPS] = INFINITE[DESIGNS.UNRELATED]


@dataclass(frozen=True)
class DraftedDevice:
    """Which kind of question a design makes, and what such a question stores of the design."""

    kind: type[Leveled]
    parts: Mapping[str, Any]


@dataclass(frozen=True)
class Answers:
    """A question's answers: their texts in the order of the levels, and the order shown."""

    texts: tuple[str, ...]
    display: tuple[int, ...]

    @property
    def shown(self) -> tuple[str, ...]:
        return tuple(self.texts[level] for level in self.display)


def device_of(question: Question, answers: Answers) -> DraftedDevice:
    """The device of a question with levels. Raises ValueError with what its author can do."""
    if question.design == DESIGNS.DIRECT:
        return DraftedDevice(LevelQuestion, {})
    if question.design in TWO_ANSWERS:
        _require_two_answers(question)
    if question.design in WITH_SECOND:
        _require_second(question)
    device = BUILDERS[DESIGNS(question.design)](question, answers)
    if "weights" in device.parts:
        _require_telling(device.parts["weights"], device.parts["denominator"])
    return device


# Each question of a draft is judged on every page that lists them, and few designs are in use.
@lru_cache(maxsize=1024)
def _require_telling(weights: Weights, denominator: int) -> None:
    require_telling(IntegerChannel(weights, denominator).channel)


def exposure_reason(question: Question, epsilon: float) -> str:
    """Why respondents may not be promised this epsilon; empty if they may."""
    if math.isinf(epsilon):
        return GIVES_AWAY.format(remedy=INFINITE.get(DESIGNS(question.design), ASK_DIRECTLY))
    if epsilon <= LARGEST_EPSILON:
        return ""
    return sentence(
        "Epsilon is {epsilon}, but {largest} is the most that is allowed. With a larger "
        "epsilon, a reported answer nearly reveals the truth, and respondents are promised that "
        "it does not. Choose stronger protection, or ask the question directly.",
        epsilon=Decimal(f"{epsilon:.2f}"),
        largest=LARGEST_EPSILON,
    )


def require_telling(channel: Channel) -> None:
    """A standard error grows with the inverse's entries: beyond this no survey is large enough."""
    try:
        largest = float(abs(channel.scores).max())
    except DesignError:
        largest = math.inf
    if largest > LARGEST_GROWTH:
        raise ValueError(
            sentence(
                "The true shares cannot be calculated from the reported answers, because "
                "different true answers lead to nearly the same reported answers. Choose "
                "probabilities that differ more."
            )
        )


def _is_fit(question: Question) -> bool:
    """Whether questions of this kind can be launched with this design."""
    return question.design in draft_kind(question).designs


def _require_two_answers(question: Question) -> None:
    if not _is_fit(question) or not question.required:
        raise ValueError(
            sentence(
                "This design works only with exactly two answers. Choose the kind “Yes or no” and "
                "tick “required”, so that people cannot decline. To let people decline, choose "
                "two coins, forced response or a channel matrix."
            )
        )


def _require_second(question: Question) -> None:
    if not question.harmless.strip():
        raise ValueError(
            sentence(
                "This design hides the question behind a second question. Write the second "
                "question too."
            )
        )
    if folded(question.harmless) == folded(question.text):
        raise ValueError(
            sentence(
                "The second question is the same as the question itself. Write a different second "
                "question."
            )
        )


# ---- One function for each design ------------------------------------------------------------


@lru_cache(maxsize=1024)
def _drawn(design: Design) -> DraftedDevice:
    """Rounded, where it must be, to what a browser can draw."""
    stored = design.channel.integer_weights()
    parts = {"weights": stored.weights, "denominator": stored.denominator}
    return DraftedDevice(LevelQuestion, parts)


def _two_coins(question: Question, answers: Answers) -> DraftedDevice:
    return _drawn(TwoCoins(len(answers.texts)))


def _k_ary(question: Question, answers: Answers) -> DraftedDevice:
    if question.epsilon is None:
        raise ValueError(sentence("The k-ary design needs an epsilon. Enter epsilon."))
    return _drawn(KAry.from_epsilon(len(answers.texts), float(question.epsilon)))


def _subset(question: Question, answers: Answers) -> DraftedDevice:
    marking = Marking.of_fixed_size(len(answers.texts), _list_epsilon(question))
    return DraftedDevice(ListQuestion, {"marks": marking})


def _oue(question: Question, answers: Answers) -> DraftedDevice:
    marking = Marking.each_on_its_own(len(answers.texts), _list_epsilon(question))
    return DraftedDevice(ListQuestion, {"marks": marking})


def _long_scale(question: Question, answers: Answers) -> DraftedDevice:
    """The best channel for its purpose, in whole numbers; all levels stand in one order."""
    levels = len(answers.texts)
    if not _is_fit(question):
        raise ValueError(
            sentence(
                "A design for long scales needs options that have an order. Choose the kind "
                "“Scale”."
            )
        )
    if not question.required:
        raise ValueError(
            sentence(
                "With a design for long scales, all options must be in one order, but “Prefer "
                "not to say” fits into no order. Tick “required”, so that respondents cannot "
                "choose it. Or choose k-ary."
            )
        )
    if not FEWEST_ANSWERS <= levels <= MOST_ANSWERS:
        raise ValueError(
            sentence(
                "A design for long scales works with {fewest_answers} to {most_answers} "
                "options, but this question has {levels} options. Choose k-ary.",
                fewest_answers=FEWEST_ANSWERS,
                most_answers=MOST_ANSWERS,
                levels=levels,
            )
        )
    if question.epsilon is None:
        raise ValueError(sentence("A design for long scales needs an epsilon. Enter epsilon."))
    design = OptimisedScale(levels, PURPOSES[question.design], float(question.epsilon))
    stored = design.integer_channel
    parts = {"weights": stored.weights, "denominator": stored.denominator}
    return DraftedDevice(ScaleQuestion, parts)


def _list_epsilon(question: Question) -> float:
    if not _is_fit(question):
        raise ValueError(
            sentence(
                "A design for long lists works only if people choose one answer from a list. "
                "Choose the kind “Single choice”."
            )
        )
    if question.epsilon is None:
        raise ValueError(sentence("A design for long lists needs an epsilon. Enter epsilon."))
    return float(question.epsilon)


def _forced_response(question: Question, answers: Answers) -> DraftedDevice:
    """The forced probabilities are typed in display order."""
    parts = split_probabilities(question.forced)
    levels = len(answers.texts)
    if len(parts) != levels:
        raise ValueError(
            sentence(
                "You entered {count} probabilities, but forced response needs {levels}. Enter "
                "one probability for each answer that can be sent.",
                levels=levels,
                count=len(parts),
            )
        )
    if not all(PROBABILITY.fullmatch(part) for part in parts):
        raise ValueError(
            sentence(
                "Enter the probabilities of forced answers as fractions or decimals, such as 1/6, "
                "1/6."
            )
        )
    forced = [Fraction(0)] * levels
    for position, level in enumerate(answers.display):
        forced[level] = Fraction(parts[position])
    return _drawn(ForcedResponseOptions(tuple(forced)))


def _warner(question: Question, answers: Answers) -> DraftedDevice:
    p_direct = probability_of(sentence("probability of the question"), question.p_sensitive)
    if p_direct < Fraction(1, 2):
        raise ValueError(
            sentence(
                "With a probability of {p_direct}, most reported answers would be the opposite of "
                "the truth. Write {other} instead, which protects and reveals exactly as much.",
                p_direct=p_direct,
                other=1 - p_direct,
            )
        )
    return _drawn(Warner(p_direct))


def _unrelated(question: Question, answers: Answers) -> DraftedDevice:
    """The browser answers the second question itself, with chance: forced response."""
    return _drawn(UnrelatedQuestion(*_unrelated_shares(question)))


def _unrelated_shown(question: Question, answers: Answers) -> DraftedDevice:
    p_sensitive, share = _unrelated_shares(question)
    exact = UnrelatedQuestion(p_sensitive, share).channel
    denominator = _common_denominator(p_sensitive, *(p for row in exact.rows for p in row))
    parts = dict(
        weights=_scaled(zip(*exact.rows, strict=True), denominator),
        denominator=denominator,
        second=_second(question, share, share),
        pairs=_scaled(_pairs([p_sensitive]), denominator),
    )
    return DraftedDevice(PairedQuestion, parts)


def _crosswise(question: Question, answers: Answers) -> DraftedDevice:
    """Report 1 is "the same": yes to both or no to both."""
    share = probability_of(sentence("share of Yes to the second question"), question.harmless_yes)
    stored = Crosswise(share).channel.integer_weights()
    parts = dict(
        weights=stored.weights,
        denominator=stored.denominator,
        reports=tuple(replace(level, text=translated(level.text)) for level in COMPARISONS),
        second=_second(question, share, share),
    )
    return DraftedDevice(ComparedQuestion, parts)


def _two_groups(question: Question, answers: Answers) -> DraftedDevice:
    """Report 2g + y is the answer y in group g, both groups being equally likely."""
    first, second = two_probabilities(
        sentence("probability of the question"), question.p_sensitive, Listed(("3/4", "1/4"))
    )
    least, most = two_probabilities(
        sentence("share of Yes to the second question"),
        question.harmless_yes,
        Listed(("1/4", "3/4")),
    )
    if first == second:
        raise ValueError(
            sentence(
                "Both groups have the probability {first}, so the shares of Yes to the two "
                "questions cannot be calculated separately. Give the groups different "
                "probabilities, such as 3/4, 1/4.",
                first=first,
            )
        )
    if least > most:
        raise ValueError(
            sentence(
                "You wrote that the share of Yes to the second question is between {least} and "
                "{most}. Write the smaller of the two numbers first.",
                least=least,
                most=most,
            )
        )
    pairs = [[entry / 2 for entry in column] for column in _pairs([first, second])]
    denominator = _common_denominator(*(p for column in pairs for p in column))
    texts = [
        gettext("Group {group}: {answer}").format(group=group, answer=text)
        for group, text in product((1, 2), answers.texts)
    ]
    parts = dict(
        denominator=denominator,
        reports=tuple(Level(level_code(position), text) for position, text in enumerate(texts)),
        second=_second(question, least, most),
        pairs=_scaled(pairs, denominator),
    )
    return DraftedDevice(GroupedQuestion, parts)


def _channel_matrix(question: Question, answers: Answers) -> DraftedDevice:
    shown = typed_matrix(question.channel, answers.shown)
    check_columns(shown, answers.shown)
    check_rows(shown, answers.shown)
    size = range(len(answers.texts))
    position = {level: position for position, level in enumerate(answers.display)}
    rows = tuple(tuple(shown[position[y]][position[x]] for x in size) for y in size)
    try:
        return _drawn(ChannelMatrix(Channel(rows)))
    except DesignError as problem:
        raise ValueError(
            sentence(
                "The true shares cannot be calculated from this channel matrix, because two "
                "different mixtures of true answers lead to the same reported answers. Choose "
                "columns that differ more."
            )
        ) from problem


BUILDERS: dict[Question.Design, Callable[[Question, Answers], DraftedDevice]] = {
    DESIGNS.TWO_COINS: _two_coins,
    DESIGNS.K_ARY: _k_ary,
    DESIGNS.FORCED_RESPONSE: _forced_response,
    DESIGNS.WARNER: _warner,
    DESIGNS.UNRELATED: _unrelated,
    DESIGNS.UNRELATED_SHOWN: _unrelated_shown,
    DESIGNS.CROSSWISE: _crosswise,
    DESIGNS.TWO_GROUPS: _two_groups,
    DESIGNS.CHANNEL_MATRIX: _channel_matrix,
    DESIGNS.SUBSET: _subset,
    DESIGNS.OUE: _oue,
    DESIGNS.SCALE_HISTOGRAM: _long_scale,
    DESIGNS.SCALE_CDF: _long_scale,
    DESIGNS.SCALE_MEAN: _long_scale,
}


# ---- Two questions -----------------------------------------------------------------------------


def _pairs(p_sensitive: Sequence[Fraction]) -> list[list[Fraction]]:
    """[2 * own answer + second answer][2 * group + report]: which of the two is sent."""
    return [
        [
            p * (report == own) + (1 - p) * (report == other)
            for p in p_sensitive
            for report in (0, 1)
        ]
        for own, other in product((0, 1), repeat=2)
    ]


def _second(question: Question, least: Fraction, most: Fraction) -> SecondQuestion:
    return SecondQuestion(question.harmless.strip(), str(least), str(most))


def _unrelated_shares(question: Question) -> tuple[Fraction, Fraction]:
    return (
        probability_of(sentence("probability of the question"), question.p_sensitive),
        probability_of(sentence("share of Yes to the second question"), question.harmless_yes),
    )


def _common_denominator(*probabilities: Fraction | float) -> int:
    """The share of people is a fact, so that nothing here may be rounded."""
    denominator = math.lcm(*(Fraction(p).denominator for p in probabilities))
    if denominator > LARGEST_DENOMINATOR:
        raise ValueError(
            sentence(
                "No browser can draw with exactly these probabilities, because the fractions are "
                "too fine. Write simpler fractions, with up to four digits above and below the "
                "line."
            )
        )
    return denominator


def _scaled(
    columns: Iterable[Sequence[Fraction | float]], denominator: int
) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(int(p * denominator) for p in column) for column in columns)
