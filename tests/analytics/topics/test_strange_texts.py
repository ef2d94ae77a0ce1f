"""Texts that nobody expects: a report or a clear refusal, and the same for everybody."""

import numpy as np
import pytest
from scipy import sparse

from analytics.privacy.accounting import Budget
from analytics.text.bags import Bags, count_words
from analytics.text.tokens import Tokenizer
from analytics.text.vocabulary import public_vocabulary
from analytics.topics import nmf, svd
from analytics.topics.checks import TopicsError
from analytics.topics.partitions import LocalPartitions
from analytics.topics.private.nmf import PrivateTopics, TopicsSettings, find_private_topics
from analytics.topics.private.published import find_published_topics
from analytics.topics.private.svd import SvdSettings, find_private_svd
from tests.analytics.topics.private.test_nmf import BAGS, COST, THEMES, noise, themed

PLAIN = Tokenizer(language=None)
LETTERS = {
    "emoji": "🍏🍐🍊🍋🍌🍉🍇🍓🫐🍈🍒🍑🥭🍍🥥🥝🍅🍆🥑🥦🥬🥒🫑🌽🥕🫒🧄🧅🥔🍠🥐🥯🍞🥖🥨🧀🥚🍳🧈🥞",
    "right-to-left": "אבגדהוזחטיכלמנסעפצקרשתابتثجحخدذرزسشصضطظعغ",
    "Han": "日月火水木金土山川田人口目耳手足力刀弓矢犬牛馬羊魚鳥虫貝車舟門戸石玉糸衣米竹花草",
}


def report(bags: Bags, topics: int = THEMES) -> PrivateTopics:
    cost = Budget(4, 1e-8, 6000).limit
    return find_private_topics(LocalPartitions([bags]), cost, noise(), TopicsSettings(topics))


@pytest.mark.parametrize("script", LETTERS)
def test_topics_are_found_in_any_script(script: str) -> None:
    letters = LETTERS[script][:40]
    words = [c if script != "right-to-left" else c * 3 for c in letters]
    rng = np.random.default_rng(5)
    texts = []
    for theme in rng.integers(2, size=6000):
        own = rng.choice(20, 5, replace=False) + 20 * theme
        texts.append(" ".join([*(words[i] for i in own), words[rng.integers(40)]]))
    found = report(count_words(texts, PLAIN), 2)
    assert found.topics >= 1
    halves = [{words.index(word) // 20 for word in top} for top in found.top(5)]
    assert all(len(half) == 1 for half in halves)


def test_invisible_and_control_characters_change_no_report() -> None:
    plain = ["tax jobs peace", "tax law", "peace"] * 2000
    marked = [
        "t\u200bax\x00 jo\u202ebs\x07 \ufeffpeace",
        "\u2066tax law\u2069",
        "pea\u00adce",
    ] * 2000
    one, two = (report(count_words(texts, PLAIN)) for texts in (plain, marked))
    assert one.vocabulary.words == two.vocabulary.words
    assert one.co_occurrence is not None
    assert two.co_occurrence is not None
    assert one.co_occurrence.tobytes() == two.co_occurrence.tobytes()


@pytest.mark.audit
def test_one_respondent_with_a_million_words_adds_none_of_them_and_hides_nobody() -> None:
    rare = 10**6
    few = sparse.csr_array(np.kron(np.ones((3000, 1), dtype=np.int64), np.eye(2, dtype=np.int64)))
    many = sparse.csr_array(np.ones((1, rare), dtype=np.int64))
    counts = sparse.csr_array(sparse.block_diag([few, many]))
    found = report(Bags(("jobs", "peace", *(f"rare{i:07}" for i in range(rare))), counts))
    assert found.respondents == 6001
    assert set(found.vocabulary.words) == {"jobs", "peace"}


def test_a_vocabulary_of_a_hundred_thousand_words_is_cut_to_the_most_frequent() -> None:
    rng = np.random.default_rng(7)
    n, words = 6000, 10**5
    common = themed(n).counts
    rows = np.repeat(np.arange(n), 60)
    rare = sparse.coo_array(
        (np.ones(len(rows), dtype=np.int64), (rows, rng.integers(words, size=len(rows)))),
        shape=(n, words),
    )
    counts = sparse.csr_array(sparse.hstack([common, rare]))
    counts.sum_duplicates()
    names = (*BAGS.words, *(f"x{i:06}" for i in range(words)))
    found = report(Bags(names, counts))
    assert len(found.vocabulary.words) <= 1000
    assert {word[0] for word in found.vocabulary.words} == {"t"}


@pytest.mark.parametrize("texts", [[], ["tax jobs"]])
def test_no_text_and_one_respondent_are_refused_by_every_private_report(texts: list[str]) -> None:
    parts = LocalPartitions([count_words(texts, PLAIN)])
    for make in (find_private_topics, find_published_topics, find_private_svd):
        with pytest.raises(TopicsError, match="many respondents"):
            make(parts, COST, noise())


@pytest.mark.parametrize("text", ["tax jobs", "tax", "", "?!", "\u200b"])
def test_texts_that_are_all_equal_give_paid_reports_without_topics(text: str) -> None:
    parts = LocalPartitions([count_words([text] * 5000, PLAIN)])
    found = find_private_topics(parts, COST, noise())
    assert (found.topics, found.top()) == (0, [])
    values = find_private_svd(parts, COST, noise(), SvdSettings(5)).vectors.values
    assert len(values) <= 1
    published = find_published_topics(parts, COST, noise())
    assert all(len(top) <= 2 for top in published.top())
    for made in (found, published):
        assert 0 < made.mu <= COST.mu


def test_exact_reports_of_nothing_or_of_more_than_there_is_are_refused_with_the_reason() -> None:
    empty, small = sparse.csr_array((3, 4)), sparse.csr_array(np.ones((3, 4)))
    with pytest.raises(TopicsError, match="no respondent wrote a word"):
        nmf.factorise(empty, 1, np.random.default_rng(0))
    with pytest.raises(TopicsError, match="not all 0"):
        svd.decompose(empty, 1)
    with pytest.raises(TopicsError, match="1 to 3 topics"):
        nmf.factorise(small, 4, np.random.default_rng(0))
    with pytest.raises(TopicsError, match="1 to 3"):
        svd.decompose(small, 4)


def test_a_public_list_too_long_for_a_matrix_of_pairs_is_refused_before_any_text_is_counted() -> (
    None
):
    words = public_vocabulary(f"w{i}" for i in range(10**5))
    for make in (find_private_topics, find_published_topics, find_private_svd):
        with pytest.raises(TopicsError, match="most_used"):
            make(LocalPartitions([BAGS]), COST, noise(), vocabulary=words)


@pytest.mark.parametrize("most_used", [0, 5001, 2.5, True])
def test_more_words_than_a_matrix_of_pairs_can_hold_are_refused(most_used: int) -> None:
    for settings in (TopicsSettings, SvdSettings):
        with pytest.raises(ValueError, match="most_used"):
            settings(most_used=most_used)
