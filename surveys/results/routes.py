"""Route: of whom a question was asked, where a rule decides: in words, and whether of enough."""

from dataclasses import dataclass

from surveys.questionnaire.document import Questionnaire
from surveys.results.queries import ItemCounts
from surveys.wording.routes import asked_words


@dataclass(frozen=True)
class Route:
    """Whom a question was asked. Of fewer people than a batch nothing is shown."""

    words: str = ""
    hides_estimates: bool = False


def route_of(questionnaire: Questionnaire, counts: ItemCounts, responses: int) -> Route:
    """The route to one question, among so many responses; a text says not who was asked."""
    item = counts.item
    if item.rule is None:
        return Route()
    if not item.is_sent:
        return Route(asked_words(item, questionnaire))
    asked = responses - counts.by_code[item.not_asked]
    is_counted = bool(counts.by_code)
    hides = is_counted and asked < questionnaire.batch_size
    return Route(asked_words(item, questionnaire), hides)
