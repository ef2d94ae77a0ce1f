"""A topic report's page in words: topic cards, word rows, charges, guarantees, guesses, matches."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal
from math import exp, isfinite
from typing import Any
from uuid import UUID

from django.utils.translation import gettext, gettext_lazy

from analytics.kinds.documents import Clustering, Topic, TopicReport, Word
from analytics.kinds.matches import match_topics, mixture_distance
from analytics.kinds.registry import KINDS
from analytics.models import Report
from analytics.pages.finds import FindsWords, finds_words, numbered, words_of
from analytics.pages.pictures import pictures_of
from analytics.privacy.accounting import Cost
from analytics.queries import report_numbers
from analytics.reports.amounts import amount, plain, rounded_up, share_of
from analytics.reports.registry import kind_named
from analytics.reports.words import ADJACENCY_WORDS
from surveys.randomized_response.messages import sentence
from surveys.staff.audit.rows import person
from surveys.web.drawing.figures import Figure
from surveys.wording.language.messages import translated
from surveys.wording.language.numbers import decimal, grouped, localized
from surveys.wording.odds import odds_words

OF_TABLES = sentence("direct answers")
GUESSES = (0.01, 0.1, 0.5)
HEADING_WORDS = 3
SETTING_NAMES = {
    "topics": gettext_lazy("At most so many"),
    "refine": gettext_lazy("Looked at twice, for long texts"),
    "language": gettext_lazy("Language"),
    "stems": gettext_lazy("Words cut to their stems"),
    "longest_phrase": gettext_lazy("Longest phrase, in words"),
    "stop_words": gettext_lazy("Further stop words"),
    "skip_non_answers": gettext_lazy("Non-answers left out (“don't know”)"),
    "vocabulary": gettext_lazy("Public list of words"),
    "most_words": gettext_lazy("Different words counted of one respondent, at most"),
    "most_used": gettext_lazy("Words used, at most"),
    "seed": gettext_lazy("Seed"),
}


@dataclass(frozen=True)
class WordRow:
    """One word of a topic."""

    word: str
    loading: str
    noise: str
    is_within_noise: bool


@dataclass(frozen=True)
class TopicCard:
    """One topic: its picture, its words, what is known of its size and coherence."""

    number: int
    name: str
    given: str
    picture: Figure
    words: tuple[WordRow, ...]
    label: str
    size: str
    coherence: str
    examples: tuple[str, ...]


@dataclass(frozen=True)
class SpectrumRow:
    """One eigenvalue or singular value."""

    rank: int
    value: str
    is_above: bool


@dataclass(frozen=True)
class Guess:
    """How sure a reader may be about one respondent, before and at most after."""

    before: str
    after: str


@dataclass(frozen=True)
class ChargeRow:
    """One step that was charged."""

    what: str
    mu_squared: str
    threshold_delta: str
    share: str


@dataclass(frozen=True)
class GuaranteeRow:
    """The promise under one adjacency."""

    adjacency: str
    mu: str
    epsilon: str
    delta: str


@dataclass(frozen=True)
class ReportPage:
    """Everything that a report's page shows."""

    report: TopicReport
    title: str
    explanation: str
    finds: FindsWords
    notes: tuple[str, ...]
    coherence_source: str
    has_stems: bool
    has_coherence: bool
    topics: tuple[TopicCard, ...]
    spectrum: Figure | None
    sizes: Figure | None
    values: tuple[SpectrumRow, ...]
    edge: str
    epsilon: str
    odds: str
    guesses: tuple[Guess, ...]
    guarantees: tuple[GuaranteeRow, ...]
    charges: tuple[ChargeRow, ...]
    total: ChargeRow | None
    settings: tuple[tuple[str, str], ...]
    diversity: str
    clusterings: tuple[Clustering, ...]


@dataclass(frozen=True)
class ReportRow:
    """One report in a list."""

    report: Report
    number: int
    title: str
    question: str
    is_private: bool
    who: str


