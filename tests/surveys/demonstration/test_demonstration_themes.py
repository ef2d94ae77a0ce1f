"""The demonstration's comments are made up: themes are hidden in them, and nothing else."""

import re

import numpy as np

from surveys.demonstration.themes import SENTENCES, SILENT, WORDS, comments


def theme_of(word: str) -> str:
    (theme,) = [theme for theme, words in WORDS.items() if word in words]
    return theme


def words_of(text: str) -> list[str]:
    every = {word for words in WORDS.values() for word in words}
    return [word for word in re.findall("[a-z]+", text.lower()) if word in every]


def test_every_word_belongs_to_one_theme_and_to_no_sentence():
    every = [word for words in WORDS.values() for word in words]
    assert len(every) == len(set(every))
    assert all(theme_of(word) for word in every)
    assert not words_of(" ".join(frame for frame, _ in SENTENCES))


def test_a_sentence_takes_as_many_words_as_it_says():
    assert [frame.count("{}") for frame, _ in SENTENCES] == [count for _, count in SENTENCES]


def test_the_same_seed_gives_the_same_comments_and_another_one_others():
    first, again, other = (comments(50, np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert first == again != other


def test_most_people_write_at_most_300_characters_mostly_on_one_theme():
    people = 4000
    texts = comments(people, np.random.default_rng(3))
    silent = texts.count("")
    # Five standard deviations: the chance to fail is below one in a million.
    assert abs(silent - SILENT * people) < 5 * np.sqrt(people * SILENT * (1 - SILENT))
    assert max(map(len, texts)) <= 300
    for text in filter(None, texts):
        found = [theme_of(word) for word in words_of(text)]
        assert 4 <= len(found) <= 6
    shares = [
        max(map(found.count, found)) / len(found)
        for found in ([theme_of(word) for word in words_of(text)] for text in filter(None, texts))
    ]
    assert np.mean(shares) > 0.9


def test_themes_are_about_equally_common():
    texts = [text for text in comments(6000, np.random.default_rng(4)) if text]
    counts = [sum(text.lower().count(words[0]) for text in texts) for words in WORDS.values()]
    assert min(counts) > 0.7 * max(counts)
