"""Every page, file, chart, receipt, document and command says what it said: the golden copies."""

import difflib
import re
from itertools import islice

import pytest
from django.core.management import get_commands

from analytics.kinds import registry
from analytics.reports.registry import ANSWER_KINDS
from surveys.questionnaire.kinds.registry import kinds
from tests.golden import commands, stored
from tests.golden.copying import LANGUAGES
from tests.golden.make import make
from tests.golden.places import LEFT_OUT, Place, names, why_left_out

MOST_LINES, MOST_FILES = 40, 25
ANEW = "Read each difference. If all are wanted, write them anew: python -m tests.golden.make"


# On PostgreSQL it needs copies of its own, which are not stored yet: see ``stored``.
@pytest.mark.one_database
@pytest.mark.audit
def test_everything_says_what_it_said(tmp_path):
    done = make(tmp_path)
    assert done.returncode == 0, f"{done.stdout}{done.stderr}"
    made, kept = stored.read(folder=tmp_path), stored.read()
    wrong = [name for name in sorted({*made, *kept}) if made.get(name) != kept.get(name)]
    shown = [_difference(name, kept.get(name, ""), made.get(name, "")) for name in wrong]
    assert not wrong, "\n".join([f"{len(wrong)} copies differ. {ANEW}", *shown[:MOST_FILES]])


def _difference(name: str, before: str, now: str) -> str:
    lines = difflib.unified_diff(
        before.splitlines(), now.splitlines(), f"stored/{name}", f"now/{name}", lineterm="", n=1
    )
    return "\n".join(islice(lines, MOST_LINES))


def test_every_address_has_a_copy_or_a_reason():
    first = f"{LANGUAGES[0]}/"
    files = (file.removeprefix(first) for file in stored.read() if file.startswith(first))
    copied = {Place.name_of(file) for file in files}
    missing = {name for name in names() if name not in copied and not why_left_out(name)}
    assert missing == set()
    assert {name for name in names() if name in copied and why_left_out(name)} == set()
    assert set(LEFT_OUT) <= set(names())


def test_every_command_has_a_copy_or_a_reason():
    ours = {
        name for name, room in get_commands().items() if room in ("surveys", "ranking", "analytics")
    }
    copied = {typed.split()[0] for typed in commands.COMMANDS.values()}
    assert ours == copied | set(commands.LEFT_OUT)
    assert not copied & set(commands.LEFT_OUT)


def test_a_copy_in_german_has_one_in_english():
    copied = set(stored.read())
    for file in copied:
        language, _, name = file.partition("/")
        assert language not in LANGUAGES[1:] or f"{LANGUAGES[0]}/{name}" in copied


def test_every_kind_of_question_stands_in_the_document_of_a_survey():
    kept = stored.read()
    names = ("every-kind", "counted", "picked")
    documents = [kept[f"{LANGUAGES[0]}/documents/{name}.txt"] for name in names]
    assert set(re.findall(r'"form": "(\w+)"', "".join(documents))) >= set(kinds())


def test_every_kind_of_report_has_a_page():
    pages = re.findall(r"/analytics/report\.\d+-(\w+)\.txt", "\n".join(stored.read()))
    others = (
        registry.TABLE_RELEASE,
        registry.PRIVATE_TREE,
        registry.SCHEDULE,
        registry.LOCKED,
    )
    known = {*registry.KINDS, *ANSWER_KINDS, *(kind.name for kind in others)}
    assert set(pages) == known
