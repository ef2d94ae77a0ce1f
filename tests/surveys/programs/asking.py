"""Asking as programs do: a client of tests with a token."""

import json
from dataclasses import dataclass
from typing import Any

from django.http.response import HttpResponseBase
from django.test import Client

from surveys.web.problems import PROBLEM_TYPE

BASE = "/api/v1"


@dataclass(frozen=True)
class Program:
    """A program with a token; ``get("me")`` asks below the base of all addresses."""

    token: str
    client: Client

    def get(self, path: str, **more: Any) -> HttpResponseBase:
        return self.ask("GET", path, **more)

    def ask(self, verb: str, path: str, body: bytes = b"", **headers: str) -> HttpResponseBase:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        named = {"Authorization": f"Bearer {self.token}", **named}
        kind = named.pop("Content-Type", "application/json")
        address = path if path.startswith("/") else f"{BASE}/{path}"
        return self.client.generic(verb, address, body, kind, headers=named)


def refusal(reply: Any, status: int) -> dict[str, Any]:
    """What a refusal says; it has the form of RFC 9457, a remedy, and sets no cookie."""
    assert reply.status_code == status, reply.content
    assert reply.headers["Content-Type"] == PROBLEM_TYPE
    assert not reply.cookies
    content: dict[str, Any] = json.loads(reply.content)
    assert content["status"] == status
    assert content["title"]
    assert content["remedy"]
    return content
