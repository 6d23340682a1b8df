"""A fake server, and a signed-in client of it that loses no time between its tries."""

from collections.abc import AsyncIterator

import pytest

from chautari_client import Client, Retry
from tests.client.fake import Fake, make_fake, serving
from tests.client.typescript import built

__all__ = ["built"]

QUICK = Retry(first_seconds=0.01, most_seconds=0.05)


@pytest.fixture
def fake() -> Fake:
    """What the server says and was asked."""
    return make_fake()


@pytest.fixture
async def address(fake: Fake) -> AsyncIterator[str]:
    """Where the fake listens."""
    async with serving(fake) as address:
        yield address


@pytest.fixture
async def client(address: str) -> AsyncIterator[Client]:
    """A client of the fake, signed in."""
    async with Client.connect(address, retry=QUICK) as client:
        await client.sign_in_as_guest("Asha")
        yield client
