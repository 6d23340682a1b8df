"""`chautari play`: a match in the terminal, whatever is typed."""

import io
import random
import re
import subprocess
import sys
from typing import Any

import pytest
from rich.console import Console

from chautari import engine
from chautari.cards import Card
from chautari.cli.play import play, read_seats, read_settings
from chautari.cli.scripted import choices
from chautari.engine import Choice, Option
from chautari.errors import Malformed, Refusal
from chautari.games import GAMES, find_game

CARD = re.compile(r"\b([A2-9TJQK][CDHS])[♣♦♥♠]")


def short(game: str) -> list[str]:
    """Settings that make a short match, as the command line has them."""
    if game not in GAMES:
        return []
    return [
        f"{name}={str(value).lower() if isinstance(value, bool) else value}"
        for name, value in GAMES[game].trials[0].items()
    ]


def played(
    monkeypatch: pytest.MonkeyPatch, game: str, typed: str = "", *, settings: list[str] | None = None,
    seats: str = "0", seed: int | None = 7,
) -> tuple[int, str]:  # fmt: skip
    """Exit status and output of one run, with this typed."""
    monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
    out = io.StringIO()
    console = Console(file=out, width=120, highlight=False)
    status = play(game, short(game) if settings is None else settings, seats, seed, console=console)
    return status, out.getvalue()


@pytest.mark.parametrize("game", GAMES)
def test_scripted_seats_play_to_the_result(monkeypatch: pytest.MonkeyPatch, game: str) -> None:
    status, shown = played(monkeypatch, game, seats="none")
    assert status == 0
    assert "The match is over." in shown
    assert "place" in shown


@pytest.mark.parametrize("game", ["dehla_pakad", "gulam_chor", "jutpatti"])
def test_somebody_who_only_types_1_plays_to_the_end(monkeypatch: pytest.MonkeyPatch, game: str) -> None:
    status, shown = played(monkeypatch, game, "1\n" * 500)
    assert status == 0
    assert "The match is over." in shown
    assert "you" in shown


def test_same_seed_shows_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = {played(monkeypatch, "jutpatti", "1\n" * 9, seed=seed) for seed in (4, 4, 5)}
    assert len(runs) == 2


def test_end_of_input_ends_it_politely(monkeypatch: pytest.MonkeyPatch) -> None:
    status, shown = played(monkeypatch, "bluff")
    assert status == 0
    assert shown.endswith("Good-bye.\n")


def test_refusals_are_told_in_words_and_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    _, shown = played(monkeypatch, "jutpatti", "draw pile\nthrow 7H\ndraw\n99\ndraw cellar\ntable\n")
    assert "No: nothing has been thrown yet: draw from the deck." in shown
    assert "No: in the phase draw there are: draw SOURCE." in shown
    assert "No: write it as: draw SOURCE." in shown
    assert "No: there are choices 1 to 1." in shown
    assert shown.count("Deck 41") == 2  # 52 less five each and the card turned up: the first table, and the last


def test_cards_may_be_typed_in_any_way(monkeypatch: pytest.MonkeyPatch) -> None:
    position = engine.begin(
        find_game("bluff"), find_game("bluff").read_settings(find_game("bluff").trials[0]), shuffled(7)
    ).position
    held = position.zones["hand.0"][0].text
    sign = dict(zip("CDHS", "♣♦♥♠", strict=True))[held[1]]
    for word in (held.lower(), held + sign, held[0] + sign, held.replace("T", "10")):
        _, shown = played(monkeypatch, "bluff", f"LAY k  {word}\n")
        assert f"you: lay K {held}{sign}" in shown.replace("\u00a0", " ")


def shuffled(seed: int) -> engine.Shuffle:
    """The cards as `--seed` brings them."""
    chance = random.Random(seed)

    def shuffle(cards: tuple[Card, ...], /) -> list[Card]:
        order = list(cards)
        chance.shuffle(order)
        return order

    return shuffle


def test_nobody_is_shown_what_the_seat_does_not_see(monkeypatch: pytest.MonkeyPatch) -> None:
    game = find_game("jutpatti")
    position = engine.begin(game, game.read_settings(find_game("jutpatti").trials[0]), shuffled(7)).position
    _, shown = played(monkeypatch, "jutpatti")
    seen = {card.text for card in (*position.zones["hand.0"], *position.zones["turned"])}
    assert set(CARD.findall(shown)) == seen


def test_several_people_are_handed_the_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    _, shown = played(monkeypatch, "jutpatti", "1\n1\n\n1\n1\n", seats="0, 1")
    assert "Now seat 1 (here): press Enter when nobody else is looking." in shown


