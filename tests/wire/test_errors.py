"""Each exception of ours as a status with its details, and nothing else of it."""

import re
from importlib.resources import files
from pathlib import Path

import pytest
from google.rpc import code_pb2
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo, LocalizedMessage, RetryInfo

from chautari.errors import (
    BeyondHead,
    ChautariError,
    Conflict,
    Exhausted,
    Forbidden,
    Malformed,
    NotFound,
    Refusal,
    RequestReused,
    StaleRevision,
    Unauthenticated,
    Unavailable,
    WrongState,
)
from chautari.v1.errors_pb2 import ErrorReason
from chautari.wire import errors
from chautari.wire.addresses import Proxies
from chautari.wire.errors import Failed, Violation, failed, said_in
from chautari.wire.http import refusals
from chautari.wire.http.crowd import Crowd
from chautari.wire.sentences import sentences

PROTO = (Path(__file__).parents[2] / "protos/chautari/v1/errors.proto").read_text()

EXAMPLES: list[tuple[ChautariError, str]] = [
    (Refusal("MATCH_OVER", "no", code="MATCH_OVER"), "FAILED_PRECONDITION"),
    (Refusal("UNKNOWN_ACTION", "no", code="UNKNOWN_ACTION"), "FAILED_PRECONDITION"),
    (Refusal("NOT_YOUR_TURN", "no", code="NOT_YOUR_TURN", seat=1), "FAILED_PRECONDITION"),
    (Malformed("MALFORMED_ACTION", "no", field="action"), "INVALID_ARGUMENT"),
    (Refusal("NOT_HELD", "no", code="CARD_NOT_HELD"), "FAILED_PRECONDITION"),
    (Refusal("MUST_FOLLOW", "no"), "FAILED_PRECONDITION"),
    (Malformed("BAD_SETTING", "no", field="settings.rounds"), "INVALID_ARGUMENT"),
    (Violation([("name", "no")]), "INVALID_ARGUMENT"),
    (Malformed("NAME_INVALID", "no", field="title"), "INVALID_ARGUMENT"),
    (Malformed("FILTER_INVALID", "at character 7", "filter", position=7), "INVALID_ARGUMENT"),
    (Malformed("ORDER_INVALID", "at character 1", "order_by", position=1), "INVALID_ARGUMENT"),
    (Malformed("PAGE_TOKEN_INVALID", "no", field="page_token"), "INVALID_ARGUMENT"),
    (NotFound("GAME_UNKNOWN", "no", game="whist"), "NOT_FOUND"),
    (Malformed("GAME_UNKNOWN", "no", field="game", game="whist"), "INVALID_ARGUMENT"),
    (Malformed("SEAT_UNKNOWN", "no", field="seats", seat=9, seats=4), "INVALID_ARGUMENT"),
    (BeyondHead("EPOCH_CHANGED", "restored", epoch="e"), "OUT_OF_RANGE"),
    (BeyondHead("BEYOND_HEAD", "no", revision=7), "OUT_OF_RANGE"),
    (RequestReused(), "ALREADY_EXISTS"),
    (StaleRevision(7), "ABORTED"),
    (Unauthenticated("TOKEN_MISSING", "no"), "UNAUTHENTICATED"),
    (Unauthenticated("TOKEN_INVALID", "no"), "UNAUTHENTICATED"),
    (Unauthenticated("TOKEN_EXPIRED", "no"), "UNAUTHENTICATED"),
    (Unauthenticated("TOKEN_REUSED", "no"), "UNAUTHENTICATED"),
    (Forbidden("NO_ACCESS", "no"), "PERMISSION_DENIED"),
    (Forbidden("NOT_SEATED", "no", seat=1), "PERMISSION_DENIED"),
    (Forbidden("NOT_HOST", "no"), "PERMISSION_DENIED"),
    (NotFound("ACCOUNT_UNKNOWN", "no"), "NOT_FOUND"),
    (Forbidden("NOT_SELF", "no"), "PERMISSION_DENIED"),
    (Forbidden("SCOPE_MISSING", "no", scope="play"), "PERMISSION_DENIED"),
    (Forbidden("SIGN_IN_NEEDED", "no"), "PERMISSION_DENIED"),
    (NotFound("KEY_UNKNOWN", "no"), "NOT_FOUND"),
    (Malformed("EXPIRY_INVALID", "no", field="api_key.expire_time"), "INVALID_ARGUMENT"),
    (Exhausted("TOO_MANY_KEYS", "no", limit=20), "RESOURCE_EXHAUSTED"),
    (NotFound("PROVIDER_UNKNOWN", "no"), "NOT_FOUND"),
    (Unavailable("PROVIDER_AWAY", "no"), "UNAVAILABLE"),
    (Unauthenticated("ATTEMPT_INVALID", "no"), "UNAUTHENTICATED"),
    (Unauthenticated("ID_TOKEN_INVALID", "no", part="aud"), "UNAUTHENTICATED"),
    (WrongState("IDENTITY_TAKEN", "no"), "FAILED_PRECONDITION"),
    (Exhausted("TOO_MANY_IDENTITIES", "no", limit=10), "RESOURCE_EXHAUSTED"),
    (Forbidden("ACCOUNT_BANNED", "no", until="2027-01-01T00:00:00Z"), "PERMISSION_DENIED"),
    (NotFound("MATCH_UNKNOWN", "no"), "NOT_FOUND"),
    (Malformed("REASON_MISSING", "no", field="reason"), "INVALID_ARGUMENT"),
    (WrongState("OWN_ACCOUNT", "no"), "FAILED_PRECONDITION"),
    (WrongState("NOT_BANNED", "no"), "FAILED_PRECONDITION"),
    (NotFound("SIGNING_KEY_UNKNOWN", "no"), "NOT_FOUND"),
    (WrongState("MATCH_UNREADABLE", "no"), "FAILED_PRECONDITION"),
    (Malformed("NAME_REFUSED", "no", field="display_name"), "INVALID_ARGUMENT"),
    (Malformed("SAME_ACCOUNT", "no", field="other_access_token"), "INVALID_ARGUMENT"),
    (Unauthenticated("SIGN_IN_OLD", "no", seconds=120), "UNAUTHENTICATED"),
    (Forbidden("NOT_MADE_BY_KEY", "no"), "PERMISSION_DENIED"),
    (NotFound("CODE_UNKNOWN", "no"), "NOT_FOUND"),
    (WrongState("CODE_EXPIRED", "no"), "FAILED_PRECONDITION"),
    (WrongState("SEAT_TAKEN", "no", seat=1), "FAILED_PRECONDITION"),
    (WrongState("MATCH_FULL", "no", free=0), "FAILED_PRECONDITION"),
    (WrongState("MATCH_STARTED", "no"), "FAILED_PRECONDITION"),
    (WrongState("MATCH_NOT_STARTED", "no"), "FAILED_PRECONDITION"),
    (WrongState("MATCH_NOT_OVER", "no"), "FAILED_PRECONDITION"),
    (WrongState("SEATS_OPEN", "no", free=2), "FAILED_PRECONDITION"),
    (WrongState("OTHERS_SEATED", "others have sat down", seat=1), "FAILED_PRECONDITION"),
    (WrongState("NOT_IN_MATCH", "no seat"), "FAILED_PRECONDITION"),
    (Forbidden("REMOVED_BY_HOST", "the host has removed you"), "PERMISSION_DENIED"),
    (Exhausted("TOO_MANY_OPEN_MATCHES", "you host 20", limit=20), "RESOURCE_EXHAUSTED"),
    (WrongState("SEAT_LEFT", "no", seat=1), "FAILED_PRECONDITION"),
    (Exhausted("STORAGE_FULL", "no", retry_after=30), "RESOURCE_EXHAUSTED"),
    (Exhausted("TOO_MANY_REQUESTS", "no", retry_after=0.5), "RESOURCE_EXHAUSTED"),
    (Exhausted("TOO_MANY_STREAMS", "no", limit=8), "RESOURCE_EXHAUSTED"),
    (Exhausted("TOO_MANY_WATCHERS", "no", retry_after=10, limit=5000), "RESOURCE_EXHAUSTED"),
    (Exhausted("MESSAGE_TOO_LARGE", "no", limit=65536), "RESOURCE_EXHAUSTED"),
    (Unavailable("DRAINING", "no"), "UNAVAILABLE"),
    (Unavailable("STORAGE_AWAY", "no"), "UNAVAILABLE"),
    (Unavailable("READER_SLOW", "no"), "UNAVAILABLE"),
    (Unavailable("NO_REPLICA", "no"), "UNAVAILABLE"),
    (Unavailable("MATCH_NEWER", "no"), "UNAVAILABLE"),
    (NotFound("RULES_UNKNOWN", "no", game="bluff", version=1), "NOT_FOUND"),
    (Unavailable("ACCOUNT_NEWER", "no"), "UNAVAILABLE"),
]
OF_THE_WIRE: list[tuple[Failed, str]] = [
    (errors.deadline_passed(), "DEADLINE_EXCEEDED"),
    (errors.method_unknown("/x/Y"), "UNIMPLEMENTED"),
    (errors.fault("ab12"), "INTERNAL"),
    (refusals.path_unknown("/x"), "NOT_FOUND"),
    (refusals.http_method_unknown("PUT", ["GET"]), "UNIMPLEMENTED"),
    (refusals.content_type_unknown("text/plain", ["application/json"]), "INVALID_ARGUMENT"),
    (refusals.request_slow(10), "DEADLINE_EXCEEDED"),
    (refusals.head_too_large(16384), "RESOURCE_EXHAUSTED"),
    (Crowd(2, Proxies()).refusal(), "RESOURCE_EXHAUSTED"),
]


