"""Zones told apart by indexes, and zones that a fact opens; cards that go face down."""

from typing import Annotated, Any

from chautari import engine
from chautari.cards import UNSEEN, cards, pack, text
from chautari.engine import (
    ALL,
    NOBODY,
    OVER,
    Dealt,
    Event,
    Game,
    Hidden,
    Kind,
    Listed,
    Look,
    Moved,
    Picture,
    Position,
    Record,
    Said,
    Script,
    Seat,
    Sees,
    Shown,
    Shuffled,
    Table,
    Turn,
    Zone,
    fold,
    redact,
    turn,
)


class Settings(engine.Settings, frozen=True):
    """A toy: how many spots it has."""

    players: Annotated[int, engine.Range(2, 2)] = 2
    spots: Annotated[int, engine.Range(2, 104)] = 4


class Facts(engine.Facts):
    """The spots that lie open, the seats whose hands do, and the scores."""

    up: tuple[int, ...] = ()
    open_: tuple[Seat, ...] = ()
    score: engine.BySeat[int] = (0, 0)


class Nothing(Record, frozen=True):
    """Nothing of note."""

    done: bool = True


ZONES = (
    Zone("spot", Listed("up"), indexes=lambda settings: settings.spots, kind=Kind.BOARD),
    Zone("hand", Listed("open_", Sees.ALL, Sees.OWNER), per_seat=True),
    Zone("row", Sees.ALL, ordered=True, indexes=("C", "D", "H", "S")),
    Zone("pile", Sees.ALL, ordered=True),
    Zone("stack", Sees.NONE, per_seat=True, ordered=True, kind=Kind.STOCK),
)


def deal(table: Table[Facts], settings: Settings) -> Turn:
    """A card on each spot, one to each seat, one in the row of hearts."""
    order = table.lot(pack()[:13])
    for spot in range(settings.spots):
        table.bring((order[spot],), "spot", spot)
    table.deal(order[4:6], to="hand", first=0)
    table.bring(order[6:7], "row", 2)
    table.bring(order[7:10], "pile")
    return turn("play", 0)


def open_(table: Table[Facts], settings: Settings, seat: Seat) -> Turn:
    """Opens spots 1 and 3 and the hand of seat 1."""
    table.facts.up, table.facts.open_ = (3, 1), (1,)
    return turn("play", 1)


def change(table: Table[Facts], settings: Settings, seat: Seat) -> Turn:
    """Opens spot 0 in place of 3, takes the card of 1, then closes all but 0."""
    table.facts.up = (1, 0)
    table.pick("spot", "row", 1)
    table.facts.up, table.facts.open_ = (0,), ()
    return turn("play", 0)


def bury(table: Table[Facts], settings: Settings, seat: Seat) -> Turn:
    """Shuffles the pile face down and puts it under the stack of the seat."""
    table.shuffle("pile", face_down=True)
    table.sweep("pile", "stack", to_seat=seat, face_down=True)
    table.say(1, "pass")
    return OVER


GAME: Game[Settings, Facts] = Game(
    key="toy", version=1, settings=Settings, facts=Facts, zones=ZONES, opening=lambda settings: Facts(), deal=deal,
    phases={"play": (open_, change, bury)}, end_hand=lambda table, settings: Nothing(),
    place=lambda look, settings: (1, 1), timeouts={"play": "open"}, trials=({},),
)  # fmt: skip

DEALT = "AC 2C 3C 4C 5C 6C 7C 8C 9C TC JC QC KC"


def begun() -> tuple[Position[Any], list[Event]]:
    return engine.begin(GAME, Settings(), Script([cards(DEALT)]))


def after(*actions: str) -> tuple[Position[Any], list[list[Event]]]:
    """The position after these actions, each of the seat in turn, and what each made happen."""
    position, first = begun()
    made = [first]
    for action in actions:
        position, happened = engine.act(position, position.turn[0], action, lambda faces: faces[::-1])
        made.append(happened)
    return position, made


