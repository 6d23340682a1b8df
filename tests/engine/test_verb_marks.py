"""What a verb says of itself beyond its signature: when it exists, what forbids it, and why a value is refused."""

from collections.abc import Sequence
from random import Random
from typing import Annotated, Any

import msgspec
import pytest

from chautari import engine
from chautari.cards import cards
from chautari.engine import (
    OVER,
    Among,
    Game,
    Look,
    Position,
    Record,
    Script,
    Seat,
    Sees,
    Table,
    Turn,
    Words,
    Zone,
    turn,
    verb,
)
from chautari.engine.actions import Verb
from chautari.engine.listing import offer
from chautari.errors import Refusal
from tests.engine.writable import every_action


class Settings(engine.Settings, frozen=True):
    """A toy: whether one may ring the bell."""

    players: Annotated[int, engine.Range(2, 3)] = 2
    bell: bool = False


class Facts(engine.Facts):
    """How loud it is, and the scores."""

    loud: int = 0
    score: engine.BySeat[int] = (0, 0)


class LastHand(Record, frozen=True):
    """How loud it was."""

    loud: int


def deal(table: Table[Facts], settings: Settings) -> Turn:
    table.deal(cards("AC 2C"), to="hand", first=0)
    return turn("play", 0)


def too_loud(look: Look[Facts], settings: Settings, seat: Seat) -> Refusal | tuple[str, str] | None:
    if look.facts.loud > 2:
        return Refusal("MUCH_TOO_LOUD", "the bell has rung three times: be quiet", times=look.facts.loud)
    return ("TOO_LOUD", "the bell has rung twice: be quiet") if look.facts.loud == 2 else None


@verb(exists=lambda settings: settings.bell, unless=too_loud)
def ring(table: Table[Facts], settings: Settings, seat: Seat) -> Turn:
    table.facts.loud += 1
    return turn("play", seat)


def steps(look: Look[Facts], settings: Settings, seat: Seat) -> range:
    return range(1, 3)


def why_not(look: Look[Facts], settings: Settings, seat: Seat, number: int) -> Refusal:
    if number == 0:
        return Refusal("STANDS_STILL", "go at least one step")
    return Refusal("TOO_FAR", f"{number} steps are too many: go two at most", steps=number)


def go(table: Table[Facts], settings: Settings, seat: Seat, number: Annotated[int, Among(steps, why_not)]) -> Turn:
    return turn("play", table.after(seat)) if number == 1 else OVER


def notes(look: Look[Facts], settings: Settings, seat: Seat) -> list[tuple[tuple[str, ...], ...]]:
    return [(("do", "re"), ("loud", "soft")), (("soft",), ("do",)), (("hum",),)]


def read_notes(look: Look[Facts], settings: Settings, seat: Seat, words: Sequence[str]) -> list[Any]:
    return list(words)


Note = Annotated[str, Words(("do", "re", "loud", "soft", "hum"))]


@verb(reads=read_notes, forms=notes)
def sound(table: Table[Facts], settings: Settings, seat: Seat, first: Note, second: Note = "") -> Turn:
    return turn("play", table.after(seat))


def again(table: Table[Facts], settings: Settings, seat: Seat) -> Turn:
    table.throw_in()
    table.deal(cards("2C AC"), to="hand", first=0)
    return turn("play", 0)


def end_hand(table: Table[Facts], settings: Settings) -> LastHand:
    return LastHand(table.facts.loud)


TOY = Game(
    key="toy",
    version=1,
    settings=Settings,
    facts=Facts,
    zones=[Zone("hand", Sees.OWNER, per_seat=True)],
    deal=deal,
    phases={"play": (ring, go, again), "sing": (sound,)},
    end_hand=end_hand,
    match_is_over=lambda look, settings: False,
    place=lambda look, settings: (1, 1),
    timeouts={"play": "go 1", "sing": "sound do soft"},
    samplers={
        "sound": lambda look, settings, seat, random: "sound hum",
        "ring": lambda look, settings, seat, random: None,
    },
    trials=({},),
)


def toy(**settings: object) -> Position[Any]:
    return engine.begin(TOY, TOY.read_settings(settings), Script(())).position


def do(position: Position[Any], *actions: str) -> Position[Any]:
    for action in actions:
        position = engine.act(position, 0, action, Script(())).position
    return position


def refusal(position: Position[Any], action: str) -> Refusal:
    with pytest.raises(Refusal) as caught:
        do(position, action)
    return caught.value


