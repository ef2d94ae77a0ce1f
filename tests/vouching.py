"""A person's half of a voucher without a browser: what is asked for, and what is sent with it."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Self

from django.contrib.auth.models import User
from django.utils import timezone

from surveys.collecting.services import exchange
from surveys.kinds.text.promise import based
from surveys.models import Survey
from surveys.models.queries import digest_of_revision, questionnaire_of
from surveys.trust.vouchers import SALT_BYTES, SIZE, voucher_message
from tests.bodies import body_of
from tests.factories import add_question, add_text, launched, make_survey
from tests.oracles.vouchers import blinded, unblinded


@dataclass(frozen=True)
class Request:
    """One that a page draws: the key of its submission, and what hides it."""

    survey: Survey
    key: bytes
    salt: bytes
    factor: int

    @classmethod
    def drawn(cls, survey: Survey, key: bytes | None = None) -> Self:
        """For this key, or a fresh one."""
        factor = secrets.randbelow(modulus_of(survey) - 2) + 2
        key = key or secrets.token_bytes(16)
        return cls(survey, key, secrets.token_bytes(SALT_BYTES), factor)

    @property
    def blinded(self) -> bytes:
        message = voucher_message(digest_of_revision(self.survey.revision.pk), self.key)
        number = blinded(message, self.salt, self.factor, modulus_of(self.survey))
        return number.to_bytes(SIZE, "big")

    def voucher(self, signed: bytes) -> str:
        """As it is sent."""
        number = unblinded(int.from_bytes(signed, "big"), self.factor, modulus_of(self.survey))
        return based(number.to_bytes(SIZE, "big"))

    def exchanged(self, token: str) -> str:
        """The voucher for which an invitation is used up."""
        return self.voucher(exchange(survey_id=self.survey.pk, typed=token, blinded=self.blinded))

    def body(self, voucher: str, codes: list[str] | None = None) -> bytes:
        """What the page sends then."""
        return body_of(self.survey.revision, codes, key=self.key.hex(), voucher=voucher)


def usual_fields() -> dict[str, object]:
    """Of a survey whose codes are exchanged, and whose pages send at once."""
    last_day = timezone.now().date() + timedelta(days=30)
    return {"opening": "close", "batch_size": 5, "close_on": last_day, "voucher_wait": 0}


def make_vouched_survey(
    owner: User, prepare: Callable[[Survey], object] | None = None, **fields: object
) -> Survey:
    """For invited people, whose codes are exchanged and whose pages send at once.

    ``prepare`` adds to the draft before it is launched.
    """
    draft = make_survey(owner, invitation_only=True, **{**usual_fields(), **fields})
    add_question(draft)
    add_text(draft, text="What would help?")
    if prepare:
        prepare(draft)
    return launched(draft)


def modulus_of(survey: Survey) -> int:
    plan = questionnaire_of(survey.revision).vouchers
    return int.from_bytes(plan.modulus, "big")


def vouched_body(survey: Survey, token: str, codes: list[str] | None = None) -> bytes:
    """The body of a person with this invitation, which is exchanged at once."""
    request = Request.drawn(survey)
    return request.body(request.exchanged(token), codes)
