"""The cards that the events of a record show, and those that they hint at."""

from collections.abc import Iterator
from typing import Any

from chautari import engine
from chautari.cards import Card, find_card, unpack
from chautari.v1 import event_pb2
from chautari.wire.convert.plain import read_struct


def seen_in(event: event_pb2.Event) -> list[Card]:
    """The cards whose faces an event shows, in its order."""
    if event.HasField("dealt"):
        texts = [card for hand in event.dealt.hands for card in hand.cards]
    elif event.HasField("moved"):
        texts = list(event.moved.cards)
    elif event.HasField("shuffled"):
        texts = list(event.shuffled.cards)
    else:
        texts = list(event.shown.cards)
    return [card for text in texts if (card := find_card(text)) is not None]


def without_cards(event: event_pb2.Event) -> event_pb2.Event:
    """The event but for the faces that it shows."""
    bare = event_pb2.Event()
    bare.CopyFrom(event)
    kind = event.WhichOneof("kind")
    if kind == "dealt":
        for hand in bare.dealt.hands:
            del hand.cards[:]
    elif kind in ("moved", "shuffled", "shown"):
        getattr(bare, kind).ClearField("cards")
    return bare


def dealt_in(events: list[engine.Event]) -> Iterator[tuple[dict[str, tuple[Card, ...]], int]]:
    """The hands of each deal in one entry, by zone, and how many shuffles it took."""
    hands: dict[str, tuple[Card, ...]] | None = None
    shuffles = 0
    for event in [*events, engine.HandBegan(0)]:
        if isinstance(event, engine.HandBegan):
            if hands is not None:
                yield hands, shuffles
            hands, shuffles = {}, 0
        elif isinstance(event, engine.Shuffled):
            shuffles += 1
        elif isinstance(event, engine.Dealt) and hands is not None:
            for name, faces in zip(event.targets, event.hands, strict=True):
                hands[name] = hands.get(name, ()) + unpack(faces)


def hands_in(event: event_pb2.Event) -> Iterator[tuple[str, list[Card]]]:
    """Hands that facts and records of hands name by seat, as poker does of those that are shown; a mere hint."""
    if event.HasField("told"):
        yield from _hands(read_struct(event.told.facts))
    elif event.HasField("hand_ended"):
        yield from _hands(read_struct(event.hand_ended.record.record))


def _hands(value: Any) -> Iterator[tuple[str, list[Card]]]:
    if isinstance(value, dict):
        for inner in value.values():
            yield from _hands(inner)
    elif isinstance(value, list) and all(isinstance(text, str) for text in value):
        for seat, text in enumerate(value):
            cards = [card for word in text.split() if (card := find_card(word)) is not None]
            if cards and len(cards) == len(text.split()):
                yield f"hand.{seat}", cards
