"""What the author of a question should know once it is saved."""

from collections.abc import Iterator

from django.contrib import messages

from surveys.questionnaire.kinds import Item
from surveys.questionnaire.long_lists import advice

NO_RECIPE = (
    "No coin or dice recipe draws exactly from this channel, so people who use their own coin "
    "will not be asked this question. Two coins, or forced probabilities such as 1/6, have one."
)
NO_GROUP = (
    "Only the page's script draws a group, so people who use their own coin will not be asked this "
    "question. An unrelated question with a known share is asked of them too."
)
NO_RATING_RECIPE = (
    "No coin or dice recipe draws exactly from this channel, so people who use their own coin "
    "will not be asked for these ratings. Asked directly, they are asked of them too."
)
NO_MARKS = (
    "Only the page's script marks the options of a long list, so people who use their own coin "
    "will not be asked this question."
)


def hints(item: Item) -> Iterator[tuple[int, str]]:
    """Each hint with the level of the message that shows it."""
    if not item.is_offered_with_own_coin:
        yield messages.WARNING, _no_own_coin(item)
    if item.marking:
        yield messages.INFO, advice(item.marking.options, item.marking.epsilon)


def _no_own_coin(item: Item) -> str:
    if item.marking:
        return NO_MARKS
    if item.is_rating:
        return NO_RATING_RECIPE
    return NO_GROUP if item.is_grouped else NO_RECIPE
