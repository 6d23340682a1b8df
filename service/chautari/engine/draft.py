"""A draft of a state, and what its events tell beside motions: facts that change, and faces that come into view or go.

A `Table` is one on which cards move; here is what it tells of that by itself.
"""

from collections.abc import Callable
from itertools import compress, count
from operator import is_not
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import astuple
from msgspec.structs import replace as copy_of

from chautari.cards import Card
from chautari.engine.events import Event, Hidden, Shown, Told
from chautari.engine.facts import SECRET, F, Fact, plain
from chautari.engine.look import Look
from chautari.engine.shuffles import Shuffle
from chautari.engine.viewers import ALL, NOBODY, Viewers, only

if TYPE_CHECKING:
    from chautari.engine.position import Position

_UNTOLD: Final = object()


class Draft(Look[F]):
    """A draft of a state: what is done to its zones and facts becomes the next state, and its events.

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
