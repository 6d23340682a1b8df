"""What becomes of a seat whose time ran out, as the rules have it."""

from typing import Any

from chautari import engine
from chautari.engine import Position, Seat, Shuffle, Step


def time_out(position: Position[Any], seat: Seat, shuffle: Shuffle) -> Step | None:
    """The time-out action of a seat; None where it has no clock running."""
    action = engine.timeout_action(position, seat)
    return None if action is None else engine.act(position, seat, action, shuffle)
