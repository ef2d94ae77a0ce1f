"""What a report says about a person, and how it came about, by kind: "80 of 100 send it anyway".

Every number is computed from the channel.
"""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from django.utils.translation import gettext, ngettext

from surveys.kinds.levels.promise import LevelQuestion
from surveys.kinds.long_list.promise import Marking
from surveys.kinds.long_scale.promise import ScaleQuestion
from surveys.kinds.matrix.promise import MatrixQuestion
from surveys.kinds.number.promise import RoundedQuestion
from surveys.kinds.ranking.promise import RankedPairQuestion
from surveys.kinds.rating.promise import RatingQuestion
from surveys.kinds.ticks.promise import TicksQuestion
from surveys.kinds.two_questions.promise import ComparedQuestion, GroupedQuestion, PairedQuestion
from surveys.questionnaire.facts.exposure import LARGEST_RATIO
from surveys.questionnaire.kinds.parts import SlottedQuestion
from surveys.questionnaire.kinds.question import Question
from surveys.questionnaire.kinds.registry import Table, in_folders
from surveys.wording.language.messages import isolated
from surveys.wording.language.numbers import grouped

LITTLE, MUCH = 5, 20
BASES = (100, 1000, 10_000, 1_000_000)
# Reports of known probability.
Channelled = LevelQuestion | GroupedQuestion | SlottedQuestion | RoundedQuestion


def _anyway() -> str:
    return gettext(
        "Of {base} people whose answer is {truth}, about {count} send {report} anyway, so a "
        "{report} {verdict}."
    )


def _as_well() -> str:
    return gettext(
        "Of {base} people whose answer is {truth}, about {count} send “{report}” as well. So "
        "“{report}” {verdict}."
    )


def _at_least() -> str:
    return gettext(
        "Of {base} people whose answer is {truth}, at least about {count} send “{report}” anyway. "
        "So “{report}” {verdict}."
    )


def _no_sentences(item: Question) -> Iterator[str]:
    return iter(())


def _level_sentences(item: LevelQuestion) -> Iterator[str]:
    """For yes or no, one sentence on each report that differs; otherwise the worst report."""
    if not item.is_yes_no:
        return iter([_worst_sentence(item)])
    return _binary_sentences(item, _anyway())


def _paired_sentences(item: PairedQuestion) -> Iterator[str]:
    yield from _level_sentences(item)
    yield _unless_known()


def _compared_sentences(item: ComparedQuestion) -> Iterator[str]:
    yield from _binary_sentences(item, _as_well())
    yield _unless_known()


def _grouped_sentences(item: GroupedQuestion) -> Iterator[str]:
    yield from _binary_sentences(item, _at_least())
    yield _unless_known()


def _unless_known() -> str:
    return gettext(
        "What is said here is true of people who do not know your answer to the second question."
    )


def _binary_sentences(item: LevelQuestion | GroupedQuestion, words: str) -> Iterator[str]:
    no, yes = 0, 1
    towards_yes, towards_no = _pointing(item, yes), _pointing(item, no)
    yield _binary_sentence(item, words, truth=no, report=towards_yes)
    if _share(item, no, towards_yes) != _share(item, yes, towards_no):
        yield _binary_sentence(item, words, truth=yes, report=towards_no)
    if _worst(item) not in (towards_yes, towards_no):
        yield _worst_sentence(item)


def _rating_sentences(item: RatingQuestion) -> Iterator[str]:
    """Each slot on its own, then all of them together: what one person reveals at the most."""
    report = _worst(item)
    rarest = min(_share(item, truth, report) for truth in range(len(item.levels)))
    yield gettext(
        "Of {base} people with any other rating of an item, about {count} send “{report}” anyway."
    ).format(**_out_of(rarest), report=isolated(item.levels[report].text))
    yield ngettext(
        "What is sent for the item {verdict}.",
        "You rate {count} items, each with its own coin. Together, what is sent {verdict}.",
        item.slots,
    ).format(count=item.slots, verdict=_verdict(largest_ratio(item)))


def _ticks_sentences(item: TicksQuestion) -> Iterator[str]:
    """Which options are sent, one of them on its own, then all that is sent together."""
    if item.draws_parts:
        yield ngettext(
            "Your browser picks one of {size} options by chance. Coins may change its Yes or No "
            "before sending.",
            "Your browser picks {count} of {size} options by chance. Coins may change each Yes "
            "or No before sending.",
            item.slots,
        ).format(count=item.slots, size=item.size)
    else:
        yield gettext("Each option's own coins may change what is sent.")
    yield gettext(
        "For an option that is sent: of {base} people who do not tick the option, about {count} "
        "send Yes anyway."
    ).format(**_out_of(_share(item, 0, 1)))
    yield gettext("So what is sent {verdict}.").format(verdict=_verdict(largest_ratio(item)))


