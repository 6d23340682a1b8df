"""The published retry policy: which methods it names, and that it is the one in the protos' folder."""

import json
import re
from pathlib import Path

import pytest
from google.protobuf.descriptor import MethodDescriptor

from chautari.wire.http.openapi.image import read_image
from chautari.wire.methods import descriptors
from chautari.wire.retrying import SAFE, WITH_REQUEST_ID, documents, may_be_repeated, takes_request_id
from tests.wire.served import serving

PROTOS = Path(__file__).parents[2] / "protos"
METHODS = [rpc for service in descriptors() for rpc in service.methods]
COMMENTS = read_image().comments


@pytest.mark.parametrize("name", [SAFE, WITH_REQUEST_ID])
def test_document_in_the_folder_of_the_protos_is_that_of_the_code(name: str) -> None:
    assert (PROTOS / name).read_text() == documents()[name], "`poe retrying` writes it"


@pytest.mark.parametrize("rpc", METHODS, ids=lambda rpc: str(rpc.name))
def test_method_is_named_where_its_comment_says_that_it_may_be_repeated(rpc: MethodDescriptor) -> None:
    comment = " ".join(COMMENTS[rpc.full_name].split())
    if takes_request_id(rpc):
        assert not may_be_repeated(rpc), "it changes something"
    elif may_be_repeated(rpc):
        harmless = re.search(r"Read only|Changes nothing|Idempotent|may be sent again", comment)
        assert harmless or rpc.server_streaming, comment
    else:
        assert "Not idempotent" in comment


@pytest.mark.parametrize(("name", "ids"), [(SAFE, False), (WITH_REQUEST_ID, True)])
def test_act_is_named_only_for_those_who_give_request_ids(name: str, ids: bool) -> None:
    [config] = json.loads(documents()[name])["methodConfig"]
    assert ({"service": "chautari.v1.Play", "method": "Act"} in config["name"]) is ids
    assert {"service": "chautari.v1.Play", "method": "View"} in config["name"]
    assert {"service": "chautari.v1.Accounts", "method": "CreateGuest"} not in config["name"]
    assert config["retryPolicy"]["retryableStatusCodes"] == ["UNAVAILABLE"]


async def test_documents_are_at_the_http_front_too() -> None:
    async with serving(http=True) as served:
        http = served.over_http()
        for name, text in documents().items():
            answer = await http.ask("GET", f"/{name}")
            assert (answer.status, answer.body.decode()) == (200, text)
            assert answer.headers["content-type"] == "application/json"
