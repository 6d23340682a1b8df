"""The rest of what a client can do: typed actions, presence, heartbeats, lists, accounts, the README's example."""

import asyncio
import random
import re
import sys
import threading
from contextlib import aclosing
from pathlib import Path

import pytest

from chautari_client import Action, Argument, CardList, Client, Malformed, NotSignedIn, Refused, SyncClient
from tests.e2e.conftest import Guests
from tests.e2e.programs import SHORT
from tests.e2e.server import Server

README = Path(__file__).parents[2] / "clients/python/README.md"


async def test_the_example_of_the_readme_plays_a_match(server: Server) -> None:
    [program] = re.findall(r"```python\n(.*?)```", README.read_text(), re.S)
    running = await asyncio.create_subprocess_exec(
        sys.executable, "-c", program, server.address, stdout=asyncio.subprocess.PIPE
    )
    out, _ = await asyncio.wait_for(running.communicate(), 60)
    assert running.returncode == 0
    assert sorted(out.decode().split("\n")[:2]) in (
        ["seat 0 is placed 1", "seat 1 is placed 1"],
        ["seat 0 is placed 1", "seat 1 is placed 2"],
        ["seat 0 is placed 2", "seat 1 is placed 1"],
    )


async def test_typed_actions_are_the_same_as_text(server: Server, guests: Guests) -> None:
    [client] = await guests(server.address)
    match = await client.create_match("bluff", players=2, seats=[0, 1])
    held = (await client.view(match, 0)).options[0].arguments[1].selection.cards[:2]
    lay = Action(verb="lay", arguments=[Argument(rank="K"), Argument(name="cards", cards=CardList(cards=held))])
    judged = await client.act(match, 0, lay, validate_only=True)
    assert (judged.revision, judged.HasField("update")) == (match.revision, False)
    done = await client.act(match, 0, lay)
    assert done.update.step.events[0].said.text == f"lay K {' '.join(held)}"
    assert (await client.record(match, 1)).entries[-1].action == "lay K ?? ??"
    assert (await client.record(match, 0)).entries[-1].action == f"lay K {' '.join(held)}"
    for action, kind, reason in (
        (Action(), Refused, "UNKNOWN_ACTION"),
        (Action(verb="accept", arguments=[Argument(word="now")]), Malformed, "MALFORMED_ACTION"),
        (Action(verb="steal"), Refused, "UNKNOWN_ACTION"),
    ):
        with pytest.raises(kind) as caught:
            await client.act(match, 1, action)
        assert caught.value.reason == reason
    match = await client.create_match("bluff", players=2, seats=[0, 1])
    for argument in (Argument(card="K"), Argument(number=3), Argument(), Argument(suit="C"), Argument(rank="1")):
        with pytest.raises(Malformed) as caught:
            await client.act(match, 0, Action(verb="lay", arguments=[argument, Argument(cards=CardList(cards=["AC"]))]))
        assert caught.value.reason == "MALFORMED_ACTION"


async def test_presence_is_told_and_shown(server: Server, guests: Guests) -> None:
    watcher, other = await guests(server.address, count=2)
    match = await watcher.create_match("jutpatti", players=2, seats=[0])
    await other.join(code=match.code)
    told: list[tuple[int, bool]] = []
    async with aclosing(watcher.watch(match, 0, heartbeats=True)) as looking:
        assert (await anext(looking)).HasField("heartbeat")
        async with aclosing(other.watch(match, 1, heartbeats=True)) as updates:
            assert (await anext(updates)).HasField("heartbeat")
            assert [seat.online for seat in (await other.view(match)).seats] == [True, True]
        async with asyncio.timeout(30):
            async for update in looking:
                if update.HasField("presence"):
                    told.append((update.presence.seat, update.presence.online))
                    if told[-1] == (1, False):
                        break
    assert told[-2:] == [(1, True), (1, False)]


