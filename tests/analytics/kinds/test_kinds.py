"""Kinds of reports: what each finds, charges, promises, and refuses before it reads."""

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest

from analytics.kinds import making
from analytics.kinds.documents import TopicReport
from analytics.kinds.making import bags_of, local_partitions, make_report
from analytics.kinds.registry import DEFAULT, KINDS, kind_of
from analytics.kinds.settings import LARGEST_SEED, Settings, SettingsError, Stopped
from analytics.privacy.accounting import Adjacency, Budget, Cost
from analytics.privacy.errors import BudgetExceeded
from analytics.privacy.mechanisms import SeededNoise, VettedNoise
from analytics.text.bags import Bags
from analytics.text.weighting import weigh_log_entropy
from analytics.topics.checks import TopicsError
from analytics.topics.coherence import document_npmi
from tests.analytics.themes import THEMES, WORDS, theme_of, themed_texts

PRIVATE = [name for name, kind in KINDS.items() if kind.is_private]
INTERNAL = [name for name, kind in KINDS.items() if not kind.is_private]
TEXTS = themed_texts()
SETTINGS = Settings(topics=3)
BAGS = bags_of(TEXTS, SETTINGS)
KEYS = [f"comment {row}" for row in range(len(TEXTS))]
TERMS = Budget(8, 1e-5, len(TEXTS))
# What the lattice and the rounding may leave unspent.
NEARLY = Decimal("0.999999998")


def made(kind: str, settings: Settings = SETTINGS, **options: Any) -> TopicReport:
    terms = options.pop("terms", TERMS)
    share = options.pop("share", Fraction(1, 2))
    bags = options.pop("bags", BAGS)
    parts = local_partitions(bags.split(options.pop("parts", 1)), kind, settings)
    options.setdefault("keys", [f"comment {row}" for row in range(bags.respondents)])
    options.setdefault("noise", SeededNoise(np.random.default_rng(5)))
    options.setdefault("cost", terms.limit.part(share))
    return make_report(kind, parts, settings, budget_terms=terms, **options)


@cache
def usual(kind: str) -> TopicReport:
    """The report of the usual choices, made once for all who read it."""
    return made(kind)


def themes_of(report: TopicReport, count: int = 4) -> list[set[str]]:
    return [{theme_of(word.word) for word in topic.words[:count]} for topic in report.topics]


@pytest.mark.parametrize("kind", ["private_topics", "exact_topics", "exact_svd"])
def test_hidden_themes_come_out(kind: str) -> None:
    found = themes_of(made(kind, replace(SETTINGS, refine=kind == DEFAULT)))
    assert len(found) >= 2
    assert all(len(themes) == 1 for themes in found)


def test_exact_kinds_find_every_theme_and_tell_its_true_size() -> None:
    for kind in INTERNAL:
        report = usual(kind)
        assert sorted(themes_of(report), key=str) == sorted(({one} for one in THEMES), key=str)
        assert sum(topic.size or 0 for topic in report.topics) == len(TEXTS)


def test_every_kind_has_one_maker() -> None:
    assert (list(making.PRIVATE), list(making.INTERNAL)) == (PRIVATE, INTERNAL)


@pytest.mark.parametrize("kind", KINDS)
def test_a_report_comes_back_from_json_as_it_was(kind: str) -> None:
    report = usual(kind)
    document = json.loads(json.dumps(report.to_document(), allow_nan=False))
    assert TopicReport.from_document(document) == report


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("parts", [2, 7])
def test_the_report_does_not_depend_on_the_partitions(kind: str, parts: int) -> None:
    assert made(kind, parts=parts) == usual(kind)


