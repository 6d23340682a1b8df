"""Cards that stay from hand to hand, zones named by the settings, and facts of which each seat knows its own value."""

from random import Random
from typing import Annotated, Any, Literal

from chautari import engine
from chautari.cards import pack
from chautari.engine import (
    ALL,
    NOBODY,
    OVER,
    BySeat,
    Event,
    Game,
    HandBegan,
    Kind,
    Look,
    Picture,
    Private,
    Record,
    Seat,
    Sees,
    Table,
    Told,
    Turn,
    Viewers,
    Zone,
    fold,
    redact,
    turn,
    verb,
)
from chautari.engine.facts import declared
from chautari.kit.totals import set_at


class Settings(engine.Settings, frozen=True):
    """Two seats, and so many boats."""

    players: Literal[2] = 2
    boats: Literal[1, 2] = 2


class Landed(Record, frozen=True):
    """The record of a crossing."""

    hand_no: int


def when_open(look: Look["Facts"]) -> Viewers:
    """All see the tickets once they are shown."""
    return ALL if look.facts.opened else NOBODY


class Facts(engine.Facts):
    """The tickets that each seat has bought, unseen until the boats sail."""

    hand_no: int = 0
    opened: bool = False
    tickets: Annotated[BySeat[tuple[int, ...]], Private(when_open, (), each_own=True)] = ()
    score: BySeat[int] = ()


def names(settings: Settings) -> tuple[str, ...]:
    """The boats, from the left."""
    return ("left", "right")[: settings.boats]


def deal(table: Table[Facts], settings: Settings) -> Turn:
    """A card goes aboard for each hand; the others stay where they are."""
    facts = table.facts
    facts.hand_no += 1
    if facts.hand_no == 1:
        table.shuffle("deck", fresh=pack())
    table.draw("deck", "boat", to_seat=settings.boats - 1)
    facts.opened, facts.tickets = False, ((), ())
    return turn("buy", 0, 1)


@verb(sealed=True, free=True)
def buy(table: Table[Facts], settings: Settings, seat: Seat) -> Turn:
    """Buys a ticket."""
    table.facts.tickets = set_at(table.facts.tickets, seat, (7,))
    return wait(table, settings, seat)


@verb(sealed=True, free=True)
def wait(table: Table[Facts], settings: Settings, seat: Seat) -> Turn:
    """Buys none; after the last seat all tickets are shown."""
    waiting = [other for other in table.acting if other != seat]
    if waiting:
        return turn("buy", *waiting)
    table.facts.opened = True
    return OVER


GAME: Game[Settings, Facts] = Game(
    key="boats",
    version=1,
    settings=Settings,
    facts=Facts,
    zones=(Zone("deck", Sees.NONE, ordered=True), Zone("boat", Sees.ALL, ordered=True, kind=Kind.ROW, indexes=names)),
    opening=lambda settings: Facts(score=(0, 0), tickets=((), ())),
    deal=deal,
    phases={"buy": (buy, wait)},
    end_hand=lambda table, settings: Landed(table.facts.hand_no),
    match_is_over=lambda look, settings: look.facts.hand_no == 3,
    place=lambda look, settings: (1, 1),
    timeouts={"buy": "wait"},
    keeps_cards=True,
    trials=({},),
)


def played(*lines: str, boats: int = 2) -> tuple[engine.Position[Any], list[list[Event]]]:
    """A match after these actions, and the events of each step."""
    random = Random(1)

    def shuffle(cards: Any, /) -> Any:
        return random.sample(cards, len(cards))

    step = engine.begin(GAME, GAME.read_settings({"boats": boats}), shuffle)
    steps = [step.events]
    for line in lines:
        seat, _, action = line.partition(" ")
        step = engine.act(step.position, int(seat), action, shuffle)
        steps.append(step.events)
    return step.position, steps


def test_nobody_is_told_of_a_private_fact_that_stays_as_it_was() -> None:
    _, (_, events) = played("0 wait")
    assert not any(isinstance(event, Told) for event in events)


def test_the_settings_name_the_zones() -> None:
    assert list(GAME.layout(GAME.read_settings({})).places) == ["deck", "boat.left", "boat.right"]
    assert list(GAME.layout(GAME.read_settings({"boats": 1})).places) == ["deck", "boat.left"]


def test_cards_stay_where_they_lie_from_hand_to_hand() -> None:
    position, steps = played("0 wait", "1 wait", "1 wait", "0 wait")
    assert [len(position.zones[name]) for name in ("deck", "boat.right")] == [49, 3]
    assert position.hands == 3
    begun = [event for events in steps for event in events if isinstance(event, HandBegan)]
    assert begun == [HandBegan(1), HandBegan(2, keeps=True), HandBegan(3, keeps=True)]


def test_a_seat_is_shown_its_own_value_until_all_are_shown() -> None:
    position, _ = played("0 buy")
    shown = [engine.view(position, viewer).facts["tickets"] for viewer in (0, 1, None)]
    assert shown == [[[7], []], [[], []], [[], []]]
    assert position.facts.tickets == ((7,), ())


def test_a_fold_of_what_a_viewer_is_sent_is_its_view() -> None:
    for lines in (("0 buy",), ("0 buy", "1 buy"), ("1 buy", "0 wait", "0 buy"), ("0 buy", "1 buy") * 3):
        position, steps = played(*lines)
        whole = Picture()
        for events in steps:
            fold(whole, events, whole=True)
        assert whole.facts["tickets"] == [list(own) for own in position.facts.tickets]
        for viewer in (0, 1, None):
            picture = Picture()
            for events in steps:
                fold(picture, redact(events, viewer))
            assert picture.facts == engine.view(position, viewer).facts


def test_the_others_are_told_nothing_of_a_value_that_they_do_not_know() -> None:
    for viewer in (1, None):
        bought, waited = (redact(played(line)[1][1], viewer) for line in ("0 buy", "0 wait"))
        assert bought == waited
    assert Told({"tickets": [[7], []]}) in redact(played("0 buy")[1][1], 0)


def test_a_fact_may_have_several_values_by_seat() -> None:
    tickets = next(fact for fact in declared(Facts) if fact.name == "tickets")
    assert (tickets.type, tickets.shape, tickets.optional) == ("int", "list_by_seat", False)
