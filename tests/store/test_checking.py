"""The check of a database over all that can become of matches: left, deleted, merged, banned, ended by operators."""

from pathlib import Path

from chautari.app import replay
from chautari.app.new_matches import NewMatch
from chautari.app.noting import Operator
from chautari.app.stopping import Ending
from chautari.app.values import StartRule
from chautari.store import SqliteStore
from chautari.store.checking import check
from tests.app.tables import guest, has_left, play_out, running_app, started
from tests.store.conftest import KEY
from tests.waiting import until

CONSOLE = Operator(account_id=None, origin="console")


async def test_whatever_became_of_matches_they_replay(database: Path) -> None:
    async with running_app(store=SqliteStore.open(database, KEY)) as app:
        over, people = await started(app, "gulam_chor", 3)
        await play_out(app, over, people)
        await app.store.pack(over.id)

        resigned, people = await started(app, "bluff", 4)
        await app.matches.resign(people[2], resigned.id, 2)

        deleted, people = await started(app, "jutpatti", 3)
        await app.closings.delete(people[0], "me")
        await until(lambda: has_left(app, deleted, 0))

        alone = await guest(app)
        new = NewMatch(game="gulam_chor", settings={"players": 4}, seats=(0, 1, 2), start_rule=StartRule.AUTOMATIC)
        shared = await app.matches.create(alone, new, None)
        shared = await app.matches.join(people[1], link=shared.link)
        await app.closings.delete(alone, "me")
        await until(lambda: has_left(app, shared, 2))

        banned, people = await started(app, "jutpatti", 3)
        await app.operating.ban(CONSOLE, people[1].account, None, reason="cups")
        await until(lambda: has_left(app, banned, 1))

        merged, people = await started(app, "bluff", 4)
        first, second = await app.accounts.create_guest("", "en"), await app.accounts.create_guest("", "en")
        waiting = await app.matches.create(
            type(people[0])(first.account.id), NewMatch(game="bluff", settings={"players": 3}, seats=(0, 1)), None
        )
        await app.closings.merge(type(people[0])(second.account.id), "me", first.tokens.access)

        for ending in Ending:
            match, _ = await started(app, "gulam_chor", 3)
            await app.operating.end_match(CONSOLE, match.id, ending, reason="why", note="शुभ रात्रि")
        await app.operating.end_match(CONSOLE, waiting.id, Ending.ABORT, reason="why")

        closed = await app.matches.create(people[0], new, None)
        await app.matches.leave(people[0], closed.id)
        assert merged.id
    found = check(database, KEY, replay.faults, lambda *_: None)
    assert (found.faults, found.unchecked) == ([], [])
    assert found.matches == 10
