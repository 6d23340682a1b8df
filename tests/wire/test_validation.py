"""What is said of a field that breaks a rule of its message: what it should be, to somebody who knows no such rules."""

from typing import Any

import pytest
from google.protobuf.message import Message

from chautari.v1 import games_pb2, hosting_pb2, identities_pb2, keys_pb2, matches_pb2
from chautari.wire.errors import Violation
from chautari.wire.validation import check_rules


def said(request: Message) -> dict[str, str]:
    """What is said, by field."""
    with pytest.raises(Violation) as refused:
        check_rules(request)
    return dict(refused.value.fields)


@pytest.mark.parametrize(
    ("request_", "field", "says"),
    [
        (
            matches_pb2.CreateMatchRequest(game="bluff"),
            "game",
            "must be of the form games/{game}, in small letters, digits and _",
        ),
        (matches_pb2.GetMatchRequest(name="m1"), "name", "must be of the form matches/{match}, in small letters"),
        (
            keys_pb2.GetApiKeyRequest(name="accounts/me"),
            "name",
            "must be of the form accounts/{account}/keys/{key}, in small letters",
        ),
        (
            identities_pb2.UnlinkIdentityRequest(name="x"),
            "name",
            "must be of the form accounts/{account}/identities/{identity}, in small letters",
        ),
        (
            identities_pb2.BeginIdentityRequest(provider="google"),
            "provider",
            "must be of the form providers/{provider}, in small letters, digits and -",
        ),
        (
            hosting_pb2.ReadmitToMatchRequest(name="matches/a", account="Asha"),
            "account",
            "must be of the form accounts/{account}, in small letters",
        ),
        (games_pb2.ListGamesRequest(language="नेपाली"), "language", "must be a language such as ne or ne-NP"),
        (matches_pb2.JoinMatchRequest(), "by", "one of name, code, link must be given"),
        (matches_pb2.FindMatchRequest(), "by", "one of code, link must be given"),
        (games_pb2.ListGamesRequest(page_size=-1), "page_size", "must be greater than or equal to 0"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Message) else None,
)
def test_what_a_field_should_be_is_said(request_: Any, field: str, says: str) -> None:
    told = said(request_)
    assert told.keys() == {field}
    assert told[field].startswith(says)
    assert "regex" not in told[field]
