"""Texts with hidden themes, against which a report can be judged."""

import numpy as np

THEMES = {
    "rent": "rent landlord flat kitchen heating lease deposit tenant noise stairs repair",
    "buses": "bus driver timetable tram ticket delay route traffic seat fare station",
    "clinic": "clinic doctor nurse appointment waiting medicine therapy phone referral ward clerk",
}
WORDS = {theme: tuple(words.split()) for theme, words in THEMES.items()}
# The tokenizer writes stems; a theme is told by the stems of its words.
STEMS = 4


def themed_texts(people: int = 3000, seed: int = 1, words: int = 6) -> list[str]:
    """One text a person, of one theme and one word of any."""
    rng = np.random.default_rng(seed)
    every = [word for listed in WORDS.values() for word in listed]
    texts = []
    for theme in rng.integers(len(WORDS), size=people):
        own = rng.choice(list(WORDS.values())[theme], words, replace=False)
        texts.append(" ".join([*own, str(rng.choice(every))]))
    return texts


def theme_of(word: str) -> str:
    """The theme that a word, stemmed or not, belongs to."""
    found = {
        theme for theme, words in WORDS.items() if any(one[:STEMS] == word[:STEMS] for one in words)
    }
    return found.pop() if len(found) == 1 else ""
