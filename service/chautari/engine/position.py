"""A position: the whole state of a match at one moment, never changed, and its compact form."""

from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING, Annotated, Any, Final, Generic

import msgspec
from msgspec.structs import force_setattr

from chautari.cards import Card, unpack
from chautari.engine.events import HandEnded
from chautari.engine.facts import F, Facts, plain
from chautari.engine.layout import Layout
from chautari.engine.settings import Settings
from chautari.engine.turns import FINISHED
from chautari.engine.viewers import Seat, seats_of

if TYPE_CHECKING:
    from chautari.engine.game import Game

SCHEMA: Final = 1
"""The form of a blob; a program reads this one and refuses others."""


class Unreadable(ValueError):
    """A blob of another schema, game or rules version, or a damaged one; it is refused, never guessed at."""


class NewerSchema(Unreadable):
    """A blob of a schema that comes after this program's."""


class Result(msgspec.Struct, frozen=True, array_like=True):
    """How a match ended. placing: 1 is best, equal seats share, the next place is skipped; score: as the game says.

    aborted: nobody was left at the table, and the placing means nothing.
    """

    placing: tuple[int, ...]
    score: tuple[int, ...]
    aborted: bool = False


class Position(msgspec.Struct, Generic[F], frozen=True, eq=False, gc=False):
    """The state of a match: it is replaced, never written to, so a copy costs nothing.

    zones      the cards by full zone name (`hand.2`)
    must, may  the seats in turn, as bits
    hands      number of the hand under way, from 1
    left       seats that resigned or were abandoned, in that order
    result     None until the match is over
    last_hand  the end of the latest hand that has ended, with its record; None before
    listed     the seat whose legal actions were listed last, and these: no part of the state, it saves looking again
    """

    game: "Game[Any, F]"
    settings: Settings
    layout: Layout
    zones: dict[str, tuple[Card, ...]]
    facts: F
    phase: str
    must: int
    may: int
    hands: int
    left: tuple[Seat, ...] = ()
    result: Result | None = None
    last_hand: HandEnded | None = None
    listed: tuple[Seat, Sequence[str]] | None = None

    def __post_init__(self) -> None:
        if self.listed is not None:  # made of another by `replace`: what was listed of that one need not hold here
            force_setattr(self, "listed", None)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Position) and self._state() == other._state()

    __hash__ = None  # type: ignore[assignment]  # zones are a dict, facts can be written to

    def _state(self) -> tuple[object, ...]:
        return (
            self.game, self.settings, self.zones, self.facts, self.phase, self.must, self.may, self.hands, self.left,
            self.result, self.last_hand,
        )  # fmt: skip

    def list_for(self, seat: Seat, actions: Sequence[str]) -> None:
        """Remembers that these actions are legal for this seat, in place of what was listed before."""
        force_setattr(self, "listed", (seat, actions))

    @property
    def turn(self) -> tuple[Seat, ...]:
        """The seats that must or may act, ascending."""
        return seats_of(self.must | self.may)

    @property
    def is_over(self) -> bool:
        """Whether the match has ended."""
        return self.phase == FINISHED


_encode: Final = msgspec.msgpack.Encoder().encode
_header: Final = msgspec.msgpack.Decoder(tuple[int, str, int])


def encode(position: Position[Any]) -> bytes:
    """The state as a compact blob that carries schema, game and rules version."""
    game = position.game
    zones = position.zones.values()
    last_hand = position.last_hand
    if last_hand is not None and game.record_of is not None:
        last_hand = HandEnded(last_hand.number, {})
    return game.header + _encode(
        (
            position.settings, position.facts, position.phase, position.must, position.may, position.hands,
            position.left, position.result, last_hand, list(map(len, zones)),
            bytes(chain.from_iterable(zones)),
        )
    )  # fmt: skip


def decode(game: "Game[Any, F]", blob: bytes) -> Position[F]:
    """The state that a blob holds; Unreadable where it is not one of this game at this rules version and schema."""
    header = game.header
    if not blob.startswith(header):
        raise _mismatch(game, blob)
    try:
        settings, facts, phase, must, may, hands, left, result, last_hand, counts, faces = game.snapshot_decoder.decode(
            memoryview(blob)[len(header) :]
        )
        layout = game.layout(settings)
        cards = unpack(faces)
        zones: dict[str, tuple[Card, ...]] = {}
        start = 0
        for name, count in zip(layout.places, counts, strict=True):
            zones[name] = cards[start : start + count]
            start += count
        if last_hand is not None and game.record_of is not None:
            last_hand = HandEnded(last_hand.number, plain(game.record_of(facts)))
    except (msgspec.DecodeError, IndexError, ValueError) as error:
        raise Unreadable(f"the state of a match of {game.key} is damaged: {error}") from error
    if start != len(cards):
        raise Unreadable(f"the state of a match of {game.key} is damaged: {len(cards)} cards, {start} in zones")
    return Position(game, settings, layout, zones, facts, phase, must, may, hands, left, result, last_hand)


def make_header(key: str, version: int) -> bytes:
    """The first bytes of each blob of this game at this rules version."""
    return _encode((SCHEMA, key, version))


def make_decoder(settings: type[Settings], facts: type[Facts]) -> msgspec.msgpack.Decoder[Any]:
    """What reads the blobs of a game behind their first bytes; the fields are those that `encode` writes."""
    count = Annotated[int, msgspec.Meta(ge=0)]
    fields = (
        settings, facts, str, int, int, int, tuple[int, ...], Result | None, HandEnded | None, list[count], bytes,
    )  # fmt: skip
    return msgspec.msgpack.Decoder(tuple.__class_getitem__(fields))


def _mismatch(game: "Game[Any, Any]", blob: bytes) -> Unreadable:
    wanted = f"{game.key} at rules version {game.version}, schema {SCHEMA}"
    for size in range(4, min(len(blob), 80)):
        try:
            schema, key, version = _header.decode(blob[:size])
        except msgspec.DecodeError:
            continue
        kind = NewerSchema if schema > SCHEMA else Unreadable
        return kind(f"a state of {wanted} is wanted, this is one of {key} at rules version {version}, schema {schema}")
    return Unreadable(f"a state of {wanted} is wanted, this is none")
