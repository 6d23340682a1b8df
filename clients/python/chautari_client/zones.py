"""What lies where in a client's picture of a table, and how events move it, by the rules of event.proto."""

from collections.abc import Callable, Iterable
from typing import Final

from chautari.v1 import event_pb2 as events
from chautari.v1 import view_pb2 as views

_RANKS: Final = "A23456789TJQK"
_SUITS: Final = "CDHS"


def card_order(card: str) -> tuple[int, int]:
    """What to sort cards by: suits C D H S, in a suit A 2 … T J Q K, jokers last."""
    return (_SUITS.find(card[1:]) if card[1:] in _SUITS else len(_SUITS), _RANKS.find(card[:1]))


class Zones:
    """The zones of a view by name, changed where they are.

    on_misfit: called where an event names a zone that is not there, or takes what does not lie there. What was seen is
    then not what the server has.
    """

    def __init__(self, zones: Iterable[views.Zone], on_misfit: Callable[[], None]) -> None:
        self._zones = {zone.name: zone for zone in zones}
        self._on_misfit = on_misfit

    def __getitem__(self, name: str) -> views.Zone:
        """The zone of this name; KeyError where there is none."""
        return self._zones[name]

    def clear(self) -> None:
        """Takes all cards off the table."""
        for zone in self._zones.values():
            zone.count = 0
            del zone.cards[:]

    def shuffle(self, event: events.Shuffled) -> None:
        """Folds a shuffle: a new order, or only how many cards there are."""
        if not event.zone:
            return
        if event.cards:
            self.show(event.zone, event.cards)
            return
        zone = self._find(event.zone)
        if zone is not None and not (_shows(zone) and zone.count == event.count):
            zone.count = event.count
            del zone.cards[:]

    def deal(self, event: events.Dealt) -> None:
        """Folds a deal: off the front of its source, hand by hand."""
        if event.source:
            self._lose(event.source, sum(hand.count for hand in event.hands), events.TAKE_FIRST, ())
        for hand in event.hands:
            self._gain(hand.zone, hand.count, hand.cards, events.PUT_LAST)

    def move(self, event: events.Moved) -> None:
        """Folds a motion of cards from one zone to another."""
        if event.source:
            self._lose(event.source, event.count, event.take, event.cards)
        if event.target:
            self._gain(event.target, event.count, () if event.face_down else event.cards, event.put)

    def show(self, name: str, cards: Iterable[str]) -> None:
        """Puts the faces of a zone in, which are all of its cards."""
        zone = self._find(name)
        if zone is not None:
            _lay(zone, list(cards))
            zone.count = len(zone.cards)

    def hide(self, name: str) -> None:
        """Forgets the faces of a zone; how many cards lie there stays."""
        zone = self._find(name)
        if zone is not None:
            del zone.cards[:]

    def _lose(self, name: str, count: int, take: events.Take, cards: Iterable[str]) -> None:
        zone = self._find(name)
        if zone is None:
            return
        if _shows(zone):
            left = _without(list(zone.cards), count, take, list(cards))
            if len(left) != zone.count - count:
                self._on_misfit()
                left = []
            zone.cards[:] = left
        zone.count -= count

    def _gain(self, name: str, count: int, cards: Iterable[str], put: events.Put) -> None:
        zone = self._find(name)
        if zone is None:
            return
        zone.count += count
        if come := list(cards):
            _lay(zone, [*come, *zone.cards] if put == events.PUT_FIRST else [*zone.cards, *come])

    def _find(self, name: str) -> views.Zone | None:
        zone = self._zones.get(name)
        if zone is None:
            self._on_misfit()
        return zone


def _shows(zone: views.Zone) -> bool:
    """Whether the zone lists its faces; of an empty one nothing need be known."""
    return len(zone.cards) == zone.count


def _lay(zone: views.Zone, cards: list[str]) -> None:
    """Puts these faces in, in their order where the zone has one, and sorted where it has none."""
    zone.cards[:] = cards if zone.ordered else sorted(cards, key=card_order)


def _without(lying: list[str], count: int, take: events.Take, cards: list[str]) -> list[str]:
    """What is left of the faces where `count` cards are taken: the first, the last, or those named."""
    if take == events.TAKE_FIRST:
        return lying[count:]
    if take == events.TAKE_LAST:
        return lying[: len(lying) - count]
    if take == events.TAKE_NAMED and len(cards) == count:
        for card in cards:
            if card in lying:
                lying.remove(card)
    return lying
