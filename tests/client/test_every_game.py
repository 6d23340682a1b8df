"""The client's fold of every game of the catalogue: for each viewer, what a stream tells folds to what a view shows."""

import random

import pytest

from chautari.app.caller import Caller
from chautari.app.service import App
from chautari.app.values import Match
from chautari.cli.scripted import choices
from chautari.engine import Viewer
from chautari.errors import Malformed, Refusal
from chautari.games import GAMES
from chautari.wire.convert.steps import encode_step
from chautari.wire.convert.views import view_to_proto
from chautari_client import Table, Update, View
from tests.app.tables import running_app, started
from tests.e2e.programs import drawn

_STEPS = 50


async def view_of(app: App, people: list[Caller], match: Match, viewer: Viewer) -> View:
    """What a viewer sees now, as a message."""
    return view_to_proto(await app.playing.view(people[viewer or 0], match.id, viewer))


async def update_of(app: App, match: Match, revision: int, viewer: Viewer) -> Update:
    """What a viewer is told of a revision, as a message."""
    entry = (await app.store.entries(match.id, revision - 1, 1))[0]
    return Update.FromString(encode_step(await app.watching.step_again(entry, viewer)))


async def act(app: App, people: list[Caller], match: Match, chance: random.Random) -> int:
    """Some seat that must act does something; returns the revision."""
    view = (await app.playing.view(people[0], match.id, None)).view
    assert view is not None
    seat = chance.choice(view.must or view.may)
    options = (await app.playing.view(people[seat], match.id, seat)).options
    for action in choices(options, None, chance):
        try:
            return (await app.playing.act(people[seat], match.id, seat, action)).revision
        except (Refusal, Malformed):
            continue
    raise AssertionError(f"nothing legal is known for seat {seat} in phase {view.phase}")


@pytest.mark.parametrize("game", GAMES)
async def test_folding_gives_the_view_to_every_viewer(game: str) -> None:
    for number, trial in enumerate(GAMES[game].trials[:2]):
        chance = random.Random(f"{game} {number}")
        async with running_app() as app:
            players = GAMES[game].read_settings(trial).players
            match, people = await started(
                app, game, players, **{name: value for name, value in trial.items() if name != "players"}
            )
            viewers: tuple[Viewer, ...] = (*range(players), None)
            tables = {viewer: Table(await view_of(app, people, match, viewer)) for viewer in viewers}
            for _ in range(_STEPS):
                if tables[None].is_over:
                    break
                revision = await act(app, people, match, chance)
                for viewer, table in tables.items():
                    table.apply(await update_of(app, match, revision, viewer))
                    assert not table.needs_view
                    assert drawn(table.view) == drawn(await view_of(app, people, match, viewer))
