"""The typed form of an action says what its text form says, for every game, and is refused in the same order."""

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from chautari import engine
from chautari.app import catalog
from chautari.engine import FairStream, Game, Position
from chautari.errors import Malformed, Refusal
from chautari.v1 import action_pb2, play_pb2
from chautari.v1.action_pb2 import Action, Argument
from chautari.wire.convert.actions import action_text
from tests.wire.served import Code, serving

GAMES = catalog.games()


def positions(game: Game[Any, Any], seed: int) -> Iterator[tuple[Position[Any], int, str]]:
    """Positions along a random match, each with a seat and a legal action of it."""
    random = Random(seed)
    settings = game.read_settings(game.trials[seed % len(game.trials)])
    fair = FairStream(
        match="m", game=game.key, version=1, secret=bytes([seed]) * 32, contributions=[None] * settings.players
    )
    position = engine.begin(game, settings, fair).position
    for _ in range(60):
        if position.is_over:
            return
        seat = random.choice(position.turn)
        action = engine.sample(position, seat, random)
        if action is not None:
            yield position, seat, action
            position = engine.act(position, seat, action, fair).position


def typed(game: Game[Any, Any], text: str, *, named: bool) -> Action | None:
    """The action of a text in its typed form, by what the verb declares; None where it reads its words itself."""
    key, *words = text.split()
    verb = game.verbs[key]
    action = Action(verb=key)
    spare = len(words) - sum(not argument.optional for argument in verb.arguments)
    if verb.marks.reads is not None:
        return None
    for argument in verb.arguments:
        if argument.type in ("cards", "groups"):
            value = Argument(name=argument.name if named else "")
            if argument.type == "cards":
                value.cards.cards.extend(words)
            else:
                for group in " ".join(words).split("/") if words else ():
                    value.groups.groups.add(cards=group.split())
            words = []
        elif argument.optional and spare == 0:
            continue
        else:
            spare -= argument.optional
            value = _value(argument.types, argument.words, words.pop(0))
            value.name = argument.name if named else ""
        action.arguments.append(value)
    return action


def in_their_places(game: Game[Any, Any], action: Action) -> bool:
    """Whether no argument is left out before another: only then does its place say which it is."""
    declared = game.verbs[action.verb].arguments
    left_out = len(declared) - len(action.arguments)
    return not left_out or all(argument.optional for argument in declared[-left_out:])


def _value(types: tuple[str, ...], known: tuple[str, ...], word: str) -> Argument:
    kind = "word" if "word" in types and word in known else types[-1]
    value = Argument()
    setattr(value, kind, int(word) if kind in ("number", "seat", "position") else word)
    return value


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.key)
def test_typed_form_says_the_same(game: Game[Any, Any]) -> None:
    compared = 0
    for seed in range(4):
        for _, _, text in positions(game, seed):
            for named in (True, False):
                action = typed(game, text, named=named)
                if action is not None and (named or in_their_places(game, action)):
                    assert action_text(game, action).split() == text.replace("/", " / ").split()
                    compared += 1
    assert compared or all(verb.marks.reads for verb in game.verbs.values())


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.key)
def test_what_no_text_can_say_is_refused_as_text_would_be(game: Game[Any, Any]) -> None:
    for seed in range(2):
        for position, seat, text in positions(game, seed):
            action = typed(game, text, named=True)
            if action is None:
                continue
            other = (seat + 1) % position.settings.players
            stranger = next((s for s in range(position.settings.players) if s not in position.turn), other)
            assert refusal(position, seat, Action(verb=f"{action.verb} ")) == "UNKNOWN_ACTION"
            assert refusal(position, seat, Action(verb=text if " " in text else f"{text} x")) == "UNKNOWN_ACTION"
            assert refusal(position, seat, Action()) == "UNKNOWN_ACTION"
            extra = copy(action)
            extra.arguments.add(name="no_such_argument", word="x")
            assert refusal(position, seat, extra) == "MALFORMED_ACTION"
            if stranger not in position.turn:
                assert refusal(position, stranger, extra) == "NOT_YOUR_TURN"
            if action.arguments:
                twice = copy(action)
                twice.arguments.append(action.arguments[0])
                assert refusal(position, seat, twice) == "MALFORMED_ACTION"
                empty = copy(action)
                empty.arguments[0].CopyFrom(Argument(name=action.arguments[0].name))
                assert refusal(position, seat, empty) == "MALFORMED_ACTION"


