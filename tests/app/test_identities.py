"""Identities of providers: what an ID token must say, and what comes of it."""

import asyncio
import json
import time
from base64 import urlsafe_b64encode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from joserfc import jwt
from joserfc.jwk import ECKey, OctKey

from chautari.app.account_values import AccountKind
from chautari.app.accounts import SignedIn
from chautari.app.attempts import Attempts
from chautari.app.caller import Caller
from chautari.app.providers import LOOKS, Provider, ProviderKeys, read_providers
from chautari.app.service import App
from chautari.app.values import SECOND
from chautari.errors import ChautariError, Malformed, Unauthenticated
from chautari.wire.fetch import fetch
from tests.app.issuer import CLIENT, Issuer, rsa_key, running_issuer
from tests.app.tables import guest, running_app

NOBODY = Caller(None)


@asynccontextmanager
async def trusting(**changed: Any) -> AsyncIterator[tuple[App, Issuer]]:
    """An application that trusts an issuer."""
    async with running_issuer() as issuer, running_app(providers=[issuer.provider(**changed)], fetch=fetch) as app:
        yield app, issuer


async def sign_in(app: App, issuer: Issuer, caller: Caller = NOBODY, **claims: Any) -> SignedIn:
    """Signs in with a new attempt, and an ID token with these claims."""
    begun = app.identities.begin(caller, "home")
    return await app.identities.sign_in(caller, begun.attempt, issuer.token(begun.nonce, **claims), "", "ne")


async def refused(awaitable: Any) -> ChautariError:
    """The refusal of a call."""
    with pytest.raises(ChautariError) as error:
        await awaitable
    return error.value


async def wrong_part(awaitable: Any) -> str:
    """What is wrong with an ID token."""
    error = await refused(awaitable)
    assert isinstance(error, Unauthenticated)
    assert error.reason == "ID_TOKEN_INVALID"
    return error.values["part"]


# ── What comes of it ──────────────────────────────────────────────────────────────────────────────────────────────────


async def test_somebody_unknown_gets_an_account_and_comes_back_to_it() -> None:
    async with trusting() as (app, issuer):
        first = await sign_in(app, issuer)
        assert first.is_new
        assert first.account.kind is AccountKind.LINKED
        assert first.account.display_name
        assert first.account.language == "ne"
        again = await sign_in(app, issuer, aud=["chautari-phone"])
        assert (again.is_new, again.account) == (False, first.account)
        assert (await app.accounts.authenticate(again.tokens.access)).account_id == first.account.id
        await app.accounts.refresh(again.tokens.refresh)
        assert (await sign_in(app, issuer, sub="hari")).account.id != first.account.id
        [linked], _ = await app.identities.list_identities(Caller(first.account.id), "me", 0, "")
        assert (linked.issuer, linked.subject) == (issuer.url, "sita")
        assert linked.last_used_at is not None


async def test_a_guest_is_linked_and_keeps_its_id() -> None:
    async with trusting() as (app, issuer):
        sita = await guest(app)
        begun = app.identities.begin(sita, "home")
        token = issuer.token(begun.nonce)
        linked = await app.identities.link(sita, "me", begun.attempt, token)
        assert await app.identities.link(sita, "me", begun.attempt, token) == linked
        assert (await app.accounts.get(sita, "me")).kind is AccountKind.LINKED
        assert (await sign_in(app, issuer)).account.id == sita.account
        await app.identities.unlink(sita, "me", linked.id)
        await app.identities.unlink(sita, "me", linked.id)
        assert (await app.accounts.get(sita, "me")).kind is AccountKind.GUEST
        assert (await sign_in(app, issuer)).account.id != sita.account


async def test_an_identity_is_of_one_account() -> None:
    async with trusting() as (app, issuer):
        owner = await sign_in(app, issuer)
        sita = await guest(app)
        begun = app.identities.begin(sita, "home")
        token = issuer.token(begun.nonce)
        assert (await refused(app.identities.link(sita, "me", begun.attempt, token))).reason == "IDENTITY_TAKEN"
        signed_in = await app.identities.sign_in(sita, begun.attempt, token, "", "en")
        assert signed_in.account == owner.account


async def test_eight_sign_ins_at_once_make_one_account() -> None:
    async with trusting() as (app, issuer):
        signed_in = await asyncio.gather(*(sign_in(app, issuer) for _ in range(8)))
        assert len({one.account.id for one in signed_in}) == 1
        assert sum(one.is_new for one in signed_in) == 1


