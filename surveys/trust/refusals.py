"""Refusals: what is wrong with a document, a key, a text or a printed digest that was given."""

from surveys.randomized_response.messages import Message


class TrustRefusal(ValueError):
    """Something is not what it should be; ``problem`` says what is wrong and what to do."""

    def __init__(self, problem: Message) -> None:
        super().__init__(problem)
        self.problem = problem


class NotOpened(TrustRefusal):
    """What was sealed does not open: another key, another question, or it was changed."""
