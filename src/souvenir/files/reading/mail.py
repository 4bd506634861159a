"""One e-mail: who, when, what about, and what it says; attachments by their names."""

import email
import email.policy
from email.errors import MessageError
from email.message import EmailMessage

from souvenir.files.reading.document import Builder, Document, Limits, Unreadable
from souvenir.files.reading.html import add_html

_SHOWN = ("From", "To", "Cc", "Date")


def read_mail(data: bytes, limits: Limits) -> Document:
    """Read a message. Raises Unreadable."""
    builder = Builder("eml", limits)
    try:
        message = email.message_from_bytes(data, policy=email.policy.default)
        if not message.keys():
            raise Unreadable("is not an e-mail")
        builder.heading(1, str(message.get("Subject", "")))
        for name in _SHOWN:
            builder.paragraph(f"{name}: {message[name]}" if message[name] else "", "\n")
        builder.add("\n")
        _add_body(builder, message)
        for part in message.iter_attachments():
            builder.paragraph(f"Attachment: {part.get_filename() or part.get_content_type()}", "\n")
    except (MessageError, LookupError, ValueError, AttributeError, TypeError, IndexError, RecursionError) as error:
        raise Unreadable(f"is broken: {type(error).__name__}") from None
    return builder.document()


def _add_body(builder: Builder, message: EmailMessage) -> None:
    body = message.get_body(("plain", "html"))
    if body is None:
        return
    content = body.get_content()
    if not isinstance(content, str):
        return
    if body.get_content_subtype() == "html":
        add_html(builder, content)
    else:
        builder.paragraph(content.replace("\r\n", "\n"))
