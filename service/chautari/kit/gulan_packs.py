"""Gulan Parish: the packs of the two games of 56, whose extra cards are worth nothing."""

from typing import Any, Final

from chautari.engine import bad_setting
from chautari.kit.jack_nine import pack_of

PACKS: Final = {
    "usual": pack_of("JJ99AATTKKQQ"),
    "short": pack_of("JJ99AATT"),
    "long": pack_of("JJ99AATTKKQQ8877"),
}
"""Two of each card; by the setting `pack`."""


def check(settings: Any) -> None:
    """The short pack serves four players, the long one eight."""
    wanted = {"short": 4, "long": 8}.get(settings.pack, settings.players)
    if settings.players != wanted:
        raise bad_setting("pack", f"the {settings.pack} pack is for {wanted} players: set pack to usual")
