"""Checks the shuffles of a match of Chautari from its record alone. Read it, and run it anywhere: it needs nothing.

    python verify_shuffles.py RECORD.chautari.json

Before anybody sat down the server published a commitment: a hash of the match, its game, its settings and a secret of
32 random bytes. Whoever sat down could add random bytes too. All shuffles follow from the secret and these bytes, so
the server could not choose them afterwards, nor foresee them before the last of these bytes came. When the match is
over the secret is in its record, and everybody can work the shuffles out again. That is what this file does:

1. it makes the commitment from the secret and compares it with that of the record. Compare it yourself with the one
   that you were shown when you sat down; nobody else can do that for you;
2. where the seats were drawn by lot, it draws them again, and looks who sat where;
3. it makes every shuffle and compares the order with that of the record, and that with what the events show of it.

What the cards were then played for is checked by `chautari verify`, which knows the rules of the games.

Exit status: 0 all is as it must be; 1 something is not; 2 there is nothing that could be checked.
"""

import base64
import binascii
import hashlib
import hmac
import json
import sys
from typing import Any, Final

CARDS: Final = [rank + suit for suit in "CDHS" for rank in "A23456789TJQK"] + ["XX"]
"""The card order: every pack lies in it before it is shuffled. XX is a joker."""


class NothingToCheck(Exception):
    """The file is no record, or one that does not hold what is needed."""


def framed(parts: list[bytes]) -> bytes:
    """Byte strings one after another, each behind its length in four bytes, so that no two lists look the same."""
    return b"".join(len(part).to_bytes(4, "big") + part for part in parts)


def commitment(match: str, game: str, version: int, settings: dict[str, Any], secret: bytes) -> bytes:
    """The hash that the server published when the match was created."""
    parts = [b"chautari commitment 2", match.encode(), game.encode(), str(version).encode()]
    for name in sorted(settings):
        parts += [name.encode(), json.dumps(settings[name]).encode()]
    return hashlib.sha256(framed([*parts, secret])).digest()


def contribution(own: bytes, secret: bytes, seat: int) -> bytes:
    """What a seat added to the shuffles; a seat that added nothing has a value that follows from the secret."""
    return own or hmac.new(secret, b"absent" + str(seat).encode(), hashlib.sha256).digest()


def shuffled(cards: list[Any], seed: bytes) -> list[Any]:
    """The cards, given in the card order, in the order that follows from the seed: Fisher and Yates.

    From the last place down to the second, the card there changes places with the one at j, where j is drawn from the
    places up to it. It comes from the bytes of SHAKE-256 over the seed: one at a time, or two where there are more than
    256 cards. What is too large to be divided evenly among the places is passed over, so that no place is likelier.
    """
    order = list(cards)
    width = 1 if len(order) <= 256 else 2
    drawn = hashlib.shake_256(seed).digest(width * (64 * len(order) + 1024))  # far more than is ever passed over
    at = 0
    for last in range(len(order) - 1, 0, -1):
        places = last + 1
        even = 256**width // places * places
        while True:
            value = int.from_bytes(drawn[at : at + width], "big")
            at += width
            if value < even:
                break
        j = value % places
        order[last], order[j] = order[j], order[last]
    return order


def field(message: dict[str, Any], name: str, default: Any) -> Any:
    """A field of a message in proto3 JSON, `rules_version` or `rulesVersion`; one that is not there has its default.

    It must be of the type of the default, where that is not None.
    """
    head, *rest = name.split("_")
    value = message.get(head + "".join(word.capitalize() for word in rest), message.get(name, default))
    if default is not None and type(value) is not type(default):
        raise NothingToCheck(f"{name} is {value!r:.60}")
    return value


def octets(text: str) -> bytes:
    """Bytes as JSON has them, in base64."""
    return base64.b64decode(text, validate=True)


