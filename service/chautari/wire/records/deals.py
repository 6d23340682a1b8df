"""A deal that fits a record which was cut: cards for all that its reader has not seen, by which the match goes so.

A reader is told the same in every world that it cannot tell apart, so any such deal shows that a record hangs together.
It is looked for by playing: from a deal at random; where an event shows another card than there lies, the two change
places, and the match is played again from that shuffle on; where it goes otherwise for cards that nobody saw (a hand
thrown away unseen must have lost), those are dealt anew.
"""

from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import Any, Final

from chautari import engine
from chautari.app.values import Cause
from chautari.cards import Card, find_card
from chautari.engine import Position
from chautari.errors import ChautariError
from chautari.v1 import event_pb2, play_pb2
from chautari.wire.convert.events import fill_events
from chautari.wire.records.again import CAUSE_OF, LEAVING, Again, rules_events, stopped_in
from chautari.wire.records.faces import dealt_in, hands_in, seen_in, without_cards

TRIES: Final = 400
"""Deals of the unseen cards that are tried at one entry."""
_ALIKE: Final = 40
"""If whatever was dealt so often led to the same, it is for no card that was not shown."""
TRIES_OF_A_REFUSAL: Final = 40
"""Likewise where the rules refuse what the seat did: it may hold other cards, and they are many."""
_STEPS: Final = 3000
_STEPS_OF_AN_ENTRY: Final = 20
"""Entries that are played in all before the search is given up."""
_IN_A_ROW: Final = 60
"""Exchanges one after the other that do not lead on."""
_NONE: Final = "no deal of the cards that were not shown was found that leads there"
_PUBLIC: Final = frozenset({"NOT_YOUR_TURN", "MATCH_OVER", "UNKNOWN_ACTION", "MALFORMED_ACTION"})
"""Refusals that do not depend on cards that anybody holds."""

Events = list[event_pb2.Event]
Exchange = tuple[Card, Card, int]
"""The card that lies there in this world, the one that was seen there, and how many shuffles there had been by then."""


class Wrong(Exception):
    """Whatever is dealt, this entry cannot be. told, made: its events, and those that the rules make."""

    def __init__(self, revision: int, message: str, told: Events, made: Events) -> None:
        super().__init__(message)
        self.revision = revision
        self.told, self.made = told, made


class NotFound(Exception):
    """No deal was found, which does not say that there is none: from this revision on, and why."""

    def __init__(self, revision: int, message: str) -> None:
        super().__init__(message)
        self.revision = revision