@pytest.mark.parametrize("kind", INTERNAL)
def test_partitions_that_were_read_apart_give_the_same_exact_report(kind: str) -> None:
    # Each knows its own words alone, in its own columns; the first only a few late ones.
    texts = ["therapy waiting", *TEXTS[:600]]
    apart = [bags_of(some, SETTINGS) for some in (texts[:1], texts[1:3], texts[3:])]
    one = make_report(kind, local_partitions([bags_of(texts, SETTINGS)], kind, SETTINGS), SETTINGS)
    assert make_report(kind, local_partitions(apart, kind, SETTINGS), SETTINGS) == one


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_answers_settings_and_noise_give_the_same_report(kind: str) -> None:
    assert made(kind) == usual(kind)


@pytest.mark.parametrize("kind", PRIVATE)
@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize("share", [Fraction(1), Fraction(1, 3), Fraction(9, 10)])
def test_charges_add_up_to_what_was_granted_and_never_to_more(
    kind: str, adjacency: Adjacency, share: Fraction
) -> None:
    terms = replace(TERMS, adjacency=adjacency)
    granted = terms.limit.part(share)
    report = made(kind, terms=terms, share=share)
    assert report.cost <= granted
    assert report.cost.mu_squared >= granted.mu_squared * NEARLY
    assert report.cost.threshold_delta == granted.threshold_delta
    terms.charge(Cost(), report.cost)


@pytest.mark.parametrize("kind", PRIVATE)
def test_the_whole_budget_promises_the_epsilon_that_respondents_were_told(kind: str) -> None:
    report = made(kind, share=Fraction(1))
    assert report.epsilon == pytest.approx(8, rel=1e-6)
    assert report.epsilon <= 8
    assert (report.delta, report.adjacency) == (1e-5, Adjacency.ADD_OR_REMOVE)


@pytest.mark.parametrize("kind", PRIVATE)
@pytest.mark.parametrize("adjacency", Adjacency)
def test_both_adjacencies_are_told_and_replacing_doubles_what_is_lost(
    kind: str, adjacency: Adjacency
) -> None:
    report = made(kind, terms=replace(TERMS, adjacency=adjacency))
    one, other = report.guarantees
    assert (one.adjacency, other.adjacency) == tuple(Adjacency)
    assert other.mu == pytest.approx(math.sqrt(2) * one.mu, rel=1e-12)
    assert other.epsilon > one.epsilon
    own = next(told for told in report.guarantees if told.adjacency is adjacency)
    assert (report.mu, report.epsilon, report.delta) == (own.mu, own.epsilon, own.delta)
    assert report.epsilon == report.cost.epsilon(1e-5)


def test_replace_one_gets_the_noise_of_half_the_cost() -> None:
    terms = replace(TERMS, adjacency=Adjacency.REPLACE)
    halved = TERMS.limit.part(Fraction(1, 2))
    cost = Cost(halved.mu_squared, TERMS.limit.threshold_delta)
    under_add, under_replace = made(DEFAULT, cost=cost), made(DEFAULT, terms=terms, share=1)
    assert under_add.topics == under_replace.topics
    assert under_replace.cost.mu_squared == under_add.cost.mu_squared * 2


def test_a_report_says_what_every_step_was_charged_for() -> None:
    plain, refined = usual(DEFAULT), made(DEFAULT, replace(SETTINGS, refine=True))
    assert [charge.what for charge in plain.charges] == [
        "How many respondents wrote each word",
        "Which words occur together",
        "How many respondents wrote mainly about each topic",
    ]
    assert len(refined.charges) == 4
    assert [bool(charge.threshold_delta) for charge in refined.charges] == [True] + [False] * 3


@pytest.mark.parametrize("kind", PRIVATE)
def test_a_public_vocabulary_is_free_and_the_rest_gets_its_share(kind: str) -> None:
    listed = tuple(word for words in WORDS.values() for word in words)
    report = made(kind, replace(SETTINGS, vocabulary=(*listed, "unheard")))
    assert report.words_used == len(listed) + 1
    assert report.cost.threshold_delta == 0
    assert "How many respondents wrote each word" not in [charge.what for charge in report.charges]
    granted = TERMS.limit.part(Fraction(1, 2))
    assert granted.mu_squared * NEARLY <= report.cost.mu_squared <= granted.mu_squared


