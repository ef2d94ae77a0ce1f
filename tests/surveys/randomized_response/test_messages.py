"""Messages: one sentence, its values, what another language needs; also after they were kept."""

import copy
import json
import pickle

import pytest

from tests.randomized_response.errors import PlanError
from tests.randomized_response.messages import (
    Listed,
    Message,
    counted_sentence,
    figure,
    read,
    sentence,
    together,
    written,
)


def test_a_message_is_its_english_sentence():
    told = sentence("give at most {most} people", most=figure(12_000))
    assert told == "give at most 12,000 people"
    assert (told.pattern, told.values) == ("give at most {most} people", {"most": 12_000})


def test_values_may_be_given_later():
    pattern = sentence("{count} of {n} answers")
    assert pattern.format(count=1, n=2) == "1 of 2 answers"
    assert pattern == "{count} of {n} answers"


def test_one_thing_has_a_sentence_of_its_own():
    told = [counted_sentence("{count} answer", "{count} answers", count) for count in (1, 2)]
    assert told == ["1 answer", "2 answers"]


def test_sentences_stand_one_after_the_other():
    first, second = sentence("One."), sentence("Two.")
    assert together(first, "", second) == "One. Two."
    assert together(first, second, between="; ").parts == (first, second)
    assert together("", first) is first
    assert together() == ""


KEPT = (
    sentence("At most {most}.", most=figure(0.125, ".1f")),
    counted_sentence("{count} digit", "{count} digits", 2),
    sentence("give one of {kinds}", kinds=Listed((figure(1), "1/2"))),
    sentence("{who}: {why}", who="Ada {most}", why=sentence("{n} of {n}", n=3)),
    together(sentence("One."), "as somebody wrote it", between="; "),
)


@pytest.mark.parametrize("told", KEPT, ids=str)
def test_a_message_is_kept_as_json_and_read_again(told):
    again = read(json.loads(json.dumps(written({"notes": [told]}))))["notes"][0]
    for one in (again, pickle.loads(pickle.dumps(told)), copy.deepcopy(told)):
        assert (one, vars(one)) == (told, vars(told))


def test_what_is_no_message_is_kept_as_it_is():
    document = {"names": ["{most}", "Ada"], "values": {"message": "hello"}, "n": 1.5, "none": None}
    assert read(json.loads(json.dumps(written(document)))) == document


def test_a_refusal_is_a_message():
    refused = PlanError("n", 2.5, sentence("give at most {most} people", most=3))
    assert str(refused) == "n = 2.5 cannot be used: give at most 3 people"
    assert isinstance(refused.message, Message)
    assert refused.message.values["remedy"] is refused.remedy
    of_words = PlanError("n", sentence("no answers"), "wait")
    assert str(of_words) == of_words.message == "n = no answers cannot be used: wait"
    assert str(PlanError("n", "no answers", "wait")) == "n = 'no answers' cannot be used: wait"
