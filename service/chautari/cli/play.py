"""`chautari play`: a match in the terminal against scripted seats, without a server."""

import sys
import time
from collections.abc import Mapping, Sequence
from random import Random, SystemRandom
from typing import Any, Final

from rich.console import Console
from rich.text import Text

from chautari import engine
from chautari.cards import RANKS, SUITS, Card, find_card
from chautari.cli.drawing import Drawing
from chautari.cli.scripted import choices
from chautari.engine import Game, Position, Seat, Setting
from chautari.errors import ChautariError, Malformed, NotFound, Refusal
from chautari.games import find_game, page, wording

_HELP: Final = "an action as it is written there, or its number where it has one; table, rules, help, quit"
_MAY_ACT: Final = 0.2
"""How often a scripted seat that may act, but need not, does."""
_TRUE: Final = ("true", "yes", "on")
_FALSE: Final = ("false", "no", "off")


class _Quit(Exception):
    """Nobody wants to go on, or there is nothing more to read."""


def play(
    game: str, settings: Sequence[str] = (), seats: str = "0", seed: int | None = None, pause: float | None = None,
    console: Console | None = None,
) -> int:  # fmt: skip
    """Plays a match; returns the exit status: 2 where game, settings or seats are refused, else 0.

    settings: `name=value` each. seats: those that people here play, such as `0` or `0,2`, or `none` to look on.
    seed: the same cards and scripts each time. pause: seconds after each scripted action; none: a moment in a terminal.
    """
    for stream in (sys.stdin, sys.stdout):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    console = console or Console(highlight=False)
    try:
        found = find_game(game)
        chosen = found.read_settings(read_settings(found, settings))
        people = read_seats(seats, chosen.players)
    except (NotFound, Malformed) as error:
        console.print(Text(error.message), style="red")
        return 2
    random = Random(seed) if seed is not None else SystemRandom()
    if pause is None:
        pause = 0.6 if console.is_terminal else 0.0
    match = _Match(found, chosen, people, random, console, max(0.0, pause))
    try:
        match.run()
    except (_Quit, KeyboardInterrupt):
        console.print("Good-bye.")
    return 0


def read_settings(game: Game[Any, Any], given: Sequence[str]) -> dict[str, object]:
    """Settings written as `name=value`, each with the type that the game declares; what cannot be read stays text."""
    declared = {setting.name: setting for setting in game.settings_declared}
    values: dict[str, object] = {}
    for text in given:
        name, _, value = text.partition("=")
        if not _:
            raise Malformed("BAD_SETTING", f"write a setting as name=value, not {text!r}", field="settings")
        values[name.strip()] = _value(declared.get(name.strip()), value.strip())
    return values


def _value(setting: Setting | None, text: str) -> object:
    if setting is None:
        return text
    if setting.type == "bool" and text.lower() in (*_TRUE, *_FALSE):
        return text.lower() in _TRUE
    if setting.type == "int":
        number = engine.read_number(text)
        return text if number is None else number
    return text


def read_seats(text: str, players: int) -> tuple[Seat, ...]:
    """The seats of people, rising: `0`, `0,2`, or `none`."""
    if text.strip().lower() in ("", "none"):
        return ()
    numbers = [engine.read_number(part.strip()) for part in text.split(",")]
    seats = {-1 if number is None else number for number in numbers}
    if not seats <= set(range(players)):
        raise Malformed("SEAT_UNKNOWN", f"seats are numbers from 0 to {players - 1} with commas between, or none")
    return tuple(sorted(seats))


