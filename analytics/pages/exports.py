"""Downloads of a topic report: CSV rows with noise and promise, a JSON document, how to read it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from analytics.kinds.documents import Topic, TopicReport, Word
from analytics.pages.rows import topic_names

INTERNAL = "internal – do not publish"
HOW_TO_READ = (
    "Each topic lists its words, the heaviest first. noise is one standard deviation of the noise "
    "on a loading; a word is within the noise if its loading is less than two of them from 0. "
    "counted_as is the stem that was counted, word the commonest public word with that stem. "
    "size counts respondents by their main topic, low and high are two standard deviations of its "
    "noise away. epsilon, delta and adjacency are what this report promises each respondent."
)

Row = dict[str, Any]


def report_rows(
    report: TopicReport, names: Sequence[str], about: Mapping[str, Any]
) -> Iterator[Row]:
    """One row for each word of each topic, with what is known of the topic and of the report."""
    for number, (topic, name) in enumerate(
        zip(report.topics, topic_names(report, names), strict=True), start=1
    ):
        for rank, word in enumerate(topic.words, start=1):
            yield {
                "topic": number,
                "name": name,
                "rank": rank,
                **_word(word),
                **_topic(topic),
                **_promise(report),
                **about,
            }


def report_document(
    report: TopicReport, names: Sequence[str], about: Mapping[str, Any]
) -> dict[str, Any]:
    """The whole report. Typical comments are not in it: keys lead to texts, which stay here."""
    found = report.to_document()
    for topic, name in zip(found["topics"], topic_names(report, names), strict=True):
        topic["name"] = name
        del topic["examples"]
    found["clusterings"] = [
        one if one["of"] == "words" else one | {"groups": _sizes_only(one["groups"])}
        for one in found["clusterings"]
    ]
    return {"use": _use(report), "how_to_read": HOW_TO_READ, **about, "report": found}


def _word(word: Word) -> Row:
    return {
        "word": word.shown,
        "counted_as": word.word,
        "loading": word.loading,
        "noise": word.noise,
        "within_noise": word.is_within_noise,
    }


def _topic(topic: Topic) -> Row:
    return {
        "size": topic.size,
        "low": topic.low,
        "high": topic.high,
        "coherence": topic.coherence,
    }


def _promise(report: TopicReport) -> Row:
    return {
        "use": _use(report),
        "respondents": report.respondents,
        "epsilon": report.epsilon,
        "delta": report.delta,
        "adjacency": report.adjacency and str(report.adjacency),
    }


def _use(report: TopicReport) -> str:
    return "may be published" if report.is_private else INTERNAL


def _sizes_only(groups: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{"size": group["size"]} for group in groups]
