"""The table: the draft of a state on which a verb moves cards. It alone moves them, and it writes the events.

Zones are written by their zone and, where there is one for each seat, the seat. A motion of the table is the first
thing that changes anything: a verb refuses before it moves.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from msgspec.structs import astuple
from msgspec.structs import replace as copy_of

from chautari.cards import Card
from chautari.engine.events import OUTSIDE, Dealt, Event, HandBegan, Hidden, Moved, Put, Shown, Shuffled, Take, Told
from chautari.engine.facts import F, plain
from chautari.engine.look import Look
from chautari.engine.viewers import ALL, NOBODY, Seat, Viewers

if TYPE_CHECKING:
    from chautari.engine.position import Position


class Shuffle(Protocol):
    """Where chance comes from: it orders cards, which it is given in the card order."""

    def __call__(self, cards: tuple[Card, ...], /) -> Sequence[Card]:
        """The outcome, first card first: a permutation of `cards`."""
        ...


class NotAPermutation(ValueError):
    """A shuffle gave other cards than it was given: a fault of its script or journal, never of a player."""

    def __init__(self, given: Sequence[Card], outcome: Sequence[Card]) -> None:
        missing, extra = list(given), []
        for card in outcome:
            if card in missing:
                missing.remove(card)
            else:
                extra.append(card)
        super().__init__(
            f"the outcome of a shuffle is no permutation of the {len(given)} cards shuffled: "
            f"missing {' '.join(map(str, missing)) or 'none'}, not among them {' '.join(map(str, extra)) or 'none'}"
        )


class Table(Look[F]):
    """A draft of a state: what it does to zones and facts becomes the next state, and its events."""

    __slots__ = ("_believed", "_events", "_shuffle", "_told")

    def __init__(self, position: "Position[F]", shuffle: Shuffle) -> None:
        super().__init__(position)
        self._zones = position.zones.copy()
        self._told = position.facts
        self.facts = copy_of(position.facts)
        self._shuffle = shuffle
        self._events: list[Event] = []
        self._believed: dict[str, Viewers] | None = None
        if self.layout.moving:
            self._believed = {place.name: self.viewers(place.name) for place in self.layout.moving}

    # Motions ──────────────────────────────────────────────────────────────────────────────────────────────────────────

    def play(self, card: Card, source: str, to: str, seat: Seat | None = None) -> None:
        """One card, named by its face."""
        self._move((card,), self._name(source, seat), self._name(to, seat), Take.NAMED, Put.LAST)

    def move(
        self, cards: Sequence[Card], source: str, to: str, seat: Seat | None = None, *, to_seat: Seat | None = None,
        put: Put = Put.LAST,
    ) -> None:  # fmt: skip
        """Cards named by their faces, in this order; `to_seat`, where they go to another seat than they come from."""
        target = self._name(to, seat if to_seat is None else to_seat)
        self._move(cards, self._name(source, seat), target, Take.NAMED, put)

    def draw(self, source: str, to: str, seat: Seat | None = None, *, to_seat: Seat | None = None) -> Card:
        """The first card of the source, the next of a deck; it is returned."""
        name = self._name(source, seat)
        card = self._zones[name][0]
        self._move((card,), name, self._name(to, seat if to_seat is None else to_seat), Take.FIRST, Put.LAST)
        return card

    def pick(self, source: str, to: str, seat: Seat | None = None) -> Card:
        """The last card of the source, the top of a pile; it is returned."""
        name = self._name(source, seat)
        card = self._zones[name][-1]
        self._move((card,), name, self._name(to, seat), Take.LAST, Put.LAST)
        return card

    def sweep(
        self, source: str, to: str, seat: Seat | None = None, *, to_seat: Seat | None = None, put: Put = Put.LAST,
        keep: int = 0,
    ) -> None:  # fmt: skip
        """All cards of the source in their order, but for the last `keep`; nothing where there are none."""
        name = self._name(source, seat)
        cards = self._zones[name]
        cards = cards[: len(cards) - keep] if keep else cards
        if cards:
            self._move(cards, name, self._name(to, seat if to_seat is None else to_seat), Take.FIRST, put)

    def bring(self, cards: Sequence[Card], to: str, seat: Seat | None = None) -> None:
        """Puts down cards that lie in no zone yet: a part of a pack just shuffled."""
        target = self._name(to, seat)
        landing = self._viewers(target)
        self._record(Moved(bytes(cards), OUTSIDE, target, landing, landing, Take.FIRST, Put.LAST))
        self._zones[target] += tuple(cards)

    def deal(
        self, source: str | Sequence[Card], to: str, *, first: Seat, each: int | None = None,
        seats: Iterable[Seat] | None = None, in_blocks: bool = False,
    ) -> None:  # fmt: skip
        """Cards from the front of the source to the seats, one at a time round the table from `first` on.

        source: a zone, or cards that lie in none yet. each: how many a seat gets; None: until the source is empty.
        seats: those dealt to, if not all. in_blocks: each seat gets its cards at once.
        """
        name = self._name(source, None) if isinstance(source, str) else OUTSIDE
        cards = self._zones[name] if isinstance(source, str) else tuple(source)
        chosen = None if seats is None else set(seats)
        order = [seat for seat in self.round_from(first) if chosen is None or seat in chosen]
        total = len(cards) if each is None else each * len(order)
        dealt, rest = cards[:total], cards[total:]
        if in_blocks and each is not None:
            hands = [dealt[i * each : (i + 1) * each] for i in range(len(order))]
        else:
            hands = [dealt[i :: len(order)] for i in range(len(order))]
        targets = tuple([self._name(to, seat) for seat in order])
        viewers = tuple([self._viewers(target) for target in targets])
        self._record(Dealt(name, targets, tuple([bytes(hand) for hand in hands]), viewers))
        if name != OUTSIDE:
            self._zones[name] = rest
        for target, hand in zip(targets, hands, strict=True):
            self._zones[target] += hand

    def shuffle(self, zone: str, seat: Seat | None = None, *, fresh: Sequence[Card] | None = None) -> None:
        """Shuffles the cards of a zone, or a `fresh` pack that is put there."""
        name = self._name(zone, seat)
        outcome = self._order(self._zones[name] if fresh is None else fresh)
        viewers = self._viewers(name) if self.layout.places[name].zone.ordered else NOBODY
        self._record(Shuffled(bytes(outcome), name, viewers))
        self._zones[name] = outcome

    def lot(self, cards: Sequence[Card]) -> tuple[Card, ...]:
        """Shuffles cards that lie in no zone, or to draw a lot: nothing moves, and nobody sees the outcome."""
        outcome = self._order(cards)
        self._record(Shuffled(bytes(outcome), None))
        return outcome

    def gather(self, number: int) -> None:
        """Takes up all cards: hand `number` of the match begins."""
        self._record(HandBegan(number))
        self._zones = dict(self.layout.empty)

    # What the engine does with the draft ──────────────────────────────────────────────────────────────────────────────

    def flush(self) -> None:
        """Tells what the facts have become since the last time, and whose eyes a zone's faces meet now."""
        self._tell_facts()
        if self._believed is not None:
            for place in self.layout.moving:
                self._viewers(place.name)

    def record(self, event: Event) -> None:
        """Adds an event that is no motion: the turn, the end of a hand."""
        self._events.append(event)

    def show_all(self, viewers_now: Callable[[str], Viewers]) -> None:
        """The match is over: whoever sees a zone from now on and did not before is shown it."""
        for name, cards in self._zones.items():
            before = self.viewers(name) if self._believed is None else self._believed.get(name, self.viewers(name))
            self._change_viewers(name, cards, before, viewers_now(name))

    @property
    def draft(self) -> tuple[dict[str, tuple[Card, ...]], list[Event]]:
        """The zones and the events so far."""
        return self._zones, self._events

    # Within ───────────────────────────────────────────────────────────────────────────────────────────────────────────

    def _name(self, zone: str, seat: Seat | None) -> str:
        names = self._names[zone]
        return names if isinstance(names, str) else names[seat]  # type: ignore[index]

    def _move(self, cards: Sequence[Card], source: str, target: str, take: Take, put: Put) -> None:
        zones = self._zones
        lying = zones[source]
        if take is Take.FIRST:
            rest = lying[len(cards) :]
        elif take is Take.LAST:
            rest = lying[: len(lying) - len(cards)]
        else:
            left = list(lying)
            for card in cards:
                left.remove(card)
            rest = tuple(left)
        landing = self._viewers(target)
        self._record(Moved(bytes(cards), source, target, self._viewers(source) | landing, landing, take, put))
        zones[source] = rest
        zones[target] = (*cards, *zones[target]) if put is Put.FIRST else (*zones[target], *cards)

    def _order(self, cards: Sequence[Card]) -> tuple[Card, ...]:
        given = tuple(sorted(cards))
        outcome = tuple(self._shuffle(given))
        if tuple(sorted(outcome)) != given:
            raise NotAPermutation(given, outcome)
        return outcome

    def _record(self, event: Event) -> None:
        self._events.append(event)

    def _viewers(self, name: str) -> Viewers:
        """Who sees the zone now; if that has changed unsaid, it is said first."""
        viewers = self.layout.viewers[name]
        if isinstance(viewers, int):
            return viewers
        now = viewers(self, self.layout.places[name].number)
        if self._believed is not None:
            self._change_viewers(name, self._zones[name], self._believed[name], now)
            self._believed[name] = now
        return now

    def _change_viewers(self, name: str, cards: tuple[Card, ...], before: Viewers, now: Viewers) -> None:
        if before == now or not cards:
            return
        if now & ~before:
            self._events.append(Shown(name, bytes(cards), now & ~before))
        if before & ~now:
            self._events.append(Hidden(name, before & ~now))

    def _tell_facts(self) -> None:
        before, now = self._told, self.facts
        game = self._position.game
        old, new = astuple(before), astuple(now)
        if game.private_facts:
            self._tell_private_facts()
        if old != new:
            changed: dict[str, Any] = {}
            for fact, was, value in zip(game.facts_declared, old, new, strict=True):
                if was != value and fact.private is None:
                    changed[fact.name] = plain(value)
            if changed:
                self._events.append(Told(changed))
        self._told = copy_of(now)

    def _tell_private_facts(self) -> None:
        earlier: Look[F] = Look(self._position)
        earlier.facts = self._told
        for fact in self._position.game.private_facts:
            assert fact.private is not None
            was, value = getattr(self._told, fact.field), getattr(self.facts, fact.field)
            seen_by = fact.private.viewers(self)
            if was != value or fact.private.viewers(earlier) != seen_by:
                instead = {} if fact.secret else {fact.name: plain(fact.private.instead)}
                self._events.append(Told({fact.name: plain(value)}, seen_by & ALL, instead))
