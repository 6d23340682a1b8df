"""Twin worlds: two states alike but for cards that a viewer has not seen. What the viewer is sent is the same in both.

Two cards change places among those that the viewer does not see. Then (a) at that state its view, its options and its
refusals are the same, byte for byte; and (b) along the same actions so is what it is sent, step by step, until an event
shows it one of the two cards, an action is refused in one world, or a verb that declares that it tells is done.

What others do unheard may differ: who lays the one card lays the other in the other world. Chance is the same: a
shuffle puts the one card where it puts the other.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Final

import msgspec

from chautari import engine
from chautari.cards import Card, find_card
from chautari.engine import (
    Game,
    Look,
    Moved,
    Position,
    Shuffled,
    Step,
    Viewer,
    can_see,
    redact,
)
from chautari.errors import Malformed, Refusal
from chautari.kit.totals import set_at
from tests.games.matches import chance_of
from tests.games.secrecy import Leak, answer, faces, probes, sees, sent, streamed, unseen

ALIKE: Final[dict[str, Callable[[Any, Card], object]]] = {
    "gulam_chor": lambda settings, card: settings.odd_card == "named" and card.rank == settings.rank,
    "call_break": lambda settings, card: settings.redeal != "off" and (card.suit == "S", card.rank in "AKQJ"),
    "kitti": lambda settings, card: (settings.four_of_a_kind or settings.four_pairs) and card.rank,
    "twenty_nine": lambda settings, card: card.rank,
}
"""Where a deal goes by faces that it shows to nobody: only cards alike in this change places in a shuffle."""


# Two worlds ───────────────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass
class Twins:
    """Two worlds that this viewer cannot tell apart: the cards `swapped` lie in each other's place."""

    one: Position[Any]
    other: Position[Any]
    viewer: Viewer
    swapped: frozenset[Card]
    exchanging: bool = True
    """Whether a shuffle may make new twins, once the cards that were swapped are so no more."""

    def look(self) -> None:
        """The view, the options and what the rules do in absence are the same."""
        if (here := sent(self.one, self.viewer)) != (there := sent(self.other, self.viewer)):
            raise Leak(f"{self}: {here.decode()} and {there.decode()}")

    def ask(self, random: Random) -> None:
        """What any action is answered is the same."""
        if self.viewer is not None:
            for line in probes(self.one, self.viewer, random):
                here, there = (answer(position, self.viewer, line) for position in (self.one, self.other))
                if here != there:
                    raise Leak(f"{self}: {line!r} is answered with {here} and {there}")

    def go_on(self, steps: int, random: Random) -> None:
        """Plays on in both worlds, at most so many steps, until they may differ."""
        for _ in range(steps):
            if self.one.is_over or not self._step(random):
                return
            self.look()

    def __str__(self) -> str:
        swapped = " and ".join(map(str, sorted(self.swapped))) or "nothing"
        return f"{self.one.game.key}, {self.one.phase}, viewer {self.viewer}, {swapped} swapped"

    def _step(self, random: Random) -> bool:
        """One thing that happens in both worlds; whether they are alike to the viewer and can be played on."""
        seat, lines, here = self._act(random)
        chance = Coupled([event.cards for event in here.events if isinstance(event, Shuffled)], random)
        if self.exchanging and not self.swapped:
            chance.alike = alike(self.one.game, self.one.settings)
        there = self._follow(seat, lines, chance)
        if there is None:
            return False
        swapped = self.swapped | chance.exchanged
        shows = [self.shows(step, swapped) for step in (here, there)]
        if streamed(here, self.viewer) != streamed(there, self.viewer):
            if any(shows) or (lines and self.one.game.verbs[lines[0].split()[0]].marks.tells):
                return False
            raise Leak(f"{self}, {lines}: {redact(here.events, self.viewer)} and {redact(there.events, self.viewer)}")
        self.one, self.other = here.position, there.position
        self.swapped = frozenset() if self.one.zones == self.other.zones else swapped
        return True

    def _act(self, random: Random) -> tuple[int, list[str], Step]:
        """What happens in the one world: which seat leaves, or acts, and in which words it may do so in the other."""
        position = self.one
        chance = chance_of(position.game, position.settings.players, random.randrange(1 << 30))
        if random.random() < 0.03:
            seat = random.randrange(position.settings.players)
            return seat, [], engine.leave(position, seat)
        for seat in random.sample(position.turn, len(position.turn)):
            action = engine.sample(position, seat, random) if random.random() < 0.9 else None
            action = action or engine.timeout_action(position, seat)
            if action is not None:
                lines = [action] if seat == self.viewer else [action, self._relabelled(action)]
                return seat, lines, engine.act(position, seat, action, chance)
        raise AssertionError("nobody in turn can do anything")

    def _follow(self, seat: int, lines: list[str], chance: "Coupled") -> Step | None:
        """The same in the other world; None where it cannot be done there."""
        if not lines:
            return engine.leave(self.other, seat)
        for line in lines:
            try:
                return engine.act(self.other, seat, line, chance.again())
            except (Refusal, Malformed) as refusal:
                if seat == self.viewer:
                    raise Leak(f"{self}: {line!r} is refused in the other world: {refusal}") from refusal
        return None

    def _relabelled(self, action: str) -> str:
        """The action with the swapped cards in each other's place."""
        if len(self.swapped) != 2:
            return action
        one, other = self.swapped
        instead: dict[str, str] = {one.text: other.text, other.text: one.text}
        return " ".join(instead.get(word, word) for word in action.split())

    def shows(self, step: Step, swapped: frozenset[Card]) -> bool:
        """Whether a step shows the viewer a card that was swapped; both at once, mixed into a hand, tell nothing."""
        shows = False
        for event, named in faces(step, self.viewer):
            both = len(swapped & named) == 2 and isinstance(event, Moved) and self._mixes(event)
            shows |= bool(swapped & named) and not both
        return shows

    def _mixes(self, moved: Moved) -> bool:
        """Whether cards that the viewer did not see go where they have no order."""
        places = self.one.layout.places
        hidden = moved.source != "" and not sees(self.one, moved.source, self.viewer)
        return hidden and not places[moved.target].zone.ordered


