"""django-allauth at this site: adapters, codes, security keys, one use of each, encrypted factors.

There is no page to sign up, and nothing is mailed. What allauth would mail to the account's owner
is written to the audit log instead. Addresses count attempts in memory and go nowhere else.
"""

import base64
import struct
from collections.abc import Callable
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.forms import LoginForm
from allauth.core import context
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.core.internal.cryptokit import compare_user_code
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.base import forms
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import (
    format_hotp_value,
    hotp_value,
    yield_hotp_counters_from_time,
)
from allauth.mfa.totp.views import ActivateTOTPView
from allauth.mfa.webauthn import forms as key_forms
from cryptography.fernet import Fernet, InvalidToken
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings
from django.core.exceptions import ValidationError
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext, gettext_lazy
from fido2.webauthn import AuthenticationResponse, RegistrationResponse

from surveys.staff.accounts.services import end_other_sessions, refuse_login
from surveys.staff.audit.services import record
from surveys.web import error_pages
from surveys.web.floods import UNREADABLE, network_of

EVENTS = {
    "account/email/password_changed": "password changed",
    "mfa/email/totp_activated": "authenticator app added",
    "mfa/email/totp_deactivated": "authenticator app removed",
    "mfa/email/webauthn_added": "security key added",
    "mfa/email/webauthn_removed": "security key removed",
    "mfa/email/recovery_codes_generated": "recovery codes replaced",
}
# What other sessions did not have to know: they were opened with less, or with what is no more.
ENDS_OTHERS = (
    "account/email/password_changed",
    "mfa/email/totp_activated",
    "mfa/email/webauthn_added",
)
WRONG_CODE = gettext_lazy(
    "This code is wrong, or it was used before. Enter the code that the app shows now, or a "
    "recovery code that you have not used yet."
)
UNREADABLE_KEY = gettext_lazy(
    "The security key's answer could not be read. Press the button and try again."
)
TOO_MANY = gettext_lazy("There were too many failed attempts. Wait five minutes, then try again.")


class AccountAdapter(DefaultAccountAdapter):
    """Accounts are made by administrators; what happens to them is written down."""

    error_messages = {
        **DefaultAccountAdapter.error_messages,
        "username_password_mismatch": gettext_lazy(
            "No account has this name and password. Check the name and the password, including "
            "capital letters in the password. An administrator can set a new password."
        ),
        "too_many_login_attempts": TOO_MANY,
        "rate_limited": TOO_MANY,
        "incorrect_password": gettext_lazy(
            "This is not your password. Enter the password that you log in with."
        ),
        "enter_current_password": gettext_lazy(
            "This is not your password. Enter your current password."
        ),
    }

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Never."""
        return False

    def get_client_ip(self, request: HttpRequest) -> str:
        """Where attempts come from, read as for respondents; the unreadable share one count."""
        return network_of(request)

    def post_login(self, request: HttpRequest, user: Any, **kwargs: Any) -> HttpResponse:
        """Write the login down and go on.

        If its address could not be read, no respondent's can. Staff's own logins are the way for
        doctor to know, without a trace of a respondent.
        """
        is_unreadable = network_of(request) == UNREADABLE
        record("logged in", by=user, after={"network": UNREADABLE} if is_unreadable else None)
        return super().post_login(request, user, **kwargs)

    def authentication_failed(self, request: HttpRequest, **credentials: Any) -> None:
        """Write down whose account it was about, never what was typed."""
        refuse_login(credentials.get("username", ""))

    def send_notification_mail(self, template_prefix: str, user: Any, *_: Any, **__: Any) -> None:
        """The audit log instead of a mail, which would carry the address of the request.

        A session from before the first factor was opened with a password alone, so it ends; so does
        a login that has given the old password and no second factor yet.
        """
        record(EVENTS[template_prefix], by=user)
        if template_prefix in ENDS_OTHERS:
            end_other_sessions(account=user, kept=self.request.session.session_key)

    def _get_login_attempts_cache_key(self, request: HttpRequest, **credentials: Any) -> str:
        """By name alone: allauth adds the Host header, whose port the client chooses."""
        return str(credentials.get("username", "")).lower()


class FactorAdapter(DefaultMFAAdapter):
    """Secrets of second factors are encrypted under a key that is not in the database."""

    error_messages = {**DefaultMFAAdapter.error_messages, "incorrect_code": WRONG_CODE}

    def get_totp_label(self, user: Any) -> str:
        """The name that the app shows."""
        return user.get_username()

    def generate_authenticator_name(self, user: Any, type: Authenticator.Type) -> str:
        """What a key is called until its owner names it."""
        return gettext("Key {count}").format(
            count=Authenticator.objects.filter(user=user, type=type).count() + 1
        )

    def encrypt(self, text: str) -> str:
        """For the database."""
        return _cipher().encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        """From the database. A factor from before the secret key changed is answered by a page."""
        try:
            return _cipher().decrypt(encrypted_text.encode()).decode()
        except InvalidToken:
            raise ImmediateHttpResponse(_unreadable()) from None


class NameForm(LoginForm):
    """Name and password, in the words of the other pages."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["login"].label = gettext("User name")
        self.fields["login"].widget.attrs["autocapitalize"] = "none"
        for field in self.fields.values():
            field.widget.attrs.pop("placeholder", None)


