"""TopicsKind: reports on the answers to a text question, private or internal; their files."""

from collections.abc import Iterator
from typing import Any

from analytics.kinds.documents import TopicReport
from analytics.kinds.registry import ReportKind
from analytics.models import Report
from analytics.reports.kind import NO_FACTS, Kind, ReportFacts
from analytics.reports.topics.finds import topic_names
from analytics.reports.topics.page import blocks_of
from surveys.reports.documents import Document, ResultColumn, ResultTable, Row
from surveys.staff.roles import Ability

INTERNAL = "internal – do not publish"
OF_WORDS = ("topic", "name", "rank", "word", "counted_as", "loading", "noise", "within_noise")
OF_TOPICS = ("size", "low", "high", "coherence")
OF_PROMISES = ("use", "respondents", "epsilon", "delta", "adjacency")


class TopicsKind(Kind):
    """One of the kinds of topic report."""

    is_of_texts = True
    file_name = "topics"
    how_to_read = (
        "Each topic lists its words, the heaviest first. noise is one standard deviation of the "
        "noise on a loading; a word is within the noise if its loading is less than two of them "
        "from 0. counted_as is the stem that was counted, word the commonest public word with that "
        "stem. size counts respondents by their main topic, low and high are two standard "
        "deviations of its noise away. epsilon, delta and adjacency are what this report promises "
        "each respondent."
    )

    def __init__(self, kind: ReportKind) -> None:
        self.name, self.title, self.explanation = kind.name, kind.title, kind.explanation
        self.pays = self.is_open = kind.is_private
        self.finds = kind.finds
        self.asked_by = Ability.EDIT if kind.is_private else Ability.RULE

    def result(self, report: Report) -> TopicReport | None:
        """Its topics. Raises DocumentError: another version made it."""
        content: Any = report.document
        if content is None and report.extract:
            content = report.extract.document
        return None if content is None else TopicReport.from_document(content)

    def show(self, result: TopicReport, facts: ReportFacts = NO_FACTS) -> Document:
        """Its topics with pictures and words, what it promises, and how it was made."""
        columns = tuple(map(ResultColumn, (*OF_WORDS, *OF_TOPICS, *OF_PROMISES)))
        rows = tuple(_word_rows(result, topic_names(result, facts.names)))
        return Document(tuple(blocks_of(result, self, facts)), ResultTable("", columns, rows))

    def content(self, result: TopicReport, facts: ReportFacts) -> dict[str, Any]:
        """The whole report but its typical comments: keys lead to texts, which stay here."""
        report = result.to_document()
        for topic, name in zip(report["topics"], topic_names(result, facts.names), strict=True):
            topic["name"] = name
            del topic["examples"]
        for clustering in report["clusterings"]:
            if clustering["of"] == "respondents":
                clustering["groups"] = [{"size": group["size"]} for group in clustering["groups"]]
        return report

    def about_file(self, result: TopicReport) -> dict[str, str]:
        """Who may read the file comes first."""
        return {"use": _use(result), **super().about_file(result)}


def _word_rows(report: TopicReport, names: tuple[str, ...]) -> Iterator[Row]:
    """One row for each word of each topic, with what is known of the topic and of the report."""
    promise = {
        "use": _use(report),
        "respondents": report.respondents,
        "epsilon": report.epsilon,
        "delta": report.delta,
        "adjacency": report.adjacency and str(report.adjacency),
    }
    for number, (topic, name) in enumerate(zip(report.topics, names, strict=True), start=1):
        sizes = {column: getattr(topic, column) for column in OF_TOPICS}
        for rank, word in enumerate(topic.words, start=1):
            yield {
                "topic": number,
                "name": name,
                "rank": rank,
                "word": word.shown,
                "counted_as": word.word,
                "loading": word.loading,
                "noise": word.noise,
                "within_noise": word.is_within_noise,
                **sizes,
                **promise,
            }


def _use(report: TopicReport) -> str:
    return "may be published" if report.is_private else INTERNAL
