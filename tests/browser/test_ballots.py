"""Ballots in the page: the numbers of the oracles, and what this program takes and opens."""

import json
from collections.abc import Mapping, Sequence

import pytest
from django.contrib.staticfiles.storage import staticfiles_storage
from playwright.sync_api import Error, Page

from surveys.kinds.text.promise import unbased
from surveys.trust.tally.ballots import Table, ballot_bytes, check_ballot
from surveys.trust.tally.files import TallyPlan
from surveys.trust.tally.group import ORDER, random_number, subtract, times
from surveys.trust.tally.openings import small_log
from surveys.trust.tally.trustees import joint_key, trustee_of
from tests.analytics.files.laptops import (
    BALLOTS,
    add_noise,
    document_of,
    give_share,
    make_key,
    read,
    run,
    write_list,
)
from tests.oracles.trust import trust_cases

# The server has a database, which nothing here asks for anything.
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.one_tab]
BALLOT = "surveys/collecting/ballot.js"
SECRET = random_number()
REVISION = bytes(range(32))
# Before Send has forgotten what was answered; of a key it is our word or the library's.
NO_CELL, NO_KEY = "at once: no cell of this table", r"(no key of ballots|point|hex)"
# A document without a survey, into which the page's module is read.
EMPTY = f'<!doctype html><main data-digest="{REVISION.hex()}"></main>'
# Drawn numbers can be given: as many bytes as the page asks for, of a number that is below L.
MAKE = """async ([url, revision, table, cell, random]) => {
    const bytes = (hex) => Uint8Array.from(hex.match(/../g) ?? [], (byte) => parseInt(byte, 16));
    const { ballot } = await import(url);
    const before = Crypto.prototype.getRandomValues;
    const drawn = random.map(bytes);
    if (drawn.length) Crypto.prototype.getRandomValues = function (array) {
        if (array.length !== 64) return before.call(this, array); // the library's own, for blinding
        array.fill(0).set(drawn.shift());
        return array;
    };
    try {
        const made = await ballot(bytes(revision), table, cell);
        if (drawn.length) throw new Error(`${drawn.length} numbers are left`);
        return [...made].map((byte) => byte.toString(16).padStart(2, '0')).join('');
    } finally {
        Crypto.prototype.getRandomValues = before;
    }
}"""
VALUE = """async ([url, description, answers]) => {
    const { valueOf } = await import(url);
    const given = { ...answers };
    let value;
    try {
        value = valueOf(description, given);
    } catch (error) {
        throw new Error(`at once: ${error.message}`);
    }
    for (const one of Object.keys(given)) given[one] = ''; // as Send forgets what was answered
    return value;
}"""
MANY = """async ([url, revision, table, cells]) => {
    const { ballot } = await import(url);
    const digest = Uint8Array.from(revision.match(/../g), (byte) => parseInt(byte, 16));
    const hex = (bytes) => [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
    const made = [];
    for (const cell of cells) made.push(hex(await ballot(digest, table, cell)));
    return made;
}"""
TIME = """async ([url, revision, table]) => {
    const { ballot } = await import(url);
    const digest = Uint8Array.from(revision);
    const taken = [];
    for (let round = 0; round < 4; round += 1) {
        const start = performance.now();
        await ballot(digest, table, round % table.cells);
        taken.push(performance.now() - start);
    }
    return taken;
}"""


@pytest.fixture
def empty_page(page: Page, server):
    """At an address of the server, so that its files can be read."""
    address = f"{server.url}/empty"
    page.route(address, lambda route: route.fulfill(body=EMPTY, content_type="text/html"))
    page.goto(address)
    yield page
    page.unroute(address)


def table_of(cells: int) -> Table:
    """The first of a survey whose one trustee has ``SECRET``."""
    return Table(REVISION, 1, joint_key([trustee_of("One", SECRET)]), cells)


def described(table: Table, **more) -> dict:
    """As the page has it."""
    return {"table": table.number, "key": table.key.hex(), "cells": table.cells, **more}


