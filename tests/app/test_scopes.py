"""Scopes: which includes which, and their text form."""

import pytest

from chautari.app import tokens
from chautari.app.scopes import (
    ACCOUNT_SCOPES,
    Scope,
    check_scope,
    known_scopes,
    read_scopes,
    with_included,
    write_scopes,
)
from chautari.errors import Forbidden, Malformed
from tests.app.tables import running_app


def test_scopes_include_others() -> None:
    assert with_included([]) == frozenset()
    assert with_included([Scope.READ]) == {Scope.READ}
    assert with_included([Scope.BOT]) == {Scope.READ, Scope.PLAY, Scope.BOT}
    assert with_included([Scope.PLAY, Scope.OPERATE]) == {Scope.READ, Scope.PLAY, Scope.OPERATE}
    assert with_included(ACCOUNT_SCOPES) == ACCOUNT_SCOPES
    assert Scope.OPERATE not in ACCOUNT_SCOPES
    for scope in Scope:
        assert Scope.READ in with_included([scope])


def test_a_text_of_scopes_is_read_back() -> None:
    assert write_scopes({Scope.PLAY, Scope.READ}) == "read play"
    assert read_scopes("read play") == {Scope.READ, Scope.PLAY}
    assert read_scopes("") == frozenset()
    with pytest.raises(Malformed) as refused:
        read_scopes("read everything")
    assert refused.value.reason == "SCOPE_UNKNOWN"


def test_a_missing_scope_is_named() -> None:
    check_scope(ACCOUNT_SCOPES, Scope.PLAY)
    with pytest.raises(Forbidden) as refused:
        check_scope(ACCOUNT_SCOPES, Scope.OPERATE)
    assert (refused.value.reason, refused.value.values) == ("SCOPE_MISSING", {"scope": "operate"})


async def test_a_scope_of_a_newer_release_allows_nothing_and_forbids_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A token that another replica has signed during an upgrade."""
    assert known_scopes("play sing") == {Scope.PLAY}
    monkeypatch.setattr(tokens, "write_scopes", lambda _scopes: "play sing")
    async with running_app() as app:
        signed_in = await app.accounts.create_guest("Sita", "en")
        assert (await app.accounts.authenticate(signed_in.tokens.access)).scopes == {Scope.PLAY}


async def test_an_access_token_carries_its_scopes() -> None:
    async with running_app() as app:
        signed_in = await app.accounts.create_guest("Sita", "en")
        assert (await app.accounts.authenticate(signed_in.tokens.access)).scopes == ACCOUNT_SCOPES
        token, _ = await app._signer.sign("sita", "s", app.store.clock(), frozenset({Scope.READ}))
        assert (await app.accounts.authenticate(token)).scopes == {Scope.READ}
