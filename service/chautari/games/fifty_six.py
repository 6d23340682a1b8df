"""Fifty-six: Gulan Parish with the high cards of two packs, bid once on the whole hand, with a secret trump.

Source: seed 002; Pagat.com, 56, and R. Nair's page on 56, for the packs of four and eight players. The game with a
public trump is `fifty_six_support`. The rules of the family are in `chautari.kit.gulan_parish`.
"""

from typing import Literal

from chautari.engine import Table, Turn
from chautari.kit import gulan_concealed, gulan_packs
from chautari.kit.gulan_concealed import Facts, concealed_game, deal_hand
from chautari.kit.gulan_parish import Scale


class Settings(gulan_concealed.Settings, frozen=True):
    """What a table agrees on."""

    scale = Scale(total=56, lowest=28, honours=40, senior=48)

    players: Literal[4, 6, 8, 12] = 6
    pack: Literal["usual", "short", "long"] = "usual"


def deal(table: Table[Facts], settings: Settings) -> Turn:
    """The whole pack."""
    pack = gulan_packs.PACKS[settings.pack]
    return deal_hand(table, settings, pack, len(pack) // settings.players)


GAME = concealed_game(
    "fifty_six", Settings, deal, gulan_packs.check,
    trials=(
        {"max_hands": 2},
        {"max_hands": 2, "players": 4, "auction": "open", "kooli_method": "neutral", "kunukku": "slam", "slams": 2},
        {"max_hands": 2, "players": 12, "first_lead": "aces", "second_round": "all", "kooli_count": 5},
        {"max_hands": 2, "players": 4, "pack": "short", "thani_partners": "play", "thani_trump": "first_led"},
        {"max_hands": 2, "players": 8, "cut_with_face_down": True, "kott_pay": "double", "kott": "below_honours"},
        {"max_hands": 2, "players": 8, "pack": "long", "must_cut": False, "senior_pay": "extra", "kott_min_cards": 3},
        {"max_hands": 3, "players": 12, "thani": False, "second_round": "off", "partner_from_honours": False},
        {"max_hands": 2, "kott": "off", "slams": 3, "kooli_method": "neutral", "kooli_count": 12, "kunukku": "off"},
    ),
)  # fmt: skip