def detail(failure: Failed, kind: type) -> object:
    """The one detail of this kind, None where there is none."""
    found = [any_ for any_ in failure.status.details if any_.Is(kind.DESCRIPTOR)]  # type: ignore[attr-defined]
    if not found:
        return None
    [packed] = found
    message = kind()
    packed.Unpack(message)
    return message


@pytest.mark.parametrize(("error", "code"), EXAMPLES, ids=lambda value: getattr(value, "reason", None))
def test_exception_becomes_the_status_that_the_contract_names(error: ChautariError, code: str) -> None:
    failure = failed(error)
    assert failure.status.code == code_pb2.Code.Value(code)
    assert failure.status.message == error.message
    info = detail(failure, ErrorInfo)
    assert isinstance(info, ErrorInfo)
    assert (info.domain, info.reason) == ("chautari", error.reason)
    assert error.values.items() <= dict(info.metadata).items()
    said = detail(failure, LocalizedMessage)
    assert isinstance(said, LocalizedMessage)
    assert (said.locale, said.message) == ("en", error.message)


@pytest.mark.parametrize(
    ("reason", "code"),
    [(error.reason, code) for error, code in EXAMPLES] + [(failure.reason, code) for failure, code in OF_THE_WIRE],
)
def test_contract_says_the_same_code(reason: str, code: str) -> None:
    comments = re.findall(r"((?:  //.*\n)+)  ERROR_REASON_(\w+) =", PROTO)
    [comment] = [comment for comment, name in comments if name == reason]
    assert code in comment


