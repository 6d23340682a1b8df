"""The table in the terminal: cards, zones, facts, options and events in words, for any game of the catalogue.

It draws what a view, options and redacted events say, and nothing else: it knows no game and no hidden card.
"""

from collections.abc import Sequence
from typing import Any, Final

from rich.console import Console, RenderableType
from rich.panel import Panel
from rich.table import Table as Grid
from rich.text import Text

from chautari import engine
from chautari.cards import UNSEEN, unpack
from chautari.cli.cards_text import action_text, cards_text, value_text
from chautari.engine import (
    Choice,
    Dealt,
    Event,
    Game,
    HandBegan,
    HandEnded,
    MatchEnded,
    Moved,
    Option,
    Said,
    Seat,
    SeatLeft,
    Show,
    Shown,
    Shuffled,
    Told,
    View,
    ZoneView,
)
from chautari.games import Wording

_FACES_SHOWN: Final = 14
_LISTED: Final = 30


class Drawing:
    """Draws one match for the people at this terminal, with English labels. mine: the seats that they play."""

    def __init__(self, game: Game[Any, Any], words: Wording, console: Console, mine: Sequence[Seat]) -> None:
        self._game = game
        self._words = words
        self._console = console
        self._mine = frozenset(mine)
        self._facts = {fact.name: fact for fact in game.facts_declared}

    def name(self, seat: Seat) -> str:
        """What a seat is called here."""
        if seat not in self._mine:
            return f"seat {seat}"
        return "you" if len(self._mine) == 1 else f"seat {seat} (here)"

    # The table ────────────────────────────────────────────────────────────────────────────────────────────────────────

    def table(self, view: View) -> None:
        """The whole table as this viewer sees it."""
        title = f"{self._words.titles['en']} · hand {view.hands} · {self._label('phases', view.phase)}"
        lines: list[RenderableType] = [self._seats(view)]
        labels = self._labels(view)
        if labels:
            lines.append(labels)
        shared = [zone for zone in view.zones if _seat_of(self._game, zone.name) is None and zone.count]
        if shared:
            lines.append(Text("   ").join([self._zone(zone) for zone in shared]))
        grid = Grid.grid()
        for line in lines:
            grid.add_row(line)
        self._console.print(Panel(grid, title=Text(title), title_align="left"))

    def _seats(self, view: View) -> Grid:
        grid = Grid.grid(padding=(0, 2))
        turn = {*view.must, *view.may}
        players = 1 + max(_seat_of(self._game, zone.name) or 0 for zone in view.zones)
        for seat in range(max(players, max(turn, default=0) + 1)):
            own = [zone for zone in view.zones if _seat_of(self._game, zone.name) == seat and zone.count]
            badges = self._badges(view, seat)
            grid.add_row(
                Text("▶" if seat in turn else " ", "bold yellow"),
                Text(self.name(seat), "bold" if seat in self._mine else ""),
                Text("   ").join([self._zone(zone) for zone in own]),
                Text(" · ").join(badges),
            )
        return grid

    def _zone(self, zone: ZoneView) -> Text:
        text = Text(f"{self._label('zones', zone.name.partition('.')[0])} {zone.count}")
        index = zone.name.partition(".")[2]
        if index and _seat_of(self._game, zone.name) is None:
            text = Text(f"{self._label('zones', zone.name.partition('.')[0])} {index}: {zone.count}")
        if zone.cards:
            shown = [card.text for card in zone.cards]
            more = len(shown) > _FACES_SHOWN and self._game_zone(zone.name).ordered
            text.append(": … " if more else ": ")
            text.append_text(cards_text(shown[-_FACES_SHOWN:] if more else shown))
        return text

    def _badges(self, view: View, seat: Seat) -> list[Text]:
        badges = [Text("left the match", "dim")] if seat in view.left else []
        for name, value in view.facts.items():
            fact = self._facts[name]
            if fact.show not in (Show.BADGE, Show.SCORE) or value is None:
                continue
            label = self._label("facts", name)
            if fact.shape in ("by_seat", "list_by_seat") and isinstance(value, list):
                if seat >= len(value) or value[seat] is None:
                    continue
                badges.append(Text(f"{label} ").append_text(self._value(name, value[seat])))
            elif fact.type == "seat" and (value == seat or (isinstance(value, list) and seat in value)):
                badges.append(Text(label, "cyan"))
        return badges

    def _labels(self, view: View) -> Text | None:
        told = []
        for name, value in view.facts.items():
            fact = self._facts[name]
            on_seats = fact.show is Show.BADGE and (fact.shape in ("by_seat", "list_by_seat") or fact.type == "seat")
            if fact.show is Show.HIDDEN or on_seats or value is None or value == []:
                continue
            if fact.show is Show.SCORE and fact.shape == "by_seat":
                continue
            told.append(Text(f"{self._label('facts', name)}: ").append_text(self._value(name, value)))
        return Text("   ").join(told) if told else None

    # What a seat may do ───────────────────────────────────────────────────────────────────────────────────────────────

    def options(self, options: Sequence[Option], *, waiting: bool) -> list[str]:
        """Lists what may be done, numbered; returns the actions by number, from 1."""
        numbered: list[str] = []
        for option in options:
            line = Text(f"{self._label('verbs', option.verb)}:", "bold")
            line.append(" ", "not bold")
            if option.actions is None:
                line.append_text(self._describe(option))
            listed = (option.actions or ())[: max(0, _LISTED - len(numbered))]
            for action in listed:
                numbered.append(action)
                line.append(f"  {len(numbered)}) ", "not bold").append_text(action_text(action))
            if len(listed) < len(option.actions or ()):
                line.append(f"  … {(option.actions or ())[-1]}", "not bold")
            self._console.print(line)
        if waiting:
            self._console.print(Text("Enter: wait", "dim"))
        return numbered

    def _describe(self, option: Option) -> Text:
        text = Text(" ".join([option.verb, *(choice.name.upper() for choice in option.choices)]), "bold")
        for choice in option.choices:
            text.append(f"; {choice.name}: {_described(choice)}", "not bold")
        if option.example:
            text.append("; such as ", "not bold").append_text(action_text(option.example))
        return text

    # What happened ────────────────────────────────────────────────────────────────────────────────────────────────────

    def events(self, events: Sequence[Event]) -> None:
        """What happened, a line each, as far as the viewer they were cut for may know."""
        said = next((event.text for event in events if isinstance(event, Said)), "").split()
        opening = bool(events) and isinstance(events[0], Told)  # the facts before the first hand: the table shows them
        for event in events[opening:]:
            line = self._told(event, said)
            if line is not None:
                self._console.print(Text("· ", "dim").append_text(line))

    def _told(self, event: Event, said: Sequence[str]) -> Text | None:
        match event:
            case HandBegan():
                return Text(f"Hand {event.number} begins.", "bold")
            case Said():
                return Text(f"{self.name(event.seat)}: ").append_text(
                    action_text(event.text) if event.text else Text("has answered", "dim")
                )
            case Shuffled():
                return Text(f"{self._place(event.zone) if event.zone else 'The pack'} is shuffled")
            case Dealt():
                counts = sorted({len(hand) for hand in event.hands})
                return Text(f"{' or '.join(map(str, counts))} cards each are dealt")
            case Moved():
                cards = [card.text for card in event.cards]
                if cards and all(card in said and card != UNSEEN.text for card in cards):
                    return None
                what = cards_text(cards) if UNSEEN.text not in cards else Text(_count(len(cards)))
                source = f": {self._place(event.source)}" if event.source else ""
                return what.append(f"{source} → {self._place(event.target) if event.target else 'away'}")
            case Shown():
                return Text(f"{self._place(event.zone)} is shown: ").append_text(
                    cards_text(map(str, unpack(event.faces)))
                )
            case Told():
                return self._told_facts(event)
            case HandEnded():
                return Text(f"Hand {event.number} is over.", "bold").append_text(self._record(event.record))
            case SeatLeft():
                return Text(f"{self.name(event.seat)} left the match")
            case MatchEnded():
                return Text("The match is over.", "bold")
            case _:
                return None

    def result(self, result: engine.Result) -> None:
        """Who came where."""
        grid = Grid("place", "seat", "score", title="Nobody was left" if result.aborted else None)
        for place, seat in sorted((place, seat) for seat, place in enumerate(result.placing)):
            grid.add_row(str(place), self.name(seat), str(result.score[seat]))
        self._console.print(grid)

    def _told_facts(self, event: Told) -> Text | None:
        told = [
            Text(f"{self._label('facts', name)}: ").append_text(self._value(name, value))
            for name, value in event.facts.items()
            if self._facts[name].show in (Show.LABEL, Show.SCORE) and value is not None and value != []
        ]
        return Text("   ").join(told) if told else None

    def _record(self, record: dict[str, Any]) -> Text:
        told = [
            Text(f"{name.replace('_', ' ')} ").append_text(value_text(value))
            for name, value in record.items()
            if value is not None and value != []
        ]
        return Text(" ").append_text(Text(" · ").join(told)) if told else Text()

    # Words ────────────────────────────────────────────────────────────────────────────────────────────────────────────

    def _label(self, part: str, name: str) -> str:
        return self._words.label(part, name, "en")

    def _place(self, zone: str) -> str:
        base, _, index = zone.partition(".")
        seat = _seat_of(self._game, zone)
        return f"{self._label('zones', base)} {f'({self.name(seat)})' if seat is not None else index}".strip()

    def _value(self, name: str, value: Any) -> Text:
        fact = self._facts[name]
        if fact.type == "seat" and isinstance(value, int):
            return Text(self.name(value))
        return value_text(value)

    def _game_zone(self, name: str) -> engine.Zone:
        return next(zone for zone in self._game.zones if zone.name == name.partition(".")[0])


def _seat_of(game: Game[Any, Any], zone: str) -> Seat | None:
    """The seat that a zone belongs to."""
    base, _, rest = zone.partition(".")
    declared = next((each for each in game.zones if each.name == base), None)
    if declared is None or not declared.per_seat:
        return None
    return int(rest.partition(".")[0])


def _count(count: int) -> str:
    return "one card" if count == 1 else f"{count} cards"


def _described(choice: Choice) -> str:
    optional = " (or nothing)" if choice.optional else ""
    if choice.values is not None:
        return "one of " + " ".join(choice.values) + optional
    if choice.type == "cards":
        count = f"{choice.low}" if choice.low == choice.high else f"{choice.low} to {choice.high}"
        return f"{count} of {' '.join(card.text for card in choice.cards)}{optional}"
    if choice.type == "groups":
        sizes = " / ".join(map(str, choice.sizes)) if choice.sizes else "groups"
        return f"{sizes} of {' '.join(card.text for card in choice.cards)}, with / between them{optional}"
    steps = f" in steps of {choice.step}" if choice.step != 1 else ""
    return f"a number from {choice.low} to {choice.high}{steps}{optional}"
