"""Route: one verb at one address, its typed function, and all that the document says of it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from uuid import UUID

from django.http import HttpRequest, QueryDict

from surveys.models import AccessToken, Survey
from surveys.programs.routing.bodies import read_body, read_json
from surveys.programs.routing.problems import not_here, not_permitted
from surveys.programs.tokens.queries import reached
from surveys.programs.tokens.scopes import NEEDS, Scope
from surveys.results.queries import revision_with_answers
from surveys.staff.access import may

if TYPE_CHECKING:
    from django.contrib.auth.models import User

    from surveys.models import Revision


@dataclass(frozen=True)
class Call:
    """A request of a program whose token acts; what it asks for is asked through this."""

    request: HttpRequest
    token: AccessToken
    scope: Scope | None

    @property
    def person(self) -> "User":
        return self.token.person

    @property
    def query(self) -> QueryDict:
        return self.request.GET

    def survey(self, survey_id: UUID) -> Survey:
        """A survey that the token reaches, in which its person may do this.

        Raises Problem: 404 for one that is not to be seen, 403 where the role does not suffice.
        """
        surveys = reached(self.token).defer("revision__document")
        survey = surveys.filter(pk=survey_id).first()
        if survey is None:
            raise not_here()
        if self.scope and not may(self.person, survey, NEEDS[self.scope]):
            raise not_permitted("Ask the survey's owner for a role that allows this.")
        return survey

    def launched(self, survey_id: UUID) -> "tuple[Survey, Revision]":
        """The same of a survey whose answers are there. Raises Problem."""
        survey = self.survey(survey_id)
        revision = revision_with_answers(survey)
        if revision is None:
            raise not_here()
        return survey, revision

    def body(self) -> bytes:
        """What was sent. Raises Problem."""
        return read_body(self.request)

    def document(self) -> Any:
        """What was sent, as JSON. Raises Problem."""
        return read_json(self.body())


@dataclass(frozen=True)
class Made:
    """Something that was made, or is being made: where it is, and the status that says which.

    ``tag`` is the ETag of what is there now, if a program may change it.
    """

    content: Any
    location: str
    status: int = 201
    tag: str = ""


@dataclass(frozen=True)
class Written:
    """Bytes of a document whose form is not ours to write anew."""

    content: bytes
    content_type: str = "application/json"
    status: int = 200


@dataclass(frozen=True)
class Parameter:
    """A parameter of the address, behind the question mark."""

    name: str
    description: str
    schema: dict[str, Any] = field(default_factory=lambda: {"type": "string"})
    is_required: bool = False


@dataclass(frozen=True)
class Route:
    """``answer`` takes a Call and the keys in the address, and returns what ``returns`` says.

    ``resource`` is its name in the audit log; ``sends`` the schema of what is sent, if any is, and
    ``example`` one of what it takes.
    A ``status`` other than 200 is that of what was made. ``has_tag``: the answer has an ETag, by
    which a program asks again without reading the same twice. ``inputs``
    says what the answer is made from, as long as which it stays the same; empty if it does not
    know. ``parts``: a range of it is 206, and one beyond its end 416. ``cost``: as how many
    requests it counts.
    """

    verb: str
    path: str
    resource: str
    scope: Scope | None
    summary: str
    answer: Callable[..., Any]
    returns: Any
    parameters: tuple[Parameter, ...] = ()
    sends: dict[str, Any] | None = None
    example: dict[str, Any] | None = None
    status: int = 200
    has_tag: bool = True
    inputs: Callable[..., str] | None = None
    content_types: tuple[str, ...] = ("application/json",)
    parts: bool = False
    headers: tuple[Parameter, ...] = ()
    refusals: tuple[int, ...] = ()
    cost: int = 1