def made(page: Page, table: Table, cell: int, random: tuple[str, ...] = ()) -> bytes:
    """A ballot of the page; ``random`` are numbers in hexadecimal, in place of drawn ones."""
    url = staticfiles_storage.url(BALLOT)
    given = [url, table.revision.hex(), described(table), cell, list(random)]
    return bytes.fromhex(page.evaluate(MAKE, given))


def locked(page: Page, description: dict, answers: Mapping[str, str | None]) -> bytes:
    """What a form sends of a table where these are the answers."""
    url = staticfiles_storage.url(BALLOT)
    return unbased(page.evaluate(VALUE, [url, description, dict(answers)]))


def opened(table: Table, content: bytes) -> list[int]:
    """What is in each cell of a ballot, which this program takes."""
    cells = check_ballot(table, content)
    return [small_log(subtract(one.b, times(SECRET, one.a)), -3, 3) for one in cells]


def cases_of(kind: str) -> list[dict]:
    return [case for case in trust_cases() if case["kind"] == kind]


def test_the_page_makes_the_ballots_of_the_oracles_to_the_byte(empty_page):
    cases = cases_of("ballot_make")
    assert len(cases) >= 2
    for case in cases:
        given = case["input"]
        revision, key = bytes.fromhex(given["revision"]), bytes.fromhex(given["key"])
        table = Table(revision, given["table"], key, given["cells"])
        ballot = made(empty_page, table, given["choice"], tuple(given["random"]))
        assert ballot.hex() == case["expected"]["ballot"], case["id"]
    for case in cases_of("ballot_size"):
        ballot = made(empty_page, table_of(case["input"]["cells"]), 0)
        assert len(ballot) == case["expected"]["bytes"], case["id"]


@pytest.mark.parametrize("cells", [1, 2, 5, 12])
def test_a_ballot_for_each_cell_is_taken_and_has_a_1_there(empty_page, cells):
    table = table_of(cells)
    for cell in range(cells):
        ballot = made(empty_page, table, cell)
        assert len(ballot) == ballot_bytes(cells)
        assert opened(table, ballot) == [int(one == cell) for one in range(cells)]


def test_two_ballots_of_one_cell_have_no_point_and_no_number_in_common(empty_page):
    ballots = [made(empty_page, table_of(5), 2) for _ in range(2)]
    parts = [{one[at : at + 32] for at in range(0, len(one), 32)} for one in ballots]
    assert len(parts[0]) == 6 * 5 + 2
    assert not parts[0] & parts[1]


def test_each_number_is_drawn_of_64_bytes_and_those_that_nothing_hides_make_no_ballot(empty_page):
    table = table_of(2)
    drawn = tuple(random_number().to_bytes(64, "little").hex() for _ in range(9))
    wide = tuple(f"{(ORDER * 5 + number_of(one)).to_bytes(64, 'little').hex()}" for one in drawn)
    assert made(empty_page, table, 1, drawn) == made(empty_page, table, 1, wide)
    for zero in (bytes(64), ORDER.to_bytes(64, "little")):
        with pytest.raises(Error, match="invalid scalar"):
            made(empty_page, table, 1, (zero.hex(), *drawn[1:]))


def number_of(drawn: str) -> int:
    return int.from_bytes(bytes.fromhex(drawn), "little")


def test_the_combination_of_answers_is_a_cell_and_the_last_question_changes_fastest(empty_page):
    table = table_of(7)
    questions = [["q005", "00", "01"], ["q006", "00", "01", "--"]]
    description = described(table, questions=questions, notAsked=True)
    answers = [(first, last) for first in ("00", "01") for last in ("00", "01", "--")]
    for cell, (first, last) in enumerate(answers):
        given = {"q005": first, "q006": last, "q007": "01"}
        ballot = locked(empty_page, description, given)
        assert opened(table, ballot) == [int(one == cell) for one in range(7)]
    unasked: list[dict[str, str | None]] = [
        {"q005": None, "q006": "01"},
        {"q005": "00", "q006": None},
        {"q005": None, "q006": None},
    ]
    for left_out in unasked:
        ballot = locked(empty_page, description, left_out)
        assert opened(table, ballot) == [0] * 6 + [1]