def test_every_reason_of_the_contract_has_an_example() -> None:
    shown = {error.reason for error, _ in EXAMPLES} | {failure.reason for failure, _ in OF_THE_WIRE}
    assert shown == {name.removeprefix("ERROR_REASON_") for name in ErrorReason.keys()} - {"UNSPECIFIED"}  # noqa: SIM118


def test_plain_conflict_is_aborted() -> None:
    assert failed(Conflict("OVERTAKEN", "no")).status.code == code_pb2.ABORTED


def test_refusal_names_its_rule() -> None:
    info = detail(failed(Refusal("MUST_FOLLOW", "follow hearts", suit="H")), ErrorInfo)
    assert isinstance(info, ErrorInfo)
    assert dict(info.metadata) == {"rule": "MUST_FOLLOW", "suit": "H"}
    plain = detail(failed(Refusal("MATCH_OVER", "no", code="MATCH_OVER")), ErrorInfo)
    assert isinstance(plain, ErrorInfo)
    assert dict(plain.metadata) == {}


@pytest.mark.parametrize(
    ("error", "language", "said"),
    [
        (Refusal("NOT_YOUR_TURN", "no", code="NOT_YOUR_TURN", seat=1), "ne", "अहिले तपाईंको पालो होइन।"),
        (Refusal("CALL_OUT_OF_RANGE", "no", low=1, high=8), "hi", "1 से 8 तक की कॉल कीजिए।"),
        (Refusal("CALL_OUT_OF_RANGE", "no"), "ne", "नियमले अहिले यो गर्न दिँदैन।"),
        (Refusal("OF_A_GAME_TO_COME", "no"), "hi", "नियम अभी इसकी इजाज़त नहीं देते।"),
        (Exhausted("TOO_MANY_REQUESTS", "no", retry_after=1), "ne", "धेरै छिटो भयो: एकछिन पर्खनुहोस्।"),
        (Malformed("EXPIRY_INVALID", "no"), "ne", ""),
    ],
)
def test_refusal_is_said_in_the_language_of_the_caller(error: ChautariError, language: str, said: str) -> None:
    failure = said_in(language, failed(error))
    localized = detail(said_in(language, failure), LocalizedMessage)
    assert isinstance(localized, LocalizedMessage)
    assert (localized.locale, localized.message) == ((language, said) if said else ("en", "no"))
    english = detail(failed(error), LocalizedMessage)
    assert isinstance(english, LocalizedMessage)
    assert (english.locale, english.message) == ("en", "no")
    assert (failure.reason, failure.status.message) == (error.reason, "no")