async def test_others_identities_are_not_told_and_not_touched() -> None:
    async with trusting() as (app, issuer):
        owner = Caller((await sign_in(app, issuer)).account.id)
        [linked], _ = await app.identities.list_identities(owner, "me", 0, "")
        sita = await guest(app)
        for call in (
            app.identities.list_identities(sita, owner.account, 0, ""),
            app.identities.unlink(sita, owner.account, linked.id),
            app.identities.link(sita, owner.account, "x", "y"),
        ):
            assert (await refused(call)).reason == "NOT_SELF"
        await app.identities.unlink(sita, "me", linked.id)
        assert (await app.identities.list_identities(owner, "me", 0, ""))[0] == [linked]


async def test_an_account_is_linked_to_ten_identities_and_lists_them_in_pages() -> None:
    async with trusting() as (app, issuer):
        sita = await guest(app)
        for number in range(11):
            begun = app.identities.begin(sita, "home")
            link = app.identities.link(sita, "me", begun.attempt, issuer.token(begun.nonce, sub=f"s{number}"))
            if number == 10:
                assert (await refused(link)).reason == "TOO_MANY_IDENTITIES"
            else:
                await link
        first, token = await app.identities.list_identities(sita, "me", 7, "")
        rest, last = await app.identities.list_identities(sita, "me", 7, token)
        assert sorted(one.subject for one in first + rest) == [f"s{number}" for number in range(10)]
        assert (len(rest), last) == (3, "")


# ── Attempts ──────────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_only_who_began_an_attempt_completes_it() -> None:
    async with trusting() as (app, issuer):
        sita, hari = await guest(app), await guest(app)
        begun = app.identities.begin(sita, "home")
        token = issuer.token(begun.nonce)
        for caller in (hari, NOBODY):
            call = app.identities.sign_in(caller, begun.attempt, token, "", "en")
            assert (await refused(call)).reason == "ATTEMPT_INVALID"
        assert (await refused(app.identities.link(hari, "me", begun.attempt, token))).reason == "ATTEMPT_INVALID"
        other = app.identities.begin(sita, "home")
        assert await wrong_part(app.identities.link(sita, "me", other.attempt, token)) == "nonce"
        await app.identities.link(sita, "me", begun.attempt, token)


async def test_an_attempt_is_completed_once_but_for_a_lost_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    async with trusting() as (app, issuer):
        begun = app.identities.begin(NOBODY, "home")
        token = issuer.token(begun.nonce)
        first = await app.identities.sign_in(NOBODY, begun.attempt, token, "", "en")
        again = await app.identities.sign_in(NOBODY, begun.attempt, token, "", "en")
        assert first.account == again.account
        later = app.store.clock() + 61 * SECOND
        monkeypatch.setattr(app.store._clock, "now", lambda: later)  # type: ignore[attr-defined]
        call = app.identities.sign_in(NOBODY, begun.attempt, token, "", "en")
        assert (await refused(call)).reason == "ATTEMPT_INVALID"


async def test_an_attempt_that_is_old_changed_or_of_another_server_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    async with trusting() as (app, issuer):
        begun = app.identities.begin(NOBODY, "home")
        token = issuer.token(begun.nonce)
        other = Attempts(b"another key", app.store.clock).begin("home", None)
        first = "B" if begun.attempt.startswith("A") else "A"
        changed = [begun.attempt[:-2], begun.attempt + "AA", first + begun.attempt[1:]]
        for attempt in ("", "x", "é", "\ud800", *changed, other.attempt):
            call = app.identities.sign_in(NOBODY, attempt, token, "", "en")
            assert (await refused(call)).reason == "ATTEMPT_INVALID", attempt
        later = app.store.clock() + 600 * SECOND
        monkeypatch.setattr(app.identities._attempts, "_clock", lambda: later)
        call = app.identities.sign_in(NOBODY, begun.attempt, token, "", "en")
        assert (await refused(call)).reason == "ATTEMPT_INVALID"


async def test_a_provider_that_is_not_trusted_is_unknown() -> None:
    async with running_app() as app:
        with pytest.raises(ChautariError) as error:
            app.identities.begin(NOBODY, "home")
        assert error.value.reason == "PROVIDER_UNKNOWN"
        assert app.identities.providers == []


def listed(*keys: str) -> list[Provider]:
    """Providers with these keys."""
    return [Provider(key=key, name=key, issuer=f"https://{key}.example", audiences=(CLIENT,)) for key in keys]


