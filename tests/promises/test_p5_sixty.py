"""P5 over sixty questions of every kind, in three arms, hidden in every way, in three languages."""

from collections import Counter

import pytest
from django.contrib.staticfiles.storage import staticfiles_storage
from django.utils.translation import override

from surveys.kinds.text.promise import TextQuestion
from surveys.models import Response, Sealed, Survey
from surveys.models.queries import questionnaire_of
from surveys.questionnaire.submission import Submission, body_length, parse
from tests.browser import answering
from tests.posting import post
from tests.promises.test_p5_arms import BODIES_IN_ARMS
from tests.sixty import ARM_CODES, COUNT, make_sealed_sixty, make_sixty, random_bodies
from tests.surveys.authoring.text_keys import new_key

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.one_database,
    pytest.mark.one_tab,
]
LANGUAGES = ("en", "de", "ar")
KEYS = (new_key("Registry"), new_key("Institute"))
MANY = pytest.param(1000, 1000, marks=pytest.mark.audit)
# As BODIES_IN_ARMS, with the follow-ups of families, whose answers stay in the page; with at most
# one tick where few are allowed, and a word in every text.
BODIES = BODIES_IN_ARMS.replace(
    "fieldsets.forEach(answer);",
    """document.querySelectorAll('fieldset[data-unsent]').forEach(answer);
        fieldsets.forEach(answer);
        for (const area of document.querySelectorAll('textarea'))
            if (!/\\w/.test(area.value)) area.value = 'x';""",
).replace(
    "for (const group of groups.values()) pick(group).checked = true;",
    """// A number that is not typed is always declined: the page lets none by without either.
            const declines = ([first]) =>
                !number && 'declined' in first.dataset && Math.random() < 0.8;
            const boxes = [...groups.values()].filter((group) => !declines(group));
            const few = fieldset.dataset.most ? [pick(boxes), pick(boxes)] : boxes;
            for (const group of few) pick(group).checked = true;""",
)


def all_parsed(survey: Survey, bodies: list[bytes]) -> list[Submission]:
    """What the server reads of each; it refuses none."""
    questionnaire, revision = questionnaire_of(survey.revision), str(survey.revision.pk)
    return [parse(body, questionnaire=questionnaire, revision=revision) for body in bodies]


def require_all_ways(survey: Survey, sent: list[Submission]) -> None:
    """All arms are among them, and each question is asked of some; of some not, where it may be."""
    questionnaire = questionnaire_of(survey.revision)
    assert {one.codes[-1] for one in sent} == set(ARM_CODES)
    asked = Counter(
        (number, is_asked)
        for one in sent
        for number, is_asked in enumerate(questionnaire.routes.asked_of(one.codes))
    )
    for number, rule in enumerate(questionnaire.routes.open_rules):
        assert asked[number, True]
        assert bool(asked[number, False]) == (rule is not None)


@pytest.mark.parametrize(
    ("language", "paths"),
    [
        ("en", 100),  # a question is asked of one in six: of none of these once in 10^8 runs
        *(pytest.param(language, 1000, marks=pytest.mark.audit) for language in LANGUAGES),
    ],
)
def test_random_ways_through_the_page_have_one_length(page, server, owner, language, paths):
    survey = make_sixty(owner, "de", "ar", quotes=language == "de")
    assert len(questionnaire_of(survey.revision).items) == COUNT
    require_random_ways(page, server, survey, language, paths)


@pytest.mark.audit
def test_random_ways_have_one_length_where_the_page_seals_texts(page, server, owner):
    survey = make_sealed_sixty(owner, keys=KEYS)
    require_random_ways(page, server, survey, "en", 250)


def require_random_ways(page, server, survey: Survey, language: str, paths: int) -> None:
    with override(language):
        page.goto(answering.address(server, survey))
    page.locator("[data-step=start] [data-act=next]").last.wait_for()
    bodies = page.evaluate(BODIES, [staticfiles_storage.url("surveys/collecting/send.js"), paths])
    assert {len(body.encode()) for body in bodies} == {
        body_length(questionnaire_of(survey.revision))
    }
    require_all_ways(survey, all_parsed(survey, [body.encode() for body in bodies]))


def receipt_of(survey: Survey, body: bytes, language: str) -> bytes:
    with override(language):
        reply = post(survey, body)
    assert reply.status_code == 200, reply.content.decode()
    return reply.content


def typed_length(survey: Survey, one: Submission) -> int:
    """Of texts, which are as long by hand as they were typed; the page says so."""
    texts = zip(questionnaire_of(survey.revision).items, one.codes[:-1], strict=True)
    return sum(len(code) for item, code in texts if isinstance(item, TextQuestion))


@pytest.mark.usefixtures("_static_files")
@pytest.mark.parametrize(("paths", "posted"), [(40, 18), MANY])
def test_each_path_has_one_length_of_bodies_and_of_receipts(owner, paths, posted):
    """Two receipts of each arm in each language, or more."""
    survey = make_sixty(owner, "de", "ar")
    for own_coin in (False, True):
        require_one_length(survey, paths, posted, own_coin=own_coin)
    rows = set(Response.objects.values_list("answers", flat=True))
    assert (len(rows), len(set(map(len, rows)))) == (2 * posted, 1)


@pytest.mark.audit
@pytest.mark.usefixtures("_static_files")
def test_each_path_has_one_length_where_texts_are_sealed(owner):
    """What is sealed has the length of its question; by one's own coin nothing is written."""
    survey = make_sealed_sixty(owner, "de", "ar", keys=KEYS)
    for own_coin in (False, True):
        require_one_length(survey, 1000, 300, own_coin=own_coin)
    stored = Sealed.objects.filter(kind="row").values_list("content", flat=True)
    assert (len(stored), len(set(map(len, stored)))) == (600, 1)


def require_one_length(survey: Survey, paths: int, posted: int, *, own_coin: bool) -> None:
    bodies = random_bodies(survey, paths, own_coin=own_coin)
    sent = all_parsed(survey, bodies)
    require_all_ways(survey, sent)
    typed = [typed_length(survey, one) if own_coin else 0 for one in sent]
    lengths = {len(body) - more for body, more in zip(bodies, typed, strict=True)}
    assert len(lengths) == 1
    assert own_coin or lengths == {body_length(questionnaire_of(survey.revision))}
    languages = [LANGUAGES[number // len(ARM_CODES) % 3] for number in range(posted)]
    pairs = zip(bodies[:posted], languages, strict=True)
    receipts = [receipt_of(survey, body, language) for body, language in pairs]
    assert len({len(one) - more for one, more in zip(receipts, typed[:posted], strict=True)}) == 1
