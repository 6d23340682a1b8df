"""The methods: every RPC of the protos is answered, has a place on the web, and says what it needs."""

from typing import Any
from uuid import uuid4

import pytest
from google.api import annotations_pb2, field_behavior_pb2
from google.protobuf.descriptor_pb2 import FileDescriptorSet, MethodDescriptorProto
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client import CollectorRegistry

from chautari.app.scopes import Scope
from chautari.v1 import play_pb2
from chautari.wire.methods import FILES, Needs, Quota, descriptors, methods_of
from chautari.wire.metrics import Metrics
from chautari.wire.services import Accounts, Games, Hosting, Identities, Keys, Matches, Operate, Play, Server
from chautari.wire.services.play import is_plain_act
from chautari.wire.validation import check_rules
from tests.wire.made import IMAGE, methods
from tests.wire.told import untold

OPEN = {
    "/chautari.v1.Games/ListGames": Needs.EITHER,
    "/chautari.v1.Games/GetGame": Needs.EITHER,
    "/chautari.v1.Games/GetRules": Needs.EITHER,
    "/chautari.v1.Accounts/CreateGuest": Needs.NOTHING,
    "/chautari.v1.Accounts/RefreshToken": Needs.NOTHING,
    "/chautari.v1.Accounts/SignOut": Needs.EITHER,
    "/chautari.v1.Identities/ListProviders": Needs.NOTHING,
    "/chautari.v1.Identities/BeginIdentity": Needs.EITHER,
    "/chautari.v1.Identities/SignInWithIdentity": Needs.EITHER,
    "/chautari.v1.Identities/LinkIdentity": Needs.SIGN_IN,
    "/chautari.v1.Identities/UnlinkIdentity": Needs.SIGN_IN,
    "/chautari.v1.Accounts/MergeAccounts": Needs.SIGN_IN,
    "/chautari.v1.Accounts/DeleteAccount": Needs.SIGN_IN,
    "/chautari.v1.Accounts/ExportAccount": Needs.SIGN_IN,
    "/chautari.v1.Server/GetServerInfo": Needs.NOTHING,
    "/chautari.v1.Server/GetSigningKeys": Needs.NOTHING,
}
RPCS = [(service.full_name, rpc.name) for service in descriptors() for rpc in service.methods]


def test_every_service_of_the_package_is_there() -> None:
    image = FileDescriptorSet.FromString(IMAGE.read_bytes())
    declared = {
        (f"{file.package}.{service.name}", rpc.name)
        for file in image.file
        if file.name.startswith("chautari/")
        for service in file.service
        for rpc in service.method
    }
    assert declared == set(RPCS)
    assert {file.name for file in FILES} == {
        file.name for file in image.file if file.service and file.name.startswith("chautari/")
    }


@pytest.mark.parametrize(("service", "name"), RPCS)
def test_method_is_answered_bound_and_commented(service: str, name: str) -> None:
    method = methods()[f"/{service}/{name}"]
    assert (method.answer is None) != (method.open is None)
    [rpc] = [rpc for one in descriptors() if one.full_name == service for rpc in one.methods if rpc.name == name]
    assert rpc.server_streaming == (method.open is not None)
    assert not rpc.client_streaming
    assert (rpc.input_type, rpc.output_type) == (method.request.DESCRIPTOR, method.response.DESCRIPTOR)
    options: Any = rpc.GetOptions()
    rule = options.Extensions[annotations_pb2.http]
    assert getattr(rule, rule.WhichOneof("pattern") or "").startswith("/v1/")
    assert method.by_get == (rule.WhichOneof("pattern") == "get" and not rpc.server_streaming)
    assert len(comment_of(service, name)) > 20


@pytest.mark.parametrize(
    ("method", "outcome", "is_told"),
    [
        ("Play/Act", "RULE_BROKEN", True),
        ("Play/Act", "DRAINING", True),
        ("Matches/GetMatch", "TOKEN_EXPIRED", True),
        ("Hosting/RenewCode", "NOT_HOST", True),
        ("Matches/GetMatch", "SEAT_TAKEN", False),
        ("Server/GetServerInfo", "RULE_BROKEN", False),
        ("Play/View", "NO_SUCH_REASON", False),
    ],
)
def test_reason_that_no_comment_names_is_found(method: str, outcome: str, is_told: bool) -> None:
    registry = CollectorRegistry()
    metrics = Metrics(registry)
    metrics.ended(f"/chautari.v1.{method}", "OK", 0.1)
    metrics.counted(f"/chautari.v1.{method}", outcome)
    assert untold(registry) == ([] if is_told else [f"/chautari.v1.{method}: {outcome}"])


def comment_of(service: str, name: str) -> str:
    """What the proto says above a method."""
    image = FileDescriptorSet.FromString(IMAGE.read_bytes())
    for file in image.file:
        for at, one in enumerate(file.service):
            if f"{file.package}.{one.name}" == service:
                rpcs: list[MethodDescriptorProto] = list(one.method)
                place = [rpc.name for rpc in rpcs].index(name)
                for location in file.source_code_info.location:
                    if list(location.path) == [6, at, 2, place]:
                        return location.leading_comments.strip()
    return ""


