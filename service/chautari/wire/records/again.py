"""Playing a record again: what each of its entries must be, by the rules, the secret and the entries before it."""

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from chautari import engine
from chautari.app import catalog
from chautari.app.values import EndReason
from chautari.cards import Card, find_card
from chautari.engine import FairStream, Position
from chautari.errors import ChautariError
from chautari.v1 import event_pb2, match_pb2, play_pb2
from chautari.wire.convert.events import CAUSES, END_REASONS, fill_events
from chautari.wire.convert.plain import id_of, read_struct
from chautari.wire.records.chairs import Chairs, Impossible

OF_RULES: Final = frozenset({
    "hand_began", "shuffled", "dealt", "moved", "shown", "hidden", "told", "said", "turned", "hand_ended", "seat_left",
    "match_ended",
})  # fmt: skip
"""The events that the rules make; all others tell of the seating, and are inputs."""

CAUSE_OF: Final = {number: cause for cause, number in CAUSES.items()}
LEAVING: Final = (play_pb2.CAUSE_RESIGNED, play_pb2.CAUSE_ABANDONED)
_ENDED_BLIND: Final = ["match_stopped", "turned", "match_ended"]
_ACTING: Final = (play_pb2.CAUSE_SEAT, play_pb2.CAUSE_CLOCK, play_pb2.CAUSE_RULES)


class Again:
    """A match played again, entry by entry. `head`: its record, of which no entry is looked at.

    Malformed and NotFound where this program cannot play it: an unknown game, other rules, settings that are refused.
    """

    def __init__(self, head: play_pb2.MatchRecord) -> None:
        key = id_of(head.game)
        self.game = catalog.find_rules(key, head.rules_version)
        self.settings = self.game.read_settings(read_struct(head.settings))
        self.agreed: dict[str, Any] = msgspec.structs.asdict(self.settings)
        self.chairs = Chairs(
            self.game, self.settings, lambda before: is_lot(head, before), was_resized=_was_resized(head)
        )
        self.position: Position[Any] | None = None
        self.result: match_pb2.MatchResult | None = None
        self.events = 0
        self._revision = 0
        self._chance = Chance(
            FairStream(
                match=id_of(head.match), game=key, version=head.rules_version, secret=head.secret,
                contributions=[own or None for own in head.contributions],
            )
        )  # fmt: skip

    @property
    def state(self) -> match_pb2.MatchState:
        """How far the match has come."""
        if self.result is not None:
            return match_pb2.MATCH_STATE_ABORTED if self.result.aborted else match_pb2.MATCH_STATE_FINISHED
        return match_pb2.MATCH_STATE_SEATING if self.position is None else match_pb2.MATCH_STATE_PLAYING

    @property
    def shuffles(self) -> int:
        """How many shuffles there were so far."""
        return self._chance.used

    def entry(self, given: play_pb2.RecordEntry) -> play_pb2.RecordEntry:
        """The entry as it must be. What it is made from is taken from the one given: who acted, why, when, the action,
        the seating; and the order of a shuffle where that is one of these cards, so that one wrong order is one
        difference. Impossible where the rules refuse it."""
        if self.result is not None:
            raise Impossible("the match was over before")
        self._revision += 1
        made = play_pb2.RecordEntry(revision=self._revision, cause=given.cause, account=self.chairs.account_of(given))
        made.time.CopyFrom(given.time)
        self._chance.told = [_cards(shuffle.cards) for shuffle in given.shuffles]
        self._chance.made = []
        for event in given.events:
            if event.WhichOneof("kind") not in (*OF_RULES, None):
                made.events.add().CopyFrom(event)
                if event.HasField("match_started"):
                    made.events[-1].match_started.start_time.CopyFrom(given.time)
        try:
            self._play(given, made)
        except ChautariError as error:
            raise Impossible(f"the rules refuse it: {error.message}") from error
        for number, order in self._chance.made:
            made.shuffles.add(number=number, cards=[card.text for card in order])
        for event in made.events:
            self.chairs.fold(event, made.account)
        self.chairs.check_host(made)
        self.events += len(made.events)
        return made

    def _play(self, given: play_pb2.RecordEntry, made: play_pb2.RecordEntry) -> None:
        if self.position is None:
            if given.cause != play_pb2.CAUSE_OPERATOR:
                made.cause = play_pb2.CAUSE_SEATING
            if any(event.HasField("match_started") for event in made.events):
                self._take(engine.begin(self.game, self.settings, self._chance), made)
            elif any(event.HasField("match_ended") for event in given.events):
                self.result = made.events.add().match_ended.result
                self.result.aborted = True
                self.result.reason = _reason_before_the_start(given)
                if made.cause == play_pb2.CAUSE_OPERATOR:
                    self.result.reason = match_pb2.END_REASON_OPERATOR
                self.result = _with_note(self.result, made)
            return
        if given.cause == play_pb2.CAUSE_OPERATOR:
            stopped = stopped_in(made)
            if stopped is None or sum(event.HasField("match_stopped") for event in made.events) > 1:
                raise Impossible("an operator ends a match once, and does nothing else")
            if stopped.aborted and _kinds(given) == _ENDED_BLIND:
                self._end_blind(made)
                return
            self._take(engine.stop(self.position, aborted=stopped.aborted), made)
            return
        if given.cause == play_pb2.CAUSE_SEATING and any(map(_hands_on, made.events)):
            return
        if given.cause not in (*_ACTING, *LEAVING):
            raise Impossible("a match under way goes on by what seats do")
        seat = given.seat
        if not given.HasField("seat") or seat >= self.settings.players or seat < 0:
            raise Impossible("no seat of the match is named")
        made.seat = seat
        if given.cause in LEAVING:
            self._take(engine.leave(self.position, *self._leaving(given)), made)
            return
        action = given.action
        if given.cause == play_pb2.CAUSE_CLOCK:
            timeout = engine.timeout_action(self.position, seat)
            if timeout is None:
                raise Impossible(f"no clock of seat {seat} was running")
            action = timeout
        step = engine.act(self.position, seat, action, self._chance)
        self._take(step, made)
        said = step.events[0]
        made.action = said.text if isinstance(said, engine.Said) else action

    def _end_blind(self, made: play_pb2.RecordEntry) -> None:
        """The end of a match whose state could not be read: it opens nothing that lay hidden."""
        made.events.add().turned.turn.phase = engine.FINISHED
        result = made.events.add().match_ended.result
        result.aborted, result.reason = True, match_pb2.END_REASON_OPERATOR
        self.result = _with_note(result, made)

    def _leaving(self, given: play_pb2.RecordEntry) -> list[int]:
        """The seats that leave: the one named, and with it, where the events name them, others of its account, or all
        that are still there."""
        told = [event.seat_left.seat for event in given.events if event.HasField("seat_left")]
        account = self.chairs.seats[given.seat].account
        assert self.position is not None
        if given.cause == play_pb2.CAUSE_ABANDONED and len(told) == self.settings.players - len(self.position.left):
            return [seat for seat in range(self.settings.players) if seat not in self.position.left]
        others = [seat for seat in told[1:] if 0 <= seat < len(self.chairs.seats) and seat != given.seat]
        return [given.seat, *(seat for seat in others if self.chairs.seats[seat].account == account)]

    def _take(self, step: engine.Step, made: play_pb2.RecordEntry) -> None:
        self.position = step.position
        fill_events(made.events, step.events, 0, CAUSE_OF[made.cause], whole=True)
        if step.position.result is not None:
            self.result = match_pb2.MatchResult()
            self.result.CopyFrom(next(e for e in made.events if e.HasField("match_ended")).match_ended.result)
            self.result = _with_note(self.result, made)
            if self.result.reason == match_pb2.END_REASON_RESIGNED and engine.sides_left(step.position) != 1:
                self.result.reason = END_REASONS[EndReason.PLAYED]


