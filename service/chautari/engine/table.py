"""The table: the draft of a state on which a verb moves cards. It alone moves them, and it writes the events.

Zones are written by their zone and, where there is one for each seat, the seat. A motion of the table is the first
thing that changes anything: a verb refuses before it moves.
"""

from collections.abc import Callable, Collection, Sequence
from itertools import compress, count
from operator import is_not
from typing import TYPE_CHECKING, Any, Final, Protocol

from msgspec.structs import astuple
from msgspec.structs import replace as copy_of

from chautari.cards import Card
from chautari.engine.events import (
    OUTSIDE,
    Dealt,
    Event,
    HandBegan,
    Hidden,
    Moved,
    Put,
    Said,
    Shown,
    Shuffled,
    Take,
    Told,
)
from chautari.engine.facts import SECRET, F, Fact, plain
from chautari.engine.look import Look
from chautari.engine.shuffles import FairStream
from chautari.engine.turns import Turn
from chautari.engine.viewers import ALL, NOBODY, Seat, Viewers, only

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


FIRST: Final = Take.FIRST
LAST: Final = Take.LAST
NAMED: Final = Take.NAMED
AT_THE_END: Final = Put.LAST
"""The members of enums that every motion names; a name in the module is found faster than a member in its class."""
_UNTOLD: Final = object()