class Coupled:
    """The chance of the other world: the same orders, with the cards swapped in each other's place."""

    def __init__(self, outcomes: Sequence[Sequence[Card]], random: Random) -> None:
        self._outcomes, self._random, self._calls = outcomes, random, 0
        self.alike: Callable[[Card], object] | None = None
        self.exchanged: frozenset[Card] = frozenset()

    def again(self) -> "Coupled":
        """From the first shuffle of a step on."""
        self._calls, self.exchanged = 0, frozenset()
        return self

    def __call__(self, cards: tuple[Card, ...], /) -> Sequence[Card]:
        if self._calls == len(self._outcomes):
            return self._random.sample(cards, len(cards))
        outcome = list(self._outcomes[self._calls])
        self._calls += 1
        gone, come = Counter(outcome) - Counter(cards), Counter(cards) - Counter(outcome)
        if gone.total() != come.total():
            return self._random.sample(cards, len(cards))
        for card, instead in zip(gone.elements(), come.elements(), strict=True):
            outcome[outcome.index(card)] = instead
        if not gone and self.alike is not None and not self.exchanged:
            self._exchange(outcome, self.alike)
        return outcome

    def _exchange(self, outcome: list[Card], alike: Callable[[Card], object]) -> None:
        """Two cards change places here and now: the order of a shuffle that nobody sees is a secret too."""
        first = self._random.randrange(len(outcome))
        card = outcome[first]
        fitting = [place for place, face in enumerate(outcome) if face != card and alike(face) == alike(card)]
        if fitting:
            second = self._random.choice(fitting)
            self.exchanged = frozenset({card, outcome[second]})
            outcome[first], outcome[second] = outcome[second], card


def alike(game: Game[Any, Any], settings: Any) -> Callable[[Card], object]:
    """Which cards may change places in a shuffle of this game: those of which this says the same."""
    says = ALIKE.get(game.key)
    return (lambda card: None) if says is None else (lambda card: says(settings, card))


