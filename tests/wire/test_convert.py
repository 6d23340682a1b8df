"""Values as messages: JSON data, moments, matches as each reader may know them, requests, languages."""

from typing import Any
from uuid import uuid4

import pytest
from google.protobuf.struct_pb2 import Struct
from google.protobuf.timestamp_pb2 import Timestamp
from hypothesis import given
from hypothesis import strategies as st

from chautari.app.catalog import LANGUAGES
from chautari.v1 import accounts_pb2, match_pb2, matches_pb2, play_pb2, server_pb2
from chautari.wire.convert.parts import struct as encode_struct
from chautari.wire.convert.parts import varint
from chautari.wire.convert.plain import fill_struct, id_of, read_struct
from chautari.wire.languages import choose
from chautari.wire.requests import request_key
from tests.wire.served import Code, serving, struct

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=12,
)


@given(st.dictionaries(st.text(), JSON, max_size=6))
def test_json_data_comes_back(data: dict[str, object]) -> None:
    message = Struct()
    fill_struct(message, data)
    assert read_struct(Struct.FromString(message.SerializeToString())) == data
    assert Struct.FromString(encode_struct(data)) == message


def test_whole_numbers_are_whole_and_others_are_not() -> None:
    message = struct({"a": 4.0, "b": 4.5, "c": True})
    assert read_struct(message) == {"a": 4, "b": 4.5, "c": True}
    assert {name: type(value) for name, value in read_struct(message).items()} == {"a": int, "b": float, "c": bool}
    message.fields["d"].number_value = float("inf")
    message.fields["e"].number_value = float("nan")
    assert type(read_struct(message)["d"]) is float
    assert type(read_struct(message)["e"]) is float


def test_what_is_nested_too_deep_is_nothing() -> None:
    deep: object = 1
    for _ in range(50):
        deep = [deep]
    message = struct({"a": deep})
    assert read_struct(message) != {"a": deep}


@given(st.integers(0, 2**35))
def test_lengths_are_written_as_protobuf_does(number: int) -> None:
    read, shift = 0, 0
    encoded = varint(number)
    for byte in encoded:
        read |= (byte & 0x7F) << shift
        shift += 7
    assert read == number
    assert encoded[-1] < 0x80


def test_id_of_a_name() -> None:
    assert id_of("matches/a1") == "a1"
    assert id_of("") == ""


@pytest.mark.parametrize(
    ("wishes", "language"),
    [
        (("",), "en"),
        (("ne",), "ne"),
        (("ne-NP",), "ne"),
        (("HI-in",), "hi"),
        (("fr",), "en"),
        (("fr", "ne"), "en"),
        (("", "hi"), "hi"),
        (("de;q=0.9, hi;q=0.2, ne;q=0.8",), "ne"),
        (("ne;q=0, hi",), "hi"),
        (("*",), "en"),
        (("ne;q=x",), "en"),
    ],
)
def test_language_of_wishes(wishes: tuple[str, ...], language: str) -> None:
    assert choose(*wishes) == language


def test_key_of_a_request_is_that_of_all_else_in_it() -> None:
    request_id = str(uuid4())

    def key(method: str = "Act", **fields: Any) -> object:
        return request_key(method, play_pb2.ActRequest(**{"match": "matches/a", "text": "pass", **fields}))

    first = key(request_id=request_id)
    assert first == key(request_id=request_id)
    assert first == key(request_id=request_id.upper())
    assert first != key(request_id=str(uuid4()))
    assert first != key(request_id=request_id, text="draw deck")
    assert first != key(request_id=request_id, seat=1)
    assert first != key("Judge", request_id=request_id)
    assert key() is None
    settings = {"players": 4, "rounds": 2}
    turned = dict(reversed(settings.items()))
    keys = [
        request_key("CreateMatch", matches_pb2.CreateMatchRequest(settings=struct(s), request_id=request_id))
        for s in (settings, turned)
    ]
    assert keys[0] == keys[1]


