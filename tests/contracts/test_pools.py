"""The proxies of ``deploy/`` give each address to its pool: respondents' pages, or staff's.

The addresses come from the site itself, so that a new one is not forgotten.
"""

import configparser
import re
from collections.abc import Callable, Iterator

import pytest
from django.urls import URLPattern, URLResolver, get_resolver
from django.urls.resolvers import LocalePrefixPattern, RegexPattern, RoutePattern

from benchmarks import crowded
from tests.conftest import ROOT

DEPLOY = ROOT / "deploy"
RESPONDENTS, STAFF = 8000, 8001
SAMPLES = {
    "uuid": "6e83bbe9-7512-50da-a547-31f1c16fda10",
    "int": "7",
    "path": "a/file.html",
    "str": "text",
    "slug": "text",
}
# Neither pool's alone: what each page loads, and what tells an operator that answers are taken.
SHARED = ["/static/surveys/site.0123456789ab.css", "/health/"]


def addresses(
    patterns: list[URLPattern | URLResolver], start: str = "/"
) -> Iterator[tuple[str, str]]:
    """An address of each page of the site, and the module that answers it."""
    for pattern in patterns:
        here = start + sample(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from addresses(pattern.url_patterns, here)
        else:
            yield here, getattr(pattern.callback, "__module__", "")


def sample(pattern: RoutePattern | RegexPattern | LocalePrefixPattern) -> str:
    """An address that it matches."""
    if isinstance(pattern, LocalePrefixPattern):
        return "de/"
    if isinstance(pattern, RoutePattern):
        kinds = re.compile(r"<(?:(\w+):)?\w+>")
        return kinds.sub(lambda found: SAMPLES.get(found[1] or "str", "text"), str(pattern))
    said = str(pattern).strip("^$")
    named = re.sub(r"\(\?P<\w+>[^()]*(\([^()]*\))?[^()]*\)", "a-short-name", said)
    return re.sub(r"\)\$?|[?^$\\]|\(\?:", "", named)


def by_nginx() -> Callable[[str], int]:
    """The port that the example of nginx passes a path to."""
    text = (DEPLOY / "nginx.conf").read_text()
    ports = dict(re.findall(r"upstream (\S+) \{\s*server 127.0.0.1:(\d+);", text))
    ((chosen, pool),) = re.findall(r"location ~ (\S+) \{\s*proxy_pass http://(\S+);", text)
    (rest,) = re.findall(r"location / \{\s*proxy_pass http://(\S+);", text)
    return lambda path: int(ports[pool if re.search(chosen, path) else rest])


def by_caddy() -> Callable[[str], int]:
    """The same of Caddy."""
    text = (DEPLOY / "Caddyfile").read_text()
    ((name, chosen),) = re.findall(r"(@\w+) path_regexp (\S+)", text)
    (port,) = re.findall(rf"reverse_proxy {name} 127.0.0.1:(\d+)", text)
    (rest,) = re.findall(r"reverse_proxy 127.0.0.1:(\d+)", text)
    return lambda path: int(port if re.search(chosen, path) else rest)


@pytest.mark.parametrize("proxy", [by_nginx, by_caddy])
def test_each_address_of_the_site_goes_to_its_pool(proxy):
    port_of, counted = proxy(), {RESPONDENTS: 0, STAFF: 0}
    for address, module in addresses(get_resolver().url_patterns):
        if address in SHARED:
            continue
        wanted = RESPONDENTS if module.startswith("surveys.collecting") else STAFF
        assert port_of(address) == wanted, (address, module)
        counted[wanted] += 1
    assert counted[RESPONDENTS] >= 6
    assert counted[STAFF] > 100


@pytest.mark.parametrize("proxy", [by_nginx, by_caddy])
def test_what_all_pages_load_does_not_wait_for_staff(proxy):
    assert {proxy()(address) for address in SHARED} == {RESPONDENTS}


def test_the_services_listen_where_the_proxies_send():
    bound = {}
    for name in ("web", "staff"):
        unit = configparser.ConfigParser(interpolation=None, strict=False)
        unit.optionxform = str  # type: ignore[method-assign,assignment]
        unit.read(DEPLOY / "systemd" / f"deniable-{name}.service")
        bound[name] = unit["Service"]
    assert f"--bind 127.0.0.1:{STAFF} " in bound["staff"]["ExecStart"]
    assert "--bind" not in bound["web"]["ExecStart"]  # config/server.py says 8000
    assert int(bound["staff"]["CPUWeight"]) < 100  # of deniable-web, by default


def test_staff_have_one_process_as_benchmarks_crowded_measures():
    unit = (DEPLOY / "systemd" / "deniable-staff.service").read_text()
    container = (DEPLOY / "container.sh").read_text().partition("\nstaff)")[2].partition(";;")[0]
    for text in (unit, container):
        assert re.findall(r"--workers (\d+)", text) == [str(crowded.STAFF_WORKERS)] == ["1"]
