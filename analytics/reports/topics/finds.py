"""FindsWords, topic_names: what a kind finds is called: topics, directions or clusters."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext, ngettext

from analytics.kinds.documents import Topic, TopicReport
from analytics.kinds.registry import KINDS
from surveys.wording.language.numbers import grouped

HEADING_WORDS = 3


@dataclass(frozen=True)
class FindsWords:
    """Headings and labels; ``name`` is what one of them is called at the head of a column."""

    name: str
    summary: str
    sizes: str
    by_main: str
    quality: str


def finds_words(finds: str, count: int, respondents: int, *, is_private: bool) -> FindsWords:
    """The words of a report with so many of them in the texts of so many respondents."""
    words = {"direction": _directions, "cluster": _clusters}.get(finds, _topics)
    return words(count, grouped(respondents), is_private)


def topic_names(report: TopicReport, names: Sequence[str]) -> tuple[str, ...]:
    """What each topic is called: the name that a person gave it, or its number and words."""
    padded = [*names, *[""] * len(report.topics)]
    return tuple(
        name or default_name(number, topic, report.kind)
        for number, (name, topic) in enumerate(zip(padded, report.topics, strict=False), start=1)
    )


def default_name(number: int, topic: Topic, kind: str) -> str:
    """The number of a topic and its clearest words."""
    name = numbered(KINDS[kind].finds if kind in KINDS else "topic", number)
    clear = [word.shown for word in topic.words if not word.is_within_noise][:HEADING_WORDS]
    return f"{name}: {', '.join(clear)}" if clear else name


def numbered(finds: str, number: int) -> str:
    """What one is called that has no name."""
    if finds == "direction":
        return gettext("Direction {number}").format(number=number)
    if finds == "cluster":
        return gettext("Cluster {number}").format(number=number)
    return gettext("Topic {number}").format(number=number)


def naming_words(finds: str) -> str:
    """The heading of the form that names them."""
    if finds == "direction":
        return gettext("Name the directions")
    if finds == "cluster":
        return gettext("Name the clusters")
    return gettext("Name the topics")


def words_of(finds: str, number: int) -> str:
    """The label of a table of one's words."""
    if finds == "direction":
        return gettext("Words of direction {number}").format(number=number)
    if finds == "cluster":
        return gettext("Words of cluster {number}").format(number=number)
    return gettext("Words of topic {number}").format(number=number)


def _topics(count: int, texts: str, is_private: bool) -> FindsWords:
    return FindsWords(
        gettext("Topic"),
        ngettext("{count} topic in {texts} texts", "{count} topics in {texts} texts", count).format(
            count=count, texts=texts
        ),
        gettext("How many respondents each topic has"),
        gettext(
            "Respondents by main topic (in brackets: two standard deviations of the noise on each "
            "side)"
        )
        if is_private
        else gettext("Respondents by main topic"),
        gettext("How good the topics are"),
    )


def _directions(count: int, texts: str, is_private: bool) -> FindsWords:
    return FindsWords(
        gettext("Direction"),
        ngettext(
            "{count} direction in {texts} texts", "{count} directions in {texts} texts", count
        ).format(count=count, texts=texts),
        gettext("How many respondents each direction has"),
        gettext(
            "Respondents by main direction (in brackets: two standard deviations of the noise on "
            "each side)"
        )
        if is_private
        else gettext("Respondents by main direction"),
        gettext("How good the directions are"),
    )


def _clusters(count: int, texts: str, is_private: bool) -> FindsWords:
    return FindsWords(
        gettext("Cluster"),
        ngettext(
            "{count} cluster in {texts} texts", "{count} clusters in {texts} texts", count
        ).format(count=count, texts=texts),
        gettext("How many respondents each cluster has"),
        gettext("Respondents by main cluster"),
        gettext("How good the clusters are"),
    )