async def test_match_is_told_to_each_as_far_as_it_may_know() -> None:
    async with serving() as served:
        host, member, stranger = await served.guest("Host"), await served.guest("Member"), await served.guest("Other")
        request = matches_pb2.CreateMatchRequest(
            game="games/dehla_pakad", seats=[0], title="Friday", privacy=match_pb2.PRIVACY_PUBLIC,
            contribution=b"x" * 16,
        )  # fmt: skip
        match = await host.call("Matches/CreateMatch", request)
        assert match.state == match_pb2.MATCH_STATE_SEATING
        assert (match.title, match.revision, match.etag, len(match.commitment)) == ("Friday", 1, "1", 32)
        assert match.host == host.account
        assert list(match.my_seats) == [0]
        assert [seat.side for seat in match.seats] == [0, 1, 0, 1]
        assert match.settings["players"] == 4
        assert len(match.code) == 6
        assert match.link
        assert match.HasField("code_expire_time")
        assert match.secret == b""
        assert not match.HasField("turn")
        joined = await member.call("Matches/JoinMatch", matches_pb2.JoinMatchRequest(link=match.link, seats=[2]))
        assert joined.match.code == match.code
        assert list(joined.match.my_seats) == [2]
        assert joined.view.seat == 2
        assert {zone.name for zone in joined.view.zones} >= {"hand.0", "hand.3"}
        assert not joined.view.facts.fields
        assert not joined.view.HasField("turn")
        seen = await stranger.call("Matches/GetMatch", matches_pb2.GetMatchRequest(name=match.name))
        found = await stranger.call("Matches/FindMatch", matches_pb2.FindMatchRequest(code=match.code.lower()))
        for other in (seen, found):
            assert (other.code, other.link, list(other.my_seats)) == ("", "", [])
            assert not other.HasField("code_expire_time")
            assert other.seats[2].display_name == "Member"


async def test_who_comes_late_by_the_code_of_a_match_that_may_be_watched_is_told_which_it_is() -> None:
    async with serving() as served:
        host, friend, late = [await served.guest() for _ in range(3)]
        request = matches_pb2.CreateMatchRequest(game="games/bluff", seats=[0], privacy=match_pb2.PRIVACY_PUBLIC)
        request.settings.update({"players": 2})
        match = await host.call("Matches/CreateMatch", request)
        join = matches_pb2.JoinMatchRequest(code=match.code)
        begun = (await friend.call("Matches/JoinMatch", join)).match
        assert (begun.state, begun.code, begun.link) == (match_pb2.MATCH_STATE_PLAYING, "", "")
        assert not begun.HasField("code_expire_time")
        late.headers["accept-language"] = "ne"
        refused = await late.refused("Matches/JoinMatch", join)
        assert (refused.code, refused.reason) == (Code.FAILED_PRECONDITION, "MATCH_STARTED")
        assert dict(refused.info.metadata) == {"match": match.name}
        assert refused.details["LocalizedMessage"].message == "खेल सुरु भइसक्यो।"
        found = await late.call("Matches/FindMatch", matches_pb2.FindMatchRequest(code=match.code))
        assert (found.name, found.state, found.code) == (match.name, match_pb2.MATCH_STATE_PLAYING, "")


async def test_private_match_is_found_by_its_code_and_by_nothing_else() -> None:
    async with serving() as served:
        host, other = await served.guest(), await served.guest()
        match = await host.create("bluff", players=2)
        grouped = f" {match.code[:3].lower()}-{match.code[3:]} "
        assert (await other.call("Matches/FindMatch", matches_pb2.FindMatchRequest(code=grouped))).name == match.name
        refused = await other.refused("Matches/GetMatch", matches_pb2.GetMatchRequest(name=match.name))
        assert (refused.code, refused.reason) == (Code.PERMISSION_DENIED, "NO_ACCESS")


async def test_match_that_is_only_checked_has_no_name() -> None:
    async with serving() as served:
        host = await served.guest()
        request = matches_pb2.CreateMatchRequest(game="games/bluff", seats=[1], validate_only=True)
        match = await host.call("Matches/CreateMatch", request)
        assert (match.name, match.code, match.link, match.commitment, match.revision) == ("", "", "", b"", 0)
        assert list(match.my_seats) == [1]
        assert match.settings["players"]
        assert not (await host.call("Matches/ListMatches", matches_pb2.ListMatchesRequest())).matches


async def test_settings_are_judged_by_their_declaration() -> None:
    async with serving() as served:
        host = await served.guest()
        for settings, field in (
            ({"players": "4"}, "settings.players"),
            ({"players": 4.5}, "settings.players"),
            ({"colour": 1}, "settings.colour"),
        ):
            request = matches_pb2.CreateMatchRequest(game="games/bluff", settings=struct(settings))
            refused = await host.refused("Matches/CreateMatch", request)
            assert (refused.code, refused.reason) == (Code.INVALID_ARGUMENT, "BAD_SETTING")
            assert set(refused.fields) == {field}


