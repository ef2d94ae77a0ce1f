"""P1: no third party, no phone-home."""

import psutil
import pytest

from tests.factories import make_open_survey, make_survey, make_user
from tests.tour import visit_everything

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def staff(transactional_db):
    return make_user("root", superuser=True)


def test_no_page_asks_another_origin_for_anything(page, server, staff):
    survey = make_open_survey(staff)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    visited = list(visit_everything(page, server, survey, staff.username))
    assert len(asked) > len(visited) > 15
    assert [url for url in asked if not url.startswith(server.url + "/")] == []


def test_the_server_opens_no_socket_but_to_its_database(page, server, staff):
    survey = make_survey(staff)
    opened: set[tuple[str, int]] = set()
    for _ in visit_everything(page, server, make_open_survey(staff, title=survey.title), "root"):
        opened |= _opened_by(server.process.pid, int(server.url.rpartition(":")[2]))
    assert opened == set()


def _opened_by(pid: int, own_port: int) -> set[tuple[str, int]]:
    """Remote ends of connections that the server or its workers made themselves."""
    parent = psutil.Process(pid)
    connections = [
        connection
        for process in (parent, *parent.children(recursive=True))
        for connection in process.net_connections("inet")
    ]
    return {
        (connection.raddr.ip, connection.raddr.port)
        for connection in connections
        if connection.raddr and connection.laddr.port != own_port
    }
