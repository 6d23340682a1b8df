"""Every mutation that takes a `request_id`, sent again and again through two replicas: nothing is done twice."""

import asyncio
import random
from collections import Counter
from collections.abc import Iterator

import pytest

from chautari.app.ports import Store
from chautari.app.values import Cause
from chautari.v1 import accounts_pb2, hosting_pb2, keys_pb2, match_pb2, matches_pb2, operate_pb2, play_pb2, view_pb2
from chautari.wire.methods import descriptors
from chautari_client import to_struct
from tests.e2e.operators import Operator
from tests.e2e.repeats import Person, Repeater
from tests.e2e.replicas import KEY, Pair, running_pair

SEED = 7_2026
LANES = 8
Match = match_pb2.Match
CHANGES = {
    f"{service.name}/{method.name}"
    for service in descriptors()
    for method in service.methods
    if "request_id" in method.input_type.fields_by_name
}
"""Every method that takes a `request_id`."""


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    """Two replicas that nobody kills."""
    with running_pair(tmp_path_factory.mktemp("pair")) as running:
        yield running


class Story:
    """What becomes of one match and its people, told mutation by mutation; afterwards each has had one effect."""

    def __init__(self, repeater: Repeater, people: list[Person], operator: Person, chance: random.Random) -> None:
        self._repeater = repeater
        self._host, self._other, self._third = people
        self._operator = operator
        self._chance = chance
        self.matches: dict[str, int] = {}
        """By name, how many mutations each match has seen, of which each makes one revision."""
        self.ended: set[str] = set()
        """Those that an operator ended."""
        self.audited = 0

    async def tell(self) -> None:
        """A match from its creation to its rematch, then keys and accounts, then what operators do."""
        again = await self._play(await self._seat())
        await self._change(again, "Hosting/CloseMatch", hosting_pb2.CloseMatchRequest(name=again), self._host)
        await self._keep_keys()
        if self._chance.random() < 0.3:
            await self._operate()

    async def _change(self, match: str, method: str, request: object, who: Person) -> None:
        kind = matches_pb2.JoinMatchResponse if method == "Matches/JoinMatch" else Match
        await self._repeater.mutate(method, request, who, kind)  # type: ignore[arg-type]  # one request or another
        self.matches[match] += 1

    async def _create(self) -> Match:
        request = matches_pb2.CreateMatchRequest(
            game="games/gulam_chor", settings=to_struct({"players": 3, "rounds": 20}), seats=[0],
            start=match_pb2.START_RULE_BY_HOST, seating=match_pb2.SEATING_RULE_CHOSEN,
        )  # fmt: skip
        created = await self._repeater.mutate("Matches/CreateMatch", request, self._host, Match)
        self.matches[created.name] = 1
        return created

    async def _seat(self) -> str:
        created = await self._create()
        name, link, other = created.name, created.link, self._other.account
        to_title = matches_pb2.UpdateMatchRequest(match=Match(name=name, title="शुक्रबार"))
        hand_on = hosting_pb2.TransferHostRequest(name=name, account=other)
        for method, request, who in (
            ("Matches/JoinMatch", matches_pb2.JoinMatchRequest(link=link, seats=[1]), self._other),
            ("Matches/JoinMatch", matches_pb2.JoinMatchRequest(code=created.code, seats=[2]), self._third),
            ("Matches/UpdateMatch", to_title, self._host),
            ("Matches/LeaveMatch", matches_pb2.LeaveMatchRequest(name=name, seats=[2]), self._third),
            ("Hosting/RenewCode", hosting_pb2.RenewCodeRequest(name=name), self._host),
            ("Hosting/RemoveFromMatch", hosting_pb2.RemoveFromMatchRequest(name=name, account=other), self._host),
            ("Hosting/ReadmitToMatch", hosting_pb2.ReadmitToMatchRequest(name=name, account=other), self._host),
            ("Matches/JoinMatch", matches_pb2.JoinMatchRequest(link=link, seats=[1]), self._other),
            ("Matches/JoinMatch", matches_pb2.JoinMatchRequest(link=link, seats=[2]), self._third),
            ("Hosting/TransferHost", hand_on, self._host),
            ("Matches/StartMatch", matches_pb2.StartMatchRequest(name=name), self._other),
        ):
            await self._change(name, method, request, who)
        return name

    async def _play(self, name: str) -> str:
        """Some acts, then all but one resign; the name of the rematch."""
        people = [self._host, self._other, self._third]
        for _ in range(self._chance.randint(1, 6)):
            ask = play_pb2.ViewRequest(match=name)
            view = await self._repeater.ask("Play/View", ask, self._host, view_pb2.View)
            seat = view.turn.must[0]
            ask.seat = seat
            view = await self._repeater.ask("Play/View", ask, people[seat], view_pb2.View)
            legal = next(action for option in view.options for action in (*option.actions, option.example) if action)
            act = play_pb2.ActRequest(match=name, seat=seat, text=legal)
            await self._repeater.mutate("Play/Act", act, people[seat], play_pb2.ActResponse)
            self.matches[name] += 1
        for seat in (2, 1):
            resign = matches_pb2.ResignMatchRequest(name=name, seat=seat)
            await self._change(name, "Matches/ResignMatch", resign, people[seat])
        again = await self._repeater.mutate(
            "Matches/RematchMatch", matches_pb2.RematchMatchRequest(name=name), self._host, Match
        )
        self.matches[again.name] = 1
        return again.name

    async def _keep_keys(self) -> None:
        host, repeater = self._host, self._repeater
        account = accounts_pb2.Account(name=host.account, language="ne")
        update = accounts_pb2.UpdateAccountRequest(account=account)
        await repeater.mutate("Accounts/UpdateAccount", update, host, accounts_pb2.Account)
        ask = keys_pb2.ListApiKeysRequest(parent=host.account)
        before = await repeater.ask("Keys/ListApiKeys", ask, host, keys_pb2.ListApiKeysResponse)
        create = keys_pb2.CreateApiKeyRequest(
            parent=host.account, api_key=keys_pb2.ApiKey(title="K", scopes=[keys_pb2.SCOPE_READ])
        )
        made = await repeater.mutate("Keys/CreateApiKey", create, host, keys_pb2.CreateApiKeyResponse)
        after = await repeater.ask("Keys/ListApiKeys", ask, host, keys_pb2.ListApiKeysResponse)
        assert len(after.api_keys) == len(before.api_keys) + 1
        titled = keys_pb2.UpdateApiKeyRequest(api_key=keys_pb2.ApiKey(name=made.api_key.name, title="L"))
        await repeater.mutate("Keys/UpdateApiKey", titled, host, keys_pb2.ApiKey)
        delete = keys_pb2.DeleteApiKeyRequest(name=made.api_key.name)
        await repeater.ask("Keys/DeleteApiKey", delete, host, keys_pb2.ApiKey)  # has no id: what is gone stays gone
        left = await repeater.ask("Keys/ListApiKeys", ask, host, keys_pb2.ListApiKeysResponse)
        assert list(left.api_keys) == list(before.api_keys)

    async def _operate(self) -> None:
        repeater, operator = self._repeater, self._operator
        ended = await self._create()
        end = operate_pb2.EndMatchRequest(match=ended.name, ending=operate_pb2.ENDING_ABORT, reason="why")
        await self._repeater.mutate("Operate/EndMatch", end, operator, Match)
        self.ended.add(ended.name)
        guest = await repeater.guest("Banned")
        ban = operate_pb2.BanAccountRequest(account=guest.account, reason="why")
        await repeater.mutate("Operate/BanAccount", ban, operator, operate_pb2.Ban)
        lift = operate_pb2.LiftBanRequest(account=guest.account, reason="why")
        await repeater.mutate("Operate/LiftBan", lift, operator, operate_pb2.LiftBanResponse)
        self.audited += 3

    async def turn_keys(self) -> None:
        """A signing key is made, and revoked again when another has taken its place."""
        repeater, operator, kind = self._repeater, self._operator, operate_pb2.ListSigningKeysResponse
        ask = operate_pb2.ListSigningKeysRequest()
        before = await repeater.ask("Operate/ListSigningKeys", ask, operator, kind)
        for _ in range(2):
            rotate = operate_pb2.RotateSigningKeysRequest(reason="why")
            await repeater.mutate("Operate/RotateSigningKeys", rotate, operator, kind)
        after = await repeater.ask("Operate/ListSigningKeys", ask, operator, kind)
        assert len(after.keys) == len(before.keys) + 2
        revoke = operate_pb2.RevokeSigningKeyRequest(kid=after.keys[1].kid, reason="why")
        await repeater.mutate("Operate/RevokeSigningKey", revoke, operator, kind)
        self.audited += 3

    async def check(self, store: Store) -> None:
        """Each mutation has made one revision of its match."""
        for name, mutations in self.matches.items():
            match = await store.find_match(name.removeprefix("matches/"))
            assert match is not None
            entries = await store.entries(match.id, 0, 1000)
            assert [entry.revision for entry in entries] == list(range(1, match.revision + 1))
            requests = Counter(entry.request.id for entry in entries if entry.request is not None)
            assert set(requests.values()) == {1}
            told = [(entry.revision, entry.cause, entry.action) for entry in entries if entry.request is None]
            assert len(requests) == mutations, (len(entries), told)
            others = Counter(entry.cause for entry in entries if entry.request is None)
            others.pop(Cause.CLOCK, None)  # plays for a seat that was given up
            assert others == ({Cause.OPERATOR: 1} if name in self.ended else {})


