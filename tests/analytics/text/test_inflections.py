"""Forms of stems: a word that people know, from a public list and never out of the answers."""

import pytest

from analytics.text.inflections import FOLDER, forms_of, readable
from analytics.text.tokens import STEMMERS, Tokenizer

LISTED = sorted(path.name.split(".")[0] for path in FOLDER.glob("*.txt.gz"))


@pytest.mark.parametrize(
    ("language", "stem", "word"),
    [
        ("en", "offici", "official"),
        ("en", "polici", "policy"),
        ("en", "offici languag", "official language"),
        ("de", "regier", "regierung"),
        ("fr", "écol", "école"),
    ],
)
def test_a_stem_is_read_as_its_commonest_public_word(language: str, stem: str, word: str) -> None:
    assert readable(stem, forms_of(language)) == word


def test_a_word_that_is_its_own_stem_or_on_no_list_stays() -> None:
    for word in ("tax", "mccain", "👩‍🌾", ""):
        assert readable(word, forms_of("en")) == word
    assert not forms_of("af")


def test_what_a_researcher_listed_goes_first() -> None:
    assert readable("offici", forms_of("en"), {"offici": "Officer"}) == "Officer"


@pytest.mark.parametrize("step", [10, pytest.param(1, marks=pytest.mark.audit)])
@pytest.mark.parametrize("language", LISTED)
def test_every_form_has_the_stem_that_it_stands_for(language: str, step: int) -> None:
    """The lists are files that seldom change: every tenth form here, all in the audit."""
    tokenizer, forms = Tokenizer(language, skip_non_answers=False), forms_of(language)
    assert language in STEMMERS
    assert len(forms) > 2_000
    wrong = [stem for stem in list(forms)[::step] if tokenizer.words(forms[stem]) != (stem,)]
    assert wrong == []


def test_all_languages_with_stems_have_forms_but_three_without_a_public_list() -> None:
    assert set(STEMMERS) - set(LISTED) == {"eu", "ga", "hy"}
