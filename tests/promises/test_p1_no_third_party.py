"""P1: no third party, no phone-home."""

import pytest
from django.db import connection

from surveys.web.drawing.pictures import svg
from tests.factories import make_open_survey, make_user
from tests.tour import visit_everything

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def staff(transactional_db):
    return make_user("root", superuser=True)


def test_neither_a_page_nor_the_server_asks_anybody_else_for_anything(page, server, staff):
    survey = make_open_survey(staff)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    visited = list(visit_everything(page, server, survey, staff.username))
    page.wait_for_load_state("networkidle")
    assert len(asked) > len(visited) > 15
    assert [url for url in asked if not url.startswith(server.url + "/")] == []
    assert opened_by(server.printed()) == []


def opened_by(log: str) -> list[str]:
    """Connections that the server's own code opened, its database's apart."""
    lines = [line for line in log.splitlines() if line.startswith("OPENED")]
    host = connection.settings_dict["HOST"]
    return [line for line in lines if not host or host not in line]


def test_the_charts_are_drawn_without_leave_to_fetch_anything():
    outside = {"data": {"url": "http://127.0.0.1:9/data.csv"}, "mark": "point"}
    with pytest.raises(ValueError, match="not allowed"):
        svg(outside)
