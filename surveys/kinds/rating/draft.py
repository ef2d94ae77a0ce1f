"""A drafted rating question: its catalogue, items, scale, channel; reasons against launching it."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from surveys.authoring.draft.building import common_fields, option_levels
from surveys.authoring.draft.designs import exposure_reason, require_telling
from surveys.authoring.draft.kinds import DraftKind
from surveys.authoring.simulation.draws import Answering, DrawnPeople, Shares, answer_slots
from surveys.catalogues.queries import catalogue_contents, catalogue_size
from surveys.kinds.rating.promise import RatedItems, RatingQuestion
from surveys.models import Catalogue, Question
from surveys.questionnaire.messages import message
from surveys.questionnaire.ratings import MOST_SHOWN
from surveys.randomized_response.designs import IntegerChannel, KAry
from surveys.randomized_response.messages import sentence
from surveys.wording.language.messages import translated

NOT_RATED = message("Not rated")
LEAST_LEVELS, MOST_LEVELS = 2, 11
DESIGNS = frozenset({Question.Design.DIRECT, Question.Design.K_ARY})
LEAST_ADAPTIVE_EPSILON = 2  # for each item: below, reports say too little to choose items by


def drafted_rating(question: Question) -> RatingQuestion:
    """The question as it would be promised; ``rating_reasons`` has nothing to say against it.

    Reads every name, once. Raises ValueError if two items read the same.
    """
    rated = _rated_items(question)
    levels = option_levels(question, NOT_RATED)
    return RatingQuestion(
        **common_fields(question),
        levels=levels,
        display=tuple(range(len(levels))),
        items=rated,
        **_channel(question, rated.shown, len(levels)),
    )


def _rated_items(question: Question) -> RatedItems:
    contents = catalogue_contents(_catalogue(question))
    if contents.twins:
        first, second = contents.twins
        raise ValueError(
            sentence(
                "Two items have the same text: “{one}” and “{two}”. Rename or remove one item.",
                one=first,
                two=second,
            )
        )
    return RatedItems(
        catalogue=str(question.catalogue_id),
        size=contents.size,
        digest=contents.digest,
        shown=question.shown or contents.size,
        longest_name=contents.longest_name,
        adaptive=question.adaptive,
        names_bytes=contents.names_bytes,
    )


def _catalogue(question: Question) -> Catalogue:
    if question.catalogue is None:
        raise ValueError(sentence("A rating question needs a catalogue of items."))
    return question.catalogue


def _channel(question: Question, shown: int, levels: int) -> dict[str, Any]:
    """The channel of one slot: k-ary, with its share of what the respondent spends in all.

    The slots are drawn independently of each other, so that their epsilons add up to at most what
    the author wrote; the integer weights are rounded so that it is never more.
    """
    if question.design == Question.Design.DIRECT or question.epsilon is None:
        return {}
    stored = KAry.from_epsilon(levels, float(question.epsilon) / shown).channel.integer_weights()
    return {"weights": stored.weights, "denominator": stored.denominator}


def rating_reasons(question: Question) -> Iterator[str]:
    """Everything that keeps a rating question from being launched."""
    yield from _scale_reasons(question)
    reasons = list(_catalogue_reasons(question))
    yield from reasons or _shown_reasons(question)
    yield from _design_reasons(question)
    if question.adaptive and not reasons:
        yield from _adaptive_reasons(question)


def _scale_reasons(question: Question) -> Iterator[str]:
    options = list(question.options.all())
    texts = [option.text.strip().casefold() for option in options]
    if not LEAST_LEVELS <= len(texts) <= MOST_LEVELS:
        yield sentence(
            "Enter between {least_levels} and {most_levels} options for the scale, the lowest "
            "option first. This scale has {count}.",
            least_levels=LEAST_LEVELS,
            most_levels=MOST_LEVELS,
            count=len(texts),
        )
    if len({option.position for option in options}) < len(options):
        yield sentence(
            "Two options of the scale have the same position. Number the options from the "
            "lowest to the highest."
        )
    if len(set(texts)) < len(texts):
        yield sentence("Two options of the scale have the same text. Change or remove one option.")
    if not question.required and translated(NOT_RATED).casefold() in texts:
        yield sentence(
            "Remove the option “{translated}”. Respondents can choose “{translated}” anyway, "
            "because the question is not required.",
            translated=translated(NOT_RATED),
        )


def _catalogue_reasons(question: Question) -> Iterator[str]:
    if question.catalogue is None:
        yield sentence("Choose the catalogue of items that respondents rate.")
        return
    if question.catalogue.owner_id != question.survey.owner_id:
        yield sentence(
            "The catalogue “{catalogue}” does not belong to the owner of this survey. Choose a "
            "catalogue that belongs to the survey's owner.",
            catalogue=question.catalogue,
        )
        return
    size, last = catalogue_size(question.catalogue)
    if size == 0:
        yield sentence(
            "The catalogue “{catalogue}” is empty. Add items to the catalogue first.",
            catalogue=question.catalogue,
        )
    elif size != last:
        yield sentence(
            "Number the items of “{catalogue}” 1, 2, 3 and so on, without gaps. There are {size} "
            "items, but the last item has the number {last}.",
            catalogue=question.catalogue,
            size=size,
            last=last,
        )


def _shown_reasons(question: Question) -> Iterator[str]:
    size, _ = catalogue_size(_catalogue(question))
    if question.shown > size:
        yield sentence(
            "You want to show {shown} items, but “{catalogue}” has only {size} items. Show at "
            "most {size} items, or enter 0 for all.",
            shown=question.shown,
            catalogue=question.catalogue,
            size=size,
        )
    if question.shown > MOST_SHOWN or (question.shown == 0 and size > MOST_SHOWN):
        yield sentence(
            "“{catalogue}” has {size} items, but no one rates more than {most_shown} items with "
            "care. Enter how many items each respondent rates, at most {most_shown}.",
            most_shown=MOST_SHOWN,
            catalogue=question.catalogue,
            size=size,
        )


def _design_reasons(question: Question) -> Iterator[str]:
    if question.design not in DESIGNS:
        yield sentence(
            "Ratings can only be asked directly or with the k-ary design. Choose one of these "
            "designs."
        )
    elif question.design == Question.Design.K_ARY and question.epsilon is None:
        yield sentence(
            "Enter epsilon, which limits what all ratings of one respondent together may reveal. "
            "Epsilon is shared equally among the items shown."
        )
    elif question.design == Question.Design.K_ARY:
        yield from _exposure_reasons(question)


def _adaptive_reasons(question: Question) -> Iterator[str]:
    """Where showing promising items more often is of no use, or tells who came when."""
    size, _ = catalogue_size(_catalogue(question))
    if question.shown in (0, size):
        yield sentence(
            "Promising items cannot be shown more often, because all respondents see all {size} "
            "items. Let each respondent rate fewer items.",
            size=size,
        )
    elif question.design == Question.Design.K_ARY and question.epsilon is not None:
        yield from _telling_reasons(question, float(question.epsilon) / question.shown)
    if question.survey.invitation_only:
        yield sentence(
            "Promising items cannot be shown more often in a survey by invitation. The items "
            "that a person sees would hint at when this person opened the page. So the items "
            "would also hint at this person’s invitation. Show items evenly, or let all people "
            "who have the link answer."
        )


def _telling_reasons(question: Question, each: float) -> Iterator[str]:
    if each < LEAST_ADAPTIVE_EPSILON:
        yield sentence(
            "To show promising items more often, each item needs an epsilon of at least "
            "{least}. Epsilon {epsilon} is shared among {shown} items, so each item has only "
            "{each}. Show items evenly, show fewer items, choose a larger epsilon, or ask for "
            "the ratings directly.",
            least=LEAST_ADAPTIVE_EPSILON,
            shown=question.shown,
            epsilon=question.epsilon,
            each=Decimal(f"{each:g}"),
        )


def _exposure_reasons(question: Question) -> Iterator[str]:
    """Too much epsilon gives the ratings away, too little of it for each tells nothing."""
    reason = exposure_reason(question, float(question.epsilon or 0))
    if reason:
        yield reason
    if question.catalogue is None:
        return
    shown = question.shown or max(1, catalogue_size(question.catalogue)[0])
    levels = question.options.count() + (not question.required)
    if not reason and levels >= LEAST_LEVELS and not _is_telling(question, shown, levels):
        yield sentence(
            "Epsilon {epsilon} is shared among {shown} items. For each rating, this is so "
            "little that no survey could ask enough people. Show fewer items, or choose a larger "
            "epsilon.",
            shown=shown,
            epsilon=question.epsilon,
        )


def _is_telling(question: Question, shown: int, levels: int) -> bool:
    try:
        require_telling(IntegerChannel(**_channel(question, shown, levels)).channel)
    except ValueError:
        return False
    return True


def _draw_rating(item: RatingQuestion, people: DrawnPeople, shares: Shares) -> Answering:
    levels = people.rng.integers(0, len(item.levels), (people.count, item.size))
    answering = answer_slots(item, people, levels)
    return Answering(None, answering.given, answering.values)


DRAFTS = {
    Question.Kind.RATING: DraftKind(
        build=drafted_rating,
        reasons=rating_reasons,
        fields=frozenset({"option_lines", "catalogue", "shown", "adaptive"}),
        designs=DESIGNS,
    )
}
DRAWS = {RatingQuestion: _draw_rating}
