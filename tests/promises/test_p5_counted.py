"""P5 where answers are counted while they are locked: any answer, rule and arm sends as much."""

import pytest
from django.contrib.staticfiles.storage import staticfiles_storage

from surveys.models import Survey
from surveys.models.queries import questionnaire_of
from surveys.questionnaire.submission import body_length
from tests.bodies import body_of
from tests.browser import answering
from tests.counting import cell_in
from tests.factories import add_condition, add_question, launched, make_survey
from tests.posting import receipt_length
from tests.promises.test_p5_arms import BODIES_IN_ARMS
from tests.surveys.authoring.trustees import add_tally

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.one_database,
    pytest.mark.one_tab,
]
PATHS = 1000
YES, LONG = "01", "01"
NOT_ASKED = (6, 2)  # the last cell of each table
# Each body with what was chosen in each question, asked or not.
BODIES = (
    BODIES_IN_ARMS.replace("['00', '01', '02']", "['00', '01']")
    .replace(
        "fieldsets.forEach(answer);",
        """document.querySelectorAll('[data-counted]').forEach(answer);
        fieldsets.forEach(answer);""",
    )
    .replace(
        "return bodyOf(revision, fieldsets.map(read));",
        """const chosen = [...document.querySelectorAll('fieldset :checked')];
        const given = chosen.map(({ value }) => value);
        return bodyOf(revision, fieldsets.map(read)).then((body) => [given, body]);""",
    )
)


@pytest.fixture
def survey(owner) -> Survey:
    """Two questions that a rule asks, in one table, and one that an arm asks, in another."""
    draft = make_survey(
        owner, arms="Short: 1\nLong: 1", opening="close", close_on="2099-01-01", batch_size=20
    )
    direct = {"design": "direct", "required": True}
    car = add_question(draft, text="Do you own a car?", **direct)
    drunk = add_question(draft, text="Have you driven drunk?", counted_table=1, **direct)
    often = add_question(draft, *"abc", text="How often?", kind="scale", counted_table=1, **direct)
    add_question(draft, text="Have you stolen?", arms="Long", counted_table=2, **direct)
    for question in (drunk, often):
        add_condition(question, car)
    add_tally(draft, sigma="8", tables=2)
    return launched(draft)


def cells_of(given: list[str], arm: str) -> tuple[int, int]:
    """Where people with these answers are counted."""
    car, drunk, often, stolen = given
    together = int(drunk) * 3 + int(often)
    first = together if car == YES else NOT_ASKED[0]
    return first, int(stolen) if arm == LONG else NOT_ASKED[1]


@pytest.mark.audit
def test_random_ways_have_one_length_and_each_is_counted_where_it_belongs(
    page, server, survey, client
):
    answering.open_start(page, server, survey)
    module = staticfiles_storage.url("surveys/collecting/send.js")
    sent = page.evaluate(BODIES, [module, PATHS])
    assert len(sent) == PATHS
    ways: dict[tuple[int, int], str] = {}
    for given, body in sent:
        fields = dict(pair.split("=") for pair in body.split("&"))
        assert list(fields) == ["revision", "key", "path", "arm", "q001", "t01", "t02"]
        cells = cells_of(given, fields["arm"])
        assert (cell_in(survey, body, 1), cell_in(survey, body, 2)) == cells
        ways[cells] = body
    assert len(ways) == 7 * 3
    assert {len(body) for _, body in sent} == {body_length(questionnaire_of(survey.revision))}
    assert len({receipt_length(client, survey, body.encode()) for body in ways.values()}) == 1


@pytest.mark.usefixtures("_static_files")
def test_what_is_stored_and_replied_is_as_long_for_every_cell_on_each_path(client, survey):
    for own_coin in (False, True):
        bodies = [
            body_of(survey.revision, arm=arm, own_coin=own_coin, cells=cells)
            for arm, cells in (("00", (0, 2)), ("01", (6, 1)), ("01", (3, 0)))
        ]
        assert len({receipt_length(client, survey, body) for body in bodies}) == 1
    stored = survey.revision.waiting.values_list("ciphertext", flat=True)
    assert (len(stored), len(set(map(len, stored)))) == (6, 1)
