"""Schemathesis asks each address of programs what its document allows, and what it does not.

All its checks are on. It sends what each schema takes and what none does, methods and headers that
are not there, requests without the token, and sequences of requests; it holds every answer to the
document, and to have no fault of the server.
"""

import json
import os
import secrets
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from urllib.request import urlopen
from uuid import UUID

import pytest

from surveys.models import Survey
from surveys.programs.registry import registered
from surveys.programs.routing.routes import Route
from surveys.results.taking.services import ask, write
from tests import factories, patience
from tests.conftest import ROOT, serving
from tests.stored import store_rows
from tests.surveys.programs.holding import token_of

# What it looks for is the same over any database.
pytestmark = [
    pytest.mark.audit,
    pytest.mark.django_db(transaction=True),
    pytest.mark.one_database,
]


@dataclass(frozen=True)
class Asking:
    """A token with these scopes, the resources that are asked for with it, and for how long.

    ``refused``: those that answer no one who has this token, or who has no luck with groups.
    """

    scopes: tuple[str, ...]
    seconds: int
    resources: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    is_of_drafts: bool = False

    def routes(self) -> Iterable[Route]:
        """Without resources all that the scopes open; without scopes everything."""
        for route in registered():
            is_opened = not self.scopes or route.scope in self.scopes
            if is_opened and (not self.resources or route.resource in self.resources):
                yield route


# Definitions alone are thousands of documents. Who asks for a file gives up the one that is there.
FILES, TO_ASK = ("exports", "export", "export-file"), ("export-ask", "exports", "export")
READ = tuple(
    route.resource for route in registered() if route.scope == "read" and route.verb == "GET"
)
DRAFTS = ("surveys", "survey", "checks", "definition", "definition-write", "survey-make")
ASKED = {
    "nothing": Asking((), 10),
    "read": Asking(("read",), 40, (*READ, "plan"), refused=("checks", "breakdowns")),
    "analyse": Asking(("read",), 35, ("analyse",)),
    "edit": Asking(("edit",), 30, refused=("survey-make",), is_of_drafts=True),
    "rows": Asking(("rows",), 15, FILES),
    "asking": Asking(("rows",), 15, TO_ASK, refused=("export",)),
    "drafts": Asking(("read", "edit"), 70, DRAFTS, is_of_drafts=True),
}
SETTINGS = """
request-timeout = 60
hooks = "tests.audit.current_tags"
# A token has one survey: with random keys each answer would be 404.
[parameters]
"path.survey_id" = "{survey}"
"path.key" = "{export}"
"query.question" = {{ dictionary = "questions", probability = 0.8 }}
"query.by" = {{ dictionary = "questions", probability = 0.8 }}
[dictionaries.questions]
values = ["1", "2", "6"]
[checks]
# RFC 6585 has 428 for a request without If-Match.
missing_required_header.expected-statuses = [400, 401, 403, 406, 415, 422, 428]
# The tag of what has changed meanwhile is 412, and no schema can say which tag that is.
[[operations]]
include-operation-id = "put_definition-write"
checks.positive_data_acceptance.expected-statuses = ["2xx", 401, 403, 404, 409, 412]
# Nor can it say how long a file is: a range beyond its end is 416.
[[operations]]
include-operation-id = "get_export-file"
checks.positive_data_acceptance.expected-statuses = ["2xx", 401, 403, 404, 416]
"""


@pytest.mark.parametrize("name", ASKED)
def test_every_answer_is_what_the_document_says(name, owner, tmp_path):
    asking, seed = ASKED[name], int(os.environ.get("SEED", secrets.randbits(32)))
    token, survey, export = made_for(asking, name, owner)
    settings = SETTINGS.format(survey=survey.pk, export=export)
    (tmp_path / "schemathesis.toml").write_text(settings)
    with serving(tmp_path / "log.txt", DENIABLE_API_RATE="1000000") as server:
        document = f"{server.url}/api/v1/openapi.json"
        urlopen(document, timeout=patience.SECONDS).close()  # the first request loads all pages
        print(f"schemathesis with {name}, SEED={seed}")
        done = subprocess.run(
            [
                *(sys.executable, "-m", "schemathesis.cli"),
                *("--config-file", "schemathesis.toml", "run", document),
                *("--checks", "all", "--seed", str(seed), "--max-time", str(asking.seconds)),
                *("--max-examples", "50", "--continue-on-failure", "--no-color"),
                *("--generation-database", "none"),
                *("--report", "ndjson", "--report-ndjson-path", "report.ndjson"),
                *(f"--include-operation-id={operation(route)}" for route in asking.routes()),
                *(["--header", f"Authorization: Bearer {token}"] if token else []),
            ],
            cwd=tmp_path,  # where it keeps notes
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]),
                "AUDITED_TOKEN": token,
                "AUDITED_SERVER": server.url,
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
    assert done.returncode == 0, f"SEED={seed}\n{done.stdout}"
    found = answered(tmp_path / "report.ndjson")
    print(f"{sum(map(len, found.values()))} answers")
    for route in asking.routes():
        statuses = found[route.verb, "/" + route.path.replace("<uuid:", "{").replace(">", "}")]
        is_answered = any(status < 400 for status in statuses)
        assert is_answered <= bool(token), route.resource
        assert is_answered or not token or route.resource in asking.refused, route.resource


def made_for(asking: Asking, name: str, owner) -> tuple[str, Survey, UUID]:
    """A token, the survey in its addresses, and a file of its answers."""
    survey = factories.make_open_survey(owner, batch_size=1)
    store_rows(survey.revision, ["010100000001035"] * 20)
    export = ask(survey, "csv", by=owner, later=lambda key: None)
    write(export.pk)
    draft = factories.make_survey(owner, batch_size=10)
    factories.add_one_of_each(draft)
    reached = draft if asking.is_of_drafts else survey
    if not asking.scopes:
        return "", survey, export.pk
    one = None if name == "drafts" else reached
    return token_of(owner, one, *asking.scopes), reached, export.pk


def operation(route: Route) -> str:
    """What the document calls it."""
    return f"{route.verb.lower()}_{route.resource}"


def answered(report: Path) -> dict[tuple[str, str], list[int]]:
    """The statuses of all answers, by method and path."""
    found: dict[tuple[str, str], list[int]] = {}
    for line in report.read_text().splitlines():
        recorded = json.loads(line).get("ScenarioFinished", {}).get("recorder") or {}
        for key, interaction in recorded.get("interactions", {}).items():
            case = recorded["cases"][key]["value"]
            if reply := interaction["response"]:
                statuses = found.setdefault((case["method"], case["path"]), [])
                statuses.append(reply["status_code"])
    return found
