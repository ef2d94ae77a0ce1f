"""A mail server that does to a mail what its address says. Otherwise it keeps it in the outbox."""

import smtplib

from django.core.mail.backends.locmem import EmailBackend as Outbox


class Wayward(Outbox):
    """Raises what Django's SMTP backend raises; its words quote the mail, as real servers do."""

    refused: list[str] = []  # bodies that it has seen and refused

    def send_messages(self, messages):
        for message in messages:
            (address,) = message.to
            quoted = message.body.encode()
            match address.partition("@")[0].rstrip("0123456789"):
                case "unknown":
                    raise smtplib.SMTPRecipientsRefused({address: (550, quoted)})
                case "greylisted":
                    raise smtplib.SMTPRecipientsRefused({address: (451, quoted)})
                case "spam":
                    self.refused.append(message.body)
                    raise smtplib.SMTPDataError(554, quoted)
                case "unsendable":
                    raise ValueError(f"cannot encode {address}: {message.body}")
                case "disconnected":
                    raise smtplib.SMTPServerDisconnected(message.body)
                case "timeout":
                    raise TimeoutError(message.body)
                case "sender":
                    raise smtplib.SMTPSenderRefused(530, quoted, "from")
                case "interrupted":
                    super().send_messages([message])
                    raise KeyboardInterrupt
            super().send_messages([message])
        return len(messages)


class Unreachable(Outbox):
    """Nobody listens there."""

    def open(self):
        raise ConnectionRefusedError


class Locked(Outbox):
    """It does not know us."""

    def open(self):
        raise smtplib.SMTPAuthenticationError(535, b"no")
