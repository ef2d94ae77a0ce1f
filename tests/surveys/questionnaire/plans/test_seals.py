"""The keys for which texts are sealed stand in the launched document, and nowhere if none are."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.plans.seals import SUITE_NAME, SealKey, Seals

READABLE = json.loads((Path(__file__).parents[1] / "documents/version_2.json").read_text())
FIRST, SECOND = SealKey("First institute", "ab" * 32), SealKey("Zweites Institut", "09" * 32)


@pytest.mark.parametrize("keys", [(FIRST,), (FIRST, SECOND), (SECOND, FIRST)])
def test_a_document_keeps_its_keys_in_the_order_of_layers(keys):
    questionnaire = replace(Questionnaire.from_document(READABLE), seals=Seals(keys))
    document = questionnaire.to_document()
    assert document["seals"] == {
        "keys": [{"name": key.name, "key": key.key} for key in keys],
        "suite": SUITE_NAME,
    }
    again = Questionnaire.from_document(document)
    assert again.seals == questionnaire.seals
    assert again.seals.publics == tuple(bytes.fromhex(key.key) for key in keys)
    assert again.seals.layers == len(keys)


def test_a_document_whose_texts_can_be_read_has_no_such_member():
    questionnaire = Questionnaire.from_document(READABLE)
    assert questionnaire.seals is None
    assert "seals" not in questionnaire.to_document()


@pytest.mark.parametrize(
    "entry",
    [
        {"keys": [], "suite": SUITE_NAME},
        {"keys": [{"name": "A", "key": digit * 64} for digit in "123"], "suite": SUITE_NAME},
        {"keys": [{"name": name, "key": "1" * 64} for name in "AB"], "suite": SUITE_NAME},
        {"keys": [{"name": "A", "key": "1" * 64}], "suite": "MLKEM768_X25519"},
        {"keys": [{"name": "A", "key": "1" * 63}], "suite": SUITE_NAME},
        {"keys": [{"name": "A", "key": "AB" * 32}], "suite": SUITE_NAME},
        {"keys": [{"name": "A", "key": "é" * 64}], "suite": SUITE_NAME},
        {"keys": [{"name": 1, "key": "1" * 64}], "suite": SUITE_NAME},
        {"keys": [{"name": "A", "key": 1}], "suite": SUITE_NAME},
        {"keys": [{"name": "A"}], "suite": SUITE_NAME},
        {"keys": "AB", "suite": SUITE_NAME},
        {"suite": SUITE_NAME},
        [],
    ],
)
def test_what_no_survey_launches_is_refused(entry):
    with pytest.raises((ValueError, KeyError, TypeError)):
        Seals.from_document(entry)