class OneUse:
    """A code of an app counts once, in whichever process it arrives, and with it all before it.

    allauth remembers used codes in the cache, which here is each process's own, and for one period
    alone, while a code is taken one period before and after it is shown (MFA_TOTP_TOLERANCE).
    """

    user: Any
    authenticator: Authenticator

    def clean_code(self) -> str:
        """The code, if it is right and new; otherwise the attempt is written down.

        allauth forgets all failed attempts once it takes a code, so a used one is refused before.
        """
        try:
            if self._is_used(self.cleaned_data["code"]):  # type: ignore[attr-defined]
                raise ValidationError(WRONG_CODE)
            code: str = super().clean_code()  # type: ignore[misc]
            is_app = self.authenticator.type == Authenticator.Type.TOTP
            if is_app and not use_code(code, self.authenticator):
                raise ValidationError(WRONG_CODE)
        except ValidationError:
            record("code refused", by=self.user)
            raise
        return code

    def _is_used(self, code: str) -> bool:
        app = Authenticator.objects.filter(user=self.user, type=Authenticator.Type.TOTP).first()
        return app is not None and 0 < _period_of(code, app) <= app.data.get("last_period", 0)


def use_code(code: str, app: Authenticator) -> bool:
    """Whether a code that is right now is newer than all that were used before; now it is used."""
    period = _period_of(code, app)
    unused = Q(data__last_period__isnull=True) | Q(data__last_period__lt=period)
    # One statement: of two requests with the same code, the database lets one be newer.
    mine = Authenticator.objects.filter(unused, pk=app.pk)
    return period > 0 and bool(mine.update(data={**app.data, "last_period": period}))


def _period_of(code: str, authenticator: Authenticator) -> int:
    """The latest period in which the app shows this code (RFC 6238); 0 if it is none of now's."""
    secret = FactorAdapter().decrypt(authenticator.data["secret"])
    shown = (
        period
        for period in yield_hotp_counters_from_time()
        if compare_user_code(actual=code, expected=format_hotp_value(hotp_value(secret, period)))
    )
    return max(shown, default=0)


class ActivateAppView(ActivateTOTPView):
    """An app is set up by a code, which then counts as used."""

    def form_valid(self, form: Any) -> HttpResponse:
        response: HttpResponse = super().form_valid(form)
        app = Authenticator.objects.get(user=form.user, type=Authenticator.Type.TOTP)
        # Else the code that set it up would open one login more.
        use_code(form.cleaned_data["code"], app)
        return response


class CodeForm(OneUse, forms.AuthenticateForm):
    """The code after the password."""


class ConfirmCodeForm(OneUse, forms.ReauthenticateForm):
    """The code before a change of the account."""


class ReadableKey:
    """What a security key answered is read whole before anything is made of it.

    The libraries below expect every part to be there.
    """

    read: Callable[[Any], object]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["credential"].validators.append(self._readable)  # type: ignore[attr-defined]

    def _readable(self, reply: Any) -> None:
        try:
            self.read(reply)
        except (TypeError, ValueError, LookupError, AttributeError, struct.error):
            raise ValidationError(UNREADABLE_KEY) from None


class KeyForm(ReadableKey, key_forms.AuthenticateWebAuthnForm):
    """The security key after the password."""

    read = AuthenticationResponse.from_dict


class ConfirmKeyForm(ReadableKey, key_forms.ReauthenticateWebAuthnForm):
    """The security key before a change of the account."""

    read = AuthenticationResponse.from_dict


class NewKeyForm(ReadableKey, key_forms.AddWebAuthnForm):
    """A security key that is added."""

    read = RegistrationResponse.from_dict


def _cipher() -> Fernet:
    derive = HKDF(SHA256(), 32, salt=None, info=b"deniable: second factors").derive
    return Fernet(base64.urlsafe_b64encode(derive(settings.SECRET_KEY.encode())))


def _unreadable() -> HttpResponse:
    return error_pages.page(
        context.request,
        status=409,
        title=gettext("Your second factor cannot be read any more"),
        remedy=(
            gettext(
                "This site's secret key has changed since you set up your second factor. Ask an "
                "administrator to remove your second factor with: manage.py account "
                "forget-factors. Then set up a new second factor."
            )
        ),
    )