def _matrix_sentences(item: MatrixQuestion) -> Iterator[str]:
    """Which rows are sent, the worst report of one, then all that is sent together."""
    if item.draws_parts:
        yield ngettext(
            "Your browser picks one of {size} rows by chance. Coins may change its answer "
            "before sending.",
            "Your browser picks {count} of {size} rows by chance. Coins may change each answer "
            "before sending.",
            item.slots,
        ).format(count=item.slots, size=item.size)
    else:
        yield gettext("Each row's own coins may change what is sent.")
    report = _worst(item)
    rarest = min(_share(item, truth, report) for truth in range(len(item.levels)))
    yield gettext(
        "For a row that is sent: of {base} people with any other answer, about {count} send "
        "“{report}” anyway."
    ).format(**_out_of(rarest), report=isolated(item.levels[report].text))
    yield gettext("So what is sent {verdict}.").format(verdict=_verdict(largest_ratio(item)))


def _rounded_sentences(item: RoundedQuestion) -> Iterator[str]:
    """Which points are sent, the worst report, and what it proves."""
    points = gettext(
        "Your browser sends one of {count} fixed numbers from {low} to {high}. One near your "
        "number is sent more often."
    )
    others = gettext(
        "Of {base} people with any other number, at least about {count} send “{report}” anyway. "
        "So what is sent {verdict}."
    )
    if item.special:
        points = gettext(
            "Your browser sends one of {count} fixed numbers from {low} to {high}, or an answer "
            "that is not a number. An answer near your own is sent more often."
        )
        others = gettext(
            "Of {base} people with any other answer, at least about {count} send “{report}” "
            "anyway. So what is sent {verdict}."
        )
    yield points.format(count=item.rungs, low=item.number.minimum, high=item.number.maximum)
    report = _worst(item)
    rarest = min(_share(item, truth, report) for truth in range(len(item.weights)))
    yield others.format(
        **_out_of(rarest),
        report=isolated(item.levels[report].text),
        verdict=_verdict(_ratio(item, report)),
    )


def _pair_sentences(item: RankedPairQuestion) -> Iterator[str]:
    """That one pair is sent, how often it is turned round, and what it proves."""
    yield gettext(
        "Your browser picks one of {size} pairs by chance. It sends which item of the pair comes "
        "first, but chance sometimes turns this order round."
    ).format(size=item.size)
    yield gettext(
        "Of {base} people who order this pair the other way, about {count} send this order "
        "anyway. So what is sent {verdict}."
    ).format(**_out_of(_share(item, 0, 1)), verdict=_verdict(largest_ratio(item)))


def _worst_of_levels(item: LevelQuestion) -> Iterator[str]:
    if not item.is_yes_no:
        return _level_sentences(item)
    return _worst_of_binary(item, _anyway())


def _worst_of_binary(item: LevelQuestion | GroupedQuestion, words: str) -> Iterator[str]:
    """The sentence on the report that proves most: it may be a decline, or "does not apply"."""
    if _worst(item) not in (_pointing(item, 0), _pointing(item, 1)):
        yield _worst_sentence(item)
    else:
        truth = max((0, 1), key=lambda truth: _ratio(item, _pointing(item, 1 - truth)))
        yield _binary_sentence(item, words, truth=truth, report=_pointing(item, 1 - truth))


# What a report says about one person.
SENTENCES: Table[[], Iterator[str]] = Table(
    levels=_level_sentences,
    long_scale=lambda item: iter([group_sentence(item)]),
    paired=_paired_sentences,
    compared=_compared_sentences,
    grouped=_grouped_sentences,
    long_list=lambda item: iter([marking_sentence(item.marks)]),
    number=_no_sentences,
    text=_no_sentences,
    other=_no_sentences,
    rating=_rating_sentences,
    information=_no_sentences,
    consent=_no_sentences,
    ticks=_ticks_sentences,
    matrix=_matrix_sentences,
    rounded=_rounded_sentences,
    day=_no_sentences,
    ranking=_no_sentences,
    ranked_pair=_pair_sentences,
    family=_level_sentences,
    follow_up=_no_sentences,
    counted=_no_sentences,
    picked=_no_sentences,
    **in_folders("wording", "SENTENCES"),
)
# Of these sentences the one on the report that proves most; all where they belong together.
WORST_SENTENCES = replace(
    SENTENCES,
    levels=_worst_of_levels,
    paired=_worst_of_levels,
    compared=lambda item: _worst_of_binary(item, _as_well()),
    grouped=lambda item: _worst_of_binary(item, _at_least()),
)


def _pointing(item: Channelled, truth: int) -> int:
    """The report that speaks most for this answer to a yes or no, and against the other one."""
    answering = [i for i in range(len(item.reported_levels)) if i != item.decline_level]

    def speaks_for(report: int) -> Fraction:
        rows = [channel.rows[report] for channel in item.channels]
        return max(Fraction(row[truth]) / Fraction(row[1 - truth]) for row in rows)

    return max(answering, key=speaks_for)


def _binary_sentence(
    item: LevelQuestion | GroupedQuestion, words: str, *, truth: int, report: int
) -> str:
    return words.format(
        **_out_of(_share(item, truth, report)),
        truth=isolated(item.levels[truth].text),
        report=isolated(item.reported_levels[report].text),
        verdict=_verdict(_ratio(item, report)),
    )


