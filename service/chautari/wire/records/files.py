"""Records as files: JSON as proto3 writes it, in files that end in `.chautari.json`, and the text form."""

import json
from typing import Final

from google.protobuf.json_format import MessageToJson, Parse, ParseError

from chautari.v1 import play_pb2
from chautari.wire.records.forms import FORMAT_VERSION, newer, unreadable
from chautari.wire.records.parse import record_from_text

_DEEPEST: Final = 100


def record_to_json(record: play_pb2.MatchRecord) -> str:
    """The JSON form."""
    return MessageToJson(record, indent=1, ensure_ascii=False) + "\n"


def read_record(text: str) -> play_pb2.MatchRecord:
    """The record in a file of either form.

    Malformed `RECORD_VERSION` where it is of a form that is not known here, `RECORD_UNREADABLE` where it is none.
    """
    text = text.removeprefix("\ufeff")
    if not text.lstrip().startswith("{"):
        return record_from_text(text)
    try:
        plain = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise unreadable(f"this is no JSON: {error}") from error
    version = plain.get("formatVersion", plain.get("format_version")) if isinstance(plain, dict) else None
    if isinstance(version, int) and version > FORMAT_VERSION:
        raise newer(version)
    try:
        return Parse(text, play_pb2.MatchRecord(), max_recursion_depth=_DEEPEST)
    except (ParseError, ValueError, RecursionError) as error:
        raise unreadable(f"this is no record: {error}") from error
