"""What becomes of direct answers, in words: who reads texts, what reports and tables may tell."""

from collections.abc import Iterator

from django.utils.translation import gettext

from surveys.questionnaire.document import Questionnaire, may_publish_totals
from surveys.questionnaire.plans.budgets import PromisedBudget
from surveys.questionnaire.plans.seals import Seals
from surveys.randomized_response.messages import sentence
from surveys.wording.language.messages import isolated
from surveys.wording.language.numbers import grouped
from surveys.wording.odds import MILLION_FOLD, factor_words

# Against whom a release of tables is private, on every page and in every file of one.
RELEASE_AUDIENCE = sentence(
    "Staff of this survey can see exact counts. The protection described below applies against "
    "all other people."
)
# The same in a survey whose direct answers come to light as released tables alone.
ALONE_AUDIENCE = sentence(
    "No one sees exact counts of these answers, not even the staff of this survey. The number of "
    "people who answered is exact."
)


def audience_of(questionnaire: Questionnaire) -> str:
    """Against whom its released tables are private."""
    return ALONE_AUDIENCE if questionnaire.releases else RELEASE_AUDIENCE


def readers_line(questionnaire: Questionnaire) -> str:
    """Who can read what a person writes; empty where no text is asked for."""
    if not questionnaire.numbered.texts:
        return ""
    if questionnaire.seals is None:
        return gettext("The people who run this survey can read what you write.")
    if questionnaire.seals.layers == 1:
        return gettext(
            "What you write is locked in your browser. Only the researchers' key can open it; "
            "this server cannot."
        )
    return gettext(
        "What you write is locked in your browser. Only both keys of the researchers together can "
        "open it; this server cannot."
    )


def reports_line(questionnaire: Questionnaire) -> str:
    """What reports on its texts may tell about one respondent; empty where nobody writes any."""
    if not questionnaire.numbered.texts:
        return ""
    readers = _readers(questionnaire.seals)
    budget = questionnaire.budget
    return f"{readers} {_blurred(budget) if budget else _unprotected()}"


def _readers(seals: Seals | None) -> str:
    if seals is None:
        return gettext("The people who run this survey can read the texts.")
    names = [isolated(key.name) for key in seals.keys]
    if seals.layers == 1:
        words = gettext("The texts are locked: only the key of {name} opens them.")
        return words.format(name=names[0])
    words = gettext(
        "The texts are locked: only the keys of {first} and {second} together open them."
    )
    return words.format(first=names[0], second=names[1])


def reports_explained(questionnaire: Questionnaire) -> list[str]:
    """The same with what it does and does not cover, paragraph by paragraph."""
    lines = [line for line in (reports_line(questionnaire), tables_line(questionnaire)) if line]
    return [*lines, *_details(questionnaire)] if lines else []


def tables_line(questionnaire: Questionnaire) -> str:
    """What tables of unprotected answers may tell; empty where none are promised or possible."""
    budget = questionnaire.budget
    if budget is None or not budget.pays_for_tables or not questionnaire.numbered.tabulated:
        return ""
    if questionnaire.releases:
        tables = (
            _within_the_same_limit() if questionnaire.numbered.texts else _in_tables_alone(budget)
        )
        return f"{_sealed()} {tables} {_destroyed()}"
    readers = gettext(
        "The people who run this survey see unprotected answers as you give them, and can count "
        "them exactly."
    )
    return readers if questionnaire.numbered.texts else f"{readers} {_blurred(budget)}"


def direct_mark(questionnaire: Questionnaire) -> str:
    """What becomes of the answers that are not protected, in a few words for the first screen."""
    if not questionnaire.releases:
        return gettext("not protected")
    if questionnaire.numbered.texts and questionnaire.seals:
        return gettext("texts are locked; all other answers are shown only in blurred tables")
    if questionnaire.numbered.texts:
        return gettext(
            "texts are read by people; all other answers are shown only in blurred tables"
        )
    return gettext("shown only in blurred tables")


def _sealed() -> str:
    return gettext(
        "Unprotected answers stay encrypted. The people who run this survey see neither these "
        "answers nor exact counts of these answers."
    )