def test_sizes_are_private_counts_with_intervals() -> None:
    report = usual(DEFAULT)
    for topic in report.topics:
        assert topic.low <= topic.size <= topic.high
        assert topic.high - topic.low > 0


@pytest.mark.parametrize("kind", [DEFAULT, "private_svd"])
@pytest.mark.parametrize("share", [Fraction(1, 2), Fraction(1, 20)])
def test_words_that_stand_out_are_shown_and_a_few_faint_ones_only_where_there_are_none(
    kind: str, share: Fraction
) -> None:
    report = made(kind, share=share)
    for topic in report.topics:
        faint = [word for word in topic.words if word.is_within_noise]
        assert all(abs(word.loading) < 2 * word.noise for word in faint)
        assert all(abs(word.loading) >= 2 * word.noise for word in topic.words if word not in faint)
        assert not faint or len(topic.words) <= 3
    shown = [word for topic in report.topics for word in topic.words]
    assert any(word.is_within_noise for word in shown) == (
        "words shown have a loading within" in " ".join(report.notes)
    )


@pytest.mark.parametrize("kind", KINDS)
def test_words_are_read_as_public_words_and_not_as_stems(kind: str) -> None:
    report, known = usual(kind), {word for words in WORDS.values() for word in words}
    shown = {word.shown for topic in report.topics for word in topic.words}
    shown |= {
        word
        for one in report.clusterings
        if one.of == "words"
        for g in one.groups
        for word in g.members
    }
    stems = {word.word for topic in report.topics for word in topic.words}
    assert "nois" in stems
    assert "nois" not in shown
    # The commonest forms of two stems are other words than those that these texts have.
    assert len(shown - known) <= 6


def test_a_public_vocabulary_is_read_as_it_was_listed() -> None:
    listed = ("Landlords", "Kitchens", "rent", "driver", "ticket", "clinic", "Nurses", "doctor")
    report = made("exact_topics", replace(SETTINGS, vocabulary=listed))
    assert {word.shown for topic in report.topics for word in topic.words} <= set(listed)


def test_asking_for_more_topics_than_the_data_supports_gives_fewer_and_says_why() -> None:
    report = made(DEFAULT, replace(SETTINGS, topics=40))
    assert len(report.topics) <= report.spectrum.supported
    assert f"40 topics were requested, but this report has {len(report.topics)}" in report.notes[0]


def test_answers_without_a_common_word_give_an_empty_report_that_was_paid_for() -> None:
    bags = bags_of([f"word{row}x unlike{row}y" for row in range(3000)], SETTINGS)
    report = made(DEFAULT, bags=bags)
    assert report.topics == ()
    assert report.words_used == 0
    assert "spent" in report.notes[0]
    assert report.cost.mu_squared > 0


def test_coherence_says_whether_it_is_private() -> None:
    assert usual(DEFAULT).coherence_source.startswith("private")
    assert usual("exact_topics").coherence_source.startswith("exact")
    assert usual("published").coherence_source.startswith("none")


def test_the_exact_coherence_is_npmi_over_respondents() -> None:
    report = usual("exact_topics")
    place = {word: column for column, word in enumerate(BAGS.words)}
    for topic in report.topics:
        top = [place[word.word] for word in topic.words[:10]]
        assert topic.coherence == pytest.approx(document_npmi(BAGS.counts, top), rel=1e-12)


@pytest.mark.parametrize("kind", INTERNAL)
def test_typical_comments_are_those_of_the_topic(kind: str) -> None:
    for topic, themes in zip(usual(kind).topics, themes_of(usual(kind)), strict=True):
        assert len(topic.examples) == 5
        for key in topic.examples:
            words = TEXTS[KEYS.index(key)].split()
            assert {theme_of(word) for word in words[:-1]} == themes


@pytest.mark.parametrize("kind", PRIVATE)
def test_private_reports_show_no_comment(kind: str) -> None:
    assert all(topic.examples == () for topic in usual(kind).topics)
    assert "comment " not in json.dumps(usual(kind).to_document())


