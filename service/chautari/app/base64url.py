"""Bytes in texts that may stand in a URL: base64 with its safe letters and without padding (RFC 4648, section 5)."""

from base64 import urlsafe_b64decode, urlsafe_b64encode


def encode(blob: bytes) -> str:
    """The text of these bytes."""
    return urlsafe_b64encode(blob).decode().rstrip("=")


def decode(text: str) -> bytes:
    """The bytes of a text; ValueError where it cannot be one."""
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))
