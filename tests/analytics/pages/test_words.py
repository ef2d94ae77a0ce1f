"""What a report calls its parts, kind by kind, and what it leaves out."""

import pytest

from analytics.kinds.settings import Settings
from tests.analytics import examples
from tests.analytics.pages.visits import address, words


def test_directions_and_clusters_are_not_called_topics(client, survey):
    client.force_login(survey.owner)
    made = examples.a_report(kind="private_svd", spectrum=None, singular_values=(3.0, 1.0))
    page = words(client.get(address("report", survey, examples.store(survey, made).pk)))
    assert "2 directions in 5,000 texts" in page
    assert "Direction 1: garden" in page
    assert "Name the directions" in page
    assert "Topic 1" not in page
    made = examples.an_internal_report(kind="exact_svd")
    page = words(client.get(address("report", survey, examples.store(survey, made).pk)))
    assert "1 cluster in 5,000 texts" in page


def test_a_private_report_shows_no_seed_and_an_internal_one_does(client, survey):
    finished = examples.store(survey, examples.a_report())
    internal = examples.store(survey, examples.an_internal_report())
    client.force_login(survey.owner)
    assert " Seed 0 " not in words(client.get(address("report", survey, finished.pk)))
    assert " Seed 0 " in words(client.get(address("report", survey, internal.pk)))


@pytest.mark.parametrize(("changes", "told"), [({}, True), ({"stems": False}, False)])
def test_stems_are_explained_where_words_are_cut(client, survey, changes, told):
    made = examples.a_report(settings={**Settings().to_data(), **changes})
    client.force_login(survey.owner)
    page = words(client.get(address("report", survey, examples.store(survey, made).pk)))
    assert ("Each word stands for all words with the same stem" in page) == told


def test_a_kind_without_coherence_says_so_and_does_not_explain_what_it_lacks(client, survey):
    alone = examples.a_topic("garden", "flower", coherence=None)
    made = examples.a_report(alone, coherence_source="none: nothing to compute it from.")
    client.force_login(survey.owner)
    page = words(client.get(address("report", survey, examples.store(survey, made).pk)))
    assert "Coherence: none: nothing to compute it from." in page
    assert "by chance, from" not in page


def test_the_number_of_topics_and_of_eigenvalues_differ_by_what_all_texts_share(client, survey):
    """Three eigenvalues above the edge are two topics, and the page says why."""
    shown = examples.SpectrumShown((9.0, 5.0, 2.0, 1.0, 0.9), 1.5, 2)
    client.force_login(survey.owner)
    stored = examples.store(survey, examples.a_report(spectrum=shown))
    page = words(client.get(address("report", survey, stored.pk)))
    assert "3 of 5 eigenvalues lie above the noise edge" in page
    assert "supports at most 2 topics . Some eigenvalues stand out above what noise" in page
    assert "One of these eigenvalues shows what all texts share" in page
