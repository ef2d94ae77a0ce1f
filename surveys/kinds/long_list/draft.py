"""A drafted long list, as simulated people answer it."""

from surveys.authoring.simulation.draws import EVENLY, Answering, DrawnPeople, Shares, answer_unread
from surveys.kinds.long_list.promise import ListQuestion
from surveys.randomized_response.designs.local.bits import encode


def _draw_long_list(item: ListQuestion, people: DrawnPeople, shares: Shares) -> Answering:
    truths = people.levels(item.marks.options, EVENLY)
    packed = item.marks.protocol.draw(truths, people.rng)
    return answer_unread(None, [[code] for code in encode(packed, item.marks.options)])


DRAWS = {ListQuestion: _draw_long_list}
