"""P5: every submission of a revision has the same shape, whatever was answered."""

import itertools
from urllib.parse import quote_plus

import pytest
from django.contrib.staticfiles.storage import staticfiles_storage
from playwright.sync_api import Request

from surveys.authoring.services import launch
from surveys.kinds.number.promise import NumberQuestion
from surveys.kinds.rating.promise import RatingQuestion
from surveys.models import Question, Response, Survey
from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.kinds.question import Question as PromisedQuestion
from surveys.questionnaire.submission import body_length, parse
from surveys.questionnaire.tokens import new_token
from tests import accessible
from tests.bodies import a_code, body_of, rating_code
from tests.browser import answering
from tests.conftest import ROOT
from tests.factories import (
    add_picked,
    add_question,
    add_serial_number,
    add_text,
    invite,
    launched,
    make_adaptive_survey,
    make_invited_survey,
    make_lists,
    make_open_survey,
    make_other_survey,
    make_picked,
    make_rating_survey,
    make_survey,
)
from tests.posting import receipt_length

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.one_database,
    pytest.mark.one_tab,
]
PATHS = 1000 if accessible.THOROUGH else 250
# Answers the inputs of the page at random, as a person could, and lets the page write the body.
RANDOM_BODIES = """async ([url, paths]) => {
    const { bodyOf, read } = await import(url);
    const pick = (list) => list[Math.floor(Math.random() * list.length)];
    const letters = ['a', '"', '&', 'é', '🙂', '\\n', ' ', '%', '<'];
    const write = (area) => {
        const length = Math.floor(Math.random() * (Number(area.dataset.longest) + 1));
        area.value = Array.from({ length }, () => pick(letters)).join('');
    };
    const answer = (fieldset) => {
        const area = fieldset.querySelector('textarea');
        if (area) return write(area);
        const lists = [...fieldset.querySelectorAll('select')];
        if (lists.length > 1) { // an order: each place once
            const first = Math.floor(Math.random() * lists.length);
            const place = (one) => (first + one) % lists.length + 1;
            return lists.forEach((one, number) => { one.selectedIndex = place(number); });
        }
        const [list] = lists;
        if (list) return list.value = pick([...list.options].filter(({ value }) => value)).value;
        const day = fieldset.querySelector('[type=date]');
        if (day) return day.value = pick([day.min, day.max]);
        const number = fieldset.querySelector('[data-width]');
        const options = [...fieldset.querySelectorAll('[type=radio], [type=checkbox]')];
        for (const option of options) option.checked = false;
        if (number && (options.length === 0 || Math.random() < 0.8)) {
            const { minimum, maximum, places } = number.dataset;
            const scale = 10 ** Number(places);
            const [low, high] = [minimum, maximum].map((bound) => Math.round(bound * scale));
            const step = Math.floor(Math.random() * (high - low + 1));
            const edge = pick([low, high, 0, low + step, low + step]);
            number.value = String(Math.min(Math.max(edge, low), high) / scale);
        } else {
            const groups = Map.groupBy(options, (option) => option.name);
            for (const group of groups.values()) pick(group).checked = true;
        }
    };
    const fieldsets = [...document.querySelectorAll('fieldset[data-name]')];
    const { revision } = document.querySelector('main').dataset;
    const bodies = Array.from({ length: paths }, () => {
        fieldsets.forEach(answer);
        return bodyOf(revision, fieldsets.map(read));
    });
    return Promise.all(bodies);
}"""


def make_numbers(owner) -> Survey:
    """Numbers of every sort: negative, with decimals, wide and narrow."""
    draft = make_survey(owner)
    for low, high, places in (
        ("-5", "5", 0),
        ("-273.15", "1000", 2),
        ("0", "1", 0),
        ("-9", "-2", 0),
        ("0.0001", "9", 4),
        ("-0.5", "0.5", 1),
        ("0", "99999999999", 0),
    ):
        add_question(
            draft,
            text=f"From {low} to {high}",
            kind=Question.Kind.NUMBER,
            design=Question.Design.DIRECT,
            minimum=low,
            maximum=high,
            decimal_places=places,
            required=places == 2,
        )
    add_question(draft)
    draft.refresh_from_db()
    launch(survey=draft, by=owner)
    return Survey.objects.get(pk=draft.pk)


