"""Records of matches on one's own machine: kept as files, read again, and verified without asking a server."""

from typing import TYPE_CHECKING

from chautari.errors import ChautariError
from chautari.v1.play_pb2 import MatchRecord

if TYPE_CHECKING:
    from chautari.wire.records.verdict import Verdict

# The rules of all games are imported where they are needed: a client that only plays does without them.


def verify(record: MatchRecord) -> "Verdict":
    """Plays a record again and says what does not hold (`verdict.holds`, `verdict.differences`).

    ValueError where it is no whole record, or of a game, rules or form that this version does not know. Compare its
    `commitment` with the one that you were shown before you sat down: nobody else can.
    """
    from chautari.wire.records.verify import verify as verify_record

    try:
        return verify_record(record)
    except ChautariError as error:
        raise ValueError(error.message) from error


def read_record(text: str) -> MatchRecord:
    """The record in the text of a file, in JSON or in the text form; ValueError where it is none."""
    from chautari.wire.records.files import read_record as read

    try:
        return read(text)
    except ChautariError as error:
        raise ValueError(error.message) from error


def record_to_json(record: MatchRecord) -> str:
    """What to keep of a record, in a file whose name ends in `.chautari.json`."""
    from chautari.wire.records.files import record_to_json as to_json

    return to_json(record)


def record_to_text(record: MatchRecord) -> str:
    """A record to read: a header, then a line for each change, by hands."""
    from chautari.wire.records.text import record_to_text as to_text

    return to_text(record)
