"""What holds for every game of the catalogue, on random matches with the trial settings that the game declares.

An ordinary run plays a few matches on each and makes the costly checks at some steps; `-m soak` plays many, and makes
them at every step.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import islice
from random import Random
from typing import Any

import msgspec
import pytest

from chautari import engine
from chautari.cards import ALL_CARDS, RANKS, SUITS, UNSEEN, Card
from chautari.engine import (
    Choice,
    Game,
    MatchEnded,
    Option,
    Picture,
    Position,
    Result,
    Script,
    Step,
    Unreadable,
    Viewer,
    fold,
    plain,
    redact,
    seats_of,
)
from chautari.engine.facts import Fact
from chautari.errors import Malformed, Refusal
from chautari.games import GAMES
from tests.engine.journal import decode_events, encode_events
from tests.engine.timeouts import time_out
from tests.engine.writable import every_action
from tests.games.matches import Match, chance_of, pairs_of_settings, play, trials, unlisted, whole_match
from tests.games.soak import VIEW_BYTES
from tests.parts import parts_of

CARD_TEXTS = {card.text for card in ALL_CARDS}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """An ordinary run has two matches on each trial, one of which seats leave; a soak has many."""
    if "match" in metafunc.fixturenames:
        soak = metafunc.config.getoption("markexpr") == "soak"
        seeds = [99 + part for part in parts_of(metafunc.config.getoption("size"), day=6, night=60)] if soak else [1, 2]
        marks = [pytest.mark.soak] if soak else []
        chosen = [
            pytest.param((key, trial, seed, seed % 2 == 0, soak), id=f"{key}-{trial}-{seed}", marks=marks)
            for key, trial in trials() for seed in seeds
        ]  # fmt: skip
        metafunc.parametrize("match", chosen, indirect=True, scope="module")  # all that asks for one, then the next


@pytest.fixture
def match(request: pytest.FixtureRequest) -> Match:
    """A random match that has ended."""
    return whole_match(*request.param)


# The match ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_match_ends_with_a_placing_and_a_score(match: Match) -> None:
    end = match.moments[-1].position
    assert (end.phase, end.turn) == ("over", ())
    assert end.result is not None
    players = end.settings.players
    assert len(end.result.score) == len(end.result.placing) == players
    places = end.result.placing
    assert all(place == 1 + sum(other < place for other in places) for place in places)
    for seat in range(players):
        assert not engine.legal(end, seat)
        assert not engine.options(end, seat)
        with pytest.raises(Refusal) as refused:
            engine.act(end, seat, "sing", Script(()))
        assert refused.value.reason == "MATCH_OVER"


def test_seats_that_left_are_placed_behind_all_others(match: Match) -> None:
    """A later one before an earlier one; a whole side goes with its seat."""
    end = match.moments[-1].position
    assert end.result is not None
    sides = match.game.sides(end.settings)
    gone = [seat for left in end.left for seat in next(side for side in sides if left in side)]
    stayed = [seat for seat in range(end.settings.players) if seat not in gone]
    places = end.result.placing
    assert all(places[one] < places[other] for one in stayed for other in gone)
    order = [places[seat] for seat in end.left]
    assert order == sorted(order, reverse=True)
    assert end.result.aborted == (not stayed)


def test_no_card_is_lost(match: Match) -> None:
    """In each hand, once it is dealt, the same cards lie on the table."""
    dealt: dict[int, Counter[Card]] = {}
    for moment in match.moments:
        position = moment.position
        lying = Counter(card for cards in position.zones.values() for card in cards)
        assert UNSEEN not in lying
        assert dealt.setdefault(position.hands, lying) == lying


def test_positions_are_never_written_to(match: Match) -> None:
    """The blobs of all positions together, taken before and after everything that a test may do with them."""
    before = [engine.encode(position) for position in match.samples]
    for position in match.samples:
        for seat in position.turn:
            action = engine.timeout_action(position, seat)
            if action is not None:
                engine.act(position, seat, action, chance_of(match.game, position.settings.players, 5))
        for viewer in match.viewers:
            engine.view(position, viewer)
        if not position.is_over:
            engine.leave(position, 0)
    assert [engine.encode(position) for position in match.samples] == before


# The journal ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_journal_rebuilds_every_state_with_the_rules(match: Match) -> None:
    """Settings, shuffles and actions make the same events and positions again."""
    script = Script(outcome for moment in match.moments for outcome in moment.outcomes)
    first = match.moments[0].position
    position, happened = engine.begin(match.game, first.settings, script)
    for moment in match.moments:
        if moment is not match.moments[0]:
            assert moment.seat is not None
            if moment.action is None:
                position, happened = engine.leave(position, moment.seat)
            else:
                position, happened = engine.act(position, moment.seat, moment.action, script)
        assert encode_events(happened) == encode_events(moment.events)
        assert position == moment.position


def test_the_journal_rebuilds_every_state_without_the_rules(match: Match) -> None:
    """The events of the journal, folded, make zones, facts and turn."""
    picture = Picture()
    for moment in match.moments:
        fold(picture, decode_events(encode_events(moment.events)), whole=True)
        position = moment.position
        assert {name: picture.zones.get(name, ()) for name in position.layout.places} == position.zones
        assert picture.zones.keys() <= position.zones.keys()
        assert picture.facts == all_facts(position)
        assert (picture.phase, picture.must, picture.may) == (position.phase, position.must, position.may)
        assert (picture.left, result_of(picture.result)) == (position.left, position.result)
        assert picture.hands == position.hands
        assert picture.last_hand == position.last_hand


def test_events_survive_encoding(match: Match) -> None:
    for moment in match.moments:
        assert decode_events(encode_events(moment.events)) == moment.events


def test_events_cut_for_a_viewer_make_its_view(match: Match) -> None:
    """Folded from the beginning as a client folds them, for each seat and for somebody without one."""
    wanted = set(match.sampled)
    for viewer in match.viewers:
        picture = Picture()
        for place, moment in enumerate(match.moments):
            fold(picture, decode_events(encode_events(redact(moment.events, viewer))))
            if place in wanted:
                assert drawn(picture, moment.position) == shown(moment.position, viewer)


def test_states_survive_encoding(match: Match) -> None:
    for position in (moment.position for moment in match.moments):
        blob = engine.encode(position)
        again = engine.decode(match.game, blob)
        assert again == position
        assert engine.encode(again) == blob


def test_a_state_of_another_game_or_version_is_refused(match: Match) -> None:
    blob = engine.encode(match.moments[-1].position)
    for key, game in GAMES.items():
        if key != match.game.key:
            with pytest.raises(Unreadable):
                engine.decode(game, blob)
    header = match.game.header
    for damaged in (b"", blob[:-1], blob + b"\x00", header, b"\x93\x01" + blob, blob.replace(header, header + b"\x01")):
        with pytest.raises(Unreadable):
            engine.decode(match.game, damaged)


def all_facts(position: Position[Any]) -> dict[str, Any]:
    """Each fact of a state, secret ones too, as JSON has it."""
    return {fact.name: plain(getattr(position.facts, fact.field)) for fact in position.game.facts_declared}


def result_of(ended: MatchEnded | None) -> Result | None:
    """The result that an event tells."""
    return None if ended is None else Result(ended.placing, ended.score, ended.aborted)


def drawn(picture: Picture, position: Position[Any]) -> dict[str, Any]:
    """What a client that folds events would draw."""
    zones = {name: picture.zones.get(name, ()) for name in position.layout.places}
    return {
        "zones": {name: sort_unordered(position, name, cards) for name, cards in zones.items()},
        "facts": picture.facts, "phase": picture.phase, "must": seats_of(picture.must), "may": seats_of(picture.may),
        "left": picture.left, "result": result_of(picture.result), "last_hand": picture.last_hand,
    }  # fmt: skip


def shown(position: Position[Any], viewer: Viewer) -> dict[str, Any]:
    """What a view shows, in the same form."""
    view = engine.view(position, viewer)
    zones = {zone.name: (UNSEEN,) * zone.count if zone.cards is None else zone.cards for zone in view.zones}
    return {
        "zones": {name: sort_unordered(position, name, cards) for name, cards in zones.items()},
        "facts": view.facts, "phase": view.phase, "must": view.must, "may": view.may, "left": view.left,
        "result": view.result, "last_hand": view.last_hand,
    }  # fmt: skip


def sort_unordered(position: Position[Any], name: str, cards: tuple[Card, ...]) -> tuple[Card, ...]:
    """The cards of a zone, sorted where it has no order."""
    return cards if position.layout.places[name].zone.ordered else tuple(sorted(cards))


# What is declared ─────────────────────────────────────────────────────────────────────────────────────────────────────


def test_facts_and_records_are_what_they_are_declared_to_be(match: Match) -> None:
    """Each value of a view has its type and shape, so that a client can draw it that knows nothing but these."""
    for position in match.samples:
        for viewer in match.viewers:
            view = engine.view(position, viewer)
            for fact in match.game.facts_declared:
                if fact.name in view.facts:
                    check(fact, view.facts[fact.name], position)
        if position.last_hand is not None:
            check_record(match.game.record_declared, position.last_hand.record, position)


def check_record(fields: tuple[Fact, ...], record: Mapping[str, Any], position: Position[Any]) -> None:
    """A record has its fields, and no others."""
    assert record.keys() == {field.name for field in fields}
    for field in fields:
        check(field, record[field.name], position)


def check(fact: Fact, value: Any, position: Position[Any]) -> None:
    """A value that is not null has the shape that is declared, and what it holds the type."""
    if value is None:
        assert fact.optional or fact.private is not None, fact
        return
    assert isinstance(value, list) == (fact.shape != "one"), fact
    if fact.shape in ("by_seat", "list_by_seat"):
        assert len(value) == position.settings.players, fact
    elif fact.shape == "by_side":
        assert len(value) == len(position.game.sides(position.settings)), fact
    items = [value] if fact.shape == "one" else value
    for item in [item for each in items for item in each] if fact.shape == "list_by_seat" else items:
        if item is None:
            assert fact.optional or fact.private is not None, fact
        elif fact.type == "record":
            check_record(fact.fields, item, position)
        else:
            assert has_type(item, fact), (fact, item)


def has_type(item: Any, fact: Fact) -> bool:
    """Whether a value has the type of a fact; a text whose words are known is one of them, a card, or empty."""
    if fact.type in ("seat", "side", "position", "int"):
        return type(item) is int
    if fact.type == "bool":
        return type(item) is bool
    if fact.type == "mixed":
        return type(item) is int or isinstance(item, list) or item in fact.words
    allowed = {"card": CARD_TEXTS, "rank": RANKS, "suit": SUITS}.get(fact.type)
    if allowed is not None:
        return item in allowed
    return isinstance(item, str) and (not fact.words or item in fact.words or item in CARD_TEXTS)


# Views and options ────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_view_with_its_options_is_small(match: Match) -> None:
    for position in match.samples:
        for viewer in match.viewers:
            options = [] if viewer is None else engine.options(position, viewer)
            sent = msgspec.json.encode((engine.view(position, viewer), options), enc_hook=str)
            assert len(sent) < VIEW_BYTES


def test_an_unordered_zone_is_shown_sorted_and_a_hidden_one_as_a_count(match: Match) -> None:
    for position in match.samples:
        for viewer in match.viewers:
            for zone in engine.view(position, viewer).zones:
                assert zone.count == len(position.zones[zone.name])
                if zone.cards is not None:
                    assert UNSEEN not in zone.cards
                    assert zone.cards == sort_unordered(position, zone.name, position.zones[zone.name])


def test_what_is_listed_is_accepted_and_nothing_else(match: Match) -> None:
    """Each listed action does; of the others that can be written, none does."""
    for position in match.samples:
        for seat in range(position.settings.players):
            listed = engine.legal(position, seat)
            assert len(listed) == len(set(listed))
            for action in listed:
                looked_at_anew = accepted(position, seat, action)
                assert engine.legal(position, seat) == listed
                again = engine.act(position, seat, action, chance_of(match.game, position.settings.players, 7))
                assert (again.position, again.events) == (looked_at_anew.position, looked_at_anew.events)
            known = set(listed)
            others = [line for line in islice(every_action(position), 3000) if line not in known]
            for action in match.random.sample(others, min(len(others), 60)):
                assert reason(position, seat, action) is not None, f"{action} is accepted and not listed"


def test_options_tell_what_is_listed(match: Match) -> None:
    """In the same order; nothing to a seat that is not in turn, and something to one that must act."""
    for position in match.samples:
        for seat in range(position.settings.players):
            options = engine.options(position, seat)
            told = [action for option in options if option.actions is not None for action in option.actions]
            assert told == engine.legal(position, seat)
            assert bool(options) >= bool(position.must >> seat & 1)
            if seat not in position.turn:
                assert options == []
            for option in options:
                assert option.actions is None or option.actions
                if option.example:
                    accepted(position, seat, option.example)


def test_what_a_wide_option_describes_can_be_read_and_what_it_rules_out_is_refused(match: Match) -> None:
    for position in match.samples:
        for seat in position.turn:
            for option in engine.options(position, seat):
                if option.actions is None:
                    for _ in range(5):
                        action = described(option, match.random)
                        assert reason(position, seat, action) in (None, "RULE_BROKEN"), action
                    for action in ruled_out(option, match.random):
                        assert reason(position, seat, action) is not None, action


def test_a_sampled_action_is_legal(match: Match) -> None:
    for position in match.samples:
        for seat in position.turn:
            for number in range(5):
                action = engine.sample(position, seat, Random(number))
                if action is not None:
                    accepted(position, seat, action)


def test_a_time_out_is_legal_and_only_of_a_seat_that_must_act(match: Match) -> None:
    for position in match.samples:
        for seat in range(-1, position.settings.players + 1):
            action = engine.timeout_action(position, seat)
            stepped = time_out(position, seat, chance_of(match.game, position.settings.players, 9))
            if seat not in engine.must_act(position):
                assert action is None
                assert stepped is None
                continue
            assert action is not None
            assert stepped is not None
            acted = engine.act(position, seat, action, chance_of(match.game, position.settings.players, 9))
            assert (acted.position, acted.events) == (stepped.position, stepped.events)
            assert action.split()[0] in {option.verb for option in engine.options(position, seat)}


def test_a_refused_action_leaves_no_trace(match: Match) -> None:
    """Whatever is written, by whomever: the position stays, and no chance is used up."""
    for position in match.samples:
        before = engine.encode(position)
        chance = chance_of(match.game, position.settings.players, 3)
        seats = range(position.settings.players)
        for seat in (*match.random.sample(seats, min(len(seats), 2)), *position.turn[:1], -1, len(seats), 1000):
            for line in nonsense(match.game):
                with pytest.raises((Refusal, Malformed)) as refused:
                    engine.act(position, seat, line, chance)
                assert isinstance(refused.value, Refusal | Malformed)
                assert refused.value.reason in CODES
                assert refused.value.message
        assert (engine.encode(position), chance.used) == (before, 0)


CODES = {"NOT_YOUR_TURN", "UNKNOWN_ACTION", "MALFORMED_ACTION", "CARD_NOT_HELD", "RULE_BROKEN", "MATCH_OVER"}


def test_codes_come_in_their_order(match: Match) -> None:
    """Over before unknown, unknown before the turn, the turn before what cannot be read."""
    for position in match.samples:
        verbs = position.layout.verbs.get(position.phase, {})
        for seat in range(position.settings.players):
            assert reason(position, seat, "sing") == ("MATCH_OVER" if position.is_over else "UNKNOWN_ACTION")
            if not position.is_over:
                for key in match.game.verbs.keys() - verbs.keys():
                    assert reason(position, seat, key) == "UNKNOWN_ACTION"
            if seat not in position.turn:
                assert {reason(position, seat, f"{key} ?!") for key in verbs} <= {"NOT_YOUR_TURN"}


def test_any_seat_may_leave_at_any_time(match: Match) -> None:
    for position in match.samples:
        players = range(position.settings.players)
        if position.is_over:
            with pytest.raises(Refusal):
                engine.leave(position, 0)
            continue
        gone = engine.leave(position, *players)
        assert gone.position.result is not None
        assert gone.position.result.aborted
        one = engine.leave(position, match.random.choice(players))
        assert one.position.is_over == (engine.sides_left(one.position) < 2)
        assert one.position.zones == position.zones
        assert one.position.turn == (() if one.position.is_over else position.turn)


def test_a_match_goes_on_by_time_outs_alone(match: Match) -> None:
    """Nobody acts, every clock runs out, and it ends all the same, but where the page knows that it does not."""
    settings = match.moments[0].position.settings
    last = [moment.position for moment in play(match.game, settings, 4, 3000, busy=False)][-1]
    assert last.is_over or match.game.key in ENDLESS


ENDLESS = {
    "call_break": "calls by time-out are the lowest, and with `min_total` the hand is dealt again",
    "twenty_nine": "all pass by time-out, and the hand is dealt again",
}


def accepted(position: Position[Any], seat: int, action: str) -> Step:
    """The rules take this action, whatever has been listed."""
    return engine.act(unlisted(position), seat, action, chance_of(position.game, position.settings.players, 7))


def reason(position: Position[Any], seat: int, action: str) -> str | None:
    """The code with which an action is refused; None where it is accepted."""
    try:
        accepted(position, seat, action)
    except (Refusal, Malformed) as refusal:
        return refusal.reason
    return None


def described(option: Option, random: Random) -> str:
    """An action that a wide option describes."""
    words = [option.verb]
    for choice in option.choices:
        if choice.optional and random.random() < 0.3:
            break
        words += _described(choice, random)
    return " ".join(words)


def _described(choice: Choice, random: Random) -> list[str]:
    if choice.values is not None:
        return [random.choice(choice.values)]
    if choice.type == "cards":
        return [card.text for card in random.sample(choice.cards, random.randint(choice.low, choice.high))]
    if choice.type == "groups":
        held = random.sample(choice.cards, len(choice.cards))
        groups = [[held.pop().text for _ in range(size)] for size in choice.sizes]
        return " / ".join(" ".join(group) for group in groups).split()
    return [str(random.randrange(choice.low, choice.high + 1, choice.step))]


def ruled_out(option: Option, random: Random) -> Iterator[str]:
    """Actions that a wide option rules out: a value that is not listed, a card or a number too many."""
    for place, choice in enumerate(option.choices):
        words = [_described(other, random) for other in option.choices]
        if choice.values is not None and choice.type == "rank":
            words[place] = ["X"]
        elif choice.type == "cards":
            words[place] = [card.text for card in choice.cards] + ["2C"] * (1 + choice.high)
        elif choice.values is None and choice.type == "number":
            words[place] = [str(choice.high + choice.step)]
        else:
            continue
        yield " ".join([option.verb, *(word for several in words for word in several)])


def nonsense(game: Game[Any, Any]) -> Iterator[str]:
    """Lines that no game accepts."""
    yield from ("", "   ", "sing", "\x00", "é", "7H", "0", "/", "draw\tdeck\n", "x" * 5000)
    for key in game.verbs:
        yield from (f"{key} ?!", f"{key} ??", key.upper(), f"{key}x", f"{key} -1", f"{key} 0 1 2 3 4 5 x")
        yield f"{key} " + "1000000000 " * 3


# Settings ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


def _pairwise() -> Iterator[Any]:
    for key, game in GAMES.items():
        for number, settings in enumerate(pairs_of_settings(game)):
            yield pytest.param(key, settings, id=f"{key}-{number}")


@pytest.mark.parametrize(("key", "given"), list(_pairwise()))
def test_settings_can_be_combined(key: str, given: Mapping[str, object]) -> None:
    """A match, or the first 200 steps of a long one, on each combination of a pairwise sample keeps its cards."""
    game = GAMES[key]
    settings = game.read_settings(given)
    picture = Picture()
    hands: dict[int, Counter[Card]] = {}
    for moment in play(game, settings, 1, 200):
        fold(picture, moment.events, whole=True)
        lying = Counter(card for cards in moment.position.zones.values() for card in cards)
        assert hands.setdefault(moment.position.hands, lying) == lying
        assert picture.facts == all_facts(moment.position)


@pytest.mark.parametrize("key", GAMES)
def test_settings_are_refused_where_they_are_not_declared(key: str) -> None:
    game = GAMES[key]
    for setting in game.settings_declared:
        wrong: list[object] = [None, 1.0, [], {}, "no such word", ""]
        if setting.range is not None:
            ends = (setting.range.low - 1, setting.range.high + 1)
            wrong += [number for number in ends if number not in setting.range]
        if setting.type != "bool":
            wrong += [True, False]
        if setting.type == "int":
            wrong.append(str(setting.default))
        for value in wrong:
            with pytest.raises(Malformed) as refused:
                game.read_settings({setting.name: value})
            assert refused.value.reason == "BAD_SETTING"
            assert refused.value.values["setting"] == setting.name
    with pytest.raises(Malformed) as unknown:
        game.read_settings({"no_such_setting": 1})
    assert unknown.value.reason == "BAD_SETTING"


@pytest.mark.parametrize("key", GAMES)
def test_defaults_are_allowed_and_declared_trials_are_bounded(key: str) -> None:
    game = GAMES[key]
    defaults = game.read_settings({})
    assert {s.name: getattr(defaults, s.name) for s in game.settings_declared} == {
        s.name: s.default for s in game.settings_declared
    }  # fmt: skip
    assert all(setting.allows(setting.default) for setting in game.settings_declared)
    assert game.trials


@pytest.mark.parametrize("key", GAMES)
def test_random_matches_on_the_trials_see_every_phase(key: str) -> None:
    """The checks above mean something for a phase only if they get there."""
    seen = {
        moment.position.phase
        for trial in range(len(GAMES[key].trials)) for seed in (1, 2)
        for moment in whole_match(key, trial, seed).moments
    }  # fmt: skip
    assert seen == {*GAMES[key].phases, "over"}
