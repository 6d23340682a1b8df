"""Random play here and in other libraries, timed by turns in one run: `uv run --group bench chautari bench peers`.

Each side deals, lists what is legal or asks for it, chooses at random and does it, until the match or hand is over; a
choice counts as an action. The games are not the same: see `PEERS`.

RLCard is driven in two ways. `rlcard` is its environments, as its users have them: each step gives the next player what
it may know and do. `rlcard_bare` is the games inside them, driven by hand: they check no action, and make neither the
codes of actions nor the arrays in which a player is told of the state. Ours checks, and its events tell all viewers.
"""

from collections.abc import Callable, Mapping
from random import Random
from time import process_time
from typing import Any, Final, NamedTuple

from chautari.cli.bench_engine import microseconds_an_action
from chautari.games import find_game

_ROUNDS_AT_LEAST: Final = 3

Play = Callable[[Random], int]
"""Plays one match or hand at random; returns how many actions it had."""


class Peer(NamedTuple):
    """What is compared: our game with these settings, and how to play the other; its loader may raise ImportError."""

    game: str
    settings: Mapping[str, object]
    load: Callable[[], Play]


class Compared(NamedTuple):
    """Microseconds an action, the least of the rounds: here and there."""

    ours: float
    theirs: float


def bench_peer(name: str, seconds: float = 2.0) -> Compared:
    """Plays both sides by turns for so many seconds of processor time; ImportError where the other is not installed."""
    game_key, settings, load = PEERS[name]
    game, play = find_game(game_key), load()
    ours = theirs = float("inf")
    end, number = process_time() + seconds, 0
    while number < _ROUNDS_AT_LEAST or process_time() < end:
        ours = min(ours, microseconds_an_action(game, [settings] * 4, number % 3))
        theirs = min(theirs, _microseconds(play, Random(number % 3)))
        number += 1
    return Compared(ours, theirs)


def _microseconds(play: Play, random: Random) -> float:
    """What an action costs in as many matches or hands as make 200 actions."""
    actions, start = 0, process_time()
    while actions < 200:
        actions += play(random)
    return (process_time() - start) * 1e6 / actions


def _environment(name: str) -> Callable[[], Play]:
    """An environment of RLCard, as it is made where nothing is asked for."""

    def load() -> Play:
        import rlcard

        environment = rlcard.make(name)

        def play(random: Random) -> int:
            actions = 0
            state, _ = environment.reset()
            while not environment.is_over():
                state, _ = environment.step(random.choice(list(state["legal_actions"])))
                actions += 1
            return actions

        return play

    return load


def _bare(game: Any) -> Play:
    """A game of RLCard that lists its actions."""

    def play(random: Random) -> int:
        actions = 0
        game.init_game()
        while not game.is_over():
            game.step(random.choice(game.get_legal_actions()))
            actions += 1
        return actions

    return play


def _bare_uno() -> Play:
    from rlcard.games.uno.game import UnoGame

    return _bare(UnoGame())


def _bare_no_limit_holdem() -> Play:
    from rlcard.games.nolimitholdem.game import NolimitholdemGame

    game = NolimitholdemGame()
    game.configure({"game_num_players": 2, "chips_for_each": 100, "dealer_id": None})
    return _bare(game)


def _bare_blackjack() -> Play:
    """It does not list its two actions."""
    from rlcard.games.blackjack.game import BlackjackGame

    game = BlackjackGame()
    game.configure({"game_num_players": 1, "game_num_decks": 1})

    def play(random: Random) -> int:
        actions = 0
        game.init_game()
        while not game.is_over():
            game.step(random.choice(("hit", "stand")))
            actions += 1
        return actions

    return play


def _six_handed() -> Play:
    from pokerkit import Automation, NoLimitTexasHoldem

    def play(random: Random) -> int:
        state = NoLimitTexasHoldem.create_state(tuple(Automation), True, 0, (1, 2), 2, 200, 6)
        actions = 0
        while state.status:
            choices: list[tuple[Callable[..., Any], int | None]] = [(state.check_or_call, None)]
            if state.can_fold():
                choices.append((state.fold, None))
            if state.can_complete_bet_or_raise_to():
                least = state.min_completion_betting_or_raising_to_amount or 0
                most = state.max_completion_betting_or_raising_to_amount or 0
                total = random.choice((least, most, random.randint(least, most)))
                choices.append((state.complete_bet_or_raise_to, total))
            act, amount = random.choice(choices)
            act() if amount is None else act(amount)
            actions += 1
        return actions

    return play


_CASH: Final = {"chips": 100, "hands": 20, "rebuy": True}

_LAST_CARD: Final = {"players": 2}
_HEADS_UP: Final = {**_CASH, "players": 2}
_BLACKJACK: Final = {"players": 1, "packs": 1, "insurance": False}

PEERS: Final[Mapping[str, Peer]] = {
    "rlcard.uno": Peer("last_card", _LAST_CARD, _environment("uno")),
    "rlcard.no_limit_holdem": Peer("poker", _HEADS_UP, _environment("no-limit-holdem")),
    "rlcard.blackjack": Peer("blackjack", _BLACKJACK, _environment("blackjack")),
    "rlcard_bare.uno": Peer("last_card", _LAST_CARD, _bare_uno),
    "rlcard_bare.no_limit_holdem": Peer("poker", _HEADS_UP, _bare_no_limit_holdem),
    "rlcard_bare.blackjack": Peer("blackjack", _BLACKJACK, _bare_blackjack),
    "pokerkit.six_handed": Peer("poker", {**_CASH, "players": 6, "chips": 200}, _six_handed),
}
"""By library and game, the game of ours that is nearest to it.

UNO is near to last card, which is played with an ordinary pack. RLCard's hold'em offers five actions, ours any bet; its
blackjack knows hit and stand only, ours bets, doubles and splits besides. pokerkit's hold'em is the same game.
"""
