"""Views of a match, to messages."""

from typing import Final

from chautari import engine
from chautari.app import catalog
from chautari.app.playing import TableView
from chautari.app.values import Match
from chautari.engine import Kind
from chautari.v1 import view_pb2
from chautari.wire.convert.clocks import fill_clocks, fill_control
from chautari.wire.convert.events import fill_hand_record
from chautari.wire.convert.matches import STATES, fill_outcome, fill_seats
from chautari.wire.convert.options import fill_options
from chautari.wire.convert.plain import account_name, fill_struct, fill_time

ZONE_KINDS: Final = {
    Kind.STOCK: view_pb2.ZONE_KIND_STOCK,
    Kind.PILE: view_pb2.ZONE_KIND_PILE,
    Kind.HAND: view_pb2.ZONE_KIND_HAND,
    Kind.TRICK: view_pb2.ZONE_KIND_TRICK,
    Kind.WON: view_pb2.ZONE_KIND_WON,
    Kind.MELD: view_pb2.ZONE_KIND_MELD,
    Kind.ROW: view_pb2.ZONE_KIND_ROW,
    Kind.BOARD: view_pb2.ZONE_KIND_BOARD,
    Kind.ASIDE: view_pb2.ZONE_KIND_ASIDE,
}


def view_to_proto(table: TableView) -> view_pb2.View:
    """All that draws the table for one viewer."""
    match = table.match
    message = view_pb2.View(
        match=f"matches/{match.id}",
        revision=match.revision,
        seat=table.seat,
        game=f"games/{match.game}",
        rules_version=match.rules_version,
        game_titles=catalog.wording(match.game).titles,
        title=match.title,
        state=STATES[match.state],
        host=account_name(match.host),
        epoch=table.epoch,
    )
    fill_struct(message.settings, match.settings)
    fill_seats(message.seats, match, table.online)
    _fill_zones(message, match, table.view)
    if table.view is not None:
        _fill_position(message, table.view)
    fill_options(message.options, table.options)
    if match.outcome is not None:
        fill_outcome(message.result, match.outcome)
    fill_time(message.server_time, table.now)
    fill_control(message.clock, match.clock)
    fill_clocks(message.clocks, table.clocks)
    return message


def _fill_position(message: view_pb2.View, view: engine.View) -> None:
    message.hand = view.hands
    message.turn.phase = view.phase
    message.turn.must.extend(view.must)
    message.turn.may.extend(view.may)
    fill_struct(message.facts, view.facts)
    if view.last_hand is not None:
        fill_hand_record(message.last_hand, view.last_hand)


def _fill_zones(message: view_pb2.View, match: Match, view: engine.View | None) -> None:
    game = catalog.game_of(match)
    places = game.layout(game.read_settings(match.settings)).places
    seen = {zone.name: zone for zone in view.zones} if view is not None else {}
    for name, place in places.items():
        zone = message.zones.add()
        zone.name = name
        zone.base = place.zone.name
        zone.kind = ZONE_KINDS[place.zone.laid_out_as]
        zone.ordered = place.zone.ordered
        if place.zone.per_seat:
            zone.seat = place.number
        if name in seen:
            zone.count = seen[name].count
            zone.cards.extend([card.text for card in seen[name].cards or ()])
