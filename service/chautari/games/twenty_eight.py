"""Twenty-eight: Gulan Parish with 28 points, and an auction in two stages, on half the hand and on all of it.

Source: seed 002, for the table of bids, stages, rounds and floors; Pagat.com, 28, for other numbers of players. Thani
needs all cards to be dealt; the second stage is one round. The rules of the family are in `chautari.kit.gulan_parish`.
"""

from typing import Literal

from chautari.engine import Table, Turn
from chautari.kit import gulan_concealed
from chautari.kit.gulan_concealed import Facts, concealed_game, deal_hand
from chautari.kit.gulan_parish import Scale, check
from chautari.kit.jack_nine import pack_of

PACKS = {2: pack_of("J9ATKQ87"), 3: pack_of("J9ATKQ"), 4: pack_of("J9ATKQ87"), 6: pack_of("J9ATKQ876")}
"""By the number of players."""


class Settings(gulan_concealed.Settings, frozen=True):
    """What a table agrees on."""

    scale = Scale(total=28, lowest=14, honours=20, senior=24)

    players: Literal[2, 3, 4, 6] = 4
    stages: Literal["auto", "two", "one"] = "auto"
    senior_pay: Literal["none", "extra"] = "extra"

    @property
    def has_two_stages(self) -> bool:
        """Whether half the hand is bid on first; with six players it is so only where set."""
        return self.stages == "two" or (self.stages == "auto" and self.players < 6)


def deal(table: Table[Facts], settings: Settings) -> Turn:
    """Half the hand where the auction has two stages, else all of it."""
    pack = PACKS[settings.players]
    each = len(pack) // settings.players
    return deal_hand(table, settings, pack, each // 2 if settings.has_two_stages else each)


GAME = concealed_game(
    "twenty_eight", Settings, deal, check,
    trials=(
        {"max_hands": 2},
        {"max_hands": 2, "players": 2, "auction": "open", "kooli_method": "neutral", "kunukku": "slam", "slams": 2},
        {"max_hands": 3, "players": 3, "first_lead": "aces", "second_round": "all", "kooli_count": 5},
        {"max_hands": 2, "players": 6, "stages": "two", "thani_partners": "play", "thani_trump": "first_led"},
        {"max_hands": 2, "players": 6, "cut_with_face_down": True, "kott_pay": "double", "kott": "below_honours"},
        {"max_hands": 2, "players": 4, "stages": "one", "must_cut": False, "senior_pay": "none", "kott_min_cards": 3},
        {"max_hands": 3, "thani": False, "second_round": "off", "partner_from_honours": False, "kunukku": "off"},
        {"max_hands": 4, "kott": "off", "slams": 3, "kooli_count": 12, "kooli_method": "neutral", "auction": "open"},
    ),
)  # fmt: skip