def make_list_and_question(owner) -> Survey:
    """A long list that is asked directly; no rule reads it, as all are answered by chance."""
    draft = make_survey(owner)
    add_picked(draft)
    add_question(draft)
    return launched(draft)


@pytest.mark.parametrize(
    "make",
    [
        make_open_survey,
        make_numbers,
        make_invited_survey,
        make_adaptive_survey,
        make_lists,
        make_list_and_question,
        # Their kinds are among the sixty of test_p5_sixty.py.
        pytest.param(make_other_survey, marks=pytest.mark.audit),
        pytest.param(make_rating_survey, marks=pytest.mark.audit),
    ],
)
def test_random_ways_have_one_length_and_are_all_accepted(page, server, owner, make):
    survey = make(owner)
    questionnaire = Questionnaire.from_document(survey.revision.document)
    code = f"#{new_token(questionnaire.code_length)}" if questionnaire.invitation_only else ""
    page.goto(answering.address(server, survey) + code)
    page.get_by_role("button", name="Start", exact=True).last.wait_for()
    module = staticfiles_storage.url("surveys/collecting/send.js")
    bodies = page.evaluate(RANDOM_BODIES, [module, PATHS])
    assert {len(body.encode()) for body in bodies} == {body_length(questionnaire)}
    rows = {
        parse(body.encode(), questionnaire=questionnaire, revision=str(survey.revision.pk)).codes
        for body in bodies
    }
    assert len(rows) > PATHS / 10


def test_both_paths_post_the_same_fields_and_length_and_store_one_length(page, server, survey):
    asked: list[Request] = []
    page.on("request", lambda request: asked.append(request))
    no = "Prefer not to say"
    for answers in (answering.ANSWERS, ("Yes", no, no, "No", "Car", "No", no)):
        answering.answer_whole_survey(page, server, survey, answers)
    for choices in (
        answering.OWN_COIN,
        {**answering.OWN_COIN, "How old are you?": "---", "Have you taken drugs at work?": "Yes"},
    ):
        page.goto(answering.address(server, survey, "own-coin"))
        answering.fill_own_coin(page, choices)
        page.get_by_role("button", name="Send").click()
        page.wait_for_url("**/send/")
    sent = [_shape(request) for request in asked if request.method == "POST"]
    assert len(sent) == Response.objects.count() == 4
    assert all(one == sent[0] for one in sent)
    rows = {len(answers) for answers in Response.objects.values_list("answers", flat=True)}
    items = Questionnaire.from_document(survey.revision.document).items
    assert rows == {sum(item.width for item in items)}


def _shape(request: Request) -> tuple[str, list[str]]:
    """Length and field names of a post."""
    names = [field.partition("=")[0] for field in (request.post_data or "").split("&")]
    return request.all_headers()["content-length"], names


@pytest.mark.usefixtures("_static_files")
@pytest.mark.parametrize("own_coin", [False, True])
@pytest.mark.parametrize("make", [make_open_survey, make_other_survey, make_rating_survey])
@pytest.mark.parametrize("one_in", [5, pytest.param(1, marks=pytest.mark.audit)])
def test_every_receipt_has_one_length_whatever_it_says(client, owner, own_coin, make, one_in):
    survey = make(owner)
    items = Questionnaire.from_document(survey.revision.document).items
    alphabets = [_alphabet(item, own_coin=own_coin) for item in items]
    lengths, sent = set(), set()
    every = list(itertools.product(*alphabets))
    every = every[:: 7 if len(every) > 200 else 1]
    # Odd steps, so that every question takes each of its answers.
    for codes in every[:: one_in if len(every) > 30 else 1]:
        body = body_of(survey.revision, list(codes), own_coin=own_coin)
        lengths.add(receipt_length(client, survey, body))
        sent.add(codes)
    assert (len(lengths), len(sent) >= 16) == (1, True)
    assert list(map(set, zip(*sent, strict=True))) == list(map(set, alphabets))


@pytest.mark.usefixtures("_static_files")
def test_receipts_of_texts_have_one_length_too(client, owner):
    survey = make_invited_survey(owner)
    words = Questionnaire.from_document(survey.revision.document).items[1]
    texts = ["", "a", '"' * 100, "🙂" * 100, "a\nb", "<>&'" * 25]
    lengths = set()
    for text, token in zip(texts, invite(survey, len(texts)), strict=True):
        body = body_of(survey.revision, ["01", words.encode(text)], invitation=token)
        lengths.add(receipt_length(client, survey, body))
    assert len(lengths) == 1
    assert Response.objects.count() == len(texts)