def test_every_field_of_a_request_says_how_it_behaves() -> None:
    """AIP-203, of messages within requests too, as far as the server does not set them alone."""
    behaviour: Any = field_behavior_pb2.field_behavior
    seen: set[str] = set()
    silent: list[str] = []
    waiting = [rpc.input_type for service in descriptors() for rpc in service.methods]
    while waiting:
        message = waiting.pop()
        if message.full_name in seen or not message.full_name.startswith("chautari."):
            continue
        seen.add(message.full_name)
        for field in message.fields:
            told = list(field.GetOptions().Extensions[behaviour])
            if not told:
                silent.append(field.full_name)
            if field.message_type is not None and field_behavior_pb2.OUTPUT_ONLY not in told:
                waiting.append(field.message_type)
    assert silent == []
    assert "chautari.v1.CardGroups" in seen


def test_only_these_methods_are_open() -> None:
    needs = {path: method.needs for path, method in methods().items()}
    assert {path: need for path, need in needs.items() if need is not Needs.ACCOUNT} == OPEN


def test_what_looks_needs_the_scope_to_read_and_all_else_the_one_to_play() -> None:
    usual = {path: method for path, method in methods().items() if method.scope is not Scope.OPERATE}
    reads = {path for path, method in usual.items() if method.scope is Scope.READ}
    verbs = ("Get", "List", "Find", "View", "Watch", "Record", "Download")
    looks = {path for path in usual if path.rpartition("/")[2].startswith(verbs)}
    own_keys = {f"/chautari.v1.Keys/{verb}ApiKey" for verb in ("Create", "Update", "Delete")}
    assert reads - looks == own_keys | {"/chautari.v1.Accounts/ExportAccount"}
    assert looks <= reads
    assert {path for path, method in usual.items() if method.scope is not Scope.PLAY} == reads


def test_what_operators_do_needs_their_scope_and_is_noted_at_the_door() -> None:
    theirs = {path for path in methods() if path.startswith("/chautari.v1.Operate/")}
    assert {path for path, method in methods().items() if method.scope is Scope.OPERATE} == theirs
    assert {path for path, method in methods().items() if method.at_door is not None} == theirs


def test_what_can_be_guessed_or_made_in_masses_has_a_quota() -> None:
    assert {path for path, method in methods().items() if method.quota} == {
        "/chautari.v1.Accounts/CreateGuest",
        "/chautari.v1.Accounts/RefreshToken",
        "/chautari.v1.Accounts/SignOut",
        "/chautari.v1.Accounts/MergeAccounts",
        "/chautari.v1.Identities/SignInWithIdentity",
        "/chautari.v1.Identities/LinkIdentity",
        "/chautari.v1.Matches/FindMatch",
        "/chautari.v1.Matches/JoinMatch",
        "/chautari.v1.Play/Act",
    }
    find = methods()["/chautari.v1.Matches/FindMatch"]
    assert find.quota is not None
    assert find.quota(find.request(code="ABC")) is Quota.CODE
    assert find.quota(find.request(link="abc")) is None


def test_no_service_has_more_than_a_dozen_methods() -> None:
    for service in descriptors():
        assert len(service.methods) <= 12


def test_method_that_nobody_answers_is_found_at_the_start() -> None:
    class Play:
        async def act(self, caller: object, request: play_pb2.ActRequest) -> bytes:
            del caller, request
            return b""

    services = [service for service in methods_services() if type(service).__name__ != "Play"]
    with pytest.raises(TypeError, match=r"chautari\.v1\.Play\.View"):
        methods_of([*services, Play()])


def methods_services() -> list[object]:
    """The services without an application behind them, to be looked at only."""
    kinds = (Games, Accounts, Identities, Keys, Matches, Hosting, Operate, Play, Server)
    return [kind.__new__(kind) for kind in kinds]


@given(
    match=st.from_regex(r"(matches/)?[a-zA-Z0-9_/-]{0,42}") | st.text(),
    request_id=st.uuids().map(str) | st.from_regex(r"[0-9a-fA-F-]{30,40}") | st.text(max_size=40),
    text=st.text(max_size=20),
    seat=st.integers(-(2**31), 2**31 - 1),
)
def test_plain_act_keeps_the_rules(match: str, request_id: str, text: str, seat: int) -> None:
    request = play_pb2.ActRequest(match=match, request_id=request_id, text=text, seat=seat)
    if is_plain_act(request):
        check_rules(request)


def test_usual_act_is_plain() -> None:
    assert is_plain_act(play_pb2.ActRequest(match="matches/abc123", text="pass"))
    assert is_plain_act(play_pb2.ActRequest(match="matches/abc123", text="pass", request_id=str(uuid4())))
    assert not is_plain_act(play_pb2.ActRequest(match="matches/abc123\n"))
    assert not is_plain_act(play_pb2.ActRequest(match="matches/abc123", request_id="1"))
