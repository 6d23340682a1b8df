"""Matches for the tests of the store: made up ones, and real ones played at random."""

import secrets
from collections.abc import Iterator
from hashlib import sha256
from random import Random
from typing import Any

import msgspec

from chautari import engine
from chautari.app import events as journal
from chautari.app.account_values import Account, AccountKind, ApiKey, LinkedIdentity, RefreshToken, SpentAttempt
from chautari.app.events import MatchStarted
from chautari.app.scopes import Scope
from chautari.app.values import (
    SECOND,
    Cause,
    Chair,
    Disclosure,
    DueKind,
    EndReason,
    Entry,
    Match,
    MatchState,
    Outcome,
    Privacy,
    RequestKey,
    SeatState,
    StartRule,
)

SECRET = b"the secret of this match, sealed"


def new_id() -> str:
    """An id as the app makes them."""
    return secrets.token_hex(10)


def make_account(account_id: str | None = None) -> Account:
    """A guest."""
    return Account(
        id=account_id or new_id(), kind=AccountKind.GUEST, display_name="सीता", language="ne", created_at=1_000_000
    )


def make_token(account_id: str, family: str = "family", **changed: Any) -> RefreshToken:
    """A refresh token that is valid for long."""
    token = RefreshToken(digest=secrets.token_bytes(32), family=family, account_id=account_id, expires_at=2**52)
    return msgspec.structs.replace(token, **changed)


def make_key(account_id: str, **changed: Any) -> ApiKey:
    """An API key that holds for long."""
    key = ApiKey(
        id=new_id(), account_id=account_id, digest=secrets.token_bytes(32), title="बोट", created_at=1_000_000,
        scopes=frozenset({Scope.READ, Scope.PLAY}),
    )  # fmt: skip
    return msgspec.structs.replace(key, **changed)


def make_identity(account_id: str, subject: str = "sita", **changed: Any) -> LinkedIdentity:
    """An identity of a provider."""
    identity = LinkedIdentity(
        id=new_id(), account_id=account_id, issuer="https://accounts.example", subject=subject, linked_at=1_000_000
    )
    return msgspec.structs.replace(identity, **changed)


def make_attempt(again_until: int = 2**52, kept_until: int = 2**52) -> SpentAttempt:
    """An attempt to sign in."""
    return SpentAttempt(secrets.token_bytes(32), again_until, kept_until)


def make_request(what: str = "") -> RequestKey:
    """A new request id, for a request of this content."""
    return RequestKey(secrets.token_bytes(16), sha256(what.encode()).digest())


def make_chairs(*account_ids: str | None) -> tuple[Chair, ...]:
    """Chairs taken by these accounts; None leaves one open."""
    return tuple(
        Chair(number=number)
        if account_id is None
        else Chair(
            number=number, state=SeatState.TAKEN, account_id=account_id, display_name="सीता",
            contribution=sha256(account_id.encode()).digest(), since=number + 1,
        )
        for number, account_id in enumerate(account_ids)
    )  # fmt: skip


def make_match(*account_ids: str | None, **changed: Any) -> Match:
    """A private match at revision 1 that is seating, hosted by the first of these accounts."""
    match_id = changed.get("id") or new_id()
    settings = {"players": len(account_ids), "remove": "KS"}
    committed = engine.commitment(match=match_id, game="gulam_chor", version=1, settings=settings, secret=SECRET)
    match = Match(
        id=match_id, game="gulam_chor", rules_version=1, settings=settings,
        title="शुक्रबार", state=MatchState.SEATING, privacy=Privacy.PRIVATE, disclosure=Disclosure.FULL,
        start_rule=StartRule.AUTOMATIC, host=account_ids[0] or "nobody", chairs=make_chairs(*account_ids), revision=1,
        commitment=committed, secret=SECRET, code=None, code_expires_at=None,
        link=secrets.token_urlsafe(24), created_at=1_000_000,
    )  # fmt: skip
    return msgspec.structs.replace(match, **changed)


def make_entry(match: Match, **changed: Any) -> Entry:
    """An entry for the revision that the match has."""
    entry = Entry(match_id=match.id, revision=match.revision, cause=Cause.SEAT, seat=0, action="draw", events=b"\x90")
    return msgspec.structs.replace(entry, **changed)


def following(match: Match, **changed: Any) -> Match:
    """The match one revision on."""
    return msgspec.structs.replace(match, **({"revision": match.revision + 1} | changed))


def play(key: str, players: int, seed: int, **settings: Any) -> Iterator[tuple[Match, Entry]]:
    """A match of this game played at random, as the app would commit it: the match and the entry of each revision.

    Its bytes are random where those of real matches are, so that packing is measured fairly.
    """
    from chautari.games import find_game  # all games: the server that is killed does without

    random = Random(seed)
    game = find_game(key)
    chosen = game.read_settings({"players": players, **settings})
    account_ids = [new_id() for _ in range(players)]
    match = make_match(
        *account_ids, game=key, settings=msgspec.structs.asdict(chosen), secret=secrets.token_bytes(32),
        created_at=1_790_000_000 * SECOND,
    )  # fmt: skip
    fair = engine.FairStream(
        match=match.id, game=key, version=1, secret=match.secret, contributions=[c.contribution for c in match.chairs]
    )
    step = engine.begin(game, chosen, fair)
    events: list[Any] = [MatchStarted(), *step.events]
    entry = make_entry(
        match, cause=Cause.SEATING, seat=None, action="", account_id=account_ids[0], request=make_request()
    )
    while True:
        position = step.position
        result = position.result
        match = msgspec.structs.replace(
            match, state=MatchState.PLAYING, started_at=match.created_at + SECOND, shuffles=fair.used,
            must=position.must, snapshot=engine.encode(position),
        )  # fmt: skip
        if result is not None:
            match = msgspec.structs.replace(
                match, state=MatchState.FINISHED, ended_at=match.created_at + 900 * SECOND, due_kind=DueKind.PACK,
                due_at=match.created_at + 1800 * SECOND,
                outcome=Outcome(result.placing, result.score, result.aborted, EndReason.PLAYED),
            )  # fmt: skip
        yield match, msgspec.structs.replace(entry, events=journal.encode(events))
        if result is not None:
            return
        seat = random.choice(position.turn)
        action = engine.sample(position, seat, random)
        if action is None:
            continue
        step = engine.act(position, seat, action, fair)
        events = list(step.events)
        match = following(match)
        entry = make_entry(match, seat=seat, action=action, account_id=account_ids[seat], request=make_request())