class _Match:
    """A match under way at this terminal."""

    def __init__(
        self, game: Game[Any, Any], settings: Any, people: tuple[Seat, ...], random: Random, console: Console,
        pause: float,
    ) -> None:  # fmt: skip
        self._game = game
        self._people = people
        self._random = random
        self._console = console
        self._pause = pause
        self._drawing = Drawing(game, wording(game.key), console, people)
        self._seen_by: Seat | None = people[0] if people else None
        self._settings = settings
        self._position: Position[Any]

    def run(self) -> None:
        """From the first deal to the result."""
        self._take(engine.begin(self._game, self._settings, self._shuffle))
        while not self._position.is_over:
            self._next()
        result = self._position.result
        assert result is not None
        self._drawing.table(engine.view(self._position, self._seen_by if len(self._people) == 1 else None))
        self._drawing.result(result)

    @property
    def _viewer(self) -> Seat | None:
        """Whose eyes see the events: with several people at one screen, nobody's in particular."""
        return self._people[0] if len(self._people) == 1 else None

    def _next(self) -> None:
        """One action of somebody whose turn it is: people first, so that nobody is faster than they."""
        position = self._position
        must, may = engine.seats_of(position.must), engine.seats_of(position.may)
        for seat in (seat for seat in must if seat in self._people):
            self._ask(seat, waiting=False)
            return
        for seat in (seat for seat in may if seat in self._people):
            if self._ask(seat, waiting=True):
                return
        waiting = [seat for seat in may if seat not in self._people]
        if waiting and (not must or self._random.random() < _MAY_ACT):
            self._script(self._random.choice(waiting))
        elif must:
            self._script(must[0])

    def _script(self, seat: Seat) -> None:
        options = engine.options(self._position, seat)
        for action in choices(options, engine.timeout_action(self._position, seat), self._random):
            try:
                step = engine.act(self._position, seat, action, self._shuffle)
            except (Refusal, Malformed):
                continue
            self._take(step)
            time.sleep(self._pause)
            return
        raise AssertionError(f"no script finds an action for seat {seat} in phase {self._position.phase}")

    def _ask(self, seat: Seat, *, waiting: bool) -> bool:
        """Asks until somebody has acted for the seat; False where it only waits."""
        if seat != self._seen_by:
            self._hand_over(seat)
        self._drawing.table(engine.view(self._position, seat))
        options = engine.options(self._position, seat)
        numbered = self._drawing.options(options, waiting=waiting)
        while True:
            line = self._read(f"{self._drawing.name(seat)} > ").strip()
            if not line:
                if waiting:
                    return False
                continue
            verb = line.split()[0].lower()
            if verb in ("quit", "help", "table", "rules", "?") and verb not in self._game.verbs:
                self._command(verb, seat)
                continue
            number = engine.read_number(line)
            if number is not None and not 0 < number <= len(numbered):
                self._say(f"there are choices 1 to {len(numbered)}" if numbered else "write the action out")
                continue
            action = numbered[number - 1] if number is not None else _tidy(line, self._game)
            try:
                step = engine.act(self._position, seat, action, self._shuffle)
            except ChautariError as refused:
                self._say(refused.message)
                continue
            self._take(step)
            return True

    def _command(self, verb: str, seat: Seat) -> None:
        if verb == "quit":
            raise _Quit
        if verb == "table":
            self._drawing.table(engine.view(self._position, seat))
        elif verb == "rules":
            from rich.markdown import Markdown

            self._console.print(Markdown(page(self._game.key)))
        else:
            self._console.print(_HELP)
            for key in self._game.phases[self._position.phase]:
                self._console.print(
                    f"  {self._game.verbs[key].usage}: {wording(self._game.key).about('verbs', key, 'en')}"
                )

    def _hand_over(self, seat: Seat) -> None:
        """Clears the screen, so that one person does not see the cards of another."""
        self._seen_by = seat
        self._console.clear()
        self._read(f"Now {self._drawing.name(seat)}: press Enter when nobody else is looking. ")

    def _take(self, step: engine.Step) -> None:
        self._position = step.position
        self._drawing.events(engine.redact(step.events, self._viewer))

    def _say(self, message: str) -> None:
        self._console.print(Text(f"No: {message}.", "yellow"))

    def _read(self, prompt: str) -> str:
        try:
            line = self._console.input(Text(prompt, "bold"))
        except EOFError:
            self._console.print()
            raise _Quit from None
        if not sys.stdin.isatty():  # nobody saw it being typed
            self._console.print(Text("".join(sign if sign.isprintable() else "?" for sign in line)))
        return line

    def _shuffle(self, cards: tuple[Card, ...], /) -> Sequence[Card]:
        order = list(cards)
        self._random.shuffle(order)
        return order


def _tidy(line: str, game: Game[Any, Any]) -> str:
    """What somebody typed, with cards, ranks and suits as actions write them: `throw 10h` is `throw TH`."""
    verb, *words = line.split()
    known: Mapping[str, Any] = game.verbs
    verb = verb if verb in known else verb.lower()
    return " ".join([verb, *map(_tidy_word, words)])


def _tidy_word(word: str) -> str:
    upper = word.upper().translate(_SIGNS).replace("10", "T", 1) if not word.isdigit() else word
    if len(upper) == 3 and upper[1] == upper[2]:  # as the table shows it, 7H♥
        upper = upper[:2]
    if find_card(upper) or upper in RANKS or upper in SUITS:
        return upper
    return "T" if word == "10" else word


_SIGNS: Final = str.maketrans("♣♦♥♠", "CDHS")
