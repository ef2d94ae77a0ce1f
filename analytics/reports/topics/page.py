"""blocks_of: the page of a topic report, from what it found to how it was made."""

from collections.abc import Iterator, Mapping, Sequence
from decimal import ROUND_CEILING, Decimal
from math import isfinite
from typing import Any

from django.utils.formats import number_format
from django.utils.html import format_html
from django.utils.safestring import mark_safe
from django.utils.text import Truncator
from django.utils.translation import gettext, gettext_lazy, ngettext

from analytics.kinds.documents import Clustering, Topic, TopicReport
from analytics.privacy.accounting import Cost
from analytics.reports.amounts import amount, guess_blocks, plain, rounded_up, share_of
from analytics.reports.kind import Kind, ReportFacts
from analytics.reports.topics.finds import FindsWords, finds_words, topic_names, words_of
from analytics.reports.topics.pictures import pictures_of
from analytics.reports.words import ADJACENCY_WORDS
from surveys.reports.documents import (
    Block,
    Card,
    Facts,
    Fold,
    Groups,
    Heading,
    Items,
    Pair,
    Part,
    Picture,
    ResultColumn,
    ResultTable,
    Row,
    Text,
)
from surveys.web.drawing.figures import Figure
from surveys.wording.language.messages import translated
from surveys.wording.language.numbers import decimal, grouped, localized, moment_words
from surveys.wording.odds import odds_words

LONGEST_EXAMPLE, LONGEST_MEMBER = 1000, 300  # letters of a text that a page shows
FINEST_MU = Decimal("0.0001")
SETTING_NAMES = {
    "topics": gettext_lazy("Topics or directions, at most"),
    "refine": gettext_lazy("Second look at the texts"),
    "language": gettext_lazy("Language"),
    "stems": gettext_lazy("Words cut to their stems"),
    "longest_phrase": gettext_lazy("Longest phrase, in words"),
    "stop_words": gettext_lazy("Further stop words"),
    "skip_non_answers": gettext_lazy("Non-answers left out (“don't know”)"),
    "vocabulary": gettext_lazy("Public list of words"),
    "most_words": gettext_lazy("Different words counted per respondent, at most"),
    "most_used": gettext_lazy("Words in the report, at most"),
    "seed": gettext_lazy("Seed"),
}


def blocks_of(report: TopicReport, kind: Kind, facts: ReportFacts) -> Iterator[Block]:
    """The cards of a finished report, from the top of its page to the bottom."""
    names = topic_names(report, facts.names)
    words = finds_words(
        kind.finds, len(report.topics), report.respondents, is_private=report.is_private
    )
    figures = {figure.name: figure for figure in pictures_of(report, names)}
    texts = facts.texts(_comment_keys(report))
    if not report.is_private:
        yield Text(
            mark_safe(  # noqa: S308, a sentence of ours
                gettext(
                    "<strong>Internal – do not publish.</strong> This report does not hide anyone "
                    "and may show what a single person wrote. The audit log records that you "
                    "looked at this report."
                )
            ),
            is_warning=True,
        )
    yield Card("summary", words.summary, tuple(_summary(report, kind)))
    if values := report.spectrum.values if report.spectrum else report.singular_values:
        yield _spectrum_card(report, values, figures["spectrum"])
    if "sizes" in figures:
        pair = Pair((Picture(figures["sizes"]), _size_table(report, names, words)))
        yield Card("sizes", words.sizes, (pair,))
    for number, topic in enumerate(report.topics, start=1):
        is_named = any(facts.names[number - 1 : number])
        figure = figures[f"topic-{number}"]
        blocks = tuple(_topic_blocks(report, topic, figure, words_of(kind.finds, number), texts))
        yield Card(f"topic-{number}", names[number - 1], blocks, number=number if is_named else 0)
    for number, clustering in enumerate(report.clusterings, start=1):
        yield _clusters_card(number, clustering, texts)
    if report.diversity is not None or report.coherence_source:
        yield Card("quality", words.quality, tuple(_quality(report)))
    if report.is_private:
        title = gettext("What this report promises, and what it cost")
        yield Card("promise", title, tuple(_promise(report)))
    yield Card("made", gettext("How this report was made"), (Facts(tuple(_made(report, facts))),))