@pytest.mark.usefixtures("_static_files")
def test_receipts_of_long_lists_have_one_length_whatever_is_marked(client, owner):
    survey = make_lists(owner)
    subset, each = Questionnaire.from_document(survey.revision.document).items
    lengths = set()
    for code in ("00000000", "ffffff7f", "01000000", "00000040"):
        for first in (0, 77, 199):
            assert each.read([code], own_coin=False) == code
            body = body_of(survey.revision, [a_code(subset.marks, first), code])
            lengths.add(receipt_length(client, survey, body))
    assert len(lengths) == 1


@pytest.mark.usefixtures("_static_files")
@pytest.mark.parametrize("own_coin", [False, True])
def test_receipts_of_lists_that_are_asked_directly_have_one_length_too(client, owner, own_coin):
    survey = make_picked(owner)
    place, _ = Questionnaire.from_document(survey.revision.document).items
    widths = {code: len(place.label(code)) for code in ("000", "003", "150", "200")}
    assert len(set(widths.values())) > 2
    answers = [[code, "00" if code == "000" else "--"] for code in widths]
    bodies = [body_of(survey.revision, each, own_coin=own_coin) for each in answers]
    assert len({receipt_length(client, survey, body) for body in bodies}) == 1


@pytest.mark.usefixtures("_static_files")
@pytest.mark.parametrize("own_coin", [False, True])
def test_answers_beside_a_number_and_their_receipts_have_one_length_too(client, owner, own_coin):
    draft = make_survey(owner)
    add_serial_number(draft, width=3)
    special = "[1000] I do not know how many\n[-1] =\n[99999] لا أعرف"
    draft.questions.update(special=special, required=False)
    survey = launched(draft)
    (item,) = Questionnaire.from_document(survey.revision.document).items
    by_script = ["007", "999", item.number.declined, *item.number.special_by_sent]
    by_hand = ["00007", "00999", "-----", "01000", "   -1", "99999"]
    bodies = [
        body_of(survey.revision, [quote_plus(code)], own_coin=own_coin)
        for code in (by_hand if own_coin else by_script)
    ]
    assert len(set(map(len, bodies))) == 1 or own_coin
    assert len({receipt_length(client, survey, body) - len(body) for body in bodies}) == 1


def _alphabet(item: PromisedQuestion, *, own_coin: bool) -> list[str]:
    if own_coin and not item.is_offered_with_own_coin:
        return [item.not_asked]
    if isinstance(item, RatingQuestion):
        last, levels = item.items.size, len(item.levels)
        given = [{**dict.fromkeys(range(1, item.slots), y), last: y} for y in range(levels)]
        low = dict.fromkeys(range(1, item.slots + 1), 0)
        return [rating_code(item, levels) for levels in (*given[:4], given[-1], low)]
    if isinstance(item, NumberQuestion):
        return ["018", "099", "120", item.number.declined]
    return [level.code for level in item.reported_levels]


@pytest.mark.usefixtures("_static_files")
def test_with_an_own_coin_only_what_is_typed_has_a_length_of_its_own(client, owner):
    """Numbers and texts are sent as they were typed, and docs/privacy.md names both."""
    draft = make_survey(owner)
    add_question(draft)
    add_text(draft)
    add_serial_number(draft, width=3)
    survey = launched(draft)
    questionnaire = Questionnaire.from_document(survey.revision.document)
    plain = ["00", "", "007"]
    usual = len(body_of(survey.revision, plain, own_coin=True))
    typed = {0: ["01", "02"], 1: ["a+longer+one"], 2: ["7", "42"]}
    varies = set()
    for place, codes in typed.items():
        for code in codes:
            sent = [*plain[:place], code, *plain[place + 1 :]]
            body = body_of(survey.revision, sent, own_coin=True)
            parse(body, questionnaire=questionnaire, revision=str(survey.revision.pk))
            varies |= {questionnaire.items[place].kind} if len(body) != usual else set()
    assert varies == {"text", "number"}
    page = (ROOT / "docs" / "privacy.md").read_text()
    row = next(line for line in page.splitlines() if line.startswith("| P5 |"))
    assert all(kind in row.rpartition("` |")[2] for kind in varies)