class Table(Look[F]):
    """A draft of a state: what it does to zones and facts becomes the next state, and its events.

    events: what has happened so far, in order; the rules do not write to it.
    """

    __slots__ = ("_before", "_believed", "_shuffle", "_told", "events")

    def __init__(self, position: "Position[F]", shuffle: Shuffle) -> None:
        # Once for each action: said here and not by `Look`, for a call less.
        self._position = position
        self.layout = layout = position.layout
        self.zones = position.zones.copy()
        self._told = facts = position.facts
        self.facts = copy_of(facts)
        self.phase = position.phase
        self.seats = layout.seats
        self.players = position.settings.players
        self._shuffle = shuffle
        self.events: list[Event] = []
        self._before: Look[F] | None = None
        self._believed: dict[str, Viewers] = {}

    # Motions ──────────────────────────────────────────────────────────────────────────────────────────────────────────

    def play(self, card: Card, source: str, to: str, seat: Seat | None = None) -> None:
        """One card, named by its face."""
        if seat is not None:
            names = self.layout.names
            source, to = names[source][seat], names[to][seat]
        self._move((card,), source, to, NAMED, AT_THE_END)

    def move(
        self, cards: Sequence[Card], source: str, to: str, seat: Seat | None = None, *, to_seat: Seat | None = None,
        put: Put = AT_THE_END,
    ) -> None:  # fmt: skip
        """Cards named by their faces, in this order; `to_seat`, where they go to another seat than they come from."""
        names = self.layout.names
        if to_seat is not None:
            to = names[to][to_seat]
        elif seat is not None:
            to = names[to][seat]
        self._move(cards, source if seat is None else names[source][seat], to, NAMED, put)

    def draw(
        self, source: str, to: str, seat: Seat | None = None, *, to_seat: Seat | None = None, put: Put = AT_THE_END
    ) -> Card:
        """The first card of the source, the next of a deck; it is returned."""
        names = self.layout.names
        name = source if seat is None else names[source][seat]
        if to_seat is not None:
            seat = to_seat
        card = self.zones[name][0]
        self._move((card,), name, to if seat is None else names[to][seat], FIRST, put)
        return card

    def pick(self, source: str, to: str, seat: Seat | None = None) -> Card:
        """The last card of the source, the top of a pile; it is returned."""
        name = self._name(source, seat)
        card = self.zones[name][-1]
        self._move((card,), name, self._name(to, seat), LAST, AT_THE_END)
        return card

    def sweep(
        self, source: str, to: str, seat: Seat | None = None, *, to_seat: Seat | None = None, put: Put = AT_THE_END,
        keep: int = 0, face_down: bool = False,
    ) -> None:  # fmt: skip
        """All cards of the source in their order, but for the last `keep`; nothing where there are none.

        face_down: on their way nobody sees more of them than where they lie then.
        """
        name = source if seat is None else self.layout.names[source][seat]
        cards = self.zones[name]
        if keep:
            cards = cards[: max(len(cards) - keep, 0)]
        if cards:
            target = self._name(to, seat if to_seat is None else to_seat)
            self._move(cards, name, target, FIRST, put, face_down=face_down)

    def bring(self, cards: Sequence[Card], to: str, seat: Seat | None = None) -> None:
        """Puts down cards that lie in no zone yet: a part of a pack just shuffled."""
        target = self._name(to, seat)
        landing = self._viewers(target)
        self.events.append(Moved(bytes(cards), OUTSIDE, target, landing, landing, FIRST, AT_THE_END))
        self.zones[target] += tuple(cards)

    def lay_out(self, cards: Sequence[Card], to: str) -> None:
        """Puts cards that lie in no zone yet on the first places of a board, one on each, in their order."""
        targets = self.layout.names[to][: len(cards)]
        viewers = tuple([self._viewers(target) for target in targets])
        self.events.append(Dealt(OUTSIDE, targets, tuple([bytes((card,)) for card in cards]), viewers))
        for target, card in zip(targets, cards, strict=True):
            self.zones[target] += (card,)

    def deal(
        self, source: str | Sequence[Card], to: str, *, first: Seat, each: int | None = None,
        seats: Collection[Seat] | None = None, in_blocks: bool = False,
    ) -> None:  # fmt: skip
        """Cards from the front of the source to the seats, one at a time round the table from `first` on.

        source: a zone, or cards that lie in none yet. each: how many a seat gets; None: until the source is empty.
        seats: those dealt to, if not all. in_blocks: each seat gets its cards at once.
        """
        zones, names = self.zones, self.layout.names[to]
        name, cards = (source, zones[source]) if isinstance(source, str) else (OUTSIDE, tuple(source))
        order = self.round_from(first)
        targets = tuple([names[seat] for seat in order if seats is None or seat in seats])
        several = len(targets)
        total = len(cards) if each is None else each * several
        if in_blocks and each is not None:
            hands = [cards[i : i + each] for i in range(0, total, each)]
        else:
            hands = [cards[i:total:several] for i in range(several)]
        viewers = tuple(map(self._viewers, targets))
        self.events.append(Dealt(name, targets, tuple(map(bytes, hands)), viewers))
        if name != OUTSIDE:
            zones[name] = cards[total:]
        for place, target in enumerate(targets):
            zones[target] += hands[place]

    def throw_in(self) -> None:
        """Takes up all cards unseen, so that the same hand can be dealt again."""
        begun = [event.number for event in self.events if type(event) is HandBegan]
        self.gather(begun[-1] if begun else self._position.hands)

    def shuffle(
        self, zone: str, seat: Seat | None = None, *, fresh: Sequence[Card] | None = None, face_down: bool = False
    ) -> None:
        """Shuffles the cards of a zone, or a `fresh` pack that is put there.

        face_down: nobody sees their new order, though the zone is seen; they have to be swept from it face down then.
        """
        name = self._name(zone, seat)
        outcome = self._order(self.zones[name] if fresh is None else fresh)
        seen = self.layout.places[name].zone.ordered and not face_down
        viewers = self._viewers(name) if seen else NOBODY
        self.events.append(Shuffled(bytes(outcome), name, viewers))
        self.zones[name] = outcome

    def lot(self, cards: Sequence[Card]) -> tuple[Card, ...]:
        """Shuffles cards that lie in no zone, or to draw a lot: nothing moves, and nobody sees the outcome."""
        outcome = self._order(cards)
        self.events.append(Shuffled(bytes(outcome), None))
        return outcome

    def say(self, seat: Seat, text: str) -> None:
        """Says for all to hear what the rules do in a seat's place: a pass that nobody chooses."""
        self.events.append(Said(seat, text, text))

    def still_in_turn(self, seat: Seat) -> Turn | None:
        """The turn goes on without this seat, whose answer has come; None where it was the last of those asked."""
        must = self._position.must & ~(1 << seat)
        return Turn(self.phase, must) if must else None

    # What the engine does with the draft ──────────────────────────────────────────────────────────────────────────────

    def gather(self, number: int, *, keeps: bool = False) -> None:
        """Hand `number` of the match begins; all cards are taken up, or it keeps them where they lie."""
        self.events.append(HandBegan(number, keeps))
        if not keeps:
            self.zones = dict(self.layout.empty)

    def tell_opening(self) -> None:
        """Tells all facts, of which nobody has heard yet."""
        declared = self._position.game.facts_declared
        self._tell_facts(astuple(self.facts), (_UNTOLD,) * len(declared))
        for fact in self._position.game.private_facts:
            assert fact.private is not None
            self._tell_private_fact(fact, fact.private.viewers(self), getattr(self.facts, fact.field))

    def flush(self) -> None:
        """Tells what the facts have become since the last time, and whose eyes a zone's faces meet now."""
        self.tell()
        self._told = copy_of(self.facts)

    def tell(self) -> None:
        """As `flush`, where nothing follows: the facts must not change again."""
        private = self._position.game.private_facts
        if private:
            self._tell_private_facts(private)
        facts, told = self.facts, self._told
        if facts != told:
            self._tell_facts(astuple(facts), astuple(told))
        layout = self.layout
        if layout.moving or layout.listed:
            self._tell_viewers()

    def show_all(self, viewers_now: Callable[[str], Viewers]) -> None:
        """The match is over: whoever sees a zone from now on and did not before is shown it."""
        for name in self.layout.opened_at_end:
            cards = self.zones[name]
            if cards:
                self._change_viewers(name, cards, self.viewers(name), viewers_now(name))

    # Within ───────────────────────────────────────────────────────────────────────────────────────────────────────────

    def _name(self, zone: str, seat: Seat | None) -> str:
        return zone if seat is None else self.layout.names[zone][seat]

    def _move(
        self, cards: Sequence[Card], source: str, target: str, take: Take, put: Put, *, face_down: bool = False
    ) -> None:
        zones = self.zones
        lying = zones[source]
        if take is FIRST:
            rest = lying[len(cards) :]
        elif take is LAST:
            rest = lying[: len(lying) - len(cards)]
        elif len(cards) == 1:
            place = lying.index(cards[0])
            rest = lying[:place] + lying[place + 1 :]
        else:
            left = list(lying)
            for card in cards:
                left.remove(card)
            rest = tuple(left)
        viewers = self.layout.viewers
        landing, leaving = viewers[target], viewers[source]
        if type(landing) is not int:
            landing = self._viewers(target)
        if type(leaving) is not int:
            leaving = self._viewers(source)
        if face_down:
            leaving = NOBODY
        moved = tuple(cards)
        self.events.append(Moved(bytes(moved), source, target, leaving | landing, landing, take, put))
        zones[source] = rest
        zones[target] = zones[target] + moved if put is AT_THE_END else moved + zones[target]

    def _order(self, cards: Sequence[Card]) -> tuple[Card, ...]:
        given = tuple(sorted(cards))
        outcome = tuple(self._shuffle(given))
        if type(self._shuffle) is not FairStream and tuple(sorted(outcome)) != given:  # that one only permutes
            raise NotAPermutation(given, outcome)
        return outcome

    def _viewers(self, name: str) -> Viewers:
        """Who sees the zone now; if that has changed unsaid, it is said first."""
        viewers = self.layout.viewers[name]
        if isinstance(viewers, int):
            return viewers
        number = self.layout.places[name].number
        now, before = viewers(self, number), self._believed.get(name)
        if before is None:
            before = viewers(self._look_before(), number)
        if before != now:
            self._change_viewers(name, self.zones[name], before, now)
        self._believed[name] = now
        return now

    def _look_before(self) -> Look[F]:
        """The state before this action."""
        if self._before is None:
            self._before = Look(self._position)
        return self._before

    def _tell_viewers(self) -> None:
        """Says whose eyes a zone's faces meet now, and whose no longer, as far as it has not been said."""
        believed = self._believed
        for name in [*self.layout.moving, *believed]:
            if self.zones[name]:
                self._viewers(name)
        for family in self.layout.listed:
            before, now = getattr(self._position.facts, family.fact), getattr(self.facts, family.fact)
            changed = [(number, family.then, family.otherwise) for number in before if number not in now]
            changed += [(number, family.otherwise, family.then) for number in now if number not in before]
            for number, were, are in changed:
                name = family.names[number]
                if name not in believed:
                    self._change_viewers(name, self.zones[name], were[number], are[number])
                    believed[name] = are[number]

    def _change_viewers(self, name: str, cards: tuple[Card, ...], before: Viewers, now: Viewers) -> None:
        if before == now or not cards:
            return
        if now & ~before:
            ordered = self.layout.places[name].zone.ordered
            self.events.append(Shown(name, bytes(cards if ordered else sorted(cards)), now & ~before))
        if before & ~now:
            self.events.append(Hidden(name, before & ~now))

    def _tell_facts(self, now: tuple[Any, ...], before: tuple[Any, ...]) -> None:
        """One event for all facts that everybody may know, and one for those that the rules keep to themselves."""
        public: dict[str, Any] = {}
        secret: dict[str, Any] = {}
        tellings = self._position.game.tellings
        for place in compress(count(), map(is_not, now, before)):
            value = now[place]
            if value != before[place]:
                name, convert, private = tellings[place]
                if value is not None and convert is not None:
                    value = convert(value)
                if private is None:
                    public[name] = value
                elif private is SECRET:
                    secret[name] = value
        if public:
            self.events.append(Told(public))
        if secret:
            self.events.append(Told(secret, NOBODY))

    def _tell_private_facts(self, facts: tuple[Fact, ...]) -> None:
        """One event for each fact that some may know, if it changes, or if they do."""
        told, now = self._told, self.facts
        earlier = self._look_before()
        if earlier.facts is not told:  # something has been told in this action already
            earlier = Look(self._position)
            earlier.facts = told
        for fact in facts:
            assert fact.private is not None
            viewers_of, field = fact.private.viewers, fact.field
            viewers, before, value = viewers_of(self), getattr(told, field), getattr(now, field)
            if viewers != viewers_of(earlier):
                self._tell_private_fact(fact, viewers, value)
            elif value != before:
                self._tell_private_fact(fact, viewers, value, before)

    def _tell_private_fact(self, fact: Fact, viewers: Viewers, value: Any, before: Any = _UNTOLD) -> None:
        """Tells a fact to those who may know it; `before`: it was another value, and the same may have known that.

        Where each seat knows its own value, a seat is told nothing as long as that stays.
        """
        private = fact.private
        assert private is not None
        if not private.each_own or viewers == ALL:
            untold = before is _UNTOLD  # else the others are shown what they were: that it changed is not for them
            self._tell_some(fact, value, viewers, {fact.name: plain(private.instead)} if untold else {})
            return
        if before is _UNTOLD:
            self._tell_some(fact, private.shown_to(value, None), ALL)
        for seat in self.seats:
            if before is _UNTOLD or value[seat] != before[seat]:
                self._tell_some(fact, private.shown_to(value, seat), only(seat))
        self._tell_some(fact, value, viewers)

    def _tell_some(self, fact: Fact, value: Any, viewers: Viewers, instead: dict[str, Any] | None = None) -> None:
        self.events.append(Told({fact.name: plain(value)}, viewers, instead or {}))
