"""`chautari scenarios`: runs scenario files against the rules, without a server, and prints what differs."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import yaml

from chautari import engine
from chautari.cards import UNSEEN, Card, cards
from chautari.engine import Position, Script, plain
from chautari.errors import ChautariError, Malformed, NotFound, Refusal
from chautari.games import find_game


class Differs(Exception):
    """What a scenario file says is not so; or the file itself is wrong."""


def run_scenarios(paths: Iterable[Path]) -> tuple[int, int]:
    """Runs each file and those of each folder; prints what differs, and last `N passed, N failed`, which it returns."""
    passed = failed = 0
    for path in _files(paths):
        problems = check_file(path)
        for problem in problems:
            print(f"{path}: {problem}")
        passed += not problems
        failed += bool(problems)
    print(f"{passed} passed, {failed} failed")
    return passed, failed


def check_file(path: Path) -> list[str]:
    """All that differs in one scenario file; empty where it holds."""
    try:
        scenario = yaml.load(path.read_text(encoding="utf-8"), _Loader)
        if not isinstance(scenario, dict):
            raise Differs("a scenario is a mapping of game, about, settings, shuffles and steps")
        return list(_Run(scenario).check())
    except (Differs, OSError, ValueError, yaml.YAMLError) as error:  # ValueError: no UTF-8, or a number beyond reading
        return [str(error)]
    except RecursionError:
        return ["it is nested too deeply to be read"]


def _files(paths: Iterable[Path]) -> Iterator[Path]:
    for path in paths:
        if path.is_dir():
            yield from sorted(file for file in path.rglob("*") if file.suffix in (".yaml", ".yml"))
        else:
            yield path


class _Loader(yaml.SafeLoader):
    """YAML in which, as in YAML 1.2, only `true` and `false` are truth values, and a date is a text.

    `off` is a word that settings use, and no date is read, so that none can be wrong.
    """


_WORDS: Final = ("tag:yaml.org,2002:bool", "tag:yaml.org,2002:timestamp")


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag not in _WORDS or first in "tTfF"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


class _Run:
    """One scenario under way: its match, and what its steps find."""

    _TOP = frozenset({"game", "about", "settings", "shuffles", "steps", "result", "error", "source"})

    def __init__(self, scenario: Mapping[str, Any]) -> None:
        unknown = scenario.keys() - self._TOP
        if unknown:
            raise Differs(f"a scenario has no part called {', '.join(sorted(map(str, unknown)))}")
        self._scenario = scenario
        try:
            self._game = find_game(str(scenario.get("game")))
        except NotFound as error:
            raise Differs(f"game: {error}") from error
        self._position: Position[Any]
        self._script: Script

    def check(self) -> Iterator[str]:
        """Runs the whole file; yields what differs, and stops where going on makes no sense."""
        scenario = self._scenario
        try:
            settings = self._game.read_settings(_shaped(scenario.get("settings") or {}, dict, "settings: a mapping"))
        except Malformed as error:
            if scenario.get("error") != error.reason:
                yield f"settings: refused with {error.reason}: {error.message}"
            return
        if "error" in scenario:
            yield f"settings: must be refused with {scenario['error']}, and are accepted"
            return
        try:
            self._script = Script(cards(outcome) for outcome in _texts(scenario.get("shuffles") or []))
            self._position = engine.begin(self._game, settings, self._script).position
        except (ValueError, LookupError) as error:
            yield f"shuffles: {error}"
            return
        for number, step in enumerate(_shaped(scenario.get("steps") or [], list, "steps: a list"), 1):
            try:
                for difference in self._step(step):
                    yield f"step {number}: {difference}"
            except Differs as error:
                yield f"step {number}: {error}"
                return
        yield from self._result(scenario.get("result"))

    def _step(self, step: Any) -> Iterator[str]:
        match step:
            case {"do": action, **rest} if not rest:
                self._position = self._act(action, self._script)
            case {"allow": action, **rest} if not rest:
                self._act(action, self._script.copy())
            case {"refuse": action, "code": code, **rest} if not rest:
                yield from self._refused(action, code)
            case {"timeout": int(seat), **rest} if not rest:
                try:
                    self._time_out(seat)
                except (ChautariError, ValueError, LookupError) as error:
                    raise Differs(f"timeout {seat}: {_told(error)}") from error
            case {"see": dict(wanted), **rest} if not rest:
                yield from self._see(wanted)
            case {"view": dict(wanted), **rest} if not rest:
                yield from self._view(wanted)
            case _:
                raise Differs(f"a step is do, allow, refuse with code, timeout, see or view, not {step!r}")

    def _act(self, line: Any, script: Script) -> Position[Any]:
        seat, action = _split(line)
        try:
            return engine.act(self._position, seat, action, script).position
        except (ChautariError, ValueError, LookupError) as error:
            raise Differs(f"{line!r} must be accepted: {_told(error)}") from error

    def _time_out(self, seat: int) -> None:
        """All that the rules do for a seat whose time ran out; nothing where it has no clock running."""
        action = engine.timeout_action(self._position, seat)
        while action is not None:
            self._position = engine.act(self._position, seat, action, self._script).position
            goes_on = action.split(" ")[0] in self._game.timeouts_go_on_after
            action = engine.timeout_action(self._position, seat) if goes_on else None

    def _refused(self, line: Any, code: Any) -> Iterator[str]:
        seat, action = _split(line)
        try:
            engine.act(self._position, seat, action, self._script.copy())
        except (Refusal, Malformed) as error:
            if error.reason != code:
                yield f"{line!r} must be refused with {code}, and is refused with {error.reason}: {error.message}"
        except (ValueError, LookupError) as error:
            raise Differs(f"{line!r} must be refused with {code}, and is accepted; then {error}") from error
        else:
            yield f"{line!r} must be refused with {code}, and is accepted"

    def _see(self, wanted: Mapping[str, Any]) -> Iterator[str]:
        position = self._position
        facts = {fact.name: plain(getattr(position.facts, fact.field)) for fact in self._game.facts_declared}
        for name, value in wanted.items():
            if name in position.zones:
                yield from self._zone(name, value, position.zones[name])
            else:
                yield from self._fact(name, value, facts, position.turn, position.phase)

    def _view(self, wanted: Mapping[str, Any]) -> Iterator[str]:
        if "seat" not in wanted:
            raise Differs("a view says of which seat it is")
        seat = wanted["seat"]
        if not (seat is None or (isinstance(seat, int) and 0 <= seat < self._position.settings.players)):
            raise Differs(f"there is no seat {seat!r}")
        seen = engine.view(self._position, seat)
        zones = {zone.name: zone for zone in seen.zones}
        turn = tuple(sorted({*seen.must, *seen.may}))
        for name, value in wanted.items():
            if name == "seat":
                continue
            if name in zones:
                zone = zones[name]
                faces = zone.cards if zone.cards is not None else (UNSEEN,) * zone.count
                meant_to_be_seen = engine.can_see(engine.Look(self._position).viewers(name), seat)
                if isinstance(value, int) and not meant_to_be_seen and any(card is not UNSEEN for card in faces):
                    yield f"seat {seat} must not see {name}, and sees {' '.join(map(str, faces))}"
                yield from self._zone(name, value, faces, f"for seat {seat}, ")
            else:
                yield from self._fact(name, value, seen.facts, turn, seen.phase, f"for seat {seat}, ")

    def _zone(self, name: str, wanted: Any, lying: tuple[Card, ...], whose: str = "") -> Iterator[str]:
        if isinstance(wanted, int) and not isinstance(wanted, bool):
            if wanted != len(lying):
                yield f"{whose}{name} must hold {wanted} cards, and holds {len(lying)}"
            return
        meant = _cards(name, wanted)
        zone = self._position.layout.places[name].zone
        if zone.name == "hand" or not zone.ordered:
            meant, lying = sorted(meant), tuple(sorted(lying))
        if tuple(meant) != lying:
            yield f"{whose}{name} must be {wanted!r}, and is {' '.join(map(str, lying))!r}"

    def _fact(
        self, name: str, wanted: Any, facts: Mapping[str, Any], turn: tuple[int, ...], phase: str, whose: str = ""
    ) -> Iterator[str]:
        if name == "turn":
            found: Any = list(turn)
        elif name == "phase":
            found = phase
        else:
            found = _reach(name, facts)
        declared = next((fact for fact in self._game.facts_declared if fact.name == name), None)
        if declared is not None and declared.type == "card" and declared.shape == "list":
            if isinstance(wanted, str):
                wanted = wanted.split()
            elif isinstance(wanted, int) and not isinstance(wanted, bool):
                if wanted != len(found):
                    yield f"{whose}{name} must hold {wanted} cards, and holds {len(found)}"
                return
        if found != wanted or isinstance(found, bool) != isinstance(wanted, bool):
            yield f"{whose}{name} must be {wanted!r}, and is {found!r}"

    def _result(self, wanted: Mapping[str, Any] | None) -> Iterator[str]:
        if wanted is None:
            return
        unknown = _shaped(wanted, dict, "result: a mapping").keys() - {"placing", "score"}
        if unknown:
            yield f"result: there is placing and score, not {', '.join(sorted(map(str, unknown)))}"
        result = self._position.result
        if result is None:
            yield f"result: the match must be over, and is in phase {self._position.phase}"
            return
        for name, found in (("placing", list(result.placing)), ("score", list(result.score))):
            if name in wanted and wanted[name] != found:
                yield f"result: {name} must be {wanted[name]}, and is {found}"


def _shaped(value: Any, shape: type, what: str) -> Any:
    if not isinstance(value, shape):
        raise Differs(f"{what} is wanted, not {value!r}")
    return value


def _texts(shuffles: Any) -> list[str]:
    """The outcomes of the shuffles as texts."""
    listed = _shaped(shuffles, list, "shuffles: a list")
    return [_shaped(outcome, str, "shuffles: a text of cards for each") for outcome in listed]


def _split(line: Any) -> tuple[int, str]:
    seat, _, action = str(line).strip().partition(" ")
    if not (seat.isascii() and seat.isdigit()):
        raise Differs(f"{line!r} must be a seat and an action")
    return int(seat), action


def _cards(name: str, wanted: Any) -> list[Card]:
    if isinstance(wanted, list):
        wanted = " ".join(map(str, wanted))
    try:
        return list(cards(str(wanted or "")))
    except ValueError as error:
        raise Differs(f"{name}: {error}") from error


def _reach(name: str, facts: Mapping[str, Any]) -> Any:
    """The fact of this name; a dotted name reaches into one that is an object."""
    if name in facts:
        return facts[name]
    outer, _, inner = str(name).rpartition(".")  # a file may name a number, or null
    if outer:
        value = _reach(outer, facts)
        if value is None:
            return None
        if isinstance(value, dict) and inner in value:
            return value[inner]
    raise Differs(f"there is no zone or fact {name!r}")


def _told(error: Exception) -> str:
    return f"{error.reason}: {error.message}" if isinstance(error, ChautariError) else str(error)
