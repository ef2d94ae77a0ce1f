"""Copies of what follows something that is sent, and of what is stored: receipts, documents."""

import json
from collections.abc import Iterator

from django.test import Client
from django.urls import reverse

from surveys.models import Survey
from surveys.results.taking import services
from surveys.results.taking.formats import FORMATS
from tests.bodies import body_of
from tests.golden.pages import copy_of
from tests.golden.stillness import Stillness
from tests.golden.surveys import Surveys

OWN = {"Sec-Fetch-Site": "same-origin"}
FORM = "application/x-www-form-urlencoded"


def copies(still: Stillness, surveys: Surveys, language: str) -> Iterator[tuple[str, str]]:
    """(file, text) of receipts on both paths, launched documents, exports."""
    for name, survey in surveys.all.items():
        if name == "draft":
            continue
        document = json.dumps(survey.revision.document).encode()
        yield f"documents/{name}.txt", copy_of("", document, "application/json")
        if survey.arms:
            continue
        for own_coin in (False, True):
            still.begin(f"receipt {name} {own_coin}")
            path = "own-coin" if own_coin else "browser"
            yield (
                f"respondent/send.{name}-{path}.txt",
                _receipt(survey, language, own_coin=own_coin),
            )
    still.begin("door")
    yield "respondent/door.wrong-code.txt", _knock(surveys.site.mailing.survey, language)
    for kind in FORMATS:
        still.begin(f"export {kind}")
        yield f"surveys/export.{kind}.txt", _export(surveys, kind)


def _receipt(survey: Survey, language: str, *, own_coin: bool) -> str:
    return _post("send", survey, language, body_of(survey.revision, own_coin=own_coin))


def _knock(survey: Survey, language: str) -> str:
    return _post("door", survey, language, b"path=owncoin&invitation=2222-2222-2222-2222")


def _post(name: str, survey: Survey, language: str, body: bytes) -> str:
    address = f"/{language}" + reverse(f"respondent:{name}", args=[survey.pk]).removeprefix("/en")
    reply = Client(headers=OWN).post(address, body, content_type=FORM)
    return f"{reply.status_code}\n" + copy_of("", reply.getvalue(), reply["Content-Type"])


def _export(surveys: Surveys, kind: str) -> str:
    survey, root = surveys.all["every-kind"], surveys.site.root
    export = services.ask(survey, kind, by=root, later=lambda key: None)
    services.write(export.pk)
    client = Client()
    client.force_login(root)
    reply = client.get(reverse("surveys:export", args=[survey.pk, export.pk]))
    return copy_of("surveys:export", reply.getvalue(), reply["Content-Type"])