async def tell_stories(pair: Pair, calls: int, seed: int) -> Counter[str]:
    """Tells stories, eight at a time, until so many calls were made; the calls by method."""
    operator_here = Operator(pair.addresses[0], pair.url, CHAUTARI_KEY=KEY)
    secret = (await operator_here.here("key", "create", "--scope", "operate"))["secret"]
    operator = Person("", secret)
    repeaters = [Repeater(pair.addresses, random.Random(f"{seed} {lane}")) for lane in range(LANES)]
    stories: list[Story] = []

    everybody = [[await repeater.guest(f"Guest {seat}") for seat in range(3)] for repeater in repeaters]

    async def lane(number: int) -> None:
        chance, repeater, people = random.Random(f"{seed} story {number}"), repeaters[number], everybody[number]
        if number == 0:
            stories.append(Story(repeater, people, operator, chance))
            await stories[0].turn_keys()
        while sum(each.calls.total() for each in repeaters) < calls:
            story = Story(repeater, people, operator, chance)
            await story.tell()
            stories.append(story)

    await asyncio.gather(*(lane(number) for number in range(LANES)))
    for repeater in repeaters:
        await repeater.close()
    async with pair.servers[0].store() as store:
        for story in stories:
            await story.check(store)
    audit = Counter(
        entry["outcome"]
        for entry in await operator_here.here("audit", "--limit", "100000")
        if f"Operate/{entry['method']}" in CHANGES
    )
    assert audit["OK"] == sum(story.audited for story in stories)
    late = sum((repeater.late for repeater in repeaters), Counter[str]())
    assert late.keys() <= {"OK", "KEY_UNKNOWN"}  # of a key that was deleted meanwhile nothing is kept
    print(f"seed {seed}: {len(stories)} stories, audit {dict(audit)}, of long before {dict(late)}")
    return sum((repeater.calls for repeater in repeaters), Counter[str]())


async def test_repeats_through_two_replicas_do_nothing_twice(pair: Pair) -> None:
    calls = await tell_stories(pair, 300, SEED)
    print(dict(calls))
    assert calls.keys() == CHANGES


@pytest.mark.soak(day=50, night=1000)
async def test_a_thousand_repeats(pair: Pair, part: int) -> None:
    calls = await tell_stories(pair, 1_000, SEED + part)
    print(f"{calls.total()} calls, 0 double effects: {dict(calls)}")
