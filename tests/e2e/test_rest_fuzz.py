"""What Schemathesis makes of `/openapi.json`: requests as it says, and as it says not, of every operation."""

import json
import urllib.request
from collections import Counter
from contextlib import suppress
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.errors import Unsatisfiable
from schemathesis.generation import GenerationMode

from chautari_client import SyncClient
from tests.e2e.server import Server

CONFIG = settings(deadline=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck), database=None)
OF_TOKENS = (":refreshToken", ":signOut", ":merge", ":signInWithIdentity", "/identities")
"""Operations that are given a token besides that of the caller."""
PARTS = 8
"""Those in which all operations are asked for once."""


def document(server: Server) -> dict[str, Any]:
    """What the server says of itself; without streams, which do not end."""
    with urllib.request.urlopen(f"http://{server.http_address}/openapi.json") as answer:
        found: dict[str, Any] = json.load(answer)
    for path, verbs in [*found["paths"].items()]:
        if any("text/event-stream" in json.dumps(operation["responses"]) for operation in verbs.values()):
            del found["paths"][path]
    return found


def ask_everything(server: Server, each: int, part: slice = slice(None), number: int = 0) -> Counter[int]:
    """So many requests of each operation and mode, or of some of the operations; how many got each status.

    number: the seed of what they are.

    No sign-in that is sent is refused: 401 says that Schemathesis took it away, or that another token is wrong.
    """
    statuses: Counter[int] = Counter()
    base = f"http://{server.http_address}"
    schema = schemathesis.openapi.from_dict(document(server))
    with SyncClient.connect(server.address) as client:

        def ask(operation: Any, mode: GenerationMode) -> None:
            headers = {"authorization": f"Bearer {client._client._connection.access_token}"}

            @seed(number)
            @settings(CONFIG, max_examples=each)
            @given(case=operation.as_strategy(generation_mode=mode))
            def try_it(case: Any) -> None:
                answer = case.call(base_url=base, headers=headers, timeout=60)
                statuses[answer.status_code] += 1
                assert answer.status_code < 500, (case.as_curl_command(), answer.text)
                if answer.status_code == 401 and not operation.path.endswith(OF_TOKENS):
                    assert answer.json()["reason"] == "TOKEN_MISSING", (case.as_curl_command(), answer.text)

            with suppress(Unsatisfiable):  # without a parameter there is nothing to do otherwise
                try_it()

        for found in [*schema.get_all_operations()][part]:
            client.sign_in_as_guest()  # anew, for some operations end a sign-in
            for mode in GenerationMode:
                ask(found.ok(), mode)  # type: ignore[union-attr]  # the document is valid
    return statuses


def test_schemathesis(server: Server) -> None:
    statuses = ask_everything(server, 4)
    assert statuses[200]
    assert statuses[400] > 20


@pytest.mark.soak(day=PARTS, night=11 * PARTS)
def test_schemathesis_for_long(server: Server, part: int) -> None:
    number, first = divmod(part - 1, PARTS)
    statuses = ask_everything(server, 200, slice(first, None, PARTS), number)
    print(f"part {part}, seed {number}: {statuses.total()} requests, no fault; {dict(statuses)}")
