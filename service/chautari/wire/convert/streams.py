"""The messages of streams, encoded: what watching gives, and the answer to an act, which holds one of them."""

from typing import Final

from chautari.app.playing import Acted
from chautari.app.updates import Beat, End, EndCause, MineChange, MineSummary, PresenceChange, Step
from chautari.v1 import play_pb2
from chautari.wire.convert.matches import fill_standing
from chautari.wire.convert.parts import number, part
from chautari.wire.convert.plain import fill_time
from chautari.wire.convert.steps import encode_step

END_CAUSES: Final = {
    EndCause.MATCH_OVER: play_pb2.END_CAUSE_MATCH_OVER,
    EndCause.DRAINING: play_pb2.END_CAUSE_DRAINING,
    EndCause.SLOW: play_pb2.END_CAUSE_SLOW,
    EndCause.TOKEN: play_pb2.END_CAUSE_TOKEN,
    EndCause.NO_ACCESS: play_pb2.END_CAUSE_NO_ACCESS,
    EndCause.FAULT: play_pb2.END_CAUSE_FAULT,
    EndCause.SEAT_MOVED: play_pb2.END_CAUSE_SEAT_MOVED,
    EndCause.ALL_SENT: play_pb2.END_CAUSE_ALL_SENT,
    EndCause.BANNED: play_pb2.END_CAUSE_BANNED,
}
_REVISION: Final = play_pb2.ActResponse.REVISION_FIELD_NUMBER
_UPDATE: Final = play_pb2.ActResponse.UPDATE_FIELD_NUMBER
_REPLAYED: Final = play_pb2.ActResponse.REPLAYED_FIELD_NUMBER


def encode_epoch(epoch: str) -> bytes:
    """The field `epoch` of an `Update`: a part of each of its messages."""
    return part(play_pb2.Update.EPOCH_FIELD_NUMBER, epoch.encode())


def encode_acted(acted: Acted, epoch: bytes) -> bytes:
    """An `ActResponse`. Its update is the message that the streams of the seat get, and is not encoded again."""
    answer = number(_REVISION, acted.revision)
    if acted.step is not None:
        answer += part(_UPDATE, encode_step(acted.step, epoch))
    return answer + number(_REPLAYED, 1) if acted.replayed else answer


def encode_update(item: Step | Beat | PresenceChange | End, epoch: bytes = b"") -> bytes:
    """An `Update`."""
    if isinstance(item, Step):
        return encode_step(item, epoch)
    update = play_pb2.Update(match=f"matches/{item.match_id}", revision=item.revision)
    if isinstance(item, Beat):
        fill_time(update.heartbeat.time, item.at)
    elif isinstance(item, PresenceChange):
        update.presence.seat = item.seat
        update.presence.online = item.online
    else:
        fill_end(update.end, item)
    return update.SerializeToString() + epoch


def encode_mine(item: MineSummary | MineChange | Beat | End) -> bytes:
    """A `MineUpdate`."""
    update = play_pb2.MineUpdate()
    if isinstance(item, MineSummary):
        update.summary.truncated = item.truncated
        update.summary.epoch = item.epoch
        for standing in item.standings:
            fill_standing(update.summary.matches.add(), standing, member=True)
    elif isinstance(item, MineChange):
        fill_standing(update.changed, item.standing, member=item.member)
    elif isinstance(item, Beat):
        fill_time(update.heartbeat.time, item.at)
    else:
        fill_end(update.end, item)
    return update.SerializeToString()


def fill_end(target: play_pb2.StreamEnd, end: End) -> None:
    """Writes why a stream ends into an empty message."""
    target.cause = END_CAUSES[end.cause]
    target.resume = end.resume
    target.retry_milliseconds = end.retry_ms
    if end.seat is not None:
        target.seat = end.seat
