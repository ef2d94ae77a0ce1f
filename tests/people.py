"""A member of staff with a browser that runs no script, over real HTTP."""

import http.client
import re
from dataclasses import dataclass
from html.parser import HTMLParser
from urllib.parse import urlencode

from tests import patience

NO_FIELDS = ("submit", "button", "reset", "file", "image")


@dataclass
class Reply:
    status: int
    location: str
    text: str


class Forms(HTMLParser):
    """The forms of a page, each with what a browser would send and the names of its buttons."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.forms: list[tuple[dict[str, str], set[str]]] = []
        self._select = self._area = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        found = dict(attributes)
        name, value = found.get("name") or "", found.get("value")
        if tag == "form":
            self.forms.append(({}, set()))
        if not self.forms or "disabled" in found:
            return
        fields, buttons = self.forms[-1]
        kind = found.get("type") or "text"
        if tag == "button" or (tag == "input" and kind in NO_FIELDS):
            buttons.add(name)
        elif tag == "input" and name:
            buttons.add(name)  # a box that is not marked may be
            if kind not in ("checkbox", "radio") or "checked" in found:
                fields[name] = value if value is not None else "on" if kind == "checkbox" else ""
        elif tag == "select":
            self._select = name
        elif tag == "option" and self._select:
            if "selected" in found or self._select not in fields:
                fields[self._select] = value or ""
        elif tag == "textarea":
            self._area, fields[name] = name, ""

    def handle_endtag(self, tag: str) -> None:
        self._select = "" if tag == "select" else self._select
        self._area = "" if tag == "textarea" else self._area

    def handle_data(self, data: str) -> None:
        if self._area:
            self.forms[-1][0][self._area] += data

    def with_names(self, names: set[str]) -> dict[str, str]:
        """What the form sends that has a token and all these names."""
        for fields, buttons in self.forms:
            if "csrfmiddlewaretoken" in fields and names <= {*fields, *buttons}:
                return fields
        raise AssertionError(f"no form has {names}: {[sorted(one) for one, _ in self.forms]}")


class Person:
    """Keeps cookies, follows nothing."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.cookies: dict[str, str] = {}

    def ask(self, path: str, fields: dict[str, str | list[str]] | None = None) -> Reply:
        """A GET, or a POST of a form's fields."""
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=patience.SECONDS)
        cookies = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        headers = {"Cookie": cookies, "Origin": f"http://127.0.0.1:{self.port}"}
        if fields is not None:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        body = None if fields is None else urlencode(fields, doseq=True)
        link.request("GET" if fields is None else "POST", path, body, headers)
        reply = link.getresponse()
        text = reply.read().decode("utf-8", "replace")
        for line in reply.headers.get_all("Set-Cookie", []):
            name, _, value = line.partition(";")[0].partition("=")
            self.cookies[name] = value
        link.close()
        return Reply(reply.status, reply.headers.get("Location", ""), text)

    def submit(self, page: str, *, to: str = "", **changes: str | list[str]) -> Reply:
        """Open a page, fill in its form and send it; names of buttons count as filled in."""
        opened = self.ask(page)
        assert opened.status == 200, (page, opened.status, opened.location)
        fields = Forms(opened.text).with_names(set(changes))
        return self.ask(to or page, {**fields, **changes})

    def log_in(self, name: str = "ada", password: str = "correct horse") -> None:
        """Anew: a session ends twelve hours after it began."""
        self.cookies = {}
        reply = self.submit("/accounts/login/", login=name, password=password)
        assert reply.status == 302, errors_in(reply.text)


def errors_in(page: str) -> list[str]:
    """What a page says is wrong."""
    found = re.findall(r'class="[^"]*error[^"]*"[^>]*>(.*?)</(?:ul|p|div|li)>', page, re.S)
    return [" ".join(re.sub("<[^>]+>", " ", one).split()) for one in found]
