"""The readable text form of a record: a header, then one line for each change, grouped by hand. RECORDS.md has the
grammar. What follows from the rest (events, shuffles) stands in remarks, which nobody reads back."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Final

from google.protobuf.json_format import MessageToDict

from chautari.app.signs import is_sign, printable
from chautari.v1 import event_pb2, match_pb2, play_pb2
from chautari.wire.convert.plain import read_struct
from chautari.wire.records.again import OF_RULES

FIRST_LINE: Final = "chautari record"
CAUSE_WORDS: Final = {
    play_pb2.CAUSE_SEAT: "seat",
    play_pb2.CAUSE_CLOCK: "clock",
    play_pb2.CAUSE_RULES: "rules",
    play_pb2.CAUSE_RESIGNED: "resigned",
    play_pb2.CAUSE_ABANDONED: "abandoned",
    play_pb2.CAUSE_SEATING: "seating",
    play_pb2.CAUSE_OPERATOR: "operator",
}
STATE_WORDS: Final = {
    match_pb2.MATCH_STATE_SEATING: "seating",
    match_pb2.MATCH_STATE_PLAYING: "playing",
    match_pb2.MATCH_STATE_FINISHED: "finished",
    match_pb2.MATCH_STATE_ABORTED: "aborted",
}
SEAT_WORDS: Final = {
    match_pb2.SEAT_STATE_OPEN: "open",
    match_pb2.SEAT_STATE_HELD: "held",
    match_pb2.SEAT_STATE_TAKEN: "taken",
    match_pb2.SEAT_STATE_LEFT: "left",
}
DISCLOSURE_WORDS: Final = {match_pb2.DISCLOSURE_FULL: "full", match_pb2.DISCLOSURE_SHOWN_ONLY: "shown only"}
REASON_WORDS: Final = {
    match_pb2.END_REASON_PLAYED: "played",
    match_pb2.END_REASON_RESIGNED: "resigned",
    match_pb2.END_REASON_DESERTED: "deserted",
    match_pb2.END_REASON_OPERATOR: "operator",
}
_PLAIN_ACTION: Final = re.compile(r"[!#-~][!-~]*( [!-~]+)*").fullmatch
_PLAIN_NAME: Final = re.compile(r"[a-z]+/[A-Za-z0-9_-]+").fullmatch


class TextWriter:
    """Writes a record page by page; the texts put together are the file."""

    def __init__(self) -> None:
        self._begun = False
        self._accounts: list[str] = []

    def write(self, page: play_pb2.MatchRecord) -> str:
        """The text of the next page."""
        lines: list[str] = []
        if not self._begun:
            self._begun = True
            self._accounts = [seat.account for seat in page.seats]
            lines += [*_header(page), "", "seating"]
        for entry in page.entries:
            lines += _entry(entry, self._accounts)
        return "".join([line + "\n" for line in lines])


def record_to_text(record: play_pb2.MatchRecord) -> str:
    """The text form of a whole record."""
    return TextWriter().write(record)


def quoted(text: str) -> str:
    """A text in double quotes as JSON writes it, letters of any script as they are, and all that is no sign escaped."""
    return "".join([
        sign if is_sign(sign) else json.dumps(sign)[1:-1]
        for sign in json.dumps(text, ensure_ascii=False)
    ])  # fmt: skip


def name_text(name: str) -> str:
    """The name of a resource; in quotes where it is none."""
    return name if _PLAIN_NAME(name) else quoted(name)


def action_text(action: str) -> str:
    """An action as it is; in quotes where it is no line of plain words."""
    return action if _PLAIN_ACTION(action) else quoted(action)


def _header(record: play_pb2.MatchRecord) -> Iterator[str]:
    yield f"{FIRST_LINE} {record.format_version}"
    yield f"server: {quoted(record.server)}"
    yield f"match: {name_text(record.match)}"
    yield f"title: {quoted(record.title)}"
    yield f"game: {name_text(record.game)}"
    yield f"rules: {record.rules_version}"
    for name, value in sorted(read_struct(record.settings).items()):
        named = name if name.isidentifier() else quoted(name)
        yield f"setting {named}: {quoted(value) if isinstance(value, str) else json.dumps(value)}"
    yield f"state: {STATE_WORDS.get(record.state, record.state)}"
    yield f"disclosure: {DISCLOSURE_WORDS.get(record.disclosure, record.disclosure)}"
    yield f"commitment: {record.commitment.hex()}"
    yield f"secret: {record.secret.hex()}"
    for seat in record.seats:
        sits = f" {name_text(seat.account)} {quoted(seat.display_name)}" if seat.account or seat.display_name else ""
        side = f" side {seat.side}" if seat.HasField("side") else ""
        yield f"seat {seat.number}: {SEAT_WORDS.get(seat.state, seat.state)}{sits}{side}"
    for number, own in enumerate(record.contributions):
        yield f"contribution {number}: {own.hex()}"
    if record.HasField("result"):
        yield f"result: {_result(record.result)}"
    reader = f"seat {record.seat}" if record.HasField("seat") else "spectator"
    yield f"complete: {'yes' if record.complete else f'no, as shown to {reader}'}"
    yield f"revision: {record.revision}"


def _result(result: match_pb2.MatchResult) -> str:
    if result.aborted:
        ended = "aborted"
    else:
        ended = f"placing {_numbers(result.placing)} score {_numbers(result.score)}"
    note = f" {quoted(result.note)}" if result.note else ""
    return f"{ended} {REASON_WORDS.get(result.reason, result.reason)}{note}"


def _numbers(numbers: Iterable[int]) -> str:
    return ",".join(map(str, numbers))


def usual_account(entry: play_pb2.RecordEntry, accounts: Sequence[str]) -> str:
    """The account that is meant where a line names none. accounts: of the seats."""
    seats_own = entry.cause in (play_pb2.CAUSE_SEAT, play_pb2.CAUSE_RESIGNED) and 0 <= entry.seat < len(accounts)
    return accounts[entry.seat] if seats_own else ""


def _entry(entry: play_pb2.RecordEntry, accounts: Sequence[str]) -> Iterator[str]:
    who = CAUSE_WORDS.get(entry.cause, str(entry.cause))
    if entry.HasField("seat"):
        who += f" {entry.seat}"
    if entry.account != usual_account(entry, accounts):
        who += f" by {name_text(entry.account)}"
    said = [action_text(entry.action)] if entry.action else []
    seating = [_seating(event) for event in entry.events if event.WhichOneof("kind") not in OF_RULES]
    leaving = [f"leave {event.seat_left.seat}" for event in entry.events if event.HasField("seat_left")]
    seating += leaving if len(leaving) > 1 else []
    kinds = {event.WhichOneof("kind") for event in entry.events}
    if "match_ended" in kinds and not kinds & {"turned", "match_started"}:
        seating += [_end(event) for event in entry.events if event.HasField("match_ended")]
    done = "; ".join(said + seating)
    yield f"{entry.revision} {entry.time.ToJsonString()} {who}:{f' {done}' if done else ''}"
    shuffles = iter(entry.shuffles)
    for event in entry.events:
        if event.HasField("hand_began"):
            yield ""
            yield f"hand {event.hand_began.hand}"
        elif event.HasField("shuffled"):
            yield from (f"# shuffle {one.number}: {printable(' '.join(one.cards))}" for one in islice(shuffles, 1))
        else:
            yield from (f"# {printable(remark)}" for remark in _remarks(event))


def _end(event: event_pb2.Event) -> str:
    """The end before the start; why it was needs to be said only where nobody simply got up."""
    closed = event.match_ended.result.reason in (match_pb2.END_REASON_CLOSED, match_pb2.END_REASON_EXPIRED)
    return _as_json(event) if closed else "end"


def _seating(event: event_pb2.Event) -> str:
    """A step of the seating. One that has more to say than the short forms hold is written as JSON."""
    taken, seat = event.seat_taken, event.seat_vacated.seat
    kind = event.WhichOneof("kind")
    short, whole = "", event_pb2.Event()
    if kind == "seat_taken":
        verb = "hold" if taken.held else "take"
        short = f"{verb} {taken.seat} {name_text(taken.account)} {quoted(taken.display_name)}"
        whole.seat_taken.MergeFrom(
            event_pb2.SeatTaken(
                seat=taken.seat, account=taken.account, display_name=taken.display_name, held=taken.held
            )
        )  # fmt: skip
    elif kind == "seat_vacated":
        short = f"free {seat}"
        whole.seat_vacated.seat = seat
    elif kind == "seat_away":
        short = f"{'away' if event.seat_away.away else 'back'} {event.seat_away.seat}"
        whole.seat_away.CopyFrom(event.seat_away)
    elif kind == "host_changed":
        short = f"host {name_text(event.host_changed.host)}"
        whole.host_changed.host = event.host_changed.host
    elif kind == "match_started":
        short = "start"
        whole.match_started.start_time.CopyFrom(event.match_started.start_time)
    return short if short and whole == event else _as_json(event)


def _as_json(event: event_pb2.Event) -> str:
    plain = MessageToDict(event, preserving_proto_field_name=True)
    return f"event {quoted(json.dumps(plain, ensure_ascii=False, sort_keys=True))}"


def _remarks(event: event_pb2.Event) -> Iterator[str]:
    """What a reader wants to see of an event beside the action; the cards as far as they are known."""
    kind = event.WhichOneof("kind")
    if kind == "dealt":
        for hand in event.dealt.hands:
            yield f"dealt to {hand.zone}: {_cards(hand.cards, hand.count)}"
    elif kind == "moved":
        moved = event.moved
        source, target = moved.source or "outside", moved.target or "outside"
        yield f"{source} to {target}: {_cards(moved.cards, moved.count)}"
    elif kind == "shown":
        yield f"shown {event.shown.zone}: {' '.join(event.shown.cards)}"
    elif kind == "hand_ended":
        record = event.hand_ended.record
        kept = json.dumps(read_struct(record.record), ensure_ascii=False, sort_keys=True)
        yield f"hand {record.hand} ended: {kept}"
    elif kind == "seat_left":
        yield f"seat {event.seat_left.seat} left"
    elif kind == "match_ended":
        yield f"match over: {_result(event.match_ended.result)}"


def _cards(cards: Iterable[str], count: int) -> str:
    return " ".join(cards) or f"{count} unseen"