def test_exact_singular_values_are_those_of_numpy() -> None:
    report = made("exact_svd", Settings(topics=10))
    dense = weigh_log_entropy(BAGS.counts).toarray()
    expected = np.linalg.svd(dense, compute_uv=False)[:10]
    assert report.singular_values == pytest.approx(expected, rel=1e-8)
    assert report.energy == pytest.approx((expected**2).sum() / (dense**2).sum(), rel=1e-8)


def test_clusters_of_words_and_respondents_come_with_their_stability() -> None:
    people, words = usual("exact_svd").clusterings
    assert (people.of, words.of) == ("respondents", "words")
    assert people.stability > 0.9
    assert sum(group.size for group in people.groups) == len(TEXTS)
    assert sum(group.size for group in words.groups) == len(BAGS.words)
    for group in words.groups:
        assert len({theme_of(word) for word in group.members[:5]}) == 1


@pytest.mark.audit
def test_another_seed_may_change_an_internal_report_and_is_told() -> None:
    assert made("exact_topics", replace(SETTINGS, seed=9)).settings["seed"] == 9


@pytest.mark.parametrize("kind", KINDS)
def test_reports_made_with_test_noise_or_exactly_are_not_private(kind: str) -> None:
    assert not usual(kind).is_private


@pytest.mark.noise(fails=0, law="Nothing is asked of what is drawn.")
def test_only_vetted_noise_makes_a_private_report() -> None:
    assert made("private_svd", noise=VettedNoise()).is_private


class Recorder:
    """Writes down the stages, and stops at one."""

    def __init__(self, stop_at: int | None = None) -> None:
        self.stages: list[tuple[str, float]] = []
        self.stop_at = stop_at

    def reach(self, stage: str, fraction: float) -> None:
        self.stages.append((stage, fraction))
        if len(self.stages) == self.stop_at:
            raise Stopped


@pytest.mark.parametrize("kind", KINDS)
def test_progress_grows_from_nothing_to_done(kind: str) -> None:
    watch = Recorder()
    made(kind, watch=watch)
    fractions = [fraction for _, fraction in watch.stages]
    assert fractions == sorted(fractions)
    assert (fractions[0], fractions[-1]) == (0.0, 1.0)
    assert [stage for stage, _ in watch.stages].count("Done") == 1


@pytest.mark.parametrize("kind", KINDS)
def test_a_report_that_is_no_longer_wanted_stops_at_every_stage(kind: str) -> None:
    whole = Recorder()
    made(kind, watch=whole)
    for number in range(1, len(whole.stages) + 1):
        with pytest.raises(Stopped):
            made(kind, watch=Recorder(number))


class Unread:
    """Partitions that must not be read."""

    def map(self, function: Any) -> Sequence[Bags]:
        raise AssertionError("texts were read")


@pytest.mark.parametrize("kind", PRIVATE)
def test_a_cost_beyond_the_budget_is_refused_before_anything_is_read(kind: str) -> None:
    limit = TERMS.limit
    above = Cost(limit.mu_squared + Cost.of(1e-12).mu_squared, limit.threshold_delta)
    with pytest.raises(BudgetExceeded):
        make_report(kind, Unread(), SETTINGS, budget_terms=TERMS, cost=above, noise=VettedNoise())


@pytest.mark.parametrize("kind", PRIVATE)
@pytest.mark.parametrize("missing", ["budget_terms", "cost", "noise"])
def test_private_kinds_need_terms_cost_and_noise(kind: str, missing: str) -> None:
    given: dict[str, Any] = {"budget_terms": TERMS, "cost": TERMS.limit, "noise": VettedNoise()}
    with pytest.raises(SettingsError, match="budget"):
        make_report(kind, Unread(), SETTINGS, **{**given, missing: None})