async def test_providers_come_in_pages() -> None:
    keys = ["a", "c", "b"]
    async with running_app(providers=listed(*keys)) as app:
        found, token = app.identities.list_providers(2, "")
        more, end = app.identities.list_providers(2, token)
        assert ([one.key for one in [*found, *more]], end) == (keys, "")
        assert [one.key for one in app.identities.list_providers(0, "")[0]] == keys
        with pytest.raises(Malformed):  # an older replica, whose tokens are numbers, takes none of these for its own
            app.identities._tokens.read(token, ("providers",))
        made = app.identities._tokens.make
        for wrong in (token[:-2], made(("identities", "x"), "c"), made(("providers",), 2)):  # the last is an older one
            with pytest.raises(Malformed) as caught:
                app.identities.list_providers(2, wrong)
            assert caught.value.reason == "PAGE_TOKEN_INVALID"


@pytest.mark.parametrize(
    ("changed", "then"),
    [("xacb", "b"), ("cb", "b"), ("acxb", "xb"), ("ac", ""), ("ab", None), ("", None)],
    ids=["before", "gone before", "behind", "gone behind", "the last gone", "all gone"],
)
async def test_a_list_of_providers_that_changes_between_two_pages_repeats_and_skips_none(
    changed: str, then: str | None
) -> None:
    async with running_app(providers=listed(*"acb"), page_key=b"of all replicas") as app:
        token = app.identities.list_providers(2, "")[1]
    async with running_app(providers=listed(*changed), page_key=b"of all replicas") as app:
        if then is None:
            with pytest.raises(Malformed) as caught:
                app.identities.list_providers(2, token)
            assert (caught.value.reason, caught.value.field) == ("PAGE_TOKEN_INVALID", "page_token")
        else:
            assert "".join(provider.key for provider in app.identities.list_providers(2, token)[0]) == then


# ── What an ID token must say ─────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("claims", "part"),
    [
        ({"iss": "https://elsewhere.example"}, "iss"),
        ({"iss": None}, "iss"),
        ({"aud": "another"}, "aud"),
        ({"aud": []}, "aud"),
        ({"aud": None}, "aud"),
        ({"aud": {"chautari-web": 1}}, "aud"),
        ({"aud": [CLIENT, "another"]}, "azp"),
        ({"aud": [CLIENT, "another"], "azp": "another"}, "azp"),
        ({"azp": "another"}, "azp"),
        ({"exp": 5}, "exp"),
        ({"exp": None}, "exp"),
        ({"exp": "2099"}, "exp"),
        ({"exp": True}, "exp"),
        ({"iat": None}, "iat"),
        ({"iat": 2**40}, "iat"),
        ({"iat": int(time.time()) - 3600}, "iat"),
        ({"nbf": 2**40}, "nbf"),
        ({"nonce": "another"}, "nonce"),
        ({"nonce": None}, "nonce"),
        ({"sub": ""}, "sub"),
        ({"sub": None}, "sub"),
        ({"sub": 7}, "sub"),
        ({"sub": "x" * 256}, "sub"),
        ({"sub": "a\x00b"}, "sub"),
    ],
)
async def test_a_claim_that_is_not_as_it_must_be_is_named(claims: dict[str, Any], part: str) -> None:
    async with trusting() as (app, issuer):
        assert await wrong_part(sign_in(app, issuer, **claims)) == part


async def test_a_token_for_several_is_taken_from_the_one_it_was_given_to() -> None:
    async with trusting() as (app, issuer):
        assert (await sign_in(app, issuer, aud=["another", CLIENT], azp=CLIENT)).is_new


