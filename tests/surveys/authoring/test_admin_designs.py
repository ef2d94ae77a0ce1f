"""Designs are typed in the admin; their author hears at once what is wrong with them."""

from django.contrib.messages import get_messages
from django.urls import reverse

from tests.factories import add_other_designs, add_question, make_survey
from tests.question_forms import question_form


def said(reply) -> str:
    return " ".join(str(message) for message in get_messages(reply.wsgi_request))


def test_a_matrix_and_a_second_question_are_typed_in_the_form(admin, author):
    question = add_question(make_survey(author), required=True)
    address = reverse("admin:surveys_question_change", args=[question.pk])
    fields = question_form(question, required="on")
    matrix = {"design": "channel_matrix", "channel": "3/4, 1/4\n1/4, x"}
    assert "Row 2, column 2" in said(admin.post(address, {**fields, **matrix}))
    admin.get(address)  # shows the messages, which are then gone
    crosswise = {"design": "crosswise", "harmless": "Is it March?", "harmless_yes": "1/12"}
    reply = admin.post(address, {**fields, **crosswise})
    assert said(reply).count("Still to do before launch") == 0
    question.refresh_from_db()
    assert (question.harmless, question.harmless_yes) == ("Is it March?", "1/12")
    assert (
        "; this limit is not valid against a person who knows the answer to the second question"
        in admin.get(address).content.decode()
    )


def test_the_author_of_a_question_in_groups_hears_that_own_coins_cannot_draw_them(admin, author):
    survey = make_survey(author)
    add_other_designs(survey)
    question = survey.questions.get(design="two_groups")
    address = reverse("admin:surveys_question_change", args=[question.pk])
    names = ("p_sensitive", "harmless", "harmless_yes")
    typed = {name: getattr(question, name) for name in names}
    fields = question_form(question, required="on", **typed)
    assert "people who use their own coin will not be asked" in said(admin.post(address, fields))
