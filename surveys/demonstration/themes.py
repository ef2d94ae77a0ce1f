"""Made-up comments for the demonstration: each from a hidden theme, so that a report can be judged.

They are made up: words of a theme are drawn into sentences that fit every theme.
"""

import numpy as np
from django.utils.text import capfirst

THEMES = {
    "money": (
        "money rent debts savings salary mortgage bills loan budget wages taxes insurance prices "
        "purse"
    ),
    "time": (
        "overtime shifts weekends evenings office deadlines commuting holidays travelling hours "
        "factory schedule boss calendar"
    ),
    "household": (
        "homework laundry dishes cooking cleaning nursery babysitter chores kitchen groceries "
        "diapers bedtime ironing garden"
    ),
    "talking": (
        "talking listening honesty trust arguments silence apologies patience respect secrets "
        "promises jealousy lies forgiveness"
    ),
    "closeness": (
        "tenderness kisses hugs romance desire bedroom passion flowers compliments dancing "
        "candlelight affection cuddling attention"
    ),
    "relatives": (
        "parents brothers sisters cousins uncles neighbours gossip visits weddings grandmother "
        "aunts christenings funerals nephews"
    ),
}
WORDS = {theme: tuple(words.split()) for theme, words in THEMES.items()}
SENTENCES = (
    ("With us it is always about {} and {}.", 2),
    ("{}, {} and again {}: there we would need help.", 3),
    ("Less about {}, more about {}.", 2),
    ("First come {} and {}, then {}.", 3),
    ("If only {} and {} were not so hard for us!", 2),
    ("I would begin with {}; then {}.", 2),
)
SILENT = 0.15  # of the people, who leave the field empty
STRAY = 0.05  # of the words, which belong to another theme


def comments(people: int, rng: np.random.Generator) -> list[str]:
    """What each of so many people writes: two sentences on one theme, or nothing."""
    themes = rng.integers(len(WORDS), size=people)
    silent = rng.random(people) < SILENT
    names = list(WORDS)
    return [
        "" if is_silent else _comment(names[theme], rng)
        for theme, is_silent in zip(themes, silent, strict=True)
    ]


def _comment(theme: str, rng: np.random.Generator) -> str:
    frames = [SENTENCES[index] for index in rng.choice(len(SENTENCES), 2, replace=False)]
    words = iter(_words(theme, sum(count for _, count in frames), rng))
    sentences = [frame.format(*(next(words) for _ in range(count))) for frame, count in frames]
    return " ".join(map(capfirst, sentences))


def _words(theme: str, count: int, rng: np.random.Generator) -> list[str]:
    """Different words of the theme, now and then one of any theme in their place."""
    every = [word for words in WORDS.values() for word in words]
    drawn = rng.choice(WORDS[theme], count, replace=False)
    strayed = rng.random(count) < STRAY
    return [
        str(rng.choice(every) if strays else word)
        for word, strays in zip(drawn, strayed, strict=True)
    ]
