"""A pytest plugin: a test that hangs ends after a while, whatever it hangs in.

pytest-timeout interrupts it by a signal after `timeout` seconds: it fails like any other test, its fixtures end, and
the run goes on. What takes no notice of that, such as a task that catches everything or a call that keeps the
interpreter, ends with its worker after `faulthandler_timeout` seconds. Then the run ends too, and tells of what it has
seen: pytest-xdist 3.8 hangs where it gives the tests of a group to another worker.

Both timers are cancelled where a test fails. So they are set anew for its end, which hangs most easily then.
"""

import faulthandler
import os
import sys
from collections.abc import Generator

import pytest
from pytest_timeout import Settings

_SOAK_SECONDS = 3600.0
"""Most that a test marked `soak` takes, on a busy machine too."""
_errors = pytest.StashKey[int]()


def pytest_configure(config: pytest.Config) -> None:
    """Keeps the true standard error, which is not captured yet, for the stacks of who is ended."""
    assert sys.__stderr__ is not None
    config.stash[_errors] = os.dup(sys.__stderr__.fileno())


def pytest_unconfigure(config: pytest.Config) -> None:
    """Gives it back."""
    os.close(config.stash[_errors])


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Gives long tests their time."""
    for item in items:
        if item.get_closest_marker("soak") and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(_SOAK_SECONDS))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None]:
    """Sets the second timer, for what pytest-timeout cannot interrupt."""
    _end_worker_later(item)
    return (yield)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None]:
    """Sets both timers anew."""
    seconds = _seconds(item)
    if seconds > 0:
        item.ihook.pytest_timeout_cancel_timer(item=item)
        item.ihook.pytest_timeout_set_timer(item=item, settings=Settings(seconds, "signal", False, None))
    _end_worker_later(item)
    return (yield)


def _seconds(item: pytest.Item) -> float:
    """What a test may take, before it is interrupted; 0 where nothing bounds it."""
    marker = item.get_closest_marker("timeout")
    if marker is not None:
        return float(marker.args[0])
    return float(item.config.getoption("timeout") or item.config.getini("timeout"))


def _end_worker_later(item: pytest.Item) -> None:
    """Ends the worker some time after the test should have been interrupted, with the stacks of all its threads."""
    config = item.config
    grace = float(config.getini("faulthandler_timeout")) - float(config.getini("timeout"))
    seconds = _seconds(item)
    if seconds > 0:
        faulthandler.dump_traceback_later(seconds + grace, exit=True, file=config.stash[_errors])