def whole(value: Any) -> Any:
    """A number without a fraction as a whole one: JSON knows only one kind."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def check_lot(before: list[int], given: list[bytes], about: list[bytes], secret: bytes) -> list[str]:
    """What does not hold of the lot for the seats; `before` says of each seat on which one its account sat until then.

    What a seat had added went with its account, and the record has it by the seats that were drawn: so it is put back.
    """
    numbers = list(range(len(given)))
    if sorted(before) != numbers:
        return ["the lot is not one of these seats"]
    added = [contribution(given[before.index(seat)], secret, seat) for seat in numbers]
    seed = framed([b"chautari seating 1", *about, str(len(given)).encode(), secret, *added])
    return [] if shuffled(numbers, seed) == before else ["another lot for the seats follows from the secret"]


def check(record: dict[str, Any]) -> tuple[list[str], int]:
    """What does not hold, a line each; and how many shuffles were looked at."""
    wrong: list[str] = []
    if field(record, "format_version", 0) != 1:
        raise NothingToCheck("this is no record of form 1, the only one that this file knows")
    secret = octets(field(record, "secret", ""))
    if not secret:
        raise NothingToCheck("the secret is not disclosed: the match is not over, or its cards stay secret for ever")
    match = field(record, "match", "").partition("/")[2]
    game = field(record, "game", "").partition("/")[2]
    version = field(record, "rules_version", 0)
    settings = {name: whole(value) for name, value in field(record, "settings", {}).items()}
    if commitment(match, game, version, settings, secret) != octets(field(record, "commitment", "")):
        wrong.append("the commitment is not that of this match, game, rules, settings and secret")
    given = [octets(own) for own in field(record, "contributions", [])]
    seats = [contribution(own, secret, seat) for seat, own in enumerate(given)]
    about = [match.encode(), game.encode(), str(version).encode()]
    number = lots = 0
    sat: dict[int, str] = {}
    for entry in field(record, "entries", []):
        where = f"revision {field(entry, 'revision', 0)}"
        for event in field(entry, "events", []):
            for kind in ("seat_taken", "seat_vacated", "seat_handed"):
                changed = field(event, kind, None)
                if changed is not None:
                    sat[field(changed, "seat", 0)] = field(changed, "account", "")
            drawn = field(event, "seats_drawn", None)
            if drawn is not None:
                before = field(drawn, "before", [])
                wrong += [f"{where}: {line}" for line in check_lot(before, given, about, secret)]
                sat = {seat: sat.get(old, "") for seat, old in enumerate(before)}
                if lots or number:
                    wrong.append(f"{where}: there is one lot at most, before the first shuffle")
                lots += 1
        shuffles = field(entry, "shuffles", [])
        events = [event["shuffled"] for event in field(entry, "events", []) if "shuffled" in event]
        if len(events) != len(shuffles):
            wrong.append(f"{where}: {len(events)} events of shuffling, {len(shuffles)} shuffles")
        for place, shuffle in enumerate(shuffles):
            cards = field(shuffle, "cards", [])
            if field(shuffle, "number", 0) != number:
                wrong.append(f"{where}: shuffle {field(shuffle, 'number', 0)} where {number} comes next")
            if not set(cards) <= set(CARDS):
                wrong.append(f"{where}, shuffle {number}: not all of these are cards")
            else:
                before = sorted(cards, key=CARDS.index)
                parts = [b"chautari shuffle 1", *about, str(number).encode(), str(len(cards)).encode(), secret, *seats]
                if shuffled(before, framed(parts)) != cards:
                    wrong.append(f"{where}, shuffle {number}: another order follows from the secret")
            seen = field(events[place], "cards", []) if place < len(events) else []
            if seen and seen != cards:
                wrong.append(f"{where}, shuffle {number}: the event shows other cards")
            number += 1
    for seat, one in enumerate(field(record, "seats", [])):
        if field(one, "account", "") != sat.get(seat, ""):
            wrong.append(f"seat {seat}: another account sat down there, or was drawn for it")
    return wrong, number


def main(arguments: list[str]) -> int:
    """Checks the files that are named, and says what became of each."""
    status = 0
    if not arguments:
        print("usage: python verify_shuffles.py RECORD.chautari.json …", file=sys.stderr)
        return 2
    for name in arguments:
        try:
            with open(name, encoding="utf-8-sig") as file:
                wrong, count = check(json.load(file))
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError, binascii.Error) as error:
            print(f"{name}: this is no record: {error}")
            status = max(status, 2) if status != 1 else 1
            continue
        except NothingToCheck as error:
            print(f"{name}: nothing can be checked: {error}")
            status = max(status, 2) if status != 1 else 1
            continue
        for line in wrong:
            print(f"{name}: {line}")
        if wrong:
            status = 1
        else:
            print(f"{name}: the commitment and {count} shuffles are as they must be")
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