def copy(action: Action) -> Action:
    """Another message that says the same."""
    other = Action()
    other.CopyFrom(action)
    return other


def refusal(position: Position[Any], seat: int, action: Action) -> str:
    """The code with which an action is refused."""
    with pytest.raises((Refusal, Malformed)) as caught:
        engine.act(position, seat, action_text(position.game, action), lambda cards: cards)
    return caught.value.reason


def test_arguments_are_put_in_the_order_of_the_declaration() -> None:
    bluff = catalog.find("bluff")
    action = Action(verb="lay")
    action.arguments.add(name="cards").cards.cards.extend(["7H", "8H"])
    action.arguments.add(name="rank", rank="7")
    assert action_text(bluff, action) == "lay 7 7H 8H"


@pytest.mark.parametrize(
    "argument",
    [
        Argument(rank="7"),
        Argument(card="7H 8H"),
        Argument(card=""),
        Argument(card="7H/"),
        Argument(number=7),
        Argument(card="7h"),
        Argument(),
    ],
    ids=repr,
)
def test_value_of_another_type_or_of_several_words_is_not_read(argument: Argument) -> None:
    jutpatti = catalog.find("jutpatti")
    settings = jutpatti.read_settings({"players": 2})
    position = engine.begin(jutpatti, settings, lambda cards: cards).position
    position = engine.act(position, position.turn[0], "draw deck", lambda cards: cards).position
    action = Action(verb="throw", arguments=[argument])
    assert refusal(position, position.turn[0], action) == "MALFORMED_ACTION"


async def test_both_forms_do_the_same_over_the_wire() -> None:
    async with serving() as served:
        guest = await served.guest()
        match = await guest.create("bluff", seats=(0, 1), players=2)
        view = await guest.call("Play/View", play_pb2.ViewRequest(match=match.name, seat=match.turn.must[0]))
        seat, other = view.seat, 1 - view.seat
        [hand] = [zone for zone in view.zones if zone.name == f"hand.{seat}"]
        lay = Action(verb="lay", arguments=[Argument(name="cards"), Argument(name="rank", rank="A")])
        lay.arguments[0].cards.cards.extend(hand.cards[:2])
        too_soon = play_pb2.ActRequest(match=match.name, seat=other, action=lay)
        assert (await guest.refused("Play/Act", too_soon)).reason == "NOT_YOUR_TURN"
        request = play_pb2.ActRequest(match=match.name, seat=seat, action=lay, validate_only=True)
        judged = await guest.call("Play/Act", request)
        assert (judged.revision, judged.HasField("update")) == (match.revision, False)
        request.validate_only = False
        laid = await guest.call("Play/Act", request)
        assert laid.revision == laid.update.revision == match.revision + 1
        assert laid.update.match == match.name
        assert (laid.update.step.cause, laid.update.step.seat) == (play_pb2.CAUSE_SEAT, seat)
        assert laid.update.step.HasField("seat")
        assert laid.update.step.time.seconds > 1_700_000_000
        assert laid.update.step.events[0].said.text == f"lay A {hand.cards[0]} {hand.cards[1]}"
        accept = play_pb2.ActRequest(match=match.name, seat=other, text="accept")
        assert (await guest.call("Play/Act", accept)).update.step.events[0].said.text == "accept"


async def test_neither_form_is_an_action_without_a_verb() -> None:
    async with serving() as served:
        guest = await served.guest()
        match = await guest.create("jutpatti", seats=(0, 1), players=2)
        for request in (
            play_pb2.ActRequest(match=match.name, seat=0),
            play_pb2.ActRequest(match=match.name, seat=0, text=""),
            play_pb2.ActRequest(match=match.name, seat=0, action=action_pb2.Action()),
        ):
            refused = await guest.refused("Play/Act", request)
            assert (refused.code, refused.reason) == (Code.FAILED_PRECONDITION, "UNKNOWN_ACTION")


async def test_action_in_a_foreign_match_tells_nothing() -> None:
    async with serving() as served:
        guest, other = await served.guest(), await served.guest()
        match = await guest.create("jutpatti", seats=(0, 1), players=2)
        for name in (match.name, "matches/" + "a" * 20):
            for request in (
                play_pb2.ActRequest(match=name, text="draw deck"),
                play_pb2.ActRequest(match=name, action=Action(verb="draw")),
            ):
                refused = await other.refused("Play/Act", request)
                assert (refused.code, refused.reason) == (Code.PERMISSION_DENIED, "NO_ACCESS")