@dataclass(frozen=True)
class MatchRow:
    """Two topics that belong together, or one that has no counterpart."""

    first: str
    second: str
    cosine: str
    shared: str
    sizes: str


def report_rows(
    reports: Collection[Report], texts: Mapping[UUID, str], people: Mapping[int, str]
) -> list[ReportRow]:
    """Reports in words, with the texts of questions and the names of accounts by their keys."""
    numbers = report_numbers(reports)
    return [
        ReportRow(
            report=report,
            number=numbers[report.pk],
            title=title_of(report.kind),
            question=question_words(report.kind, texts.get(report.question, "–")),
            is_private=is_private(report.kind),
            who=person(report.actor, dict(people)),
        )
        for report in reports
    ]


def question_words(kind: str, text: str) -> str:
    """What a report is on: a question, or the direct answers to several."""
    return translated(OF_TABLES) if kind_named(kind).is_of_tables else text


def title_of(kind: str) -> str:
    """What a kind of report is called; its bare name where this version does not know it."""
    return translated(kind_named(kind).title)


def found_by(kind: str) -> str:
    """What one topic of such a report is called."""
    return kind_named(kind).finds


def is_private(kind: str) -> bool:
    """Whether reports of this kind may be published; an unknown kind's may not."""
    return kind_named(kind).is_open


def example_keys(report: TopicReport) -> list[str]:
    """The comments that an internal report points to."""
    groups = [g for one in report.clusterings if one.of == "respondents" for g in one.groups]
    return [
        *(key for topic in report.topics for key in topic.examples),
        *(key for group in groups for key in group.members),
    ]


def report_page(
    report: TopicReport, names: Sequence[str], texts: Mapping[str, str] | None = None
) -> ReportPage:
    """The page of a finished report.

    ``names`` were given to its topics, empty where none was; ``texts`` are the comments of its
    examples by key, for staff who may read them.
    """
    kind = KINDS.get(report.kind)
    pictures = {one.name: one for one in pictures_of(report, topic_names(report, names))}
    epsilon = report.epsilon
    return ReportPage(
        report=report,
        title=title_of(report.kind),
        explanation=translated(kind.explanation) if kind else "",
        finds=finds_words(
            found_by(report.kind),
            len(report.topics),
            report.respondents,
            is_private=report.is_private,
        ),
        notes=tuple(map(translated, report.notes)),
        coherence_source=translated(report.coherence_source or ""),
        has_stems=bool(report.settings.get("stems") and report.settings.get("language")),
        has_coherence=any(topic.coherence is not None for topic in report.topics),
        topics=tuple(_cards(report, names, pictures, texts or {})),
        spectrum=pictures.get("spectrum"),
        sizes=pictures.get("sizes"),
        values=tuple(_values(report)),
        edge=_short(report.spectrum.edge) if report.spectrum else "",
        epsilon="" if epsilon is None else rounded_up(epsilon),
        odds="" if epsilon is None else odds_words(epsilon),
        guesses=() if epsilon is None else guesses(epsilon),
        guarantees=tuple(_guarantees(report)),
        charges=tuple(_charges(report)),
        total=_charge_row(gettext("Together"), report.cost, report.cost)
        if report.charges
        else None,
        settings=tuple(_settings(report)),
        diversity="" if report.diversity is None else localized(f"{report.diversity:.2f}"),
        clusterings=tuple(_with_texts(one, texts or {}) for one in report.clusterings),
    )


def topic_names(report: TopicReport, given: Sequence[str]) -> tuple[str, ...]:
    """What each topic is called: the name it was given, or its number and clearest words."""
    padded = [*given, *[""] * len(report.topics)]
    return tuple(
        name or default_name(place, topic, report.kind)
        for place, (name, topic) in enumerate(zip(padded, report.topics, strict=False), start=1)
    )


def default_name(number: int, topic: Topic, kind: str) -> str:
    """The number of a topic and its clearest words."""
    found = numbered(found_by(kind), number)
    clear = [word.shown for word in topic.words if not word.is_within_noise][:HEADING_WORDS]
    return f"{found}: {', '.join(clear)}" if clear else found


