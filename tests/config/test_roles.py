"""``DENIABLE_ROLE``: a process answers the addresses of its role, and needs its lock alone.

``tests/audit/test_roles_audit.py`` runs each role in an environment of its own.
"""

import importlib.util
import json
import subprocess
import sys
from types import ModuleType

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.test import override_settings
from django.urls import Resolver404, get_resolver, reverse
from django.urls.resolvers import RegexPattern, URLResolver

from surveys.web.addresses import not_here
from tests.conftest import ROOT
from tests.contracts.locks import locked
from tests.contracts.test_pools import addresses

OURS = "surveys.collecting"  # where the views of respondents' pages are
SHARED = {"/health/", "/release.json"}  # which each process answers
AS_WEB = """
import json, sys
import django
django.setup()
import config.respondent_urls
from django.urls import Resolver404, get_resolver
from django.utils.translation import activate
from surveys.web.addresses import not_here
activate("de")
def is_answered(address):
    try:
        return get_resolver().resolve(address).func is not not_here
    except Resolver404:
        return False
answered = [address for address in json.loads(sys.argv[1]) if is_answered(address)]
print(json.dumps([answered, sorted({name.partition(".")[0] for name in sys.modules})]))
"""


def as_web(asked: list[str], data: str) -> tuple[list[str], list[str]]:
    """Which addresses a process for respondents answers, and what it loaded."""
    variables = {"DENIABLE_ROLE": "web", "DENIABLE_DATA_DIR": data, "DENIABLE_HTTPS": "off"}
    variables["DJANGO_SETTINGS_MODULE"] = "config.settings"
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", AS_WEB, json.dumps(asked)],
        cwd=ROOT,
        env=variables,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    answered, loaded = json.loads(done.stdout)
    return answered, loaded


def test_web_answers_respondents_and_monitors_with_the_libraries_of_its_lock(tmp_path):
    known = dict(addresses(get_resolver().url_patterns))
    answered, loaded = as_web(list(known), str(tmp_path))
    wanted = {address for address, view in known.items() if view.startswith(OURS)} | SHARED
    assert set(answered) == wanted
    assert not {name.replace("-", "_") for name in locked("service") - locked("web")} & set(loaded)


def without_respondents() -> ModuleType:
    """``config.respondent_urls`` as processes of staff and the worker read it."""
    spec = importlib.util.find_spec("config.respondent_urls")
    fresh = importlib.util.module_from_spec(spec)
    with override_settings(HAS_RESPONDENT_PAGES=False):
        spec.loader.exec_module(fresh)
    return fresh


def test_other_roles_link_to_respondents_pages_and_do_not_answer_them():
    names = without_respondents()
    resolver = URLResolver(RegexPattern(r"^/"), names)
    survey = "6e83bbe9-7512-50da-a547-31f1c16fda10"
    for name in ("start", "own-coin", "door", "how-it-works", "send"):
        address = reverse(f"respondent:{name}", args=[survey], urlconf=names)
        assert address == reverse(f"respondent:{name}", args=[survey])
        assert resolver.resolve(address).func is not_here
    for address in SHARED:
        assert resolver.resolve(address).func is not not_here
    with pytest.raises(Resolver404):
        resolver.resolve("/surveys/")


@override_settings(ROLE="worker")
def test_a_worker_refuses_to_serve_and_says_what_to_start(monkeypatch):
    monkeypatch.delitem(sys.modules, "config.wsgi", raising=False)
    with pytest.raises(ImproperlyConfigured, match=r"manage\.py db_worker"):
        importlib.import_module("config.wsgi")