@pytest.mark.parametrize(
    ("changed", "answers"),
    [
        ({}, {"q005": ""}),
        ({}, {"q006": ""}),
        ({}, {"q006": "02"}),
        ({}, {"q006": None}),  # everybody is asked
        ({"cells": 3}, {}),
        ({"notAsked": True}, {}),
        ({"notAsked": True, "cells": 5}, {"q005": "02", "q006": None}),
        ({"questions": [["q005", "00", "01"]]}, {}),
    ],
)
def test_an_answer_that_is_no_cell_makes_no_ballot(empty_page, changed, answers):
    questions = [["q005", "00", "01"], ["q006", "00", "01"]]
    description = described(table_of(4), questions=questions, notAsked=False)
    good = {"q005": "01", "q006": "00"}
    locked(empty_page, description, good)
    with pytest.raises(Error, match=NO_CELL):
        locked(empty_page, description | changed, good | answers)


@pytest.mark.parametrize("cell", [-1, 2, 0.5])
def test_a_cell_that_the_table_has_not_is_refused(empty_page, cell):
    with pytest.raises(Error, match="no cell of this table"):
        made(empty_page, table_of(2), cell)


def test_with_a_key_that_is_no_point_of_full_order_no_ballot_is_made(empty_page):
    """Those of the oracles that stand in a ballot's first place, and what is no point at all."""
    table = table_of(2)
    forged = [case for case in cases_of("ballot_check") if case["source"].startswith("A: ")]
    keys = {case["input"]["ballot"][:64] for case in forged}
    assert len(keys) >= 7
    good = table.key.hex()
    questions = [["q005", "00", "01"]]
    for key in sorted(keys | {"", good[:-2], f"{good}00", f"{good[:-1]}x", "ff" * 32}):
        description = described(table, questions=questions, notAsked=False) | {"key": key}
        for _ in range(2):  # it is not taken when it comes again
            with pytest.raises(Error, match=NO_KEY):
                locked(empty_page, description, {"q005": "00"})


@pytest.mark.parametrize("cells", [5, 12, 60])
def test_how_long_a_ballot_takes(empty_page, cells):
    """Printed, for the design's table: the first one makes tables of multiples."""
    given = [staticfiles_storage.url(BALLOT), list(REVISION), described(table_of(cells))]
    first, *others = empty_page.evaluate(TIME, given)
    milliseconds = json.dumps([round(one, 1) for one in others])
    print(f"{cells} cells: {first:.1f} ms for the first ballot, then {milliseconds}")
    assert first > 0


@pytest.mark.audit
@pytest.mark.noise(fails=0, law="noise of 1/1000 is 0 but for one in e^500,000")
def test_ten_thousand_ballots_half_of_them_of_pages_open_to_the_truth_on_two_machines(
    empty_page, tmp_path
):
    choices = [number % 7 % 3 for number in range(10_000)]
    machines = [tmp_path / name for name in "ab"]
    for machine in machines:
        machine.mkdir()
    document = document_of([make_key(machine, machine.name) for machine in machines])
    of_pages = made_in(empty_page, TallyPlan.read(document, 1).table, choices[::2])
    write_list(machines[0] / BALLOTS, document, choices[1::2], of_pages)
    (machines[1] / BALLOTS).write_bytes((machines[0] / BALLOTS).read_bytes())
    noises = [add_noise(machine, machine.name) for machine in machines]
    shares = [give_share(machine, machine.name, noises) for machine in machines]
    said = run("tally", "verify", machines[0] / BALLOTS, *noises, *shares)
    assert said.strip() == f'{{"counts": {[choices.count(cell) for cell in range(3)]}}}'
    assert {read(path)["trustee"] for path in shares} == {1, 2}


def made_in(page: Page, table: Table, cells: Sequence[int]) -> list[bytes]:
    """Ballots of the page for these cells, some hundred at a time."""
    url, found = staticfiles_storage.url(BALLOT), list[bytes]()
    for several in (cells[at : at + 200] for at in range(0, len(cells), 200)):
        given = [url, table.revision.hex(), described(table), list(several)]
        found += map(bytes.fromhex, page.evaluate(MANY, given))
    return found