def test_indexes_are_numbers_or_names_in_the_order_declared() -> None:
    names = [name for name in begun()[0].zones if "." in name]
    assert names[:6] == ["spot.0", "spot.1", "spot.2", "spot.3", "hand.0", "hand.1"]
    assert names[6:10] == ["row.C", "row.D", "row.H", "row.S"]


def test_how_many_indexes_there_are_may_depend_on_the_settings() -> None:
    assert len(GAME.layout(Settings(spots=104)).names["spot"]) == 104


def test_a_zone_is_named_by_the_number_of_its_index() -> None:
    position = begun()[0]
    assert text(position.zones["row.H"]) == "7C"
    assert Look(position).top("row", 2) == cards("7C")[0]


def test_listed_zones_are_shown_and_hidden_as_the_fact_changes() -> None:
    _, (_, opened, changed) = after("open", "change")
    assert [event for event in opened if isinstance(event, (Shown, Hidden))] == [
        Shown("spot.3", bytes(cards("4C")), ALL),
        Shown("spot.1", bytes(cards("2C")), ALL),
        Shown("hand.1", bytes(cards("6C")), ~2),
    ]
    assert [event for event in changed if isinstance(event, (Shown, Hidden))] == [
        Hidden("spot.3", ALL),
        Shown("spot.0", bytes(cards("AC")), ALL),
        Hidden("hand.1", ~2),
    ]


def test_listed_a_zone_is_shown_before_a_card_leaves_it() -> None:
    table: Table[Facts] = Table(begun()[0], Script(()))
    table.facts.up = (2,)
    table.pick("spot", "row", 2)
    table.tell()
    kinds = [type(event) for event in table.events]
    assert kinds.index(Shown) < kinds.index(Moved)
    assert kinds.count(Shown) == 1


def test_listed_zones_fold_to_what_each_viewer_is_shown() -> None:
    for actions in (("open",), ("open", "change"), ("open", "change", "bury")):
        position, made = after(*actions)
        for viewer in (0, 1, None):
            picture = Picture()
            for happened in made:
                fold(picture, redact(happened, viewer))
            for zone in engine.view(position, viewer).zones:
                lying = picture.zones.get(zone.name, ())
                assert lying == (zone.cards if zone.cards is not None else (UNSEEN,) * zone.count), zone.name


def test_what_is_swept_face_down_is_seen_by_nobody_and_neither_is_its_order() -> None:
    position, (_, made) = after("bury")
    assert text(position.zones["stack.0"]) == "TC 9C 8C"
    assert Shuffled(bytes(cards("TC 9C 8C")), "pile", NOBODY) in made
    moved = next(event for event in made if isinstance(event, Moved))
    assert (moved.viewers, moved.landing) == (NOBODY, NOBODY)


def test_what_the_rules_say_for_a_seat_is_heard_by_all() -> None:
    assert Said(1, "pass", "pass") in redact(after("bury")[1][-1], 0)


def test_the_whole_journal_folds_to_every_card_though_a_zone_is_hidden() -> None:
    position, made = after("open", "change", "bury")
    picture = Picture()
    for happened in made:
        fold(picture, happened, whole=True)
    assert picture.zones == {name: lying for name, lying in position.zones.items() if name in picture.zones}


def test_lay_out_puts_a_card_on_each_of_the_first_places_in_one_event() -> None:
    table: Table[Facts] = Table(begun()[0], Script(()))
    table.gather(2)
    table.facts.up = (1,)
    table.lay_out(cards("KS QS"), to="spot")
    assert [text(table.cards("spot", spot)) for spot in range(4)] == ["KS", "QS", "", ""]
    assert table.events[1:] == [
        Dealt("", ("spot.0", "spot.1"), (bytes(cards("KS")), bytes(cards("QS"))), (NOBODY, ALL))
    ]
