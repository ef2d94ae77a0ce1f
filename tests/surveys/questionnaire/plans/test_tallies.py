"""What is counted locked stands in the launched document, and nothing of it where nothing is."""

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from surveys.kinds.levels.promise import Level, level_code
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.logic.rules import Rule
from surveys.questionnaire.plans.tallies import (
    LockedTable,
    TallyPromise,
    TrusteeKey,
    has_not_asked,
    is_noise,
)
from surveys.trust.tally.ballots import CIPHER_BYTES, Table, ballot_bytes, make_ballot
from surveys.trust.tally.files import TallyPlan
from surveys.trust.tally.noises import noise_bits
from surveys.trust.tally.proofs import BIT_BYTES, EQUAL_BYTES
from tests.counting import NAMES, counting, trustee_keys

READABLE = json.loads((Path(__file__).parents[1] / "documents/version_2.json").read_text())
PLAIN = Questionnaire.from_document(READABLE)
DIRECT = PLAIN.items[5]  # yes, no, or prefer not to say
FOUR = tuple(Level(level_code(place), f"Answer {place}") for place in range(4))
MORE = replace(DIRECT, id="more", levels=FOUR, display=(3, 2, 1, 0), kind="choice")
# Questions 6 and 18 are asked directly.
SENT = replace(PLAIN, items=(*PLAIN.items, MORE))
KEYS = trustee_keys(*NAMES)
TABLE = LockedTable(1, (6, 18), 13, "4")


def test_a_document_keeps_its_trustees_and_tables():
    document = counting(SENT, (6, 18)).to_document()
    assert document["tally"] == {
        "trustees": [{"name": key.name, "key": key.key, "proof": key.proof} for key in KEYS],
        "tables": [{"table": 1, "questions": [6, 18], "cells": 13, "sigma": "4"}],
    }
    assert (document["items"][5]["form"], document["items"][5]["table"]) == ("counted", 1)
    again = Questionnaire.from_document(document)
    assert again.tally == TallyPromise(KEYS, (TABLE,))
    assert again.to_bytes() == counting(SENT, (6, 18)).to_bytes()


def test_a_document_that_counts_nothing_locked_has_no_such_member():
    assert PLAIN.tally is None
    assert "tally" not in PLAIN.to_document()


def test_trustees_read_the_same_tables_from_the_document():
    counted = counting(SENT, (18,), (6,), sigma="9/2")
    document = json.loads(counted.to_bytes())
    for number, cells in ((1, 5), (2, 4)):
        plan = TallyPlan.read(document, number)
        assert (plan.table.cells, plan.sigma, plan.batch_size) == (cells, Fraction(9, 2), 20)
        table = counted.tally.tables[number - 1]
        assert (table.cells, table.ballot_bytes) == (cells, plan.table.ballot_bytes)


def test_a_locked_answer_is_as_long_as_the_document_says():
    table = Table(bytes(32), 1, bytes.fromhex(KEYS[0].key), 3)
    assert len(make_ballot(table, 2)) == LockedTable(1, (1,), 3, "1").ballot_bytes
    assert ballot_bytes(7) == (CIPHER_BYTES + BIT_BYTES) * 7 + EQUAL_BYTES


def test_a_cell_more_counts_people_who_may_not_be_asked():
    asked, by_rule = SENT.items[5], replace(SENT.items[5], rule=Rule("all"))
    assert not has_not_asked([asked], (1,), has_own_coin=False)
    assert has_not_asked([asked], (1,), has_own_coin=True)
    assert has_not_asked([asked, by_rule], (2,), has_own_coin=False)
    assert not has_not_asked([asked, by_rule], (1,), has_own_coin=False)
    # Alone, nothing is asked with one's own coin, and all people are asked.
    assert counting(replace(SENT, items=(MORE,), asked=None), (1,)).tally.tables[0].cells == 4


def test_a_counted_question_has_no_column_and_no_field():
    counted = counting(SENT, (6,))
    assert counted.row.width == SENT.row.width - 2
    assert "q006" not in counted.form.names
    assert counted.items[5] not in (*counted.direct, *counted.own_coin.left_out)
    assert len(counted.sent) == len(SENT.sent)
    assert 6 not in dict(counted.numbered.tabulated)


@pytest.mark.parametrize(
    ("sigma", "usable"),
    [("1/1000", True), ("838860", True), ("838861", False), ("0", False), ("1e9", False)],
)
def test_noise_is_above_0_and_fits_into_its_bits(sigma, usable):
    assert is_noise(sigma) is usable
    if usable:
        assert noise_bits(Fraction(sigma)) <= 24


@pytest.mark.parametrize(
    "change",
    [
        {"table": 2},
        {"table": True},
        {"table": "1"},
        {"questions": []},
        {"questions": [6, 6]},
        {"questions": [6, 7, 8, 9]},
        {"questions": ["6"]},
        {"questions": 6},
        {"cells": 61},
        {"cells": 1},
        {"cells": 5.0},
        {"sigma": "0"},
        {"sigma": "0/5"},
        {"sigma": "838861"},
        {"sigma": "1e3"},
        {"sigma": "1/0"},
        {"sigma": "-4"},
        {"sigma": 4},
    ],
)
def test_a_table_that_no_survey_launches_is_refused(change):
    entry = TallyPromise(KEYS, (TABLE,)).to_document()
    entry["tables"][0] |= change
    with pytest.raises((ValueError, TypeError)):
        TallyPromise.from_document(entry)


@pytest.mark.parametrize(
    "trustees",
    [
        (),
        (KEYS[0], KEYS[0]),
        tuple(replace(KEYS[0], key=f"{digit:x}" * 64) for digit in range(8)),
    ],
)
def test_trustees_are_1_to_7_with_different_keys(trustees):
    with pytest.raises(ValueError, match="trustees"):
        TallyPromise(trustees, (TABLE,))


@pytest.mark.parametrize(
    "change", [{"name": 1}, {"key": "AB" * 32}, {"key": "ab"}, {"proof": "é" * 128}, {"proof": 1}]
)
def test_a_trustee_has_a_name_a_key_and_a_proof(change):
    with pytest.raises(ValueError, match="trustee"):
        TrusteeKey(**({"name": "Ada", "key": "ab" * 32, "proof": "ab" * 64} | change))


def test_no_question_is_in_two_tables_and_all_together_have_60_cells():
    with pytest.raises(ValueError, match="two tables"):
        TallyPromise(KEYS, (TABLE, replace(TABLE, table=2)))
    with pytest.raises(ValueError, match="60 cells"):
        TallyPromise(KEYS, (replace(TABLE, cells=60), LockedTable(2, (7,), 2, "4")))
    with pytest.raises(ValueError, match="has tables"):
        TallyPromise(KEYS, ())


@pytest.mark.parametrize(
    "change",
    [
        {"questions": [6]},
        {"questions": [18, 99]},
        {"questions": [18, 1]},
        {"questions": [18]},
        {"cells": 12},
    ],
)
def test_tables_that_are_not_of_the_document_s_questions_are_refused(change):
    document = counting(SENT, (6, 18)).to_document()
    document["tally"]["tables"][0] |= change
    with pytest.raises(ValueError, match="Table"):
        Questionnaire.from_document(document)


def test_a_counted_question_without_a_tally_is_refused():
    document = counting(SENT, (6,)).to_document()
    del document["tally"]
    with pytest.raises(ValueError, match="no table has it"):
        Questionnaire.from_document(document)
