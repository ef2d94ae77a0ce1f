"""Where a post came from is told without a cookie."""

import pytest
from django.test import RequestFactory

from surveys.web.requests import is_same_origin

HOST = "testserver"


def post(**headers: str):
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return RequestFactory().post("/", headers=named)


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec_Fetch_Site": "same-origin"},
        {"Sec_Fetch_Site": "same-origin", "Origin": f"http://{HOST}"},
        {"Origin": f"http://{HOST}"},
    ],
)
def test_our_own_pages_may_post(headers):
    assert is_same_origin(post(**headers))


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Sec_Fetch_Site": "cross-site"},
        {"Sec_Fetch_Site": "same-site"},
        {"Sec_Fetch_Site": "none"},
        {"Sec_Fetch_Site": ""},
        {"Sec_Fetch_Site": "cross-site", "Origin": f"http://{HOST}"},
        {"Origin": "null"},
        {"Origin": ""},
        {"Origin": f"https://{HOST}"},
        {"Origin": f"http://{HOST}:81"},
        {"Origin": f"http://{HOST}.example.org"},
        {"Origin": f"http://user@{HOST}"},
        {"Origin": HOST},
        {"Origin": "http://["},
    ],
)
def test_everybody_else_is_refused(headers):
    assert not is_same_origin(post(**headers))