async def test_only_the_provider_s_keys_and_its_algorithms_sign() -> None:
    async with trusting(algorithms=("RS256",)) as (app, issuer):
        curve = ECKey.generate_key("P-256", {"kid": "ec"})
        issuer.keys.append(curve)
        stranger = rsa_key(1)
        named = rsa_key(0).kid
        public = json.dumps(issuer.keys[0].as_dict(private=False))

        async def part(token_of: Any) -> str:
            begun = app.identities.begin(NOBODY, "home")
            return await wrong_part(app.identities.sign_in(NOBODY, begun.attempt, token_of(begun.nonce), "", "en"))

        assert await part(lambda nonce: issuer.token(nonce, key=curve)) == "alg"
        assert await part(lambda nonce: issuer.token(nonce, header={"alg": "RS512"})) == "alg"
        assert await part(lambda nonce: issuer.token(nonce, key=stranger)) == "kid"
        assert await part(lambda nonce: issuer.token(nonce, key=stranger, header={"kid": named})) == "signature"
        confused = OctKey.import_key(public)
        head, hs = {"alg": "HS256", "kid": named}, ["HS256"]
        assert await part(lambda nonce: jwt.encode(head, {"nonce": nonce}, confused, algorithms=hs)) == "alg"

        def unsigned(nonce: str) -> str:
            head = urlsafe_b64encode(json.dumps({"alg": "none", "kid": named}).encode()).decode().rstrip("=")
            return f"{head}.{issuer.token(nonce).split('.')[1]}."

        assert await part(unsigned) == "alg"
        assert await part(lambda nonce: issuer.token(nonce)[:-4] + "AAAA") == "signature"
        critical = urlsafe_b64encode(json.dumps({"alg": "RS256", "kid": named, "crit": ["b64"], "b64": False}).encode())
        assert await part(lambda nonce: f"{critical.decode()}.{issuer.token(nonce).partition('.')[2]}") == "header"
        for broken in ("", "x", "x.y.z", "e30.e30.e30", "W10.e30.e30", "\ud800", "." * 50, "bnVsbA.e30."):
            assert await part(lambda nonce, broken=broken: broken) == "header"


async def test_a_curve_signs_too() -> None:
    async with trusting() as (app, issuer):
        issuer.keys = [ECKey.generate_key("P-256", {"kid": "ec"})]
        assert (await sign_in(app, issuer)).is_new


# ── Keys that change ──────────────────────────────────────────────────────────────────────────────────────────────────


async def test_keys_are_fetched_once_and_again_when_they_change() -> None:
    async with trusting() as (app, issuer):
        for number in range(5):
            await sign_in(app, issuer, sub=f"s{number}")
        assert issuer.asked["/keys"] == 1
        issuer.keys = [rsa_key(1), rsa_key(0)]
        await asyncio.gather(*(sign_in(app, issuer) for _ in range(4)))
        assert issuer.asked["/keys"] == 2
        await sign_in(app, issuer, key=rsa_key(0))
        issuer.keys = [rsa_key(1)]
        await sign_in(app, issuer, key=rsa_key(0))


async def test_unknown_keys_make_us_ask_so_often_only() -> None:
    async with trusting() as (app, issuer):
        for number in range(3 * LOOKS):
            assert await wrong_part(sign_in(app, issuer, header={"kid": f"unknown{number}"})) == "kid"
        assert issuer.asked["/keys"] == 1 + LOOKS
        await sign_in(app, issuer)


async def test_keys_are_kept_for_a_while_where_the_provider_is_away() -> None:
    async with running_issuer() as issuer:
        now = [0.0]
        keys = ProviderKeys(issuer.provider(), fetch, lambda: now[0])
        issuer.away = True
        assert (await refused(keys.find("rsa0", "RS256"))).reason == "PROVIDER_AWAY"
        issuer.away = False
        assert await keys.find("rsa0", "RS256") is not None
        issuer.away = True
        now[0] = 2 * 3600.0
        assert await keys.find("rsa0", "RS256") is not None
        assert await keys.find("rsa0", "ES256") is None
        now[0] = 25 * 3600.0
        assert (await refused(keys.find("rsa0", "RS256"))).reason == "PROVIDER_AWAY"


async def test_a_token_without_a_key_id_needs_a_provider_with_one_key() -> None:
    async with running_issuer() as issuer:
        keys = ProviderKeys(issuer.provider(), fetch)
        assert await keys.find(None, "RS256") is not None
        issuer.keys.append(rsa_key(1))
        assert await ProviderKeys(issuer.provider(), fetch).find(None, "RS256") is None


async def test_keys_that_we_cannot_use_are_passed_over() -> None:
    async with running_issuer() as issuer:
        good = issuer.keys[0].as_dict(private=False)
        odd: list[Any] = [
            {"kty": "XX"}, {}, 7, None, [], {"kty": "RSA", "n": "AA", "e": "AQAB"},
            {**good, "kid": "enc", "use": "enc"}, {**good, "kid": "short", "n": "s" * 171}, good,
        ]  # fmt: skip
        issuer.documents["/keys"] = json.dumps({"keys": odd}).encode()
        keys = ProviderKeys(issuer.provider(), fetch)
        assert await keys.find("rsa0", "RS256") is not None
        assert await keys.find("enc", "RS256") is None
        assert await keys.find("short", "RS256") is None


