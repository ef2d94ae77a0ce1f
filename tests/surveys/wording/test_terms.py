"""Statisticians' words explain themselves, in the glossary's first sentence."""

import re

import pytest
from django.template import Context, Template

from surveys.wording.terms import TERMS
from tests.conftest import ROOT

GLOSSARY = (ROOT / "docs" / "glossary.md").read_text()


def rendered(text: str) -> str:
    return Template("{% load staff %}" + text).render(Context())


@pytest.mark.parametrize("word", TERMS)
def test_the_glossary_says_each_explanation_first(word):
    assert re.search(rf"^\| {re.escape(word)} \| {re.escape(str(TERMS[word]))}\.", GLOSSARY, re.M)


@pytest.mark.parametrize("word", TERMS)
def test_each_explanation_is_one_short_sentence(word):
    assert len(TERMS[word].split()) <= 30
    assert not TERMS[word].endswith(".")


def test_a_word_is_a_button_that_opens_its_explanation():
    text = rendered('{% term "epsilon" %}')
    assert re.fullmatch(
        r'<button type="button" class="term" popovertarget="term-1">epsilon</button>'
        r'<span popover id="term-1" class="explained"> \(How far .*\.\) </span>',
        text,
    )


def test_a_word_may_stand_on_a_page_twice_and_in_another_form():
    text = rendered('{% term "epsilon" %} {% term "epsilon" "Epsilon" %}')
    assert re.findall(r'id="(term-\d)"', text) == ["term-1", "term-2"]
    assert ">Epsilon</button>" in text


def test_a_word_that_is_not_explained_is_a_mistake():
    with pytest.raises(KeyError):
        rendered('{% term "heteroscedasticity" %}')
