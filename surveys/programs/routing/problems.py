"""Problem: why a program gets no answer; raised anywhere below an address of programs."""

from collections.abc import Mapping, Sequence

from django.http import HttpResponse

from surveys.web.problems import Fault, problem_reply


class Problem(Exception):
    """A status, what is wrong, and what to do; English, because programs log it."""

    def __init__(
        self,
        status: int,
        title: str,
        remedy: str,
        *,
        faults: Sequence[Fault] = (),
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(title)
        self.status, self.title, self.remedy = status, title, remedy
        self.faults, self.headers = tuple(faults), dict(headers or {})

    def reply(self) -> HttpResponse:
        """What the program is answered."""
        return problem_reply(
            self.status, self.title, self.remedy, faults=self.faults, headers=self.headers
        )


def no_token() -> Problem:
    """One answer for all tokens that do not act: it must not say which of them was one."""
    return Problem(
        401,
        "No token that acts",
        "Send the header Authorization: Bearer deniable_... with a token that is not over or "
        "revoked, of a person who still has the role, the account and the second factor.",
        headers={"WWW-Authenticate": "Bearer"},
    )


def not_here() -> Problem:
    """What does not exist, and what this token may not see: one answer for both."""
    return Problem(
        404,
        "There is nothing at this address",
        "List what the token reaches with GET /api/v1/surveys.",
    )


def not_permitted(remedy: str) -> Problem:
    """What the token or the role does not allow."""
    return Problem(403, "The token does not allow this", remedy)


def bad_parameter(name: str, detail: str) -> Problem:
    """A parameter of the address that cannot be read."""
    remedy = "Compare the parameters with /api/v1/openapi.json."
    return Problem(422, "A parameter is wrong", remedy, faults=[Fault(name, detail)])


def not_possible_here(title: str, remedy: str, faults: Sequence[Fault] = ()) -> Problem:
    """What has the right form, and does not go with this survey, list or plan."""
    return Problem(409, title, remedy, faults=faults)


def bad_body(status: int, title: str, detail: str, pointer: str = "") -> Problem:
    """A body that is not read."""
    remedy = "Send a JSON document as the reference describes it."
    return Problem(status, title, remedy, faults=[Fault(pointer, detail)])