def match_rows(
    first: TopicReport,
    first_names: Sequence[str],
    second: TopicReport,
    second_names: Sequence[str],
) -> tuple[MatchRow, ...]:
    """The topics of two reports, matched by their words (see ``analytics.kinds.matches``)."""
    left, right = topic_names(first, first_names), topic_names(second, second_names)
    return tuple(
        MatchRow(
            first=left[one.first] if one.first is not None else "",
            second=right[one.second] if one.second is not None else "",
            cosine="–" if one.cosine is None else localized(f"{one.cosine:.2f}").replace("-", "−"),
            shared=", ".join(one.shared),
            sizes=_both_sizes(first, one.first, second, one.second),
        )
        for one in match_topics(first, second)
    )


@dataclass(frozen=True)
class MixtureRows:
    """Two reports' mixtures: their distance in words, and the cost of each move."""

    sentence: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[str, ...]], ...]


def mixture_rows(
    first: TopicReport, left: Sequence[str], second: TopicReport, right: Sequence[str]
) -> MixtureRows | None:
    """How far apart two mixtures are; None where a report has no topic."""
    found = mixture_distance(first, second)
    if found is None:
        return None
    weighing = (
        gettext("topics weigh as many respondents as they have")
        if found.has_sizes
        else gettext("all topics weigh the same, as sizes are not known")
    )
    names = [topic_names(first, left), topic_names(second, right)]
    rows = zip(names[0], found.costs, strict=True)
    return MixtureRows(
        gettext(
            "On average a respondent must move by {value}, where 0 is the same words "
            "and 1.41 no common word ({method}; {weighing})."
        ).format(value=decimal(found.value, 2), method=translated(found.method), weighing=weighing),
        tuple(names[1]),
        tuple((name, tuple(localized(f"{cost:.2f}") for cost in costs)) for name, costs in rows),
    )


def comparison_remarks(first: TopicReport, second: TopicReport) -> tuple[str, ...]:
    """What makes two reports hard to compare."""
    remarks = []
    if first.kind != second.kind:
        remarks.append(
            gettext("These reports are of different kinds: the same answers give other topics.")
        )
    if any(first.settings.get(n) != second.settings.get(n) for n in ("language", "stems")):
        remarks.append(
            gettext("Their words were cut in different ways, so that like words may not match.")
        )
    return tuple(remarks)


def guesses(epsilon: float) -> tuple[Guess, ...]:
    """How a guess of some certainty may rise: odds p/(1-p) grow at most e^epsilon-fold."""
    return tuple(
        Guess(localized(f"{100 * before:g} %"), _percent_up(_after(before, epsilon)))
        for before in GUESSES
    )


def _cards(
    report: TopicReport,
    given: Sequence[str],
    pictures: Mapping[str, Figure],
    texts: Mapping[str, str],
) -> Iterator[TopicCard]:
    padded = [*given, *[""] * len(report.topics)]
    for number, topic in enumerate(report.topics, start=1):
        yield TopicCard(
            number=number,
            name=padded[number - 1] or default_name(number, topic, report.kind),
            given=padded[number - 1],
            picture=pictures[f"topic-{number}"],
            words=tuple(_word(word) for word in topic.words),
            label=words_of(found_by(report.kind), number),
            size=size_words(topic, report.respondents),
            coherence="" if topic.coherence is None else _signed(topic.coherence),
            examples=tuple(texts[key] for key in topic.examples if key in texts),
        )


def _word(word: Word) -> WordRow:
    noise = "" if word.noise is None else localized(f"± {2 * word.noise:.3f}")
    return WordRow(word.shown, _signed(word.loading), noise, word.is_within_noise)


