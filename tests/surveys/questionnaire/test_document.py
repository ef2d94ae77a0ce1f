"""Launched documents: their version, their canonical bytes, and what was launched before."""

import json
import math
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.facts.exposure import LARGEST_RATIO
from surveys.questionnaire.formats.early import FIELDS
from surveys.questionnaire.formats.launched import (
    TEXTS,
    MissingText,
    UnknownVersion,
    canonical_bytes,
)
from surveys.questionnaire.kinds.registry import kinds
from surveys.questionnaire.logic.loss import Loss
from surveys.wording.odds import total_words
from tests.early_documents import version_1

HERE = Path(__file__).parent / "documents"
FIRST = json.loads((HERE / "version_1.json").read_text())
WRITTEN = (HERE / "version_2.json").read_bytes().rstrip(b"\n")
SECOND = json.loads(WRITTEN)


@pytest.fixture
def questionnaire() -> Questionnaire:
    return Questionnaire.from_document(SECOND)


def test_the_stored_examples_have_every_kind_that_version_1_had():
    forms = {entry["form"] for entry in SECOND["items"]}
    assert forms == set(FIELDS) <= set(kinds())


def test_what_was_launched_in_version_1_reads_as_the_same_questionnaire(questionnaire):
    assert Questionnaire.from_document(FIRST) == questionnaire
    assert version_1(questionnaire.to_document()) == FIRST


def test_version_2_is_written_in_the_same_bytes_for_ever(questionnaire):
    assert questionnaire.to_bytes() == WRITTEN
    assert Questionnaire.from_document(json.loads(questionnaire.to_bytes())) == questionnaire


def test_keys_are_sorted_and_letters_are_written_as_they_are(questionnaire):
    renamed = replace(questionnaire, title="Čaj & „Käse“")
    assert (
        b'"title":{"en":"\xc4\x8caj & \xe2\x80\x9eK\xc3\xa4se\xe2\x80\x9c"}' in renamed.to_bytes()
    )
    backwards = dict(reversed(renamed.to_document().items()))
    assert canonical_bytes(backwards) == renamed.to_bytes()


def test_an_entry_has_the_fields_of_its_own_kind_alone():
    fields = {entry["form"]: set(entry) for entry in SECOND["items"]}
    common = {"id", "text", "help", "required", "kind", "design", "form"}
    assert fields["text"] == common | {"longest"}
    assert fields["number"] == common | {"number"}


def test_every_text_of_an_author_is_a_map_from_language_to_text():
    def strings(part: Any, name: str = "") -> list[str]:
        if isinstance(part, dict):
            return [s for inner, value in part.items() for s in strings(value, inner)]
        if isinstance(part, list):
            return [s for value in part for s in strings(value, name)]
        return [name] if isinstance(part, str) else []

    assert "en" in strings(SECOND)
    assert not set(strings(SECOND)) & TEXTS
    assert SECOND["title"] == {"en": "Habits and health"}
    assert SECOND["items"][0]["levels"][1]["text"] == {"en": "Yes"}
    assert SECOND["items"][9]["second"]["text"]["en"].startswith("Think of somebody")


def test_a_document_in_two_languages_reads_in_each_and_in_the_first_unless_told(questionnaire):
    def twice(part: Any) -> Any:
        if isinstance(part, dict) and set(part) == {"en"}:
            return {**part, "de": part["en"].upper()}
        if isinstance(part, dict):
            return {name: twice(value) for name, value in part.items()}
        return [twice(value) for value in part] if isinstance(part, list) else part

    both = {**twice(SECOND), "languages": ["en", "de"]}
    assert Questionnaire.from_document(both) == questionnaire
    german = Questionnaire.from_document(both, "de")
    assert (german.title, german.language) == ("HABITS AND HEALTH", "de")
    assert german.items[0].levels[1].text == "YES"
    assert german.items[0].id == questionnaire.items[0].id


def test_a_missing_text_is_named_with_its_language():
    with pytest.raises(MissingText, match="has no text in the language “ar”"):
        Questionnaire.from_document(SECOND, "ar")


@pytest.mark.parametrize("version", [3, 0, -1, "2", 2.0, None, True])
def test_other_versions_are_refused_by_their_number(version):
    with pytest.raises(UnknownVersion, match=f"version {version}; this program reads versions 1 "):
        Questionnaire.from_document({**SECOND, "deniable": version})


def test_no_floating_point_number_is_written():
    with pytest.raises(TypeError, match="write a fraction"):
        canonical_bytes({"items": [{"share": 0.25}]})
    assert canonical_bytes({"share": str(Fraction(1, 4))}) == b'{"share":"1/4"}'


def test_the_loss_of_a_person_is_frozen_as_a_fraction(questionnaire):
    written = SECOND["loss"]
    assert (Fraction(written["odds"]), written["is_exact"]) == (questionnaire.loss.ratio, True)
    promised = {**SECOND, "loss": {"odds": "81/2", "is_exact": False}}
    frozen = Questionnaire.from_document(promised)
    assert frozen.loss == Loss(Fraction(81, 2), is_exact=False)
    assert frozen.loss.epsilon == pytest.approx(math.log(40.5))
    assert "epsilon at most 3.70" in total_words(frozen)
    assert frozen.to_document()["loss"] == promised["loss"]


def test_what_is_changed_after_reading_has_a_loss_of_its_own(questionnaire):
    fewer = replace(questionnaire, asked=1)
    ratios = [LARGEST_RATIO(item) for item in questionnaire.randomized]
    assert fewer.loss == Loss(max(ratios))
    assert replace(questionnaire, asked=None).loss == Loss(math.prod(ratios))


def test_an_infinite_loss_is_frozen_as_none(questionnaire):
    frozen = Questionnaire.from_document({**SECOND, "loss": {"odds": None, "is_exact": True}})
    assert frozen.loss.epsilon == math.inf


def test_a_question_of_no_known_form_is_refused():
    with pytest.raises(ValueError, match="no form known here: dance"):
        Questionnaire.from_document({**SECOND, "items": [{**SECOND["items"][0], "form": "dance"}]})
    early = {**FIRST["items"][0], "kind": "dance", "levels": []}
    with pytest.raises(ValueError, match="no form that version 1 had"):
        Questionnaire.from_document({**FIRST, "items": [early]})