# ── What is fetched ───────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "document",
    [
        b"", b"[]", b"null", b"{", b"[" * 100_000, b"\xff", b'{"issuer": "https://elsewhere.example", "jwks_uri": "x"}',
        b'{"issuer": 7}', b"{" + b" " * 300_000 + b"}",
    ],
)  # fmt: skip
async def test_a_configuration_that_is_none_makes_the_provider_away(document: bytes) -> None:
    async with trusting() as (app, issuer):
        issuer.documents["/.well-known/openid-configuration"] = document
        assert (await refused(sign_in(app, issuer))).reason == "PROVIDER_AWAY"


@pytest.mark.parametrize(
    "place",
    [
        "http://10.0.0.1/keys", "https://10.0.0.1/keys", "https://[fd00::1]/keys", "http://93.184.216.34/keys",
        "file:///etc/passwd", "//", "ftp://127.0.0.1/keys", "https://169.254.169.254/latest", "https://0.0.0.0/",
    ],
)  # fmt: skip
async def test_keys_of_a_place_that_is_not_to_be_asked_are_not_fetched(place: str) -> None:
    async with trusting() as (app, issuer):
        configuration = json.dumps({"issuer": issuer.url, "jwks_uri": place}).encode()
        issuer.documents["/.well-known/openid-configuration"] = configuration
        assert (await refused(sign_in(app, issuer))).reason == "PROVIDER_AWAY"
        del issuer.documents["/.well-known/openid-configuration"]
        issuer.documents["/keys"] = place
        assert (await refused(sign_in(app, issuer))).reason == "PROVIDER_AWAY"


async def test_redirects_are_followed_a_few_times_only() -> None:
    async with trusting() as (app, issuer):
        issuer.documents["/keys"] = "/moved"
        issuer.documents["/moved"] = json.dumps({"keys": [issuer.keys[0].as_dict(private=False)]}).encode()
        assert (await sign_in(app, issuer)).is_new
    async with trusting() as (app, issuer):
        issuer.documents["/keys"] = "/keys"
        assert (await refused(sign_in(app, issuer))).reason == "PROVIDER_AWAY"
        assert issuer.asked["/keys"] == 4


async def test_an_issuer_elsewhere_does_not_lead_to_this_machine() -> None:
    async with running_issuer() as issuer:
        with pytest.raises(ChautariError) as error:
            await fetch(f"{issuer.url}/keys", "https://accounts.example")
        assert error.value.reason == "PROVIDER_AWAY"
        assert not issuer.asked


# ── The configuration ─────────────────────────────────────────────────────────────────────────────────────────────────

GOOD = """
[google]
name = "Google"
issuer = "https://accounts.example"
audiences = ["web", "phone"]
[home]
name = "घर"
issuer = "http://127.0.0.1:8080"
audiences = ["web"]
algorithms = ["ES256"]
"""


def test_providers_are_read() -> None:
    google, home = read_providers(GOOD)
    clients = ("web", "phone")
    assert google == Provider(key="google", name="Google", issuer="https://accounts.example", audiences=clients)
    assert google.algorithms == ("RS256",)
    assert (home.key, home.algorithms) == ("home", ("ES256",))
    assert read_providers("") == ()


def test_the_example_of_the_guide_is_read() -> None:
    guide = (Path(__file__).parents[2] / "service/ACCOUNTS.md").read_text("utf-8")
    [home] = read_providers(guide.partition("```toml\n")[2].partition("```")[0])
    assert (home.key, home.algorithms) == ("home", ("RS256", "ES256"))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("[google]", "[Google]"),
        ('name = "Google"', 'name = " "'),
        ('name = "Google"', ""),
        ("https://accounts.example", "http://accounts.example"),
        ("https://accounts.example", "accounts.example"),
        ("https://accounts.example", "https://user@accounts.example"),
        ("https://accounts.example", "https://accounts.example/?a=1"),
        ("https://accounts.example", "http://127.0.0.1:8080"),
        ('["web", "phone"]', "[]"),
        ('["web", "phone"]', '[""]'),
        ('["web", "phone"]', '"web"'),
        ('["ES256"]', '["HS256"]'),
        ('["ES256"]', '["none"]'),
        ('["ES256"]', "[]"),
        ("algorithms", "algorithm"),
        ("[home]", "["),
        ("[google]", "google = 7\n[other]"),
    ],
)
def test_a_file_that_is_wrong_is_refused(old: str, new: str) -> None:
    with pytest.raises(Malformed) as error:
        read_providers(GOOD.replace(old, new))
    assert error.value.reason == "BAD_PROVIDERS"