@pytest.mark.parametrize("failure", [failure for failure, _ in OF_THE_WIRE], ids=lambda failure: failure.reason)
def test_what_a_front_refuses_by_itself_is_said_in_each_language(failure: Failed) -> None:
    for language in ("ne", "hi"):
        localized = detail(said_in(language, failure), LocalizedMessage)
        assert isinstance(localized, LocalizedMessage)
        assert localized.locale == language


def test_sentences_are_of_what_there_is_and_in_each_language() -> None:
    rooms = [Path(str(files(f"chautari.{room}"))) for room in ("engine", "kit", "games")]
    source = "".join(file.read_text() for room in rooms for file in room.glob("*.py"))
    known = sentences()
    assert known["reasons"].keys() <= {name.removeprefix("ERROR_REASON_") for name in ErrorReason.keys()}  # noqa: SIM118
    assert [rule for rule in known["rules"] if f'"{rule}"' not in source] == []
    for words in (*known["reasons"].values(), *known["rules"].values()):
        assert words.keys() == {"ne", "hi"}
        named = [re.findall(r"{(\w+)}", text) for text in words.values()]
        assert named[0] == named[1]
    said_as_it_is = "".join(text for words in known["reasons"].values() for text in words.values())
    assert "{" not in said_as_it_is
    for rule, words in known["rules"].items():
        for name in re.findall(r"{(\w+)}", words["ne"]):
            assert re.search(rf'Refusal\(\s*"{rule}",[^)]*\b{name}=', source), f"{rule} tells no {name}"


def test_malformed_names_its_fields() -> None:
    bad = detail(failed(Malformed("BAD_SETTING", "rounds must be 1 to 9", field="settings.rounds")), BadRequest)
    assert isinstance(bad, BadRequest)
    assert [(v.field, v.description) for v in bad.field_violations] == [("settings.rounds", "rounds must be 1 to 9")]
    several = detail(failed(Violation([("name", "a"), ("seats[1]", "b")])), BadRequest)
    assert isinstance(several, BadRequest)
    assert [(v.field, v.description) for v in several.field_violations] == [("name", "a"), ("seats[1]", "b")]
    assert detail(failed(Malformed("REQUEST_INVALID", "no")), BadRequest) is None


def test_waiting_is_told_where_it_helps() -> None:
    retry = detail(failed(Exhausted("TOO_MANY_REQUESTS", "no", retry_after=0.25)), RetryInfo)
    assert isinstance(retry, RetryInfo)
    assert retry.retry_delay.ToMilliseconds() == 250
    assert isinstance(detail(failed(Unavailable("STORAGE_AWAY", "no")), RetryInfo), RetryInfo)
    assert detail(failed(Exhausted("TOO_MANY_KEYS", "no")), RetryInfo) is None


def test_what_a_caller_made_long_still_fits_into_a_header() -> None:
    long = "ताश" * 10_000
    failure = failed(Violation([(long, long)] * 100))
    assert len(failure.status.SerializeToString()) * 4 / 3 + 3 * len(failure.status.message.encode()) < 8 * 1024
    plain = failed(Malformed("MALFORMED_ACTION", "x" * 70_000, field="action", word="y" * 70_000))
    assert len(plain.status.SerializeToString()) < 2048


def test_fault_tells_its_incident_only() -> None:
    failure = errors.fault("ab12")
    info = detail(failure, ErrorInfo)
    assert isinstance(info, ErrorInfo)
    assert dict(info.metadata) == {"incident": "ab12"}
    assert [type_.TypeName() for type_ in failure.status.details] == [
        "google.rpc.ErrorInfo",
        "google.rpc.LocalizedMessage",
    ]