def size_words(topic: Topic, respondents: int) -> str:
    """How many respondents have this topic as their main one, with the interval."""
    if topic.size is None:
        return ""
    told = gettext("{size} of {respondents}").format(
        size=localized(f"{max(topic.size, 0):,.0f}"), respondents=grouped(respondents)
    )
    if topic.low is None or topic.high is None:
        return told
    return gettext("about {told} ({low} to {high})").format(
        told=told, low=localized(f"{topic.low:,.0f}"), high=localized(f"{topic.high:,.0f}")
    )


def _both_sizes(
    first: TopicReport, left: int | None, second: TopicReport, right: int | None
) -> str:
    told = [_share_words(report, place) for report, place in ((first, left), (second, right))]
    return " → ".join(told) if any(one != "–" for one in told) else ""


def _share_words(report: TopicReport, place: int | None) -> str:
    """A size as a share of its report's respondents, with its interval: reports differ in size."""
    topic = report.topics[place] if place is not None else None
    if topic is None or topic.size is None or not report.respondents:
        return "–"
    percent = [
        f"{100 * value / report.respondents:.0f}"
        for value in (max(topic.size, 0), topic.low, topic.high)
        if value is not None
    ]
    if len(percent) < 3:
        return f"{percent[0]} %"
    return gettext("{share} % ({low} to {high})").format(
        share=percent[0], low=percent[1], high=percent[2]
    )


def _values(report: TopicReport) -> Iterator[SpectrumRow]:
    values = report.spectrum.values if report.spectrum else report.singular_values
    for rank, value in enumerate(values, start=1):
        yield SpectrumRow(rank, _short(value), not report.spectrum or value > report.spectrum.edge)


def _guarantees(report: TopicReport) -> Iterator[GuaranteeRow]:
    for one in report.guarantees:
        told = localized(f"{Decimal(repr(one.mu)).quantize(Decimal('0.0001'), ROUND_CEILING)}")
        words = translated(ADJACENCY_WORDS[one.adjacency])
        yield GuaranteeRow(words, told, rounded_up(one.epsilon), plain(one.delta))


def _charges(report: TopicReport) -> Iterator[ChargeRow]:
    for charge in report.charges:
        yield _charge_row(translated(charge.what), charge.cost, report.cost)


def _charge_row(what: str, cost: Cost, whole: Cost) -> ChargeRow:
    return ChargeRow(
        what,
        amount(cost.mu_squared),
        amount(cost.threshold_delta),
        share_of(cost.mu_squared, whole.mu_squared),
    )


def _settings(report: TopicReport) -> Iterator[tuple[str, str]]:
    """What was chosen; a private report has no seed, and must not look as if its noise had one."""
    for name, value in report.settings.items():
        if name == "seed" and report.is_private:
            continue
        yield str(SETTING_NAMES.get(name, name)), _setting(value)


def _setting(value: Any) -> str:
    if isinstance(value, bool):
        return gettext("yes") if value else gettext("no")
    if isinstance(value, list | tuple):
        return ", ".join(str(entry) for entry in value) or gettext("none")
    return gettext("none") if value is None or value == "" else str(value)


def _with_texts(one: Clustering, texts: Mapping[str, str]) -> Clustering:
    """Respondents' clusters name comments: their texts stand for them, where they may be read."""
    if one.of != "respondents":
        return one
    groups = tuple(
        type(group)(group.size, tuple(texts[key] for key in group.members if key in texts))
        for group in one.groups
    )
    return Clustering(one.of, one.stability, groups)


def _after(before: float, epsilon: float) -> float:
    return 1.0 if epsilon > 700 else 1 / (1 + (1 - before) / before * exp(-epsilon))


def _percent_up(share: float) -> str:
    told = Decimal(repr(100 * share)).quantize(Decimal("0.1"), ROUND_CEILING)
    return localized(f"{told} %") if told < 100 else gettext("nearly 100 %")


def _short(value: float) -> str:
    return localized(f"{value:,.4g}").replace("-", "−") if isfinite(value) else "–"


def _signed(value: float) -> str:
    return localized(f"{value:.3f}").replace("-", "−")
