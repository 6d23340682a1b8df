"""A game as one value: what it declares, and the functions that are its rules."""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property
from random import Random
from typing import Final, Generic, Literal, get_type_hints

from chautari.engine import facts as facts_module
from chautari.engine import settings as settings_module
from chautari.engine.actions import Verb
from chautari.engine.facts import F, Record
from chautari.engine.layout import Layout, lay_out
from chautari.engine.listing import offer
from chautari.engine.look import Look
from chautari.engine.marks import VerbFunction
from chautari.engine.position import make_decoder, make_header
from chautari.engine.settings import S, Settings
from chautari.engine.table import Table
from chautari.engine.turns import FINISHED, Turn
from chautari.engine.viewers import Seat
from chautari.engine.zones import Zone

Placing = tuple[int, ...]
"""The place of each seat: 1 is best, equal seats share, the next place is skipped."""
_LAYOUTS_KEPT: Final = 1000


def each_alone(settings: Settings) -> tuple[tuple[Seat, ...], ...]:
    """No partnerships: every seat is a side of its own."""
    return tuple((seat,) for seat in range(settings.players))


class Game(Generic[S, F]):
    """One game of the catalogue. All that the engine, the service and the clients know of it is here.

    key, version   its id, and the version of its rules: a changed game gets the next, and keeps its old module
    settings       the class of its settings; facts: the class of its facts
    zones          in the order in which a view lists them
    opening        the facts before the first deal, by settings; left out: the defaults of the facts
    deal           deals a hand; returns the first turn, or OVER where the hand ends at once
    phases         by phase, its verbs in the order of the rule page
    end_hand       scores a hand that is over; returns its record
    record_of      makes that record again from the facts, which stay as they were when the hand ended: states need not
                   keep it then, as it would be too large for them
    match_is_over  whether that was the last hand; left out: it was
    pass_deal      settles who deals next, when there is a next hand
    at_end         clears what has no meaning in a match that is over, also one that ends because seats leave
    place          the placing by seat, once the match is over
    timeouts       by phase, the action that a seat takes whose time ran out: its text, or a function that gives it
    timeouts_go_on_after  verbs of time-outs after which the same time-out goes on with what is due then
    sides          the partnerships; left out: each seat is a side of its own
    samplers       by verb, a legal action at random (for bots and tests) where the choice is wide, or should be rare;
                   None where none is
    check          refuses settings that exclude each other
    jokers         whether `XX` can be read as a card
    keeps_cards    whether the cards stay where they lie from hand to hand, in place of being taken up
    disclosure     what becomes public after a match, unless its creator says otherwise
    turn_seconds   how long a seat has for a move, unless its creator says otherwise
    formats        open formats of its hands that its records can be written in, such as `phh`
    trials         settings, bounded in length, on which the tests play random matches
    """

    def __init__(
        self, *, key: str, version: int, settings: type[S], facts: type[F], zones: Sequence[Zone],
        deal: Callable[[Table[F], S], Turn],
        phases: Mapping[str, Sequence[VerbFunction]],
        end_hand: Callable[[Table[F], S], Record],
        place: Callable[[Look[F], S], Placing],
        timeouts: Mapping[str, str | Callable[[Look[F], S, Seat], str]],
        trials: Sequence[Mapping[str, object]],
        record_of: Callable[[F], Record] | None = None,
        opening: Callable[[S], F] | None = None,
        timeouts_go_on_after: Collection[str] = (),
        match_is_over: Callable[[Look[F], S], bool] = lambda look, settings: True,
        pass_deal: Callable[[Table[F], S], None] | None = None,
        at_end: Callable[[Table[F], S], None] | None = None,
        sides: Callable[[S], tuple[tuple[Seat, ...], ...]] = each_alone,
        samplers: Mapping[str, Callable[[Look[F], S, Seat, Random], str | None]] | None = None,
        check: Callable[[S], None] | None = None,
        jokers: bool = False,
        keeps_cards: bool = False,
        disclosure: Literal["full", "shown_only"] = "full",
        turn_seconds: int = 45,
        formats: Collection[str] = (),
    ) -> None:  # fmt: skip
        self.key = key
        self.version = version
        self.settings = settings
        self.facts = facts
        self.zones = tuple(zones)
        self.opening: Callable[[S], F] = opening or (lambda settings: facts())
        self.deal = deal
        self.end_hand = end_hand
        self.record_of = record_of
        self.match_is_over = match_is_over
        self.pass_deal = pass_deal
        self.at_end = at_end
        self.place = place
        self.timeouts = dict(timeouts)
        self.timeouts_go_on_after = frozenset(timeouts_go_on_after)
        self.sides = sides
        self.samplers = dict(samplers or {})
        self.trials = tuple(trials)
        self.keeps_cards = keeps_cards
        self.disclosure = disclosure
        self.turn_seconds = turn_seconds
        self.formats = frozenset(formats)
        self._check = check
        known = {function: Verb(function, jokers) for functions in phases.values() for function in functions}
        self.phases: dict[str, dict[str, Verb]] = {
            phase: {known[function].key: known[function] for function in functions}
            for phase, functions in phases.items()
        }
        self.verbs: dict[str, Verb] = {verb.key: verb for verbs in self.phases.values() for verb in verbs.values()}
        self.settings_declared = settings_module.declared(settings)
        self.facts_declared = facts_module.declared(facts)
        self.private_facts = tuple(f for f in self.facts_declared if f.private is not None and not f.secret)
        self.tellings = tuple([(fact.name, fact.convert, fact.private) for fact in self.facts_declared])
        self.header = make_header(key, version)
        self.snapshot_decoder = make_decoder(settings, facts)
        self._layouts: dict[S, Layout] = {}
        self._consistent()

    @cached_property
    def record_declared(self) -> tuple[facts_module.Fact, ...]:
        """The fields of the record of a hand; none where the type of that is not written down."""
        record = get_type_hints(self.end_hand).get("return")
        return () if record is None else facts_module.declared(record)

    def __repr__(self) -> str:
        return f"Game({self.key}, version {self.version})"

    def read_settings(self, given: Mapping[str, object]) -> S:
        """The settings that these values and the defaults make; Malformed `BAD_SETTING` names what is wrong."""
        settings = settings_module.read_settings(self.settings, self.settings_declared, given)
        if self._check is not None:
            self._check(settings)
        return settings

    def layout(self, settings: S) -> Layout:
        """The zones and verbs that these settings make."""
        layout = self._layouts.get(settings)
        if layout is None:
            if len(self._layouts) == _LAYOUTS_KEPT:
                self._layouts.clear()
            verbs = {
                phase: {key: verb for key, verb in verbs.items() if verb.exists(settings)}
                for phase, verbs in self.phases.items()
            }
            offers = {
                phase: tuple(offer(verb, self.samplers.get(key)) for key, verb in there.items())
                for phase, there in verbs.items()
            }
            layout = self._layouts[settings] = lay_out(self.zones, settings.players, settings, verbs, offers)
        return layout

    def _consistent(self) -> None:
        if FINISHED in self.phases:
            raise TypeError(f"{self.key}: the phase {FINISHED} is the engine's")
        missing = self.phases.keys() - self.timeouts.keys()
        if missing:
            raise TypeError(f"{self.key}: no time-out is declared for {', '.join(sorted(missing))}")
        wide = {key for key, verb in self.verbs.items() if verb.wide}
        if wide - self.samplers.keys():
            raise TypeError(f"{self.key}: no sampler for the wide choices of {', '.join(sorted(wide))}")
        for zone in self.zones:
            _ = zone.laid_out_as