@pytest.mark.parametrize("kind", [name for name in KINDS if name != DEFAULT])
def test_refining_what_cannot_be_refined_is_refused(kind: str) -> None:
    with pytest.raises(SettingsError, match="refine"):
        made(kind, replace(SETTINGS, refine=True))


@pytest.mark.parametrize("kind", INTERNAL)
@pytest.mark.parametrize("texts", [[], ["one answer alone"], ["", "  "], ["yes", "unlike"]])
def test_internal_kinds_refuse_answers_without_topics(kind: str, texts: list[str]) -> None:
    with pytest.raises(TopicsError, match="texts"):
        made(kind, bags=bags_of(texts, SETTINGS))


@pytest.mark.parametrize("kind", PRIVATE)
@pytest.mark.parametrize("people", [0, 1, 30])
def test_private_kinds_refuse_too_few_respondents(kind: str, people: int) -> None:
    with pytest.raises(TopicsError, match="respondents"):
        made(kind, bags=bags_of(TEXTS[:people], SETTINGS), keys=None)


@pytest.mark.parametrize("kind", PRIVATE)
def test_texts_that_are_all_equal_are_no_error_of_a_private_kind(kind: str) -> None:
    made(kind, bags=bags_of(["rent landlord flat"] * 3000, SETTINGS))


def test_texts_that_are_all_equal_are_one_exact_topic() -> None:
    bags = bags_of(["rent landlord flat"] * 50, SETTINGS)
    assert made("exact_topics", bags=bags).topics[0].size == 50
    with pytest.raises(TopicsError, match="same words"):
        made("exact_svd", bags=bags)


def test_keys_that_do_not_match_the_respondents_are_refused() -> None:
    with pytest.raises(TopicsError, match="keys"):
        made("exact_topics", keys=["one"])


def test_what_is_no_kind_is_refused_with_those_that_are() -> None:
    for name in ("topics", "", None, 3, ["published"]):
        with pytest.raises(SettingsError, match="private_topics, published"):
            kind_of(name)


@pytest.mark.parametrize(
    ("field", "values"),
    [
        ("topics", [0, 51, -1, 2.5, "3", None, True, float("nan"), 10**30]),
        ("longest_phrase", [0, 4, "1"]),
        ("most_words", [0, 10_001]),
        ("most_used", [1, 5_001]),
        ("seed", [-1, LARGEST_SEED + 1, 0.5]),
        ("refine", [1, "yes", None]),
        ("stems", ["no"]),
        ("skip_non_answers", [0]),
        ("language", ["xx", "", 3, "EN"]),
        ("stop_words", ["the", [""], [3], ["x" * 201], ["a"] * 10_001]),
        ("vocabulary", ["the", ["the", "and"], [None], [f"w{i}" for i in range(1001)]]),
    ],
)
def test_a_bad_setting_is_named_with_its_value_and_a_remedy(
    field: str, values: list[object]
) -> None:
    for value in values:
        with pytest.raises(SettingsError) as caught:
            Settings.from_data({field: value})
        assert caught.value.argument == field
        assert caught.value.remedy


@pytest.mark.parametrize("data", [None, 3, [], "topics"])
def test_settings_that_are_no_object_are_refused(data: Any) -> None:
    with pytest.raises(SettingsError, match="settings"):
        Settings.from_data(data)


def test_a_setting_that_nobody_knows_is_refused_with_those_that_are_known() -> None:
    with pytest.raises(SettingsError, match="the known settings are topics, refine"):
        Settings.from_data({"epsilon": 3})


def test_settings_come_back_from_json_as_they_were() -> None:
    settings = Settings(
        topics=7, refine=True, language=None, stop_words=("ähm",), vocabulary=("a", "b"), seed=4
    )
    assert Settings.from_data(json.loads(json.dumps(settings.to_data()))) == settings


def test_words_of_a_public_list_are_written_as_the_answers_are() -> None:
    settings = Settings(vocabulary=("Landlords", "LANDLORD", "the", "Bus Routes", "bus"))
    assert settings.public_words == ("landlord", "bus rout", "bus")