def is_lot(head: play_pb2.MatchRecord, before: list[int]) -> bool:
    """Whether seats can have been drawn so: by the secret and the contributions where the secret is known."""
    if sorted(before) != list(range(len(head.contributions))):
        return False
    if not head.secret:
        return True
    gave: list[bytes | None] = [None] * len(before)
    for own, seat in zip(head.contributions, before, strict=True):
        gave[seat] = own or None
    drawn = engine.draw_seats(
        match=id_of(head.match), game=id_of(head.game), version=head.rules_version, secret=head.secret,
        contributions=gave,
    )  # fmt: skip
    return list(drawn) == before


def _was_resized(head: play_pb2.MatchRecord) -> bool:
    return any("settings" in e.match_updated.update_mask.paths for entry in head.entries for e in entry.events)


def _reason_before_the_start(entry: play_pb2.RecordEntry) -> match_pb2.EndReason:
    """Why a match ended that had not started: who got up deserted it; a host without a seat may have closed it too."""
    told = next(event.match_ended.result.reason for event in entry.events if event.HasField("match_ended"))
    if any(event.HasField("seat_vacated") for event in entry.events):
        return match_pb2.END_REASON_DESERTED
    if not entry.account:
        return match_pb2.END_REASON_EXPIRED
    return told if told == match_pb2.END_REASON_CLOSED else match_pb2.END_REASON_DESERTED


def _kinds(entry: play_pb2.RecordEntry) -> list[str | None]:
    return [event.WhichOneof("kind") for event in entry.events]


def stopped_in(entry: play_pb2.RecordEntry) -> event_pb2.MatchStopped | None:
    """What an operator who ended the match said of it."""
    return next((event.match_stopped for event in entry.events if event.HasField("match_stopped")), None)


def _with_note(result: match_pb2.MatchResult, entry: play_pb2.RecordEntry) -> match_pb2.MatchResult:
    """The result as the match has it; its event has no note."""
    stopped = stopped_in(entry)
    if stopped is None:
        return result
    noted = match_pb2.MatchResult(note=stopped.note)
    noted.MergeFrom(result)
    return noted


def _hands_on(event: event_pb2.Event) -> bool:
    return event.HasField("seat_handed") or event.HasField("host_changed") or event.HasField("seat_away")


class Chance:
    """The fair shuffles of a match, of which each may be told to have come out otherwise."""

    def __init__(self, fair: FairStream) -> None:
        self._fair = fair
        self.told: list[tuple[Card, ...]] = []
        self.made: list[tuple[int, tuple[Card, ...]]] = []

    @property
    def used(self) -> int:
        """How many there were."""
        return self._fair.used

    def __call__(self, cards: tuple[Card, ...], /) -> Sequence[Card]:
        """The order that is told, where it is one of these cards; else the fair one."""
        number = self._fair.used
        order = tuple(self._fair(cards))
        place = len(self.made)
        self.made.append((number, order))
        if place < len(self.told) and sorted(self.told[place]) == sorted(cards):
            return self.told[place]
        return order


def _cards(texts: Sequence[str]) -> tuple[Card, ...]:
    """The cards of a shuffle; none where one is no card."""
    found = [card for text in texts if (card := find_card(text)) is not None]
    return tuple(found) if len(found) == len(texts) else ()


def rules_events(entry: play_pb2.RecordEntry) -> list[event_pb2.Event]:
    """The events of an entry that the rules made."""
    return [event for event in entry.events if event.WhichOneof("kind") in OF_RULES]
