"""What stays the same until something happens: a draft that is put back, answers that wait."""

import pytest
from django.urls import reverse

from surveys.operations.retention import keep_dates
from tests import factories
from tests.surveys.collecting.test_openings import answer, at, every
from tests.surveys.programs.asking import Program
from tests.surveys.programs.holding import token_of
from tests.surveys.programs.test_drafts import put


def preview(client, draft) -> str:
    client.force_login(draft.owner)
    address = reverse("admin:surveys_survey_preview", args=[draft.pk])
    page: str = client.get(address).content.decode()
    return page


@pytest.mark.django_db
def test_a_definition_that_is_changed_and_put_back_opens_the_same_preview(client, owner):
    draft = factories.make_survey(owner, batch_size=10)
    factories.add_one_of_each(draft)
    factories.add_text(draft)
    program, before = Program(token_of(owner, draft, "edit"), client), preview(client, draft)
    read = program.get(f"surveys/{draft.pk}/definition")
    changed = read.json() | {"title": {"en": "Another title"}}
    changed["sections"][0]["questions"].pop()
    tag = put(program, draft, changed, read.headers["ETag"]).headers["ETag"]
    assert preview(client, draft) != before
    assert put(program, draft, read.content, tag).status_code == 200
    assert preview(client, draft) == before


@pytest.mark.django_db(transaction=True)
@pytest.mark.one_database
def test_between_openings_nothing_is_read_twice_and_each_opening_is_news(client, owner):
    survey = every(owner)
    program, tags = Program(token_of(owner, survey, "read"), client), {}

    def statuses() -> list[int]:
        """What each address answers a program that has what it read last."""
        found = []
        for name in ("estimates", "codebook", "openings"):
            headers = {"If_None_Match": tags[name]} if name in tags else {}
            reply = program.get(f"surveys/{survey.pk}/{name}", **headers)
            tags[name] = reply.headers["ETag"]
            found.append(reply.status_code)
        return found

    assert statuses() == [200] * 3
    for _ in range(3):
        answer(survey, 4)
        assert statuses() == [304] * 3
    keep_dates(now=at(survey, 7))
    assert statuses() == [200] * 3
    answer(survey, 12, first=12)
    assert statuses() == [304] * 3