def _in_tables_alone(budget: PromisedBudget) -> str:
    return gettext(
        "The people who run this survey see blurred tables. All these tables together change the "
        "odds of any guess about you {times}. The chance that this does not hold is one in "
        "{chance}. How many people answered is shown exactly."
    ).format(times=_times(budget.nats), chance=_chance(budget.one_in))


def _within_the_same_limit() -> str:
    return gettext(
        "The people who run this survey see blurred tables. These tables share one limit with the "
        "reports on texts. How many people answered is shown exactly."
    )


def _destroyed() -> str:
    return gettext(
        "When the survey closes, the last tables are made, and the unprotected answers are "
        "destroyed. Until then, someone who has the keys of this server could read these answers."
    )


def _blurred(budget: PromisedBudget) -> str:
    if budget.pays_for_tables:
        return gettext(
            "Reports on texts are blurred, and so are tables for other people. All these reports "
            "and tables together change the odds of any guess about you {times}. The chance that "
            "this does not hold is one in {chance}."
        ).format(times=_times(budget.nats), chance=_chance(budget.one_in))
    return gettext(
        "Reports on these texts are blurred. All these reports together change the odds of any "
        "guess about you {times}. The chance that this does not hold is one in {chance}."
    ).format(times=_times(budget.nats), chance=_chance(budget.one_in))


def _unprotected() -> str:
    return gettext(
        "No protected report on the texts is promised. The people who run this survey may quote "
        "what you write."
    )


def _details(questionnaire: Questionnaire) -> Iterator[str]:
    budget = questionnaire.budget
    if budget is None:
        return
    yield _meaning(budget)
    if budget.adjacency == "replace_one":
        yield _exact_number(budget)
    if may_publish_totals(questionnaire) and questionnaire.randomized:
        yield gettext(
            "The exact count of each answer sent to a protected question may be published. "
            "These counts reveal less about you than what you sent."
        )
    if questionnaire.numbered.texts and (
        budget.pays_for_tables or budget.adjacency != "replace_one"
    ):
        yield gettext("The number of texts is shown exactly; it is not blurred.")
    if not questionnaire.invitation_only:
        yield gettext(
            "The limit holds for each time that you answer. If you answer twice, you reveal more."
        )
    if questionnaire.seals:
        yield gettext(
            "The limit does not cover what the people who have the keys read, count or tell "
            "others. This server sees nothing of that."
        )
    elif questionnaire.numbered.texts:
        yield gettext(
            "The limit does not cover what the people who may read the texts tell others. It "
            "does not cover what they take, unblurred, from the texts for internal use. What "
            "they take is marked as internal, and each look is noted."
        )
    if budget.pays_for_tables and not questionnaire.releases:
        yield gettext(
            "The people who run this survey see the unprotected answers. The limit does not cover "
            "what these people tell others about the answers."
        )


def _meaning(budget: PromisedBudget) -> str:
    if budget.pays_for_tables:
        return gettext(
            "“Blurred” means: a report or a table is counted over all answers, and random numbers "
            "are added before it is published. So the result is nearly the same, no matter what "
            "you answer. One ledger adds up what all reports and tables of this survey may "
            "reveal. It refuses every report and table that would go beyond this limit. The limit "
            "was set before the first answer and cannot be changed."
        )
    return gettext(
        "“Blurred” means: a report is counted over all texts, and random numbers are added before "
        "anyone sees the report. So the result is nearly the same, no matter what you write. A "
        "ledger adds up what all reports on all texts of this survey may reveal. It refuses every "
        "report that would go beyond this limit. The limit was set before the first answer and "
        "cannot be changed."
    )


def _exact_number(budget: PromisedBudget) -> str:
    if budget.pays_for_tables:
        return gettext(
            "Reports and tables hide what you answered. They do not hide that you took part, "
            "because the number of people is exact."
        )
    return gettext(
        "Reports hide what you wrote. They do not hide that you took part, because the number of "
        "texts is exact."
    )


def _times(epsilon: float) -> str:
    if epsilon > MILLION_FOLD:
        return gettext("more than a million-fold, which is hardly any protection")
    return gettext("at most {factor}-fold").format(factor=factor_words(epsilon))


def _chance(one_in: int) -> str:
    return gettext("a million") if one_in == 1_000_000 else grouped(one_in)
