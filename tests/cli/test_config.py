"""What can be set from outside."""

from dataclasses import fields
from pathlib import Path

import pytest

from chautari.config import BadConfig, Config


def test_environment_is_over_the_defaults_and_options_over_both() -> None:
    environment = {"CHAUTARI_PORT": "7000", "CHAUTARI_HOST": "0.0.0.0", "CHAUTARI_REFLECTION": "off", "PATH": "x"}
    config = Config.read(environment, port=8000, host=None)
    assert (config.port, config.host, config.reflection) == (8000, "0.0.0.0", False)
    assert Config.read({}) == Config()


_VALUES = {
    "log_format": "json", "log_level": "debug", "trusted_proxies": "10.0.0.0/8,unix", "forwarded_header": "forwarded",
    "hints": "nats://a:4222,tls://b", "hints_url": "postgresql://a/b",
    "edge": "envoy",
}  # fmt: skip


def test_every_field_can_be_set_and_is_told_of() -> None:
    assert Config.__doc__ is not None
    for field in fields(Config):
        assert field.name in Config.__doc__
        value = _VALUES.get(field.name, "1")
        changed = Config.read({f"CHAUTARI_{field.name.upper()}": value})
        assert str(getattr(changed, field.name)) in (value, "1.0", "True")


def test_environment_tells_another_process_all_of_it() -> None:
    config = Config(
        http_port=0,
        memory=True,
        http=False,
        log_calls=0.25,
        workers=3,
        database="postgresql://x@y/नेपाल",
        guests_per_hour=7,
    )
    assert Config.read(config.environment()) == config
    assert Config.read(Config().environment()) == Config()


def test_database_is_a_path_or_a_url() -> None:
    assert Config(database="a/b.db").database_url == "sqlite:///a/b.db"
    assert Config(database="/a/b.db").database_url == "sqlite:////a/b.db"
    assert Config(database="sqlite:////a/b.db").database_path == Path("/a/b.db")
    assert Config(database="a/b.db").key_path == Path("a/b.key")
    assert Config(key_file="k").key_path == Path("k")


@pytest.mark.parametrize(("host", "guests"), [("127.0.0.1", 0), ("localhost", 0), ("::1", 0), ("0.0.0.0", 10)])
def test_guests_are_limited_where_others_than_this_machine_can_call(host: str, guests: int) -> None:
    assert Config(host=host).guests == guests
    assert Config(host=host, guests_per_hour=3).guests == 3


@pytest.mark.parametrize(
    "wrong",
    [
        {"port": -1}, {"call_seconds": 0.0}, {"largest_message": 0}, {"log_format": "xml"}, {"calls_at_once": -1},
        {"drain_seconds": float("nan")}, {"trusted_proxies": "10.0.0.1/8"}, {"trusted_proxies": "proxy.example"},
        {"forwarded_header": "x-real-ip"}, {"hints": "redis://x"}, {"hints": ""}, {"hints_url": "nats://x"},
        {"edge": "nginx"}, {"workers": 257}, {"workers": -1}, {"edge_port": 65536},
    ],
    ids=repr,
)  # fmt: skip
def test_values_that_cannot_be(wrong: dict[str, object]) -> None:
    with pytest.raises(BadConfig, match=next(iter(wrong))):
        Config(**wrong)  # type: ignore[arg-type]