@pytest.mark.parametrize("name", ["a\u0007b", "abc\u202edef", "\u200b", "\u2066x"])
async def test_names_that_mislead_are_refused(name: str) -> None:
    async with serving() as served:
        caller = served.caller()
        refused = await caller.refused("Accounts/CreateGuest", accounts_pb2.CreateGuestRequest(display_name=name))
        assert (refused.code, refused.reason) == (Code.INVALID_ARGUMENT, "NAME_INVALID")
        assert refused.info.metadata["field"] == "display_name"
        await caller.sign_in()
        request = matches_pb2.CreateMatchRequest(game="games/bluff", title=name)
        assert (await caller.refused("Matches/CreateMatch", request)).info.metadata["field"] == "title"


async def test_account_is_told_to_itself_and_to_others() -> None:
    async with serving() as served:
        sita, other = await served.guest("सीता"), await served.guest()
        mine = await sita.call("Accounts/GetAccount", accounts_pb2.GetAccountRequest(name="accounts/me"))
        assert (mine.name, mine.display_name, mine.language) == (sita.account, "सीता", "en")
        assert mine.HasField("create_time")
        seen = await other.call("Accounts/GetAccount", accounts_pb2.GetAccountRequest(name=sita.account))
        assert (seen.name, seen.display_name, seen.kind) == (sita.account, "सीता", accounts_pb2.ACCOUNT_KIND_GUEST)
        assert not seen.language
        assert not seen.HasField("create_time")
        update = accounts_pb2.UpdateAccountRequest(account=accounts_pb2.Account(name=sita.account, display_name="X"))
        refused = await other.refused("Accounts/UpdateAccount", update)
        assert (refused.code, refused.reason) == (Code.PERMISSION_DENIED, "NOT_SELF")


async def test_account_changes_where_the_mask_says() -> None:
    async with serving() as served:
        sita = await served.guest("Sita")
        account = accounts_pb2.Account(display_name="Rita", language="ne")

        async def update(*paths: str) -> accounts_pb2.Account:
            request = accounts_pb2.UpdateAccountRequest(account=account)
            request.update_mask.paths.extend(paths)
            answer: accounts_pb2.Account = await sita.call("Accounts/UpdateAccount", request)
            return answer

        assert (await update("language")).display_name == "Sita"
        assert (await update()).display_name == "Rita"
        account.display_name, account.language = "Gita", ""
        whole = await update("*")
        assert (whole.display_name, whole.language) == ("Gita", "en")
        wrong = accounts_pb2.UpdateAccountRequest(account=account)
        wrong.update_mask.paths.append("kind")
        refused = await sita.refused("Accounts/UpdateAccount", wrong)
        assert (refused.code, refused.reason, set(refused.fields)) == (
            Code.INVALID_ARGUMENT, "REQUEST_INVALID", {"update_mask"},
        )  # fmt: skip


async def test_tokens_are_exchanged_and_ended() -> None:
    async with serving() as served:
        caller = served.caller()
        guest = await caller.call("Accounts/CreateGuest", accounts_pb2.CreateGuestRequest())
        caller.token = "expired or of another server"
        request = accounts_pb2.RefreshTokenRequest(refresh_token=guest.tokens.refresh_token)
        tokens = (await caller.call("Accounts/RefreshToken", request)).tokens
        assert tokens.refresh_token != guest.tokens.refresh_token
        caller.token = tokens.access_token
        await caller.call("Accounts/SignOut", accounts_pb2.SignOutRequest(refresh_token=tokens.refresh_token))
        again = await caller.refused(
            "Accounts/RefreshToken", accounts_pb2.RefreshTokenRequest(refresh_token=tokens.refresh_token)
        )
        assert (again.code, again.reason) == (Code.UNAUTHENTICATED, "TOKEN_INVALID")