def test_a_verb_that_does_not_exist_is_unknown_and_not_listed() -> None:
    position = toy()
    assert refusal(position, "ring").reason == "UNKNOWN_ACTION"
    assert "ring" not in str(refusal(position, "sing"))
    assert engine.legal(position, 0) == ["go 1", "go 2", "again"]
    assert [option.verb for option in engine.options(position, 0)] == ["go", "again"]
    assert "ring" not in list(every_action(position))


def test_the_words_of_a_rule_name_its_values() -> None:
    refused = engine.refusal_of(("TOO_DEAR", "this costs {price}, and you have {chips}", {"price": 7, "chips": 3}))
    assert (refused.rule, refused.reason, refused.message) == (
        "TOO_DEAR",
        "RULE_BROKEN",
        "this costs 7, and you have 3",
    )
    assert refused.values == {"price": "7", "chips": "3"}
    plain = engine.refusal_of(("IN_BRACES", "say {this} as it is"))
    assert (plain.message, plain.values) == ("say {this} as it is", {})
    assert engine.refusal_of(refused) is refused


@pytest.mark.parametrize(
    "numbers", [range(3), range(102, 107), range(8, 0, -2), range(0, 90, 30), (5, 3, 120), range(0)]
)
def test_numbers_are_listed_in_the_order_of_their_domain(numbers: Sequence[int]) -> None:
    def count(
        table: Table[Facts],
        settings: Settings,
        seat: Seat,
        number: Annotated[int, Among(lambda *_: numbers, "R", "no")],
    ) -> Turn:
        return OVER

    lists = offer(Verb(count, jokers=False), None).lists
    for _ in range(2):  # what has been written out once is written the same again
        assert list(lists(Look(toy()), Settings(), 0)) == [f"count {number}" for number in numbers]


def test_a_verb_that_exists_is_listed_until_something_forbids_it() -> None:
    position = toy(bell=True)
    assert engine.legal(position, 0)[0] == "ring"
    position = do(position, "ring", "ring")
    assert "ring" not in engine.legal(position, 0)
    assert [option.verb for option in engine.options(position, 0)] == ["go", "again"]
    assert (refusal(position, "ring").reason, refusal(position, "ring").rule) == ("RULE_BROKEN", "TOO_LOUD")
    louder = msgspec.structs.replace(position, facts=Facts(loud=3))
    assert "ring" not in engine.legal(louder, 0)
    assert (refusal(louder, "ring").rule, refusal(louder, "ring").values) == ("MUCH_TOO_LOUD", {"times": "3"})


def test_the_refusal_of_a_value_may_depend_on_it() -> None:
    assert refusal(toy(), "go 0").rule == "STANDS_STILL"
    assert (refusal(toy(), "go 7").rule, refusal(toy(), "go 7").values) == ("TOO_FAR", {"steps": "7"})


def test_a_verb_of_several_forms_is_described_by_each() -> None:
    singing = msgspec.structs.replace(toy(), phase="sing")
    assert engine.legal(singing, 0) == []
    assert engine.sample(singing, 0, Random(1)) == "sound hum"
    forms = engine.options(singing, 0)
    written = [tuple(choice.values for choice in form.choices) for form in forms]
    assert written == [(("do", "re"), ("loud", "soft")), (("soft",), ("do",)), (("hum",),)]
    assert {(form.verb, form.actions, form.example) for form in forms} == {("sound", None, "sound do soft")}
    assert not any(choice.optional for form in forms for choice in form.choices)
    assert do(singing, "sound re").must == 2


def test_a_sampler_speaks_for_its_verb() -> None:
    """Beside what the verb lists itself; where it gives nothing, the verb is not taken."""
    sampled = {engine.sample(toy(bell=True), 0, Random(seed)) for seed in range(60)}
    assert sampled == {"go 1", "go 2", "again"}


def test_cards_thrown_in_are_taken_up_and_the_hand_keeps_its_number() -> None:
    position = do(toy(), "go 2")
    step = engine.act(position, 0, "again", Script(()))
    assert position.hands == step.position.hands == 2
    assert step.position.zones == {"hand.0": cards("2C"), "hand.1": cards("AC")}
    assert [event.number for event in step.events if isinstance(event, engine.HandBegan)] == [2]
    for viewer in (0, 1, None):
        picture = engine.Picture()
        engine.fold(picture, engine.redact(engine.begin(TOY, TOY.read_settings({}), Script(())).events, viewer))
        engine.fold(picture, engine.redact(engine.act(toy(), 0, "again", Script(())).events, viewer))
        seen = {zone.name: zone.cards or cards("??") for zone in engine.view(do(toy(), "again"), viewer).zones}
        assert picture.zones == seen