def _worst(item: Channelled) -> int:
    return max(range(len(item.reported_levels)), key=lambda report: _ratio(item, report))


def _worst_sentence(item: Channelled) -> str:
    report = _worst(item)
    rarest = min(_share(item, truth, report) for truth in range(len(item.levels)))
    return gettext(
        "Of {base} people with any other answer, about {count} send “{report}” anyway. The other "
        "answers are at least as safe. So what is sent {verdict}."
    ).format(
        **_out_of(rarest),
        report=isolated(item.levels[report].text),
        verdict=_verdict(_ratio(item, report)),
    )


def _share(item: Channelled, truth: int, report: int) -> Fraction:
    """P[report | truth]; at least, where the second question's share is not known."""
    return min(Fraction(channel.rows[report][truth]) for channel in item.channels)


def _ratio(item: Channelled, report: int) -> Fraction:
    """How much a report can change the odds; every entry of a launched channel is positive."""
    rows = [[Fraction(p) for p in channel.rows[report]] for channel in item.channels]
    return max(max(row) / min(row) for row in rows)


def largest_ratio(item: Question) -> Fraction:
    """How much the worst report can change the odds. Raises ValueError for a direct question."""
    ratio = LARGEST_RATIO(item)
    if ratio is None:
        raise ValueError(f"Question {item.id} is sent as it is, which proves it.")
    return ratio


def marking_sentence(marking: Marking) -> str:
    """How often the true option of a long list is marked, and any other one."""
    consequence = gettext(
        "Your browser sends the list with options marked by chance. The true option is marked for "
        "{true} of 100 people, any other option for {other} of 100."
    )
    if marking.size:
        consequence = gettext(
            "Your browser sends the list with exactly {size} of {options} options marked by "
            "chance. The true option is marked for {true} of 100 people, any other option for "
            "{other} of 100."
        )
    verdict = _verdict(marking.largest_ratio)
    return (consequence + " " + gettext("So what is sent {verdict}.")).format(
        size=marking.size,
        options=marking.options,
        true=per_hundred(100 * marking.p_true),
        other=per_hundred(100 * marking.p_other),
        verdict=verdict,
    )


def group_sentence(item: ScaleQuestion) -> str:
    """How often the true answer is in the group that is sent, and any other one, at the least."""
    answers = range(len(item.levels))
    true = min(item.chance_of(answer, answer) for answer in answers)
    other = min(item.chance_of(a, truth) for a in answers for truth in answers if a != truth)
    return gettext(
        "Your browser sends a group of answers, drawn by chance. The true answer is in the group "
        "for at least {true} of 100 people, any other answer for at least {other} of 100. So what "
        "is sent {verdict}."
    ).format(
        true=per_hundred(100 * true),
        other=per_hundred(100 * other),
        verdict=_verdict(largest_ratio(item)),
    )


def _verdict(ratio: Fraction) -> str:
    if ratio <= LITTLE:
        return gettext("proves little")
    return gettext("proves something") if ratio <= MUCH else gettext("says a lot")


def _out_of(share: Fraction) -> dict[str, str]:
    """A share as a count out of a round number of people that is large enough to show it."""
    base = next((base for base in BASES if share * base >= 1), BASES[-1])
    return {"base": grouped(base), "count": grouped(round(share * base))}


def per_hundred(share: Fraction) -> str:
    return grouped(f"{float(share):.1f}".removesuffix(".0"))


def _as_given(item: Question, hides: bool) -> str:
    return gettext("as you gave it")


def _by_coin(item: Question, hides: bool) -> str:
    if not item.is_randomized:
        return _as_given(item, hides)
    return (
        gettext("by coin or by truth; no one can tell which")
        if hides
        else gettext("by coin or by truth")
    )


def _marked(item: Question, hides: bool) -> str:
    if not hides:
        return gettext("marked by chance")
    return gettext("marked by chance; no one can tell whether your option is marked")


def _grouped(item: Question, hides: bool) -> str:
    if not hides:
        return gettext("a group drawn by chance")
    return gettext("a group drawn by chance; no one can tell whether your answer is in the group")


def _about_two(item: Question, hides: bool) -> str:
    if not hides:
        return gettext("about two questions at once")
    return gettext("about two questions at once; no one can tell what you answered")


def _to_one_of_two(item: Question, hides: bool) -> str:
    if not hides:
        return gettext("to one of the two questions, drawn by chance")
    return gettext("to one of the two questions; no one can tell to which question")


# How what was sent came about; the same for every answer to a question. Only where all answers of
# one person together hide each of them does it say that the reader cannot know it.
HOW_SENT: Table[[bool], str] = Table.mostly(
    _by_coin,
    long_scale=_grouped,
    paired=_to_one_of_two,
    compared=_about_two,
    grouped=_to_one_of_two,
    long_list=_marked,
    number=_as_given,
    text=_as_given,
    other=_as_given,
)
