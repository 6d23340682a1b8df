"""Records of matches, to messages: in pages, and as the parts of a stream."""

from chautari.app.records import RecordItem, RecordPage
from chautari.app.updates import End
from chautari.app.values import MatchState
from chautari.v1 import play_pb2
from chautari.wire.convert.events import CAUSES, fill_events
from chautari.wire.convert.matches import DISCLOSURES, STATES, disclosed_secret, fill_outcome, fill_seats
from chautari.wire.convert.plain import account_name, fill_struct, fill_time
from chautari.wire.convert.streams import fill_end
from chautari.wire.records.forms import FORMAT_VERSION
from chautari.wire.records.text import TextWriter


class RecordParts:
    """Encodes what one download brings, in its order: as messages, or as text."""

    def __init__(self, server: str, *, as_text: bool) -> None:
        self._server = server
        self._writer = TextWriter() if as_text else None

    def encode(self, item: RecordPage | End) -> bytes:
        """A `RecordPart`."""
        part = play_pb2.RecordPart()
        if isinstance(item, End):
            fill_end(part.end, item)
        elif self._writer is not None:
            part.text = self._writer.write(page_to_proto(item, self._server))
        else:
            part.record.CopyFrom(page_to_proto(item, self._server))
        return part.SerializeToString()


def page_to_proto(page: RecordPage, server: str) -> play_pb2.MatchRecord:
    """A page of the record of a match; the first tells of the match as well."""
    match = page.match
    message = play_pb2.MatchRecord(
        format_version=FORMAT_VERSION, match=f"matches/{match.id}", next_page_token=page.next_page_token
    )
    if page.first:
        _fill_match(message, page, server)
    for item in page.entries:
        fill_entry(message.entries.add(), item, whole=page.complete)
    return message


def _fill_match(message: play_pb2.MatchRecord, page: RecordPage, server: str) -> None:
    match = page.match
    message.server = server
    message.title = match.title
    message.game = f"games/{match.game}"
    message.rules_version = match.rules_version
    fill_struct(message.settings, match.settings)
    fill_seats(message.seats, match, frozenset())
    message.state = STATES[match.state]
    message.disclosure = DISCLOSURES[match.disclosure]
    message.commitment = match.commitment
    message.secret = disclosed_secret(match)
    if match.state is not MatchState.SEATING:
        message.contributions.extend([chair.contribution or b"" for chair in match.chairs])
    if match.outcome is not None:
        fill_outcome(message.result, match.outcome)
    message.complete = page.complete
    if page.seat is not None:
        message.seat = page.seat
    message.revision = page.revision


def fill_entry(target: play_pb2.RecordEntry, item: RecordItem, *, whole: bool) -> None:
    """Writes an entry of a record into an empty message."""
    target.revision = item.revision
    fill_time(target.time, item.at)
    target.cause = CAUSES[item.cause]
    if item.seat is not None:
        target.seat = item.seat
    target.account = account_name(item.account_id)
    target.action = item.action
    for number, cards in item.shuffles:
        shuffle = target.shuffles.add()
        shuffle.number = number
        shuffle.cards.extend(cards.split())
    fill_events(target.events, item.events, item.at, item.cause, whole=whole)
