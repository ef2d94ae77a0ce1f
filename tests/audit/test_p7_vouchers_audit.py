"""P7 with vouchers, against who has the database and every key of the server, but no clock.

A thousand invited people exchange their codes and send at once, one after the other, so that the
order of codes is that of answers. The attacker lists both in every order in which the database can
list them, opens what is sealed, and takes the n-th answer for that of the n-th code.
"""

import math
from itertools import product

import pytest
from django.db import connection

from surveys.collecting.keys import opening_keys
from surveys.collecting.records import open_row
from surveys.collecting.services import receive
from surveys.fieldwork.invitations import issue
from surveys.models import Sealed, Survey, Waiting
from surveys.models.queries import questionnaire_of
from surveys.operations.retention import keep_dates
from surveys.questionnaire import tokens
from tests.factories import add_serial_number, after_the_close, launched, make_survey
from tests.promises.test_p7_openings import as_uuid
from tests.vouching import usual_fields, vouched_body

pytestmark = [pytest.mark.audit, pytest.mark.django_db(transaction=True)]
PEOPLE, K, WIDTH = 1000, 20, 5
PHYSICAL = {"sqlite": "rowid", "postgresql": "ctid"}
# In which transaction a row was written, and its place among those of the same one.
WRITTEN = {"sqlite": "rowid", "postgresql": "xmin::text::bigint, ctid"}
# Of a thousand guesses by chance one is right in the mean, and 1/n + 5 sigma are 6. Of the number
# of right ones, 7 or more come once in 12,000 times (Poisson); 10 or more once in nine million, and
# eight pairs of orders are tried.
MOST_RIGHT = 9
Order = list[int]


@pytest.fixture
def survey(owner) -> Survey:
    draft = make_survey(owner, invitation_only=True, **{**usual_fields(), "batch_size": K})
    add_serial_number(draft, width=WIDTH)
    return launched(draft)


def test_nothing_kept_links_more_codes_to_answers_than_chance(survey, capsys):
    codes = issue(survey=survey, number=PEOPLE, by=survey.owner)
    for place, code in enumerate(codes):
        receive(survey_id=survey.pk, body=vouched_body(survey, code, [f"{place:0{WIDTH}d}"]))
    assert not Waiting.objects.exists()
    of_codes = orders_of_codes({tokens.digest(code): n for n, code in enumerate(codes)})
    while_open = right(of_codes, {"as stored": sealed_rows(survey)})
    keep_dates(now=after_the_close(survey))
    after = right(of_codes, orders_of_rows())
    with capsys.disabled():
        print(f"\n{connection.vendor}, right of {PEOPLE}: open {while_open}, after {after}")
    # Rows that are sealed stand in batches, and in no order inside them.
    assert max(while_open.values()) <= PEOPLE * (1 / K + 5 / math.sqrt(PEOPLE * K))
    assert max(after.values()) <= MOST_RIGHT


def orders_of_codes(person: dict[str, int]) -> dict[str, Order]:
    """Whose the used codes are; at the close they go, so that this is of a copy from before."""
    columns = {"digest": "digest", "request": "request", "as stored": PHYSICAL[connection.vendor]}
    columns["as written"] = WRITTEN[connection.vendor]
    return {
        name: [
            person[digest]
            for digest in listed("SELECT digest FROM surveys_invitation WHERE redeemed", column)
        ]
        for name, column in columns.items()
    }


def orders_of_rows() -> dict[str, Order]:
    """Who gave the answers, in the orders of the table that everybody reads."""
    columns = {"as stored": PHYSICAL[connection.vendor], "as written": WRITTEN[connection.vendor]}
    return {
        name: [int(row[:WIDTH]) for row in listed("SELECT answers FROM surveys_response", column)]
        for name, column in columns.items()
    }


def sealed_rows(survey: Survey) -> Order:
    """Who gave the answers that are sealed, by the opening key, as the database lists them."""
    private = opening_keys.read(survey.pk, questionnaire_of(survey.revision).opening.public_key)
    by_key = {one.pk: one for one in Sealed.objects.all()}
    keys = map(as_uuid, listed("SELECT id FROM surveys_sealed", WRITTEN[connection.vendor]))
    rows = [open_row(survey.revision.pk, private, by_key[key]) for key in keys]
    return [int(row.answers[:WIDTH]) for row in rows]


def listed(query: str, order: str) -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute(f"{query} ORDER BY {order}")
        return [row[0] for row in cursor.fetchall()]


def right(codes: dict[str, Order], rows: dict[str, Order]) -> dict[str, int]:
    """How many guesses are right, for each order of the ones and of the others."""
    assert all(sorted(order) == list(range(PEOPLE)) for order in (*codes.values(), *rows.values()))
    return {
        f"codes {code}, rows {row}": sum(map(int.__eq__, codes[code], rows[row]))
        for code, row in product(codes, rows)
    }
