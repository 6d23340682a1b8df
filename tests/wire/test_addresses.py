"""Where a call comes from, behind proxies that are trusted and behind others."""

import pytest

from chautari.wire.addresses import Proxies, network_of

CLIENT, OTHER = "203.0.113.7", "198.51.100.2"
PROXIES = "10.0.0.0/8, fd00::/8, unix"


def of(peer: str, value: str, header: str = "x-forwarded-for") -> str:
    """The address that counts where this is in the header."""
    return Proxies(PROXIES, header).caller(peer, lambda name: value if name == header else "")


@pytest.mark.parametrize(
    ("peer", "value", "found"),
    [
        (OTHER, CLIENT, OTHER),  # who is no proxy of ours may write what it likes
        ("10.0.0.1", "", "10.0.0.1"),
        ("10.0.0.1", CLIENT, CLIENT),
        ("unix", CLIENT, CLIENT),
        ("10.0.0.1", f"{OTHER}, {CLIENT}", CLIENT),  # what is further to the left its caller made up
        ("10.0.0.1", f"{OTHER}, {CLIENT}, 10.9.9.9, fd00::1", CLIENT),
        ("10.0.0.1", "10.0.0.2, 10.0.0.3", "10.0.0.2"),
        ("10.0.0.1", f"{CLIENT}:5000", CLIENT),
        ("10.0.0.1", "[2001:db8::1]:5000", "2001:db8::/64"),
        ("10.0.0.1", "2001:db8::1", "2001:db8::/64"),
        ("10.0.0.1", f"::ffff:{CLIENT}", CLIENT),
        ("::ffff:10.0.0.1", CLIENT, CLIENT),
        ("10.0.0.1", "unknown", "10.0.0.1"),
        ("10.0.0.1", f"{CLIENT}, _hidden, 10.0.0.2", "10.0.0.2"),
        ("10.0.0.1", f"{CLIENT},", "10.0.0.1"),
        ("10.0.0.1", "unix", "10.0.0.1"),
        ("10.0.0.1", ",".join([CLIENT] * 5000), CLIENT),
        ("", CLIENT, ""),
    ],
)
def test_last_address_on_the_way_that_is_no_proxy_of_ours_counts(peer: str, value: str, found: str) -> None:
    assert of(peer, value) == found


@pytest.mark.parametrize(
    ("value", "found"),
    [
        (f"for={CLIENT}", CLIENT),
        (f'for={OTHER};proto=https, For="{CLIENT}" ; by=10.0.0.9', CLIENT),
        (f"proto=https;for={CLIENT}, for=10.0.0.2", CLIENT),
        ('for="[2001:db8::1]:4711"', "2001:db8::/64"),
        ("for=unknown", "10.0.0.1"),
        (f"by={CLIENT}", "10.0.0.1"),
        (f"x-for={CLIENT}", "10.0.0.1"),
        (f'for="{CLIENT}', "10.0.0.1"),
    ],
)
def test_header_of_the_rfc_says_the_same(value: str, found: str) -> None:
    assert of("10.0.0.1", value, "forwarded") == found


def test_header_that_the_proxies_do_not_write_counts_for_nothing() -> None:
    forged = {"forwarded": f"for={OTHER}", "x-forwarded-for": ""}
    assert Proxies(PROXIES).caller("10.0.0.1", lambda name: forged[name]) == "10.0.0.1"


def test_nobody_is_trusted_where_nothing_is_said() -> None:
    assert Proxies().caller("127.0.0.1", lambda _: CLIENT) == "127.0.0.1"


@pytest.mark.parametrize(
    ("host", "network"),
    [
        ("203.0.113.7", "203.0.113.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::9", "2001:db8:1:2::/64"),
        ("2001:0DB8:1:2::9", "2001:db8:1:2::/64"),
        ("::ffff:203.0.113.7", "203.0.113.7"),
        ("::1", "::1"),
        ("fe80::1%eth0", "fe80::/64"),
        ("unix", "unix"),
        ("", ""),
    ],
)
def test_home_network_of_ipv6_is_one_address(host: str, network: str) -> None:
    assert network_of(host) == network


def test_what_is_no_network_is_refused() -> None:
    for wrong in ("10.0.0.1/8", "example.org", "10.0.0.0/8;::1"):
        with pytest.raises(ValueError, match=r"does not appear|host bits"):
            Proxies(wrong)