async def test_streams_beat_where_nothing_happens(server: Server, guests: Guests) -> None:
    [client] = await guests(server.address)
    match = await client.create_match("jutpatti", players=2, seats=[0])
    async with aclosing(client.watch(match, heartbeats=True)) as updates:
        beats = [await anext(updates) for _ in range(4)]
    assert {(beat.WhichOneof("kind"), beat.revision) for beat in beats} <= {("heartbeat", 1), ("presence", 1)}
    assert beats[-1].heartbeat.time.ToDatetime() > beats[0].heartbeat.time.ToDatetime()
    async with aclosing(client.watch_mine(heartbeats=True)) as mine:
        kinds = [(await anext(mine)).WhichOneof("kind") for _ in range(3)]
    assert kinds == ["summary", "heartbeat", "heartbeat"]


async def test_lists_are_paged_without_a_gap(server: Server, guests: Guests) -> None:
    [client] = await guests(server.address)
    made = [(await client.create_match("bluff", players=2, seats=[0])).name for _ in range(7)]
    over = await client.create_match("gulam_chor", players=2, rounds=1, seats=[0, 1])
    await client.resign(over, 0)
    for size in (1, 3, 0):
        assert [match.name async for match in client.matches(page_size=size)] == [over.name, *reversed(made)]
    assert [match.name async for match in client.matches("mine_active", page_size=2)] == made[::-1]
    assert [match.name async for match in client.matches(game="gulam_chor")] == [over.name]
    playing = await client.create_match("jutpatti", players=2, seats=[0, 1])
    assert [match.name async for match in client.matches("my_turn")] == [playing.name]
    [other] = await guests(server.address)
    public = await other.create_match("bluff", privacy="public", title="Come in")
    assert public.name in [match.name async for match in client.matches("open", page_size=1)]
    assert not (await client.get_match(public)).code
    watched = await other.create_match("bluff", players=2, seats=[0, 1], privacy="public")
    assert watched.name in [match.name async for match in client.matches("playing", game="bluff", page_size=1)]
    assert watched.name not in [match.name async for match in other.matches("playing")]
    assert playing.name not in [match.name async for match in other.matches("playing")]


async def test_catalogue_and_server(server: Server) -> None:
    async with Client.connect(server.address, language="ne-NP") as client:
        games = await client.games()
        assert {"bluff", "dehla_pakad", "gulam_chor", "jutpatti"} <= {game.key for game in games}
        assert not games[0].settings
        bluff = await client.game("bluff")
        assert [setting.name for setting in bluff.settings][:2] == ["players", "packs"]
        assert bluff.language == "ne"
        assert (await client.game("bluff", "en")).verbs[0].label == "Lay cards"
        assert (await client.rules(bluff)).startswith("# Bluff")
        info = await client.server_info()
        assert info.limits.max_message_bytes == 65536
        assert (await client.signing_keys()).keys[0].alg == "ES256"


async def test_sign_in_again_and_out(server: Server) -> None:
    async with Client.connect(server.address) as client:
        account = await client.sign_in_as_guest("Maya")
        kept = client.refresh_token
        match = await client.create_match("bluff", seats=[0])
    async with Client.connect(server.address) as client:
        assert (await client.sign_in(kept)).name == account.name
        assert list((await client.get_match(match)).my_seats) == [0]
        assert client.refresh_token != kept
        other = client.refresh_token
        await client.sign_out()
        with pytest.raises(NotSignedIn):
            await client.sign_in(other)


def test_two_threads_play_without_an_event_loop(server: Server) -> None:
    results: dict[int, list[int]] = {}

    def play(client: SyncClient, match: str, seat: int) -> None:
        for table in client.follow(match, seat):
            if table.is_my_turn:
                client.act(match, seat, random.choice(table.actions))
            results[seat] = list(table.view.result.placing)

    with SyncClient.connect(server.address) as host, SyncClient.connect(server.address) as other:
        host.sign_in_as_guest("Hari")
        other.sign_in_as_guest("Gita")
        match = host.create_match("jutpatti", SHORT["jutpatti"], seats=[0])
        other.join(code=match.code)
        threads = [
            threading.Thread(target=play, args=(client, match.name, seat)) for seat, client in enumerate((host, other))
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
    assert results[0] == results[1]
    assert results[0] in ([1, 2], [2, 1], [1, 1])
