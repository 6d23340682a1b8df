"""Workers under a supervisor: started, replaced one by one, restarted when they die, ended. They are fakes."""

import asyncio
import os
import signal
import sys
import urllib.request
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from chautari.processes import CannotStart, Figures, Plan, Workers
from tests.ports import held_port
from tests.processes.seen import is_there
from tests.waiting import until

FAKE = Path(__file__).with_name("fake.py")


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Where fakes write what they do."""
    path = tmp_path / "log"
    path.touch()
    return path


def plan(log: Path, count: int = 2, **environment: str) -> Plan:
    """So many fakes."""
    told = {"PATH": os.environ["PATH"], "FAKE_LOG": str(log), **environment}
    return Plan(command=(sys.executable, "-SE", str(FAKE)), environments=(told,) * count, start=60.0)


@asynccontextmanager
async def working(plan: Plan) -> AsyncIterator[Workers]:
    """Workers that have started; none is left at the end."""
    workers = Workers(plan)
    try:
        await workers.start()
        yield workers
    finally:
        await workers.kill()
        assert not list(workers)


def lines(log: Path) -> list[tuple[int, str]]:
    """What the fakes wrote."""
    found = []
    for line in log.read_text().splitlines():
        pid, what = line.split()
        found.append((int(pid), what))
    return found


def pids(workers: Workers) -> list[int]:
    """Those that take calls."""
    return [worker.pid for worker in workers]


async def test_all_are_ready_and_all_end_when_they_are_told(log: Path) -> None:
    async with working(plan(log, 3)) as workers:
        started = pids(workers)
        assert len(set(started)) == 3
        assert await workers.stop()
    assert [what for _, what in lines(log)] == ["ready"] * 3 + ["ended"] * 3
    assert not any(is_there(pid) for pid in started)


@pytest.mark.parametrize(
    ("environment", "says"),
    [
        ({"FAKE_FAILS": "no database at x"}, "^no database at x$"),
        ({"FAKE_DIES": "1"}, "before it was ready, with status 7"),
    ],
)
async def test_who_cannot_start_says_why_once_and_nobody_is_left(
    log: Path, environment: dict[str, str], says: str
) -> None:
    workers = Workers(plan(log, 3, **environment))
    with pytest.raises(CannotStart, match=says):
        await workers.start()
    assert not lines(log), "where the first cannot start the others are not tried"


async def test_where_a_later_one_cannot_start_nobody_is_left(log: Path) -> None:
    good = plan(log)
    bad = {**good.environments[0], "FAKE_FAILS": "port 1 is taken"}
    workers = Workers(replace(good, environments=(*good.environments, bad)))
    with pytest.raises(CannotStart, match="port 1 is taken"):
        await workers.start()
    assert not any(is_there(pid) for pid, _ in lines(log))


async def test_who_is_never_ready_is_given_up(log: Path) -> None:
    mute = replace(plan(log, 1), command=(sys.executable, "-SEc", "import time; time.sleep(600)"), start=0.2)
    with pytest.raises(CannotStart, match="not ready after"):
        await Workers(mute).start()


async def test_who_dies_is_replaced_and_the_others_stay(log: Path) -> None:
    async with working(plan(log)) as workers:
        first, second = pids(workers)
        for death in (1, 2):
            os.kill(pids(workers)[0], signal.SIGKILL)
            await until(partial(_is_filled, workers, death))
        assert pids(workers)[1] == second
        assert first not in pids(workers)


def _is_filled(workers: Workers, deaths: int) -> bool:
    return workers.deaths == deaths and len(pids(workers)) == 2


async def test_who_cannot_be_replaced_now_is_later(log: Path, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    script = f"import os; os.path.exists({str(gate)!r}) or os._exit(3); exec(open({str(FAKE)!r}).read())"
    gate.touch()
    async with working(replace(plan(log, 1), command=(sys.executable, "-SEc", script))) as workers:
        gate.unlink()
        os.kill(pids(workers)[0], signal.SIGKILL)
        await until(lambda: not pids(workers))
        await asyncio.sleep(0.3)  # some tries fail
        gate.touch()
        await until(lambda: len(pids(workers)) == 1)
        assert workers.deaths == 1


async def test_roll_has_the_new_one_ready_before_the_old_one_goes(log: Path) -> None:
    async with working(plan(log)) as workers:
        old = pids(workers)
        await workers.roll()
        new = pids(workers)
        assert not set(old) & set(new)
        assert lines(log)[2:] == [(new[0], "ready"), (old[0], "ended"), (new[1], "ready"), (old[1], "ended")]
        assert workers.deaths == 0


async def test_roll_of_one_that_is_alone_has_the_old_one_gone_before(log: Path) -> None:
    async with working(replace(plan(log, 1), alone=True)) as workers:
        [old] = pids(workers)
        await workers.roll()
        assert lines(log)[1:] == [(old, "ended"), (pids(workers)[0], "ready")]


async def test_roll_stops_where_the_new_one_cannot_start(log: Path, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    gate.touch()
    script = f"import os; os.path.exists({str(gate)!r}) or os._exit(3); exec(open({str(FAKE)!r}).read())"
    async with working(replace(plan(log), command=(sys.executable, "-SEc", script))) as workers:
        old = pids(workers)
        gate.unlink()
        await workers.roll()
        assert pids(workers) == old, "a broken upgrade takes nobody away"


async def test_who_does_not_end_is_killed(log: Path) -> None:
    async with working(replace(plan(log, 1, FAKE_DEAF="1"), drain=-4.8)) as workers:
        [deaf] = pids(workers)
        assert not await workers.stop()
        assert not is_there(deaf)


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the system does not tell what a process takes")
async def test_who_grows_too_large_is_replaced(log: Path) -> None:
    slim = plan(log)
    fat = {**slim.environments[0], "FAKE_EATS": "200"}
    mixed = replace(slim, environments=(slim.environments[0], fat), most_mib=150, youngest=0.1)
    async with working(mixed) as workers:
        thin, thick = pids(workers)
        await until(lambda: len(pids(workers)) == 2 and thick not in pids(workers))
        assert pids(workers)[0] == thin
        await until(lambda: (thick, "ended") in lines(log))


async def test_who_hangs_is_killed_and_replaced(log: Path) -> None:
    sound = plan(log)
    hanging = {**sound.environments[0], "FAKE_HANGS": "1"}
    async with working(replace(sound, environments=(sound.environments[0], hanging), silent=1.0)) as workers:
        well, ill = pids(workers)
        await until(lambda: workers.deaths > 0 and len(pids(workers)) == 2 and ill not in pids(workers))
        assert not is_there(ill)
        assert (well, "ended") not in lines(log)


async def test_figures_are_those_of_all_each_with_its_worker(log: Path) -> None:
    with held_port() as port:
        async with working(plan(log, 2, FAKE_EATS="1")) as workers:
            figures = Figures(workers, "127.0.0.1", port)
            try:
                text = await asyncio.to_thread(_get, port)
            finally:
                await asyncio.to_thread(figures.close)
    assert text.count("# TYPE eaten gauge") == 1
    assert {f'eaten{{worker="{number}"}} 1.048576e+06' for number in (0, 1)} <= set(text.splitlines())
    assert "chautari_workers 2.0" in text
    assert "chautari_worker_deaths_total 0.0" in text


def _get(port: int) -> str:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=20) as answer:
        found: str = answer.read().decode()
        return found
