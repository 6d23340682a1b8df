"""The form of a record, and the refusals of what is none that this program knows."""

from typing import Final

from chautari.errors import Malformed

FORMAT_VERSION: Final = 1


def newer(version: int) -> Malformed:
    """The refusal of a form that only a later program knows."""
    return Malformed(
        "RECORD_VERSION",
        f"this record has form {version}, this program reads form {FORMAT_VERSION}: take a newer program",
    )


def unreadable(message: str) -> Malformed:
    """The refusal of what is no record."""
    return Malformed("RECORD_UNREADABLE", message)
