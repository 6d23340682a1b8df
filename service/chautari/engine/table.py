"""The table: the draft of a state on which a verb moves cards. It alone moves them, and it writes the events.

Zones are written by their zone and, where there is one for each seat, the seat. A motion of the table is the first
thing that changes anything: a verb refuses before it moves.
"""

from collections.abc import Collection, Sequence
from typing import Final

from chautari.cards import Card
from chautari.engine.draft import Draft
from chautari.engine.events import OUTSIDE, Dealt, HandBegan, Moved, Put, Said, Shuffled, Take
from chautari.engine.facts import F
from chautari.engine.shuffles import FairStream, NotAPermutation
from chautari.engine.turns import Turn
from chautari.engine.viewers import NOBODY, Seat

FIRST: Final = Take.FIRST
LAST: Final = Take.LAST
NAMED: Final = Take.NAMED
AT_THE_END: Final = Put.LAST
"""The members of enums that every motion names; a name in the module is found faster than a member in its class."""


class Table(Draft[F]):
    """A draft of a state on which the rules move cards: what it does becomes the next state, and its events."""

    __slots__ = ()

    # Motions ──────────────────────────────────────────────────────────────────────────────────────────────────────────

    def play(self, card: Card, source: str, to: str, seat: Seat | None = None) -> None:
        """One card, named by its face."""
        if seat is not None:
            names = self.layout.names
            source, to = names[source][seat], names[to][seat]
        self._move((card,), source, to, NAMED, AT_THE_END)

    def move(
        self, cards: Sequence[Card], source: str, to: str, seat: Seat | None = None, *, to_seat: Seat | None = None
    ) -> None:
        """Cards named by their faces, in this order; `to_seat`, where they go to another seat than they come from."""
        names = self.layout.names
        if to_seat is not None:
            to = names[to][to_seat]
        elif seat is not None:
            to = names[to][seat]
        self._move(cards, source if seat is None else names[source][seat], to, NAMED, AT_THE_END)

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
        self, source: str, to: str, seat: Seat | None = None, *, to_seat: Seat | None = None, keep: int = 0,
        face_down: bool = False,
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
            self._move(cards, name, target, FIRST, AT_THE_END, face_down=face_down)

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

    # What the engine does with the table ──────────────────────────────────────────────────────────────────────────────

    def gather(self, number: int, *, keeps: bool = False) -> None:
        """Hand `number` of the match begins; all cards are taken up, or it keeps them where they lie."""
        self.events.append(HandBegan(number, keeps))
        if not keeps:
            self.zones = dict(self.layout.empty)

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
