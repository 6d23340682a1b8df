"""How a host arranges a match anew before its start: a pure function from what is wanted to the match as it becomes."""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from chautari import engine
from chautari.app import catalog, seating
from chautari.app.clock_values import TimeControl
from chautari.app.clocks import check_control
from chautari.app.names import check_name
from chautari.app.new_matches import check_audience, check_delay
from chautari.app.values import Audience, Disclosure, Match, Micros, Privacy, SeatingRule, SeatState, StartRule
from chautari.errors import Malformed, WrongState


class Arrangement(msgspec.Struct, frozen=True, kw_only=True):
    """What is to change; None: it stays.

    settings  those given; setting_names: None for all of them, those that are not given going back to their defaults,
              else only these are changed, back to its default where one is not given
    audience  where it stays and does not suit a new privacy, that decides
    """

    title: str | None = None
    privacy: Privacy | None = None
    audience: Audience | None = None
    spectator_delay: Micros | None = None
    start_rule: StartRule | None = None
    seating: SeatingRule | None = None
    disclosure: Disclosure | None = None
    clock: TimeControl | None = None
    settings: Mapping[str, Any] | None = None
    setting_names: tuple[str, ...] | None = None


_SIMPLE: Final = ("privacy", "start_rule", "seating", "disclosure")


def arrange(match: Match, wanted: Arrangement) -> tuple[Match, tuple[str, ...]]:
    """The match as it becomes, and the names of the fields that have changed.

    Malformed `BAD_SETTING`, `NAME_INVALID`, `REQUEST_INVALID`; WrongState `OTHERS_SEATED` for settings and disclosure
    once anybody but the host sits or has a seat held, `SEAT_TAKEN` where the host's own seat would be gone.
    """
    fields: dict[str, Any] = {
        name: getattr(wanted, name) for name in _SIMPLE if getattr(wanted, name) is not None
    }  # fmt: skip
    if wanted.title is not None:
        fields["title"] = check_name(wanted.title, "match.title", optional=True)
    if wanted.spectator_delay is not None:
        fields["spectator_delay"] = check_delay(wanted.spectator_delay, "match.spectator_delay")
    if wanted.clock is not None:
        fields["clock"] = check_control(wanted.clock)
    privacy = fields.get("privacy", match.privacy)
    audience = wanted.audience
    if audience is None and privacy is match.privacy:
        audience = match.audience
    fields["audience"] = check_audience(privacy, audience, "match.audience")
    if wanted.settings is not None:
        fields["settings"] = _settings(match, wanted.settings, wanted.setting_names)
    changed = tuple(sorted(name for name, value in fields.items() if getattr(match, name) != value))
    if {"settings", "disclosure"} & set(changed):
        _check_alone(match)
    if "settings" in changed:
        fields |= _agreed(match, fields["settings"])
    return msgspec.structs.replace(match, **fields), changed


def _settings(match: Match, given: Mapping[str, Any], names: tuple[str, ...] | None) -> dict[str, Any]:
    chosen = dict(given)
    if names is not None:
        chosen = {**match.settings, **{name: given[name] for name in names if name in given}}
        chosen = {name: value for name, value in chosen.items() if name not in names or name in given}
    try:
        settings: dict[str, Any] = msgspec.structs.asdict(catalog.game_of(match).read_settings(chosen))
    except Malformed as error:
        error.field = f"match.{error.field}"
        raise
    return settings


def _check_alone(match: Match) -> None:
    others = [chair.number for chair in match.chairs if chair.account_id not in (None, match.host)]
    if others:
        raise WrongState(
            "OTHERS_SEATED", "others have sat down to the match as it is: make another one", seat=others[0]
        )


def _agreed(match: Match, settings: dict[str, Any]) -> dict[str, Any]:
    """What follows from other settings: the chairs, and the commitment, which covers them."""
    players = settings["players"]
    lost = [chair.number for chair in match.chairs[players:] if chair.state is not SeatState.OPEN]
    if lost:
        raise WrongState("SEAT_TAKEN", f"seat {lost[0]} would be gone: get up from it first", seat=lost[0])
    commitment = engine.commitment(
        match=match.id, game=match.game, version=match.rules_version, settings=settings, secret=match.secret
    )
    return {
        "chairs": (match.chairs + seating.open_chairs(players)[len(match.chairs) :])[:players],
        "commitment": commitment,
    }
