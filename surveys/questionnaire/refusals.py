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
    reason: str = message("This submission could not be read. Nothing was stored.")
    remedy: str = message("Open the survey again from its link and send it once more.")


class Malformed(Refused):
    """The body does not have the survey's shape."""

    is_form = False


class TooLarge(Refused):
    status = 413
    is_form = False
    reason = message(
        "This submission is far larger than an answer to this survey. Nothing was stored."
    )


class WrongRevision(Refused):
    """``is_form``: it has what the form of some version has, whose fields are not known here."""

    status = 409
    reason = message("This page belongs to another version of the survey. Nothing was stored.")
    remedy = message("Open the survey again from its link and answer the version that is open now.")

    def __init__(self, *, is_form: bool) -> None:
        super().__init__(self.reason)
        self.is_form = is_form


class OutsideAlphabet(Refused):
    reason = message("An answer is not one of those that this survey offers. Nothing was stored.")


class NothingAsked(Refused):
    """The path for a coin of one's own, in a survey that only the page's script can ask."""

    reason = message("This page asks nothing in this survey, so there is nothing to count.")
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
        "A text is longer than its question allows, or cannot be read. Nothing was stored."
    )
    remedy = message("Go back, shorten it, and send again.")


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
            "One answer has to be corrected. Nothing was stored.",
            "{count} answers have to be corrected. Nothing was stored.",
            len(problems),
        )


class WrongDraw(Refused):
    """Other than as many protected questions have an answer as each person is asked."""

    def __init__(self, answered: int, asked: int, *, can_be_corrected: bool) -> None:
        super().__init__(answered, asked)
        self.can_be_sent_again = can_be_corrected
        self.reason = counted(
            "{count} protected question has an answer, but this survey asks each person {asked}, "
            "drawn by chance. Nothing was stored.",
            "{count} protected questions have an answer, but this survey asks each person {asked}, "
            "drawn by chance. Nothing was stored.",
            answered,
            asked=asked,
        )
        if can_be_corrected:
            self.remedy = message(
                "Answer those that your die drew, each with its coin, and choose “Not drawn” for "
                "all others. What you have answered is kept on this page: do not flip for it again."
            )


class PartlyDrawn(Refused):
    """Some items of one question have a rating, and others are marked as not drawn."""

    reason = message(
        "In one question some items are rated and others marked “Not drawn”. Nothing was stored."
    )
    remedy = message("Go back, rate all of its items if your die drew it, or none, and send again.")


class HiddenAnswered(Refused):
    """An answer to a question that a rule hides from people with the other answers, or the arm."""

    def __init__(self, number: int, *, by_arm: bool = False) -> None:
        super().__init__(number)
        self.variant = "by-arm" if by_arm else ""
        self.reason = (
            message(
                "Question {number} is not asked of people in the group that was drawn, and was "
                "answered. Nothing was stored.",
                number=number,
            )
            if by_arm
            else message(
                "Question {number} is not asked of people with these answers, and was answered. "
                "Nothing was stored.",
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
                "Question {number} is asked of people in the group that was drawn, and has none. "
                "Nothing was stored.",
                number=number,
            )
            if by_arm
            else message(
                "Question {number} is asked of people with these answers, and has none. "
                "Nothing was stored.",
                number=number,
            )
        )


class UnansweredByHand(BadAnswer):
    """The same on a form that a person filled in, who can correct it."""


class TwiceRanked(Refused):
    """An order in which two things have one place."""

    reason = message(
        "In one question two things have the same place in the order. Nothing was stored."
    )
    remedy = message("Go back, give each place once, and send again.")


class TooManyTicks(Refused):
    """More options than a person may tick."""

    remedy = message("Go back, tick fewer, and send again.")

    def __init__(self, ticked: int, most: int) -> None:
        super().__init__(ticked, most)
        self.reason = counted(
            "In one question {count} option is ticked; at most {most} may be. Nothing was stored.",
            "In one question {count} options are ticked; at most {most} may be. Nothing was "
            "stored.",
            ticked,
            most=most,
        )


class NotAlone(Refused):
    """An option that can only be ticked alone, beside others."""

    reason = message(
        "In one question an answer that can only be ticked alone is ticked beside others. Nothing "
        "was stored."
    )
    remedy = message("Go back, tick it alone or not at all, and send again.")


class PartlyDeclined(Refused):
    """Some options answered, others with the answer of a person who would rather not say."""

    reason = message(
        "One question is answered and also marked as one that you would rather not answer. "
        "Nothing was stored."
    )
    remedy = message("Go back, choose one of the two, and send again.")


class BadInvitation(Refused):
    """The invitation code cannot be used; the sender may correct it."""

    status = 403
    can_be_sent_again = True
    reason = message("This invitation code cannot be read. Nothing was stored.")
    remedy = message("Compare it with your invitation, correct it here and send again.")
