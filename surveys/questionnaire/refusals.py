"""Malformed, TooLarge, BadAnswers: why a submission is refused; what its sender can do."""

from collections.abc import Mapping

from surveys.questionnaire.messages import counted, message


class Refused(ValueError):
    """The submission was refused and nothing was stored. ``reason`` is shown to the sender.

    Where sending the same again can help, the page that says so carries what was sent.
    """

    status = 400
    is_form = True  # whole, with all fields of the survey; a person may have erred
    can_be_sent_again = False
    can_be_opened = True  # the survey's first page shows more than this refusal again
    variant = ""  # of several sentences of one class
    reason: str = message("These answers were not stored: they could not be read.")
    remedy: str = message(
        "Open the survey again from its link, answer it and send your answers once more."
    )


class Malformed(Refused):
    """The body does not have the survey's shape."""

    is_form = False


class TooLarge(Refused):
    status = 413
    is_form = False
    reason = message(
        "These answers were not stored: what was sent is far larger than an answer to this survey."
    )


class WrongRevision(Refused):
    """``is_form``: it has what the form of some version has, whose fields are not known here."""

    status = 409
    reason = message("These answers were not stored: they belong to another version of the survey.")
    remedy = message("Open the survey again from its link and answer the version that is open now.")

    def __init__(self, *, is_form: bool) -> None:
        super().__init__(self.reason)
        self.is_form = is_form


class OutsideAlphabet(Refused):
    reason = message(
        "These answers were not stored: one of them is not an answer that this survey offers."
    )


class NothingAsked(Refused):
    """The path for a coin of one's own, in a survey that only the page's script can ask."""

    reason = message(
        "Nothing was stored: this page needs its script to ask the questions of this survey."
    )
    remedy = message("Open the survey from its link, in a browser that runs the page's script.")

    def __init__(self) -> None:
        super().__init__(self.reason)


class BadAnswer(Refused):
    """One answer that its sender can correct; ``problem`` says how."""

    def __init__(self, problem: str) -> None:
        super().__init__(problem)
        self.problem = problem


class BadText(BadAnswer):
    reason = message(
        "These answers were not stored: a text is longer than its question allows, or cannot be "
        "read."
    )
    remedy = message("Go back, shorten the text, and send again.")


class BadNumber(BadAnswer):
    """A number that is none, or outside its question's range."""


class BadDate(BadAnswer):
    """A date that is none, or outside its question's range."""


class BadAnswers(Refused):
    """Every answer to be corrected, by its field; all the others are kept on the page."""

    can_be_sent_again = True
    remedy = message(
        "Correct what is marked and send again. Your other answers are kept on this page."
    )

    def __init__(self, problems: Mapping[str, str]) -> None:
        super().__init__(*problems.values())
        self.problems = problems
        self.reason = counted(
            "These answers are not stored yet: one answer has to be corrected.",
            "These answers are not stored yet: {count} answers have to be corrected.",
            len(problems),
        )


class WrongDraw(Refused):
    """Other than as many protected questions have an answer as each person is asked."""

    def __init__(self, answered: int, asked: int, *, can_be_corrected: bool) -> None:
        super().__init__(answered, asked)
        self.can_be_sent_again = can_be_corrected
        self.reason = counted(
            "These answers were not stored: they answer {count} protected question. This survey "
            "asks each person {asked} of the protected questions, drawn by chance.",
            "These answers were not stored: they answer {count} protected questions. This "
            "survey asks each person {asked} of the protected questions, drawn by chance.",
            answered,
            asked=asked,
        )
        if can_be_corrected:
            self.remedy = message(
                "Answer the questions that your die drew, and flip the coin for each of them. "
                "Choose “Not drawn” for all other protected questions. The answers that you gave "
                "are kept on this page: do not flip for them again."
            )


class PartlyDrawn(Refused):
    """Some items of one question have a rating, and others are marked as not drawn."""

    reason = message(
        "These answers were not stored: in one question, some items are rated and others are "
        "marked “Not drawn”."
    )
    remedy = message(
        "Go back. If your die drew that question, rate all of its items. Otherwise mark all of "
        "them “Not drawn”. Send again."
    )


class HiddenAnswered(Refused):
    """An answer to a question that a rule hides from people with the other answers, or the arm."""

    def __init__(self, number: int, *, by_arm: bool = False) -> None:
        super().__init__(number)
        self.variant = "by-arm" if by_arm else ""
        self.reason = (
            message(
                "These answers were not stored: question {number} is answered, but your group "
                "is not asked this question.",
                number=number,
            )
            if by_arm
            else message(
                "These answers were not stored: question {number} is answered, but your other "
                "answers show that it is not for you.",
                number=number,
            )
        )


class Unanswered(Refused):
    """The mark of a question that is not asked, where its rule asks it."""

    def __init__(self, number: int, *, by_arm: bool = False) -> None:
        super().__init__(number)
        self.variant = "by-arm" if by_arm else ""
        self.reason = (
            message(
                "These answers were not stored: question {number} is not answered, but your "
                "group is asked this question.",
                number=number,
            )
            if by_arm
            else message(
                "These answers were not stored: question {number} is not answered, but your "
                "other answers show that it is for you.",
                number=number,
            )
        )


class UnansweredByHand(BadAnswer):
    """The same on a form that a person filled in, who can correct it."""


class TwiceRanked(Refused):
    """An order in which two things have one place."""

    reason = message(
        "These answers were not stored: in one question, two items have the same rank."
    )
    remedy = message("Go back, use each rank once, and send again.")


class TooManyTicks(Refused):
    """More options than a person may tick."""

    remedy = message("Go back, tick fewer options, and send again.")

    def __init__(self, ticked: int, most: int) -> None:
        super().__init__(ticked, most)
        self.reason = counted(
            "These answers were not stored: in one question {count} option is ticked, but at most "
            "{most} may be ticked.",
            "These answers were not stored: in one question {count} options are ticked, but at "
            "most {most} may be ticked.",
            ticked,
            most=most,
        )


class NotAlone(Refused):
    """An option that can only be ticked alone, beside others."""

    reason = message(
        "These answers were not stored: in one question, an answer that excludes all others is "
        "ticked together with other answers."
    )
    remedy = message("Go back and tick either only that answer or only other answers. Send again.")


class PartlyDeclined(Refused):
    """Some options answered, others with the answer of a person who would rather not say."""

    reason = message(
        "These answers were not stored: one question is answered, and also marked as one that you "
        "prefer not to answer."
    )
    remedy = message("Go back. Keep either your answer or the mark, and send again.")


class BadInvitation(Refused):
    """The invitation code cannot be used; the sender may correct it."""

    status = 403
    can_be_sent_again = True
    reason = message("These answers were not stored: the invitation code cannot be read.")
    remedy = message(
        "Compare the code with your invitation, correct it on this page and send again."
    )
