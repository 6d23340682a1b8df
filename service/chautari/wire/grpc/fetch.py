"""Fetching a record from a server, without a client library."""

from typing import Final

import grpc

from chautari.errors import Forbidden, Malformed, Unavailable
from chautari.v1 import accounts_pb2, play_pb2

_SECONDS: Final = 60.0
_LARGEST: Final = 64 * 1024 * 1024


def fetch_record(server: str, match: str, seat: int | None, token: str, tls: bool) -> play_pb2.MatchRecord:
    """The whole record of a match. token: an access token or a key; empty: that of a new guest.

    Forbidden `NO_ACCESS`, Malformed where the server does not understand, Unavailable where it does not answer.
    """
    options = [("grpc.max_receive_message_length", _LARGEST)]
    channel = (
        grpc.secure_channel(server, grpc.ssl_channel_credentials(), options=options)
        if tls
        else grpc.insecure_channel(server, options=options)
    )
    with channel:
        try:
            return _download(channel, play_pb2.DownloadRecordRequest(match=match, seat=seat), token or _guest(channel))
        except grpc.RpcError as error:
            raise _refusal(error) from error


def _download(channel: grpc.Channel, request: play_pb2.DownloadRecordRequest, token: str) -> play_pb2.MatchRecord:
    download = channel.unary_stream(
        "/chautari.v1.Play/DownloadRecord",
        request_serializer=play_pb2.DownloadRecordRequest.SerializeToString,
        response_deserializer=play_pb2.RecordPart.FromString,
    )
    record = play_pb2.MatchRecord()
    for part in download(request, metadata=(("authorization", f"Bearer {token}"),), timeout=_SECONDS):
        if part.HasField("end") and part.end.cause == play_pb2.END_CAUSE_ALL_SENT:
            return record
        record.MergeFrom(part.record)
    raise Unavailable("STORAGE_AWAY", "the record broke off: try again")


def _guest(channel: grpc.Channel) -> str:
    create = channel.unary_unary(
        "/chautari.v1.Accounts/CreateGuest",
        request_serializer=accounts_pb2.CreateGuestRequest.SerializeToString,
        response_deserializer=accounts_pb2.CreateGuestResponse.FromString,
    )
    answer: accounts_pb2.CreateGuestResponse = create(accounts_pb2.CreateGuestRequest(), timeout=_SECONDS)
    return answer.tokens.access_token


def _refusal(error: grpc.RpcError) -> Exception:
    code, says = error.code(), str(error.details())
    if code in (grpc.StatusCode.PERMISSION_DENIED, grpc.StatusCode.UNAUTHENTICATED):
        return Forbidden("NO_ACCESS", says)
    if code is grpc.StatusCode.INVALID_ARGUMENT:
        return Malformed("REQUEST_INVALID", says)
    return Unavailable("STORAGE_AWAY", f"the server does not give it ({code.name}): {says}")
