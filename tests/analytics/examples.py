"""Finished reports as values and as rows, without a worker."""

from decimal import Decimal

from django.utils import timezone

from analytics.kinds.documents import (
    Charge,
    Cluster,
    Clustering,
    Guarantee,
    SpectrumShown,
    Topic,
    TopicReport,
    Word,
)
from analytics.kinds.private import RELEASED_COHERENCE
from analytics.kinds.settings import Settings
from analytics.models import Report
from analytics.privacy.accounting import Adjacency
from analytics.topics.private import nmf
from surveys.models import Extract, Survey
from tests.analytics.reporting import text_items

NOISE = 0.05


def a_topic(*words: str, step: float = 0.07, **fields: object) -> Topic:
    """Words with falling loadings; the last ones lie within the noise."""
    loadings = [0.6 - step * place for place in range(len(words))]
    rows = tuple(
        Word(word, loading, NOISE, loading < 2 * NOISE)
        for word, loading in zip(words, loadings, strict=True)
    )
    known = {"size": 1200.0, "low": 1100.0, "high": 1300.0, "coherence": 0.12}
    return Topic(rows, **{**known, **fields})


GARDEN = a_topic("garden", "flower", "water", "earth", "spade", "weed", "seed", "rain", "gravel")
TRAIN = a_topic("train", "ticket", "platform", "delay", "track", size=900.0, low=800.0, high=1000.0)
CHARGES = (
    Charge(nmf.VOCABULARY, Decimal("0.02"), Decimal("0.0000001")),
    Charge(nmf.CO_OCCURRENCE, Decimal("0.078")),
    Charge(nmf.SIZES, Decimal("0.002")),
)


def a_report(*topics: Topic, **fields: object) -> TopicReport:
    """A private report of two topics."""
    known = {
        "kind": "private_topics",
        "is_private": True,
        "respondents": 5000,
        "settings": Settings(topics=3).to_data(),
        "topics": topics or (GARDEN, TRAIN),
        "spectrum": SpectrumShown((9.0, 5.0, 1.2, 1.0, 0.9), 1.5, 2),
        "diversity": 0.9,
        "coherence_source": RELEASED_COHERENCE,
        "charges": CHARGES,
        "mu": 0.32,
        "epsilon": 1.2345,
        "delta": 0.000001,
        "adjacency": Adjacency.ADD_OR_REMOVE,
        "guarantees": (
            Guarantee(Adjacency.ADD_OR_REMOVE, 0.32, 1.2345, 0.000001),
            Guarantee(Adjacency.REPLACE, 0.45, 1.801, 0.000001),
        ),
        "words_used": 300,
    }
    return TopicReport(**{**known, **fields})


PROMISES_NOTHING = {
    "is_private": False,
    "spectrum": None,
    "charges": (),
    "mu": None,
    "epsilon": None,
    "delta": None,
    "adjacency": None,
    "guarantees": (),
}


def an_internal_report(*examples: str, **fields: object) -> TopicReport:
    """An exact report that points to comments by their keys."""
    topic = Topic((Word("garden", 0.8), Word("flower", 0.6)), 40.0, examples=examples)
    known = {
        "kind": "exact_topics",
        "singular_values": (5.0, 2.5),
        "clusterings": (Clustering("respondents", 0.8, (Cluster(40, examples),)),),
        **PROMISES_NOTHING,
    }
    return a_report(topic, **{**known, **fields})


def store(survey: Survey, result: TopicReport | None = None, **fields: object) -> Report:
    """A row of a report: finished if it has a result, otherwise in the state that is given."""
    report = Report(
        revision=survey.revision,
        question=text_items(survey)[0].id,
        kind=result.kind if result else "private_topics",
        settings=Settings(topics=3).to_data(),
        actor=survey.owner.pk,
        beat=timezone.now(),
        code_version="0.1.0+0123456789abcdef",
    )
    if result is not None:
        report.state, report.finished_at = Report.State.DONE, timezone.now()
        if result.is_private:
            report.document = result.to_document()
        else:
            document = result.to_document()
            report.extract = Extract.objects.create(revision=survey.revision, document=document)
    for name, value in fields.items():
        setattr(report, name, value)
    report.save()
    return report