# Making twins ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def swapped(position: Position[Any], viewer: Viewer, random: Random) -> Twins | None:
    """Twins in which two cards that the viewer does not see have changed places; None where it sees all of them.

    Half of them lie in one zone, where there is such a zone: its order is a secret too.
    """
    places = unseen(position, viewer)
    if not places:
        return None
    zones = position.zones
    first = random.choice(places)
    card = zones[first[0]][first[1]]
    fitting = [(name, number) for name, number in places if zones[name][number] != card]
    near = [place for place in fitting if place[0] == first[0]]
    if not fitting:
        return None
    second = random.choice(near if near and random.random() < 0.5 else fitting)
    changed = {name: list(lying) for name, lying in zones.items()}
    changed[first[0]][first[1]], changed[second[0]][second[1]] = zones[second[0]][second[1]], card
    other = msgspec.structs.replace(position, zones={name: tuple(lying) for name, lying in changed.items()})
    return Twins(position, other, viewer, frozenset({card, zones[second[0]][second[1]]}))


def reordered(position: Position[Any], viewer: Viewer, random: Random) -> Twins:
    """Twins in which the cards of zones without order lie in another one, also where the viewer sees them."""
    places = position.layout.places
    zones = {
        name: lying if places[name].zone.ordered else tuple(random.sample(lying, len(lying)))
        for name, lying in position.zones.items()
    }
    return Twins(position, msgspec.structs.replace(position, zones=zones), viewer, frozenset(), exchanging=False)


def begun(game: Game[Any, Any], settings: Any, viewer: Viewer, random: Random) -> Twins | None:
    """Twins from the deal on, which a shuffle has made; None where the deal shows the viewer one of the cards."""
    recorded: list[Sequence[Card]] = []
    fair = chance_of(game, settings.players, random.randrange(1 << 30))

    def record(cards: tuple[Card, ...], /) -> Sequence[Card]:
        recorded.append(fair(cards))
        return recorded[-1]

    here = engine.begin(game, settings, record)
    chance = Coupled(recorded, random)
    chance.alike = alike(game, settings)
    there = engine.begin(game, settings, chance)
    twins = Twins(here.position, there.position, viewer, chance.exchanged)
    shows = [twins.shows(step, chance.exchanged) for step in (here, there)]
    if streamed(here, viewer) == streamed(there, viewer):
        return twins
    if any(shows):
        return None
    raise Leak(f"{twins}, dealing: {redact(here.events, viewer)} and {redact(there.events, viewer)}")


def other_secrets(position: Position[Any], viewer: Viewer) -> Iterator[Twins]:
    """Twins in which a fact that the viewer is not told has another value."""
    for fact in position.game.facts_declared:
        if fact.private is not None and not can_see(fact.private.viewers(Look(position)), viewer):
            value = getattr(position.facts, fact.field)
            instead = _another(value, fact.shape)
            if fact.private.each_own and isinstance(instead, tuple) and viewer is not None:
                instead = set_at(instead, viewer, value[viewer])
            facts = msgspec.structs.replace(position.facts, **{fact.field: instead})
            yield Twins(position, msgspec.structs.replace(position, facts=facts), viewer, frozenset())


def _another(value: object, shape: str) -> object:
    match value:
        case bool():
            return not value
        case int():
            return value + 1
        case tuple() if shape in ("by_seat", "list_by_seat"):
            return value[1:] + value[:1]
        case tuple():
            return () if value else (0, 1)
        case str() if find_card(value) is not None:
            return "2C" if value != "2C" else "3C"
        case _:
            return None


def answered_otherwise(position: Position[Any], viewer: Viewer, random: Random) -> Twins | None:
    """Twins in which another seat has done something else with a sealed verb, which the viewer is not told.

    None where there is no such choice, or where the last seat asked would make it, which may show all.
    """
    verbs = position.layout.verbs.get(position.phase, {})
    sealed = {key for key, verb in verbs.items() if verb.is_sealed(position.settings)}
    seats = [seat for seat in position.turn if seat != viewer]
    if not sealed or len(position.turn) < 2 or not seats:
        return None
    seat = random.choice(seats)
    open_to = [action for action in engine.legal(position, seat) if action.split()[0] in sealed]
    if len(open_to) < 2:
        return None
    chance = chance_of(position.game, position.settings.players, 1)
    here, there = (engine.act(position, seat, action, chance) for action in random.sample(open_to, 2))
    twins = Twins(here.position, there.position, viewer, frozenset(), exchanging=False)
    if streamed(here, viewer) != streamed(there, viewer):
        raise Leak(f"{twins}: the answer of seat {seat} is heard")
    return twins