def size_words(topic: Topic, respondents: int) -> str:
    """How many respondents have this topic as their main one, with the interval."""
    if topic.size is None:
        return ""
    words = gettext("{size} of {respondents}").format(
        size=localized(f"{max(topic.size, 0):,.0f}"), respondents=grouped(respondents)
    )
    if topic.low is None or topic.high is None:
        return words
    return gettext("about {told} ({low} to {high})").format(
        told=words, low=localized(f"{topic.low:,.0f}"), high=localized(f"{topic.high:,.0f}")
    )


def _comment_keys(report: TopicReport) -> list[str]:
    """The comments that an internal report points to."""
    return [
        *(key for topic in report.topics for key in topic.examples),
        *(
            key
            for clustering in report.clusterings
            if clustering.of == "respondents"
            for group in clustering.groups
            for key in group.members
        ),
    ]


def _summary(report: TopicReport, kind: Kind) -> Iterator[Block]:
    yield Text(translated(kind.explanation))
    if report.spectrum:
        yield Text(_supported(report.spectrum.supported))
    yield from (Text(translated(note)) for note in report.notes)
    if report.settings.get("stems") and report.settings.get("language") and report.topics:
        yield Text(
            gettext(
                "Each word stands for all words with the same stem, for example honesty, honest "
                "and honestly. A public rule of the language cuts words to their stems. The form "
                "that is shown comes from a public list of words, not from the texts."
            )
        )
    yield Part("analytics/_topic_files.html")


def _supported(topics: int) -> str:
    if topics:
        return format_html(
            ngettext(
                "At this noise level, the data supports at most <strong>{supported} "
                "topic</strong>. Some eigenvalues stand out above what noise alone would give. "
                "One of these eigenvalues shows what all texts share, and each of the others can "
                "carry a topic. If the method looks for one topic too many, one topic may be "
                "split. The parts of a split topic are combined again.",
                "At this noise level, the data supports at most <strong>{supported} "
                "topics</strong>. Some eigenvalues stand out above what noise alone would give. "
                "One of these eigenvalues shows what all texts share, and each of the others can "
                "carry a topic. If the method looks for one topic too many, one topic may be "
                "split. The parts of a split topic are combined again.",
                topics,
            ),
            supported=grouped(topics),
        )
    return mark_safe(  # noqa: S308, a sentence of ours
        gettext(
            "At this noise level, the data supports <strong>no topic</strong>. Apart from the "
            "eigenvalue that shows what all texts share, no eigenvalue is above what noise alone "
            "would give. A larger share of the budget or more answers may help."
        )
    )


def _spectrum_card(report: TopicReport, values: Sequence[float], figure: Figure) -> Card:
    spectrum = report.spectrum
    columns = [
        ResultColumn("rank", gettext("Rank"), is_number=True),
        ResultColumn("value", gettext("Value"), _value_words, is_number=True),
    ]
    if spectrum:
        yes, no, edge = gettext("yes"), gettext("no"), spectrum.edge
        columns.append(
            ResultColumn(
                "", gettext("Above the noise edge"), lambda row: yes if row["value"] > edge else no
            )
        )
    rows = tuple({"rank": rank, "value": value} for rank, value in enumerate(values, start=1))
    table = ResultTable(figure.words, tuple(columns), rows, figure.title, names=0)
    fold = Fold(gettext("Show as table"), (table,))
    blocks: list[Block] = [Pair((Picture(figure), fold))]
    if report.energy:
        blocks.append(
            Text(
                gettext(
                    "These values capture a share of {energy} of all variation in the answers."
                ).format(energy=decimal(report.energy, 3))
            )
        )
    title = gettext("How many topics stand out") if spectrum else gettext("Singular values")
    return Card("spectrum", title, tuple(blocks))


def _value_words(row: Row) -> str:
    value = row["value"]
    return localized(f"{value:,.4g}").replace("-", "−") if isfinite(value) else "–"


