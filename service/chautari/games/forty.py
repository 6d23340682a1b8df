"""Forty: Gulan Parish with 36 cards, two jacks in each suit, bid once on the whole hand.

Source: seed 002, for the pack, the batches and the bids; Pagat.com, 40. Senior is 35 where it is played, the middle
between honours and the total. The rules of the family are in `chautari.kit.gulan_parish`.
"""

from typing import Literal

from chautari.engine import Table, Turn
from chautari.kit import gulan_concealed
from chautari.kit.gulan_concealed import Facts, concealed_game, deal_hand
from chautari.kit.gulan_parish import Scale, check
from chautari.kit.jack_nine import pack_of

PACK = pack_of("JJ9ATKQ87")


class Settings(gulan_concealed.Settings, frozen=True):
    """What a table agrees on."""

    scale = Scale(total=40, lowest=20, honours=30, senior=35)

    players: Literal[4, 6, 12] = 6


def deal(table: Table[Facts], settings: Settings) -> Turn:
    """The whole pack."""
    return deal_hand(table, settings, PACK, len(PACK) // settings.players)


GAME = concealed_game(
    "forty", Settings, deal, check,
    trials=(
        {"max_hands": 2},
        {"max_hands": 2, "players": 4, "auction": "open", "kooli_method": "neutral", "kunukku": "slam", "slams": 2},
        {"max_hands": 3, "players": 12, "first_lead": "aces", "second_round": "all", "kooli_count": 5},
        {"max_hands": 2, "players": 4, "thani_partners": "play", "thani_trump": "first_led", "kott_min_cards": 3},
        {"max_hands": 2, "cut_with_face_down": True, "kott_pay": "double", "kott": "below_honours", "slams": 5},
        {"max_hands": 2, "must_cut": False, "senior_pay": "extra", "kunukku": "off", "kooli_count": 12},
        {"max_hands": 3, "players": 12, "thani": False, "second_round": "off", "partner_from_honours": False},
        {"max_hands": 2, "kott": "off", "slams": 3, "kooli_method": "neutral", "kooli_count": 5},
    ),
)  # fmt: skip