async def test_server_tells_its_limits_and_keys() -> None:
    async with serving(largest_message=1000, call_seconds=3.0, heartbeat_seconds=7.0) as served:
        caller = served.caller()
        info = await caller.call("Server/GetServerInfo", server_pb2.GetServerInfoRequest())
        assert (info.limits.max_message_bytes, info.limits.max_call_seconds, info.limits.heartbeat_seconds) == (
            1000,
            3,
            7,
        )
        assert info.version
        assert list(info.api_versions) == ["v1"]
        assert list(info.languages) == list(LANGUAGES)
        [key] = (await caller.call("Server/GetSigningKeys", server_pb2.GetSigningKeysRequest())).keys
        assert (key.kty, key.crv, key.use, key.alg) == ("EC", "P-256", "sig", "ES256")
        assert all((key.kid, key.x, key.y))


async def test_lists_come_in_pages() -> None:
    async with serving() as served:
        guest = await served.guest()
        names = [(await guest.create("bluff", players=2)).name for _ in range(5)]
        found: list[str] = []
        token = ""
        while True:
            request = matches_pb2.ListMatchesRequest(page_size=2, page_token=token)
            page = await guest.call("Matches/ListMatches", request)
            found += [match.name for match in page.matches]
            token = page.next_page_token
            if not token:
                break
        assert found == names[::-1]
        request = matches_pb2.ListMatchesRequest(page_size=2)
        token = (await guest.call("Matches/ListMatches", request)).next_page_token
        other = matches_pb2.ListMatchesRequest(which=matches_pb2.MATCH_LIST_OPEN, page_token=token)
        assert (await guest.refused("Matches/ListMatches", other)).reason == "PAGE_TOKEN_INVALID"


async def test_record_is_whole_when_all_is_over() -> None:
    async with serving() as served:
        guest, other = await served.guest(), await served.guest()
        match = await guest.create("gulam_chor", seats=(0, 1, 2), players=3)
        running = await guest.call("Play/Record", play_pb2.RecordRequest(match=match.name, seat=0))
        assert (running.complete, running.secret) == (False, b"")
        assert not any(entry.shuffles for entry in running.entries)
        for seat in (0, 1):
            request = matches_pb2.ResignMatchRequest(name=match.name, seat=seat)
            match = await guest.call("Matches/ResignMatch", request)
        assert match.state == match_pb2.MATCH_STATE_FINISHED
        assert (list(match.result.placing), match.result.reason) == ([3, 2, 1], match_pb2.END_REASON_RESIGNED)
        assert len(match.secret) == 32
        assert match.turn.phase == "over"
        record = await guest.call("Play/Record", play_pb2.RecordRequest(match=match.name))
        assert (record.complete, record.secret) == (True, match.secret)
        assert [shuffle.number for entry in record.entries for shuffle in entry.shuffles] == [0, 1]
        ended = [e.match_ended for entry in record.entries for e in entry.events if e.HasField("match_ended")]
        assert [end.result for end in ended] == [match.result]
        dealt = next(e.dealt for entry in record.entries for e in entry.events if e.HasField("dealt"))
        assert all(len(hand.cards) == hand.count for hand in dealt.hands)
        assert (await other.refused("Play/Record", play_pb2.RecordRequest(match=match.name))).reason == "NO_ACCESS"


async def test_moments_and_spans_with_impossible_nanos_are_refused_as_in_json() -> None:
    async with serving() as served:
        sita = await served.guest()
        create = matches_pb2.CreateMatchRequest(game="games/bluff")
        for seconds, nanos in ((1, 10**9), (1, -1), (-1, 1), (0, 2**31 - 1), (2**62, 0)):
            create.spectator_delay.seconds, create.spectator_delay.nanos = seconds, nanos
            refused = await sita.refused("Matches/CreateMatch", create)
            assert (refused.code, refused.reason) == (Code.INVALID_ARGUMENT, "REQUEST_INVALID")
            assert "spectator_delay" in refused.message
        create.spectator_delay.FromMilliseconds(1500)
        name = (await sita.call("Matches/CreateMatch", create)).name
        for nanos in (-1, 10**9):
            told = match_pb2.Match(name=name, title="It", create_time=Timestamp(seconds=1, nanos=nanos))
            refused = await sita.refused("Matches/UpdateMatch", matches_pb2.UpdateMatchRequest(match=told))
            assert refused.info.metadata["field"] == "match.create_time"
        told.create_time.nanos = 999_999_999  # the server alone sets it: passed over
        assert (await sita.call("Matches/UpdateMatch", matches_pb2.UpdateMatchRequest(match=told))).title == "It"
