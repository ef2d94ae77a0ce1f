"""Second factors as tests need them."""

import time

from allauth.mfa.totp.internal.auth import (
    TOTP,
    format_hotp_value,
    generate_totp_secret,
    hotp_value,
)
from django.contrib.auth.models import User


def set_up_app(user: User) -> str:
    """Give a person an authenticator app; returns its secret."""
    secret = generate_totp_secret()
    TOTP.activate(user, secret)
    return secret


def code_of(secret: str, periods_ago: int = 0) -> str:
    """What the app shows now, or so many times thirty seconds ago."""
    return format_hotp_value(hotp_value(secret, int(time.time()) // 30 - periods_ago))
