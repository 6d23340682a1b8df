"""A room's `__init__` lists what it offers: that, and nothing else, is there."""

import pkgutil
from importlib import import_module
from inspect import ismodule

import pytest

import chautari

ROOMS = sorted(
    f"chautari.{module.name}"
    for module in pkgutil.iter_modules(chautari.__path__)
    if module.ispkg and module.name != "v1"  # generated
)


def test_the_rooms_are_found() -> None:
    assert {"chautari.engine", "chautari.games", "chautari.kit"} <= set(ROOMS)


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_offers_what_it_lists(room: str) -> None:
    module = import_module(room)
    offered = {name for name, value in vars(module).items() if not name.startswith("_") and not ismodule(value)}
    listed = getattr(module, "__all__", [])
    assert sorted(offered) == sorted(listed)
    assert len(set(listed)) == len(listed)
