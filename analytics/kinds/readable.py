"""A report whose words people know: every stem with its public form."""

from collections.abc import Mapping
from dataclasses import replace

from analytics.kinds.documents import Clustering, Topic, TopicReport
from analytics.kinds.settings import Settings
from analytics.text.inflections import NONE, forms_of, readable


def with_forms(report: TopicReport, settings: Settings) -> TopicReport:
    """The same report with the form of each word; words of the settings' public list go first."""
    listed = settings.listed_forms
    forms = forms_of(settings.language) if settings.language and settings.stems else NONE
    topics = tuple(_topic(topic, forms, listed) for topic in report.topics)
    clusterings = tuple(_clustering(clustering, forms, listed) for clustering in report.clusterings)
    return replace(report, topics=topics, clusterings=clusterings)


def _topic(topic: Topic, forms: Mapping[str, str], listed: Mapping[str, str]) -> Topic:
    read = [(word, readable(word.word, forms, listed)) for word in topic.words]
    words = tuple(replace(word, form="" if form == word.word else form) for word, form in read)
    return replace(topic, words=words)


def _clustering(
    clustering: Clustering, forms: Mapping[str, str], listed: Mapping[str, str]
) -> Clustering:
    """Groups of words are read; those of respondents are keys of comments."""
    if clustering.of != "words":
        return clustering
    groups = (
        replace(group, members=tuple(readable(word, forms, listed) for word in group.members))
        for group in clustering.groups
    )
    return replace(clustering, groups=tuple(groups))
