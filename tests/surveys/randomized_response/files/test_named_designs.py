"""Designs that cannot be made from what was written: each refusal says what to write instead."""

import inspect

import pytest

from tests.randomized_response.errors import DesignError
from tests.randomized_response.files.named_designs import DESIGNS, described_design, named_design


def refusal(name: str, **settings: str) -> str:
    with pytest.raises(DesignError) as refused:
        named_design(name, settings)
    return str(refused.value)


def required(name: str) -> list[str]:
    parameters = inspect.signature(DESIGNS[name]).parameters.values()
    return [p.name for p in parameters if p.default is p.empty]


def examples(words: str) -> dict[str, str]:
    """What a refusal says to add: the name of each setting and its example."""
    sentences = words.split(" Add --set ")[1:]
    pairs = (sentence.split("=VALUE: ", 1) for sentence in sentences)
    return {name: rest.split(", such as ")[1].split(". ")[0].rstrip(".") for name, rest in pairs}


NEEDY = [name for name in DESIGNS if required(name)]


@pytest.mark.parametrize("name", NEEDY)
def test_a_design_without_parameters_says_all_that_are_missing_and_its_examples_work(name):
    words = refusal(name)
    assert words.startswith(f"The design {name} is not complete. ")
    assert "None" not in words
    added = examples(words)
    assert list(added) == required(name)
    assert named_design(name, added)


def test_a_design_may_be_written_with_hyphens():
    written = {"p_forced_yes": "1/6", "p_forced_no": "1/6"}
    assert named_design("forced-response", written) == named_design("forced_response", written)


def test_a_missing_parameter_is_explained():
    assert refusal("warner") == (
        "The design warner is not complete. Add --set p_direct=VALUE: "
        'the probability of the direct statement, "I have it", such as 3/4.'
    )


def test_epsilon_is_offered_for_the_parameters_that_it_determines():
    words = refusal("olh", options="4")
    assert "In place of buckets and p_truth you can write --set epsilon=VALUE" in words
    assert "epsilon" not in refusal("kuk")


def test_epsilon_and_the_parameter_that_it_determines_exclude_each_other():
    words = refusal("k_ary", options="2", epsilon="1", p_truth="3/4")
    assert words == "--set epsilon=1 determines p_truth already: leave one of them out."


def test_an_unknown_parameter_is_answered_with_the_nearest_or_all():
    assert "did you mean p_direct?" in refusal("warner", p_direkt="3/4")
    assert refusal("kuk", epsilon="1") == (
        "--set epsilon=1 cannot be used: kuk has no parameter epsilon: "
        "choose one of p_red_carrier, p_red_noncarrier, draws."
    )


@pytest.mark.parametrize(
    ("name", "settings", "words"),
    [
        ("warner", {"p_direct": "2"}, "--set p_direct=2 cannot be used: give a probability"),
        ("warner", {"p_direct": "x"}, "--set p_direct=x cannot be used: write a number such as"),
        ("k_ary", {"options": "x", "epsilon": "1"}, "write a whole number such as 3"),
        ("k_ary", {"options": "2", "epsilon": "e"}, "write a number such as 1.1 or ln 3"),
        ("forced_response_options", {"p_forced": "1/6,2"}, "entry 2 is 2: give a probability"),
        ("l_sue", {"options": "2", "permanent": "1/2", "instantaneous": "2/3,1/3"}, "3/4,1/4"),
        ("channel_matrix", {"matrix": '[["1/2", "x"], ["1/2", 1]]'}, "row 1, entry 2 is x: "),
        ("channel_matrix", {"matrix": "[1"}, "--set matrix=[1 cannot be used: this is no JSON"),
        ("rappor", {"f": "0", "p": "1/2", "q": "1/2"}, "--design rappor: q - p = 0.0 cannot"),
    ],
)
def test_a_value_that_cannot_be_used_is_shown_as_it_was_written(name, settings, words):
    assert words in refusal(name, **settings)


@pytest.mark.parametrize(
    ("description", "words"),
    [
        ({"design": "warner"}, 'wave 1: The design warner is not complete. Add "p_direct": '),
        ({"design": "warmer"}, 'wave 1: "design": "warmer" cannot be used: did you mean warner?'),
        ({"design": "warner", "p_direct": "2"}, 'wave 1: "p_direct": "2" cannot be used: '),
        ({"design": "warner", "p": "2"}, 'wave 1: "p": "2" cannot be used: warner has no'),
        ("warner", 'wave 1: write an object such as {"design": "warner", "p_direct": "3/4"}'),
    ],
)
def test_a_design_in_a_file_is_refused_in_the_words_of_the_file(description, words):
    with pytest.raises(DesignError) as refused:
        described_design("wave 1", description)
    assert str(refused.value).startswith(words)