def test_help_rules_and_table(monkeypatch: pytest.MonkeyPatch) -> None:
    status, shown = played(monkeypatch, "jutpatti", "help\nrules\ntable\nquit\n")
    assert status == 0
    assert "draw SOURCE:" in shown
    assert shown.count("Taking a card") >= 2


@pytest.mark.parametrize(
    ("game", "settings", "seats", "told"),
    [
        ("whist", [], "0", "there is no game 'whist'"),
        ("bluff", ["players=9"], "0", "players must be a whole number from 2 to 6"),
        ("bluff", ["players=four"], "0", "players must be a whole number from 2 to 6"),
        ("bluff", ["colour=red"], "0", "there is no setting 'colour'"),
        ("bluff", ["players"], "0", "write a setting as name=value"),
        ("bluff", ["play_on=maybe"], "0", "play_on must be true or false"),
        ("bluff", [], "4", "seats are numbers from 0 to 3"),
        ("bluff", [], "0,x", "seats are numbers from 0 to 3"),
    ],
)
def test_what_cannot_be_played_is_refused(
    monkeypatch: pytest.MonkeyPatch, game: str, settings: list[str], seats: str, told: str
) -> None:
    status, shown = played(monkeypatch, game, settings=settings, seats=seats)
    assert status == 2
    assert told in shown


def test_settings_get_the_type_that_is_declared() -> None:
    game = find_game("bluff")
    given = read_settings(game, ["players=3", "play_on=Yes", "form=up", "jokers = 2"])
    assert given == {"players": 3, "play_on": True, "form": "up", "jokers": 2}


def test_seats_of_people() -> None:
    assert read_seats("2,0,0", 4) == (0, 2)
    assert read_seats("none", 4) == ()
    with pytest.raises(Malformed):
        read_seats("4", 4)


def test_odd_input_never_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(1)
    signs = "01 9\t-./?[]{}()\\lay throw draw 7H XX ?? \u202e\x1b[31m\x07é♥🂡ﬀ²٣ K"
    for game in GAMES:
        typed = "".join(
            "".join(chance.choice(signs) for _ in range(chance.randrange(12))) + "\n" for _ in range(60)
        )  # fmt: skip
        extra = "1\n[bold]\n[/]\n" + "9" * 400 + "\nlay " + "K " * 999 + "\n²\n"
        status, shown = played(monkeypatch, game, typed + extra)
        assert status == 0
        assert "\x1b[31m" not in shown


def test_bytes_that_are_no_text_and_a_terminal_that_shows_no_signs() -> None:
    program = "import sys; from chautari.cli.play import play; sys.exit(play('jutpatti', ['players=2'], '0', 1))"
    run = subprocess.run(
        [sys.executable, "-c", program], input=b"\xff\xfe\x00\n1\n\xc3\n", capture_output=True, check=False,
        env={"PYTHONIOENCODING": "ascii", "PATH": ""},
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    assert run.stderr == b""


def test_a_script_tries_at_last_what_is_legal_for_certain() -> None:
    wide = Option("take", (Choice("what", "word", False, ("one", "two")),), (), "take one")
    listed = Option("pass", (), ("pass",), "pass")
    for number in range(20):
        assert choices([wide, listed], None, random.Random(number))[1:] == ["take one", "pass", "pass"]
        assert choices([wide], "take two", random.Random(number))[-2:] == ["take two", "take one"]


@pytest.mark.parametrize("game", GAMES)
def test_a_script_always_has_something_legal(game: str) -> None:
    found = find_game(game)
    for number, trial in enumerate(found.trials[:3]):
        chance = random.Random(number)
        position = engine.begin(found, found.read_settings(trial), shuffled(number)).position
        for _ in range(200):
            if position.is_over:
                break
            seat = chance.choice(engine.seats_of(position.must or position.may))
            position = act(position, seat, chance, shuffled(number))


def act(
    position: engine.Position[Any], seat: int, chance: random.Random, shuffle: engine.Shuffle
) -> engine.Position[Any]:
    """The first thing that the script tries and the rules accept."""
    usual = engine.timeout_action(position, seat)
    for action in choices(engine.options(position, seat), usual, chance):
        try:
            return engine.act(position, seat, action, shuffle).position
        except (Refusal, Malformed):
            continue
    raise AssertionError(f"seat {seat} finds nothing in phase {position.phase}")


def test_the_command_itself() -> None:
    command = [sys.executable, "-m", "chautari.main", "play", "jutpatti", "--seed", "5", "--setting", "players=2"]
    run = subprocess.run(command, input="1\n1\n", capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (0, "")
    assert "Jutpatti" in run.stdout
    assert run.stdout.endswith("Good-bye.\n")
    refused = subprocess.run([*command, "-s", "cards=8"], input="", capture_output=True, text=True, check=False)
    assert refused.returncode == 2
    assert "cards must be one of 5, 7, 9, 11" in refused.stdout
