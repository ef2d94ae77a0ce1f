"""A survey's own explanations in its document: by language, in one order, and only if there are."""

import json

from surveys.questionnaire.document import Questionnaire
from surveys.questionnaire.explanations import Explanation, explanations_of
from surveys.questionnaire.formats.launched import together

OWN = {"thanks": "Thank *you*.", "tick": "Tick what fits.", "rank": ""}


def questionnaire(**fields: object) -> Questionnaire:
    texts = {"title": "Habits", "introduction": "Why", "organisation": "We", "contact": "Us"}
    return Questionnaire(**texts, minutes=1, items=(), **fields)


def test_explanations_stand_in_one_order_and_empty_ones_not_at_all():
    kept = (Explanation("thanks", "Thank *you*."), Explanation("tick", "Tick what fits."))
    assert explanations_of(OWN) == explanations_of(dict(reversed(OWN.items()))) == kept


def test_a_document_reads_back_with_the_same_explanations():
    written = questionnaire(explanations=explanations_of(OWN))
    document = json.loads(written.to_bytes())
    assert document["explanations"][0] == {"name": "thanks", "text": {"en": "Thank *you*."}}
    again = Questionnaire.from_document(document)
    assert again == written
    assert again.to_bytes() == written.to_bytes()


def test_a_survey_without_any_is_written_as_before():
    assert "explanations" not in questionnaire().to_document()
    assert Questionnaire.from_document(questionnaire().to_document()).explanations == ()


def test_each_language_has_its_words():
    german = questionnaire(explanations=(Explanation("thanks", "Danke."),), language="de")
    english = questionnaire(explanations=(Explanation("thanks", "Thank you."),))
    document = together([english.to_document(), german.to_document()])
    assert document["explanations"][0]["text"] == {"en": "Thank you.", "de": "Danke."}
    assert Questionnaire.from_document(document, "de").explanations == german.explanations
