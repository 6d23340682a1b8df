"""The client without an event loop: the same surface, and the same behaviour."""

import asyncio
import inspect
import threading
from collections.abc import Iterator

import pytest

from chautari.v1 import play_pb2
from chautari_client import Client, Refused, SyncClient
from tests.client.conftest import QUICK
from tests.client.fake import OVER, Code, Fails, Fake, make_fake, serving, step


@pytest.fixture
def served() -> Iterator[tuple[str, Fake]]:
    """A fake server in a thread of its own."""
    fake, ready, done = make_fake(), threading.Event(), asyncio.Event()
    loop = asyncio.new_event_loop()
    found: list[str] = []

    async def serve() -> None:
        async with serving(fake) as address:
            found.append(address)
            ready.set()
            await done.wait()

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),))
    thread.start()
    assert ready.wait(60)
    yield found[0], fake
    loop.call_soon_threadsafe(done.set)
    thread.join()
    loop.close()


def public(kind: type) -> dict[str, list[tuple[str, object]]]:
    """The public methods of a class, each with its parameters and their defaults."""
    return {
        name: [(each.name, each.kind) for each in inspect.signature(value).parameters.values()]
        for name, value in inspect.getmembers(kind, inspect.isroutine)
        if not name.startswith("_")
    }


def test_both_clients_have_the_same_surface() -> None:
    assert public(SyncClient) == public(Client)


def test_calls_streams_and_errors_without_a_loop(served: tuple[str, Fake]) -> None:
    address, fake = served
    fake.streams = [[step(1)], [step(2), OVER(2)]]
    fake.answers = [Fails(Code.UNAVAILABLE), play_pb2.ActResponse(revision=2), Fails(Code.FAILED_PRECONDITION, "NO")]
    with SyncClient.connect(address, retry=QUICK) as client:
        assert client.sign_in_as_guest("Asha").display_name == "Asha"
        assert client.act("matches/m1", 0, "draw deck").revision == 2
        with pytest.raises(Refused):
            client.act("matches/m1", 0, "draw deck")
        assert [update.revision for update in client.watch("matches/m1", after=0)] == [1, 2, 2]
        assert len(list(client.matches())) == 6


def test_stream_may_be_left_and_the_client_closed_in_the_middle(served: tuple[str, Fake]) -> None:
    address, fake = served
    fake.streams = [[step(1), 60.0], [step(1), 60.0]]
    with SyncClient.connect(address, retry=QUICK) as client:
        client.sign_in_as_guest()
        left = client.watch("matches/m1", after=0)
        assert next(left).revision == 1
        kept = client.watch("matches/m1", after=0)
        assert next(kept).revision == 1
        del left
    client.close()
    assert not [thread for thread in threading.enumerate() if thread.name == "chautari-client"]
    kept.close()  # type: ignore[attr-defined]  # an iterator that is a generator