def _size_table(report: TopicReport, names: Sequence[str], words: FindsWords) -> ResultTable:
    columns = (
        ResultColumn("name", words.name),
        ResultColumn("size", gettext("Respondents")),
        ResultColumn("coherence", gettext("Coherence"), is_number=True),
    )
    rows = (
        {
            "name": name,
            "size": size_words(topic, report.respondents) or "–",
            "coherence": "–" if topic.coherence is None else _signed(topic.coherence),
        }
        for name, topic in zip(names, report.topics, strict=True)
    )
    return ResultTable(words.by_main, columns, tuple(rows))


def _topic_blocks(
    report: TopicReport, topic: Topic, figure: Figure, label: str, texts: Mapping[str, str]
) -> Iterator[Block]:
    facts = []
    if topic.size is not None:
        size = size_words(topic, report.respondents)
        facts.append(gettext("Respondents: {size}.").format(size=size))
    if topic.coherence is not None:
        coherence = _signed(topic.coherence)
        facts.append(gettext("Coherence {coherence}.").format(coherence=coherence))
    yield Text(" ".join(facts))
    title = gettext("All {words} words as a table").format(words=len(topic.words))
    yield Pair((Picture(figure), Fold(title, (_word_table(topic, label),))))
    examples = tuple(texts[key] for key in topic.examples if key in texts)
    if examples:
        yield Heading(
            mark_safe(  # noqa: S308, words of ours
                gettext(
                    'Typical comments <span class="mark internal">internal – do not publish</span>'
                )
            )
        )
        yield Items(tuple(_shortened(LONGEST_EXAMPLE, examples)), is_quoted=True)


def _word_table(topic: Topic, label: str) -> ResultTable:
    noisy = gettext("within the noise")
    columns = (
        ResultColumn("word", gettext("Word"), is_quoted=True),
        ResultColumn(
            "loading", gettext("Loading"), lambda row: _signed(row["loading"]), is_number=True
        ),
        ResultColumn("noise", gettext("Noise"), _noise_words, is_number=True),
        ResultColumn("within", gettext("Remark"), lambda row: noisy if row["within"] else ""),
    )
    rows = (
        {
            "word": word.shown,
            "loading": word.loading,
            "noise": word.noise,
            "within": word.is_within_noise,
        }
        for word in topic.words
    )
    return ResultTable(
        "", columns, tuple(rows), label, mark=lambda row: "within" if row["within"] else ""
    )


def _noise_words(row: Row) -> str:
    return "–" if row["noise"] is None else localized(f"± {2 * row['noise']:.3f}")


def _clusters_card(number: int, clustering: Clustering, texts: Mapping[str, str]) -> Card:
    of_words = clustering.of == "words"
    groups = []
    for group in clustering.groups:
        size = grouped(group.size)
        members = group.members
        if of_words:
            title = gettext("{size} words").format(size=size)
        else:
            title = gettext("{size} respondents").format(size=size)
            # Clusters of respondents name comments by their keys, which mean nothing to readers.
            members = tuple(texts[key] for key in members if key in texts)
        groups.append((title, tuple(_shortened(LONGEST_MEMBER, members))))
    agreement = gettext(
        "Agreement between random starts: {stability}. At 1, every start finds the same clusters. "
        "Near 0, the clusters are arbitrary."
    ).format(stability=decimal(clustering.stability, 2))
    title = gettext("Clusters of words") if of_words else gettext("Clusters of respondents")
    return Card(f"clusters-{number}", title, (Text(agreement), Groups(tuple(groups))))


def _shortened(letters: int, texts: Sequence[str]) -> Iterator[str]:
    return (Truncator(text).chars(letters) for text in texts)


def _quality(report: TopicReport) -> Iterator[Block]:
    if report.diversity is not None:
        yield Text(
            gettext(
                "Diversity {diversity}: the share of different words among the ten words with the "
                "largest loading in each topic. At 1, no two topics share a word."
            ).format(diversity=localized(f"{report.diversity:.2f}"))
        )
    if not report.coherence_source:
        return
    has_coherence = any(topic.coherence is not None for topic in report.topics)
    words = (
        gettext(
            "Coherence says whether the words of a topic occur together more often than by "
            "chance, from −1 to 1. Coherence favours frequent words, so look at the diversity as "
            "well. In this report, coherence is {coherence_source}"
        )
        if has_coherence
        else gettext("Coherence: {coherence_source}")
    )
    yield Text(words.format(coherence_source=translated(report.coherence_source)))


