"""Chautari from Python: a thin typed face over the gRPC API, async (`Client`) and without an event loop (`SyncClient`).

Messages are those of the API, `chautari.v1`; the ones that programs name most are here too.
"""

from chautari.v1.accounts_pb2 import Account
from chautari.v1.action_pb2 import Action, Argument
from chautari.v1.card_pb2 import CardGroups, CardList
from chautari.v1.event_pb2 import Event
from chautari.v1.games_pb2 import Game
from chautari.v1.match_pb2 import Match, MatchResult, Seat, TimeControl
from chautari.v1.option_pb2 import Option
from chautari.v1.play_pb2 import ActResponse, MatchRecord, MineUpdate, StreamEnd, Update
from chautari.v1.view_pb2 import View, Zone
from chautari_client.client import Client
from chautari_client.clocks import NO_CLOCK, bank, days_per_move, per_move
from chautari_client.connection import Retry
from chautari_client.errors import (
    BeyondHead,
    ChautariError,
    EpochChanged,
    Exhausted,
    Faulty,
    Gap,
    Malformed,
    NotAllowed,
    NotFound,
    NotSignedIn,
    Refused,
    RequestReused,
    SeatMoved,
    Stale,
    TimedOut,
    Unavailable,
)
from chautari_client.plain import to_plain, to_struct
from chautari_client.records import read_record, record_to_json, record_to_text, verify
from chautari_client.sync import SyncClient
from chautari_client.table import Table
from chautari_client.zones import card_order

__all__ = [
    "NO_CLOCK",
    "Account",
    "ActResponse",
    "Action",
    "Argument",
    "BeyondHead",
    "CardGroups",
    "CardList",
    "ChautariError",
    "Client",
    "EpochChanged",
    "Event",
    "Exhausted",
    "Faulty",
    "Game",
    "Gap",
    "Malformed",
    "Match",
    "MatchRecord",
    "MatchResult",
    "MineUpdate",
    "NotAllowed",
    "NotFound",
    "NotSignedIn",
    "Option",
    "Refused",
    "RequestReused",
    "Retry",
    "Seat",
    "SeatMoved",
    "Stale",
    "StreamEnd",
    "SyncClient",
    "Table",
    "TimeControl",
    "TimedOut",
    "Unavailable",
    "Update",
    "View",
    "Zone",
    "bank",
    "card_order",
    "days_per_move",
    "per_move",
    "read_record",
    "record_to_json",
    "record_to_text",
    "to_plain",
    "to_struct",
    "verify",
]