class Deals:
    """The search for the deal of one record."""

    def __init__(self, record: play_pb2.MatchRecord, again: Again) -> None:
        self._game, self._settings = again.game, again.settings
        self._viewer = record.seat if record.HasField("seat") else None
        self._random = Random(record.match)
        starts = (number for number, entry in enumerate(record.entries) if _starts(entry))
        self._entries = list(record.entries)[next(starts, len(record.entries)) :]
        self._orders: list[list[Card]] = []
        self._seen: list[set[int]] = []
        self._made_at: list[int] = []
        self._used = 0
        self._states: list[tuple[Position[Any] | None, int]] = [(None, 0)]
        self._steps = 0
        self._whole: list[engine.Event] = []

    def find(self) -> int:
        """Finds a deal, and gives the number of entries that were played by it; raises Wrong or NotFound."""
        tries: Counter[int] = Counter()
        in_a_row = 0
        made_before: dict[int, set[bytes]] = {}
        while len(self._states) <= len(self._entries):
            at = len(self._states) - 1
            entry = self._entries[at]
            told = rules_events(entry)
            made, says = self._play(at)
            if made == told:
                self._note(at, told)
                continue
            exchanges = _exchanges(made, told, self._states[at][1])
            if exchanges and not self._exchange(at, exchanges):
                if not self._is_sure():
                    raise NotFound(entry.revision, _NONE)
                raise Wrong(entry.revision, "a card is told in two places at once", told, made)
            if exchanges or self._exchange(at, self._hints(at, told)):
                in_a_row += 1
                if in_a_row > _IN_A_ROW:
                    raise NotFound(entry.revision, _NONE)
                continue
            in_a_row = 0
            made_before.setdefault(at, set()).add(_otherwise(made, told))
            tries[at] += 1
            is_alike = not says and tries[at] >= _ALIKE and len(made_before[at]) == 1 and self._is_sure()
            is_last = tries[at] >= (TRIES_OF_A_REFUSAL if says else TRIES)
            can_go_on = not is_alike and not is_last and says not in _PUBLIC and self._deal_anew(at)
            if is_alike or says in _PUBLIC:
                message = f"the rules refuse it: {says}" if says else "the rules make other events"
                raise Wrong(entry.revision, message, told, made)
            if not can_go_on:
                raise NotFound(entry.revision, _NONE)
        return len(self._entries)

    def _is_sure(self) -> bool:
        """Whether what no deal leads to cannot have been. So it is where each shuffle is of the same cards, no two
        alike, in a game made for cards that stay secret; elsewhere too much follows from what a seat holds."""
        whole = len({len(order) for order in self._orders}) == 1 and len({*self._orders[0]}) == len(self._orders[0])
        return whole and self._game.disclosure == "shown_only"

    # One entry ────────────────────────────────────────────────────────────────────────────────────────────────────────

    def _play(self, at: int) -> tuple[Events, str]:
        """What the entry makes happen in this world, as its reader is told; and the reason, if the rules refuse it."""
        self._steps += 1
        entry = self._entries[at]
        if self._steps > _STEPS + _STEPS_OF_AN_ENTRY * len(self._entries):
            raise NotFound(entry.revision, _NONE)
        position, self._used = self._states[at]
        try:
            step = self._step(entry, position, at)
        except ChautariError as error:
            self._whole = []
            return [], error.reason
        self._whole = step.events
        self._states.append((step.position, self._used))
        made = play_pb2.RecordEntry()
        fill_events(made.events, engine.redact(step.events, self._viewer), 0, CAUSE_OF.get(entry.cause, Cause.RULES))
        return list(made.events), ""

    def _step(self, entry: play_pb2.RecordEntry, position: Position[Any] | None, at: int) -> engine.Step:
        def shuffle(cards: tuple[Card, ...], /) -> Sequence[Card]:
            number, self._used = self._used, self._used + 1
            if number == len(self._orders) or sorted(self._orders[number]) != sorted(cards):
                del self._orders[number:], self._seen[number:], self._made_at[number:]
                self._orders.append(self._random.sample(cards, len(cards)))
                self._seen.append(set())
                self._made_at.append(at)
            return self._orders[number]

        if position is None:
            return engine.begin(self._game, self._settings, shuffle)
        if entry.cause in LEAVING:
            return engine.leave(position, *[e.seat_left.seat for e in entry.events if e.HasField("seat_left")])
        stopped = stopped_in(entry)
        if stopped is not None:
            return engine.stop(position, aborted=stopped.aborted)
        action: str | None = entry.action
        if entry.cause == play_pb2.CAUSE_CLOCK:
            action = engine.timeout_action(position, entry.seat)
        if not action or "?" in action:
            raise NotFound(entry.revision, "what the seat did is not told")
        return engine.act(position, entry.seat, action, shuffle)

    def _note(self, at: int, told: Events) -> None:
        """The cards that were seen, and lie where they were seen, stay there."""
        used = self._states[at][1]
        for event in told:
            used += event.HasField("shuffled")
            for card in seen_in(event):
                for number in range(used - 1, -1, -1):
                    place = self._place(number, card)
                    if place is not None:
                        self._seen[number].add(place)
                    if card in self._orders[number]:
                        break

    # Other worlds ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def _hints(self, at: int, told: Events) -> list[Exchange]:
        """Where cards may lie that the entry names but does not show: in hands, by its facts or its action."""
        (position, used), entry = self._states[at], self._entries[at]
        found: list[Exchange] = []
        if position is None:
            return found
        hands: dict[str, tuple[Card, ...]] = dict(position.zones)
        dealing = dealt_in(self._whole)
        for event in told:
            if event.HasField("hand_began"):
                hands, more = next(dealing, (hands, 0))
                used += more
            for name, cards in hands_in(event):
                lying = hands.get(name, ())
                if len(lying) == len(cards):
                    ours, theirs = Counter(lying), Counter(cards)
                    pairs = zip((ours - theirs).elements(), (theirs - ours).elements(), strict=True)
                    found += [(mine, seen, used) for mine, seen in pairs]
        if found:
            return found
        held = position.zones.get(f"hand.{entry.seat}", ())
        named = [card for word in entry.action.split() if (card := find_card(word)) is not None and card not in held]
        others = [card for card in held if card.text not in entry.action.split()]
        if entry.HasField("seat") and len(others) >= len(named):
            pairs = zip(self._random.sample(others, len(named)), named, strict=True)
            found += [(mine, seen, used) for mine, seen in pairs]
        return found

    def _exchange(self, at: int, exchanges: list[Exchange]) -> bool:
        """Makes the exchanges, and goes back to the first shuffle that changed; False where none is made, or a card
        cannot lie there: it was seen elsewhere, or another was seen there."""
        now: dict[Card, Card] = {}
        first = at
        for mine, seen, used in exchanges:
            lying = now.get(mine, mine)
            if lying is seen:
                continue
            number = self._swap(lying, seen, used)
            if number is None:
                return False
            other = next((card for card, face in now.items() if face is seen), seen)
            now[mine], now[other] = seen, lying
            first = min(first, self._made_at[number])
        if not now:
            return False
        del self._states[first + 1 :]
        return True

    def _swap(self, lying: Card, seen: Card, used: int) -> int | None:
        """Puts the seen card where the other lies, from the latest shuffle on that has both, of so many; None where
        none may. A later one that has one of them has the other then."""
        for number in range(used - 1, -1, -1):
            one, other = self._place(number, lying), self._place(number, seen)
            if one is None or other is None:
                continue
            for order in self._orders[number + 1 :]:
                if (lying in order) != (seen in order):
                    order[:] = [seen if card is lying else lying if card is seen else card for card in order]
            order = self._orders[number]
            order[one], order[other] = seen, lying
            return number
        return None

    def _deal_anew(self, at: int) -> bool:
        """Other cards where nobody has seen them, from the last shuffle before the entry on, or else the first in it;
        False: there was none, or all were seen."""
        number = max(self._states[at][1] - 1, 0)
        if number >= len(self._orders):
            return False
        order, seen = self._orders[number], self._seen[number]
        places = [place for place in range(len(order)) if place not in seen]
        if len(places) < 2:
            return False
        for place, card in zip(places, self._random.sample([order[p] for p in places], len(places)), strict=True):
            order[place] = card
        del self._orders[number + 1 :], self._seen[number + 1 :], self._made_at[number + 1 :]
        del self._states[self._made_at[number] + 1 :]
        return True

    def _place(self, number: int, card: Card) -> int | None:
        """Where a card lies in a shuffle, at a place that was not seen."""
        order, seen = self._orders[number], self._seen[number]
        return next((place for place, other in enumerate(order) if other is card and place not in seen), None)


def _exchanges(made: Events, told: Events, used: int) -> list[Exchange]:
    """Which cards lie where others are shown, in the events up to the first that differs in something else."""
    found: list[Exchange] = []
    for one, other in zip(made, told, strict=False):
        used += one.HasField("shuffled")
        if one == other:
            continue
        ours, theirs = seen_in(one), seen_in(other)
        if len(ours) != len(theirs) or without_cards(one) != without_cards(other):
            break
        found += [(mine, seen, used) for mine, seen in zip(ours, theirs, strict=True) if mine is not seen]
    return found


def _starts(entry: play_pb2.RecordEntry) -> bool:
    return any(event.HasField("match_started") for event in entry.events)


def _otherwise(made: Events, told: Events) -> bytes:
    """The first event that is made otherwise in more than its cards: where it is, and what it is but for them."""
    for place, one in enumerate(made):
        bare, shown = without_cards(one), len(seen_in(one))
        if place >= len(told) or shown != len(seen_in(told[place])) or bare != without_cards(told[place]):
            return b"%d %d " % (place, shown) + bare.SerializeToString(deterministic=True)
    return b"%d" % len(made)