def _promise(report: TopicReport) -> Iterator[Block]:
    if report.epsilon is not None and report.delta is not None and report.adjacency:
        epsilon = rounded_up(report.epsilon)
        yield Text(
            gettext(
                "Epsilon {epsilon}: {odds}, no matter what else a reader knows, except with a "
                "chance of {delta}. This promise holds for each respondent and hides this change "
                "in the data: {adjacency}."
            ).format(
                epsilon=epsilon,
                odds=odds_words(report.epsilon),
                delta=number_format(report.delta),
                adjacency=translated(ADJACENCY_WORDS[report.adjacency]),
            )
        )
        yield from guess_blocks(report.epsilon, epsilon)
    yield Part("analytics/_unit.html")
    if report.guarantees:
        yield _guarantee_table(report)
    yield _charge_table(report)


def _guarantee_table(report: TopicReport) -> ResultTable:
    columns = (
        ResultColumn("adjacency", gettext("Change that is hidden")),
        ResultColumn("mu", gettext("mu"), is_number=True),
        ResultColumn("epsilon", gettext("Epsilon"), is_number=True),
        ResultColumn("delta", gettext("Delta"), is_number=True),
    )
    rows = (
        {
            "adjacency": translated(ADJACENCY_WORDS[guarantee.adjacency]),
            "mu": localized(f"{Decimal(repr(guarantee.mu)).quantize(FINEST_MU, ROUND_CEILING)}"),
            "epsilon": rounded_up(guarantee.epsilon),
            "delta": plain(guarantee.delta),
        }
        for guarantee in report.guarantees
    )
    caption = gettext(
        "Both rows describe the same noise, for two meanings of “one respondent”. Numbers are "
        "rounded up."
    )
    return ResultTable(caption, columns, tuple(rows), gettext("Promise in numbers"))


def _charge_table(report: TopicReport) -> ResultTable:
    columns = (
        ResultColumn("step", gettext("Step")),
        ResultColumn("share", gettext("Share"), is_number=True),
        ResultColumn("mu_squared", gettext("mu²"), is_amount=True),
        ResultColumn("threshold_delta", gettext("Threshold delta"), is_amount=True),
    )
    steps = [(translated(charge.what), charge.cost, "") for charge in report.charges]
    if steps:
        # Marked as rows are that the reader asked about: the sum is what the ledger was charged.
        steps.append((gettext("Total"), report.cost, "asked"))
    rows = tuple(_charge_row(*step, report.cost) for step in steps)
    return ResultTable(
        gettext("What was charged (exact amounts)"),
        columns,
        rows,
        gettext("What was charged"),
        mark=lambda row: row["mark"],
    )


def _charge_row(step: str, cost: Cost, mark: str, charged: Cost) -> Row:
    return {
        "step": step,
        "share": share_of(cost.mu_squared, charged.mu_squared),
        "mu_squared": amount(cost.mu_squared),
        "threshold_delta": amount(cost.threshold_delta),
        "mark": mark,
    }


def _made(report: TopicReport, facts: ReportFacts) -> Iterator[tuple[str, str]]:
    """What was chosen; a private report has no seed, and must not look as if its noise had one."""
    for name, value in report.settings.items():
        if name != "seed" or not report.is_private:
            words = Truncator(_setting_words(value)).chars(LONGEST_MEMBER)
            yield str(SETTING_NAMES.get(name, name)), words
    yield gettext("Words used"), grouped(report.words_used)
    finished_at = facts.finished_at
    yield gettext("Finished (UTC)"), moment_words(finished_at) if finished_at else ""
    yield gettext("Version of Deniable"), facts.code_version or gettext("unknown")


def _setting_words(value: Any) -> str:
    if isinstance(value, bool):
        return gettext("yes") if value else gettext("no")
    if isinstance(value, list | tuple):
        return ", ".join(str(entry) for entry in value) or gettext("none")
    return gettext("none") if value is None or value == "" else str(value)


def _signed(value: float) -> str:
    return localized(f"{value:.3f}").replace("-", "−")
