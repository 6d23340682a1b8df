"""Reading the text form back: its lines give what the record is made from, and playing it again gives the rest."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from google.protobuf.json_format import ParseDict, ParseError

from chautari.v1 import event_pb2, match_pb2, play_pb2
from chautari.wire.convert.plain import fill_value
from chautari.wire.records.again import Again
from chautari.wire.records.chairs import Impossible
from chautari.wire.records.forms import FORMAT_VERSION, newer, unreadable
from chautari.wire.records.text import (
    CAUSE_WORDS,
    DISCLOSURE_WORDS,
    FIRST_LINE,
    REASON_WORDS,
    SEAT_WORDS,
    STATE_WORDS,
    usual_account,
)

_QUOTED: Final = r'"(?:[^"\\]|\\.)*"'
_NAME: Final = rf"{_QUOTED}|[^\s\";]+"
_ENTRY: Final = re.compile(
    rf"(?P<revision>\d+) (?P<time>\S+) (?P<cause>[a-z]+)(?: (?P<seat>\d+))?(?: by (?P<account>{_NAME}))?:(?P<done>.*)"
)
_CHAIR: Final = re.compile(rf"(?P<state>[a-z]+)(?: (?P<account>{_NAME}) (?P<name>{_QUOTED}))?(?: side (?P<side>\d+))?")
_RESULT: Final = re.compile(
    rf"(?:aborted|placing (?P<placing>[\d,]*) score (?P<score>[-\d,]*)) (?P<reason>[a-z]+)(?: (?P<note>{_QUOTED}))?"
)
_STEP: Final = re.compile(
    r"(?P<verb>take|hold|free|host|start|end|away|back|leave|event)(?: (?P<seat>\d+))?"
    rf"(?: (?P<one>{_NAME}))?(?: (?P<two>{_QUOTED}))?"
)
_AWAY: Final = re.compile(r"(?:^|; )(?:away|back|leave) \d+(?:; (?:away|back|leave) \d+)*$").search
"""Seats that are away, back, or leave together, behind the action if there is one."""
_STEPS: Final = re.compile(rf"(?:{_QUOTED}|[^\";])+")
_FIRST: Final = re.compile(rf"{FIRST_LINE} (\d{{1,9}})").fullmatch
_HAND: Final = re.compile(r"hand \d+").fullmatch


def record_from_text(text: str) -> play_pb2.MatchRecord:
    """The record whose text form this is.

    Malformed `RECORD_UNREADABLE` names the line that is wrong, or says that the text was cut for its reader: such a one
    does not hold all that is needed; NotFound where this program has not the rules. The rules may refuse an entry:
    it and those behind it then have no events.
    """
    lines = [(number, line.strip("\r\n")) for number, line in enumerate(text.split("\n"), 1)]
    lines = [(number, line) for number, line in lines if line.strip() and not line.startswith("#")]
    first = _FIRST(lines[0][1]) if lines else None
    if first is None:
        raise unreadable(f"a record begins with the line `{FIRST_LINE} {FORMAT_VERSION}`")
    record = play_pb2.MatchRecord(format_version=int(first[1]))
    if record.format_version > FORMAT_VERSION:
        raise newer(record.format_version)
    body = iter(lines[1:])
    for number, line in body:
        if line == "seating":
            break
        with_line(number, _read_header, record, line)
    else:
        raise unreadable("there is no line `seating`, behind which the changes of the match begin")
    if not record.complete:
        raise unreadable("it was cut for its reader, and does not hold all that is needed: keep such a record in JSON")
    again: Again | None = Again(record)
    for number, line in body:
        if _HAND(line):
            continue
        entry = with_line(number, _read_entry, line, [seat.account for seat in record.seats])
        if again is not None:
            try:
                made = again.entry(entry)
            except Impossible:
                again = None
            else:
                made.revision, made.cause, made.action = entry.revision, entry.cause, entry.action
                made.account = entry.account
                entry = made
        record.entries.append(entry)
    return record


def with_line(number: int, read: Any, *arguments: Any) -> Any:
    """What `read` gives; where it cannot read, the error names the line."""
    try:
        return read(*arguments)
    except (ValueError, KeyError, ParseError) as error:
        raise unreadable(f"line {number}: {error}") from error


def _read_header(record: play_pb2.MatchRecord, line: str) -> None:
    key, colon, value = line.partition(":")
    if not colon:
        raise ValueError("a line of the header is `name: value`")
    value = value.strip()
    word, _, rest = key.partition(" ")
    if word == "setting":
        fill_value(record.settings.fields[_name(rest)], json.loads(value))
    elif word == "seat":
        _read_chair(record.seats.add(), int(rest), value)
    elif word == "contribution":
        record.contributions.append(bytes.fromhex(value))
    elif word in _HEADERS:
        _HEADERS[word](record, value)
    else:
        raise ValueError(f"a header has no line {word!r}")


def _read_chair(seat: match_pb2.Seat, number: int, text: str) -> None:
    parts = _matched(_CHAIR, text)
    seat.number = number
    seat.state = _number(SEAT_WORDS, parts["state"])
    seat.account = _name(parts["account"])
    seat.display_name = _name(parts["name"])
    if parts["side"] is not None:
        seat.side = int(parts["side"])


def _read_result(record: play_pb2.MatchRecord, text: str) -> None:
    parts = _matched(_RESULT, text)
    result = record.result
    result.aborted = text.startswith("aborted")
    result.reason = _number(REASON_WORDS, parts["reason"])
    result.note = _name(parts["note"])
    result.placing.extend(int(number) for number in (parts["placing"] or "").split(",") if number)
    result.score.extend(int(number) for number in (parts["score"] or "").split(",") if number)


def _read_entry(line: str, accounts: Sequence[str]) -> play_pb2.RecordEntry:
    parts = _matched(_ENTRY, line)
    entry = play_pb2.RecordEntry(revision=int(parts["revision"]), cause=_number(CAUSE_WORDS, parts["cause"]))
    entry.time.FromJsonString(parts["time"])
    if parts["seat"] is not None:
        entry.seat = int(parts["seat"])
    named = parts["account"]
    entry.account = usual_account(entry, accounts) if named is None else _name(named)
    done = (parts["done"] or "").strip()
    if entry.cause in (play_pb2.CAUSE_SEATING, play_pb2.CAUSE_OPERATOR):
        entry.events.extend(_read_steps(done))
    else:
        away = _AWAY(done)
        if away is not None:
            entry.events.extend(_read_steps(away[0]))
            done = done[: away.start()].strip()
        entry.action = _name(done) if done.startswith('"') else done
    return entry


def _read_steps(text: str) -> Iterator[event_pb2.Event]:
    """The events of the seating, from `take 0 accounts/a "Sita"; start`."""
    for step in _STEPS.findall(text):
        if not step.strip():
            continue
        parts = _matched(_STEP, step.strip())
        event, verb, seat = event_pb2.Event(), parts["verb"], int(parts["seat"] or 0)
        if verb in ("take", "hold"):
            taken = event.seat_taken
            taken.seat, taken.held = seat, verb == "hold"
            taken.account, taken.display_name = _name(parts["one"]), _name(parts["two"])
        elif verb == "free":
            event.seat_vacated.seat = seat
        elif verb in ("away", "back"):
            event.seat_away.seat, event.seat_away.away = seat, verb == "away"
        elif verb == "leave":
            event.seat_left.seat = seat
        elif verb == "host":
            event.host_changed.host = _name(parts["one"])
        elif verb == "start":
            event.match_started.SetInParent()
        elif verb == "end":
            event.match_ended.SetInParent()
        else:
            ParseDict(json.loads(_name(parts["one"])), event)
        yield event


def _matched(pattern: re.Pattern[str], text: str) -> Mapping[str, Any]:
    found = pattern.fullmatch(text)
    if found is None:
        raise ValueError(f"{text[:60]!r} cannot be read")
    return found.groupdict()


def _name(text: str | None) -> str:
    """A name, or a text in quotes."""
    if not text:
        return ""
    if not text.startswith('"'):
        return text
    read = json.loads(text)
    if not isinstance(read, str):
        raise ValueError(f"{text[:60]!r} is no text")
    return read


def _number(words: Mapping[Any, str], word: str) -> Any:
    for number, known in words.items():
        if known == word:
            return number
    raise ValueError(f"{word!r} is none of {', '.join(words.values())}")


def _set(field: str, read: Any) -> Any:
    def fill(record: play_pb2.MatchRecord, value: str) -> None:
        setattr(record, field, read(value))

    return fill


def _read_complete(record: play_pb2.MatchRecord, value: str) -> None:
    record.complete = value == "yes"


_HEADERS: Final = {
    "server": _set("server", _name),
    "match": _set("match", _name),
    "title": _set("title", _name),
    "game": _set("game", _name),
    "rules": _set("rules_version", int),
    "state": _set("state", lambda word: _number(STATE_WORDS, word)),
    "disclosure": _set("disclosure", lambda word: _number(DISCLOSURE_WORDS, word)),
    "commitment": _set("commitment", bytes.fromhex),
    "secret": _set("secret", bytes.fromhex),
    "result": _read_result,
    "complete": _read_complete,
    "revision": _set("revision", int),
}
