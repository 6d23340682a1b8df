"""Where calls come from: the address that counts for limits, also behind proxies that are trusted."""

import re
from collections.abc import Callable
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Final

_SITE: Final = 64
"""A home has a whole network of IPv6 addresses, 64 bits of it fixed: they count as one."""
_UNIX: Final = "unix"
"""A caller on this machine, over a socket that is a file."""
_FOR: Final = re.compile(r'(?i)(?:^|;)\s*for\s*=\s*("(?:[^"\\]|\\.)*"|[^;,\s"]*)')
_REMEMBERED: Final = 8192
HEADERS: Final = ("x-forwarded-for", "forwarded")

Header = Callable[[str], str]


@lru_cache(_REMEMBERED)
def network_of(host: str) -> str:
    """The address itself, or its home network where it is of IPv6; a text that is no address stays as it is."""
    address = _address(host)
    if address is None:
        return host
    if isinstance(address, IPv4Address) or address.is_loopback:
        return str(address)
    return str(ip_network((int(address), _SITE), strict=False))


class Proxies:
    """The proxies that are believed in what they say of where a call comes from."""

    def __init__(self, trusted: str = "", header: str = HEADERS[0]) -> None:
        """trusted: networks with commas between them, such as `10.0.0.0/8,::1`, and `unix`; header: what they write.

        ValueError says what is no network. A proxy must drop or extend the header that its caller sends, and callers
        must not reach the server past it.
        """
        names = [name.strip() for name in trusted.split(",") if name.strip()]
        self._networks = [ip_network(name) for name in names if name != _UNIX]
        self._unix = _UNIX in names
        self._header = header
        self._trusts = lru_cache(_REMEMBERED)(self._is_trusted)

    def caller(self, peer: str, header: Header) -> str:
        """The address, or home network, that a call counts for.

        It is the last one on the way here that is no trusted proxy. What stands further to the left in the header
        anybody may have made up; where a trusted proxy names no address, its own is the last that is known.
        """
        if not self.trusts(peer):
            return network_of(peer)
        last = peer
        for hop in reversed(_hops(self._header, header(self._header))):
            if _address(hop) is None:
                break
            last = hop
            if not self._trusts(hop):
                break
        return network_of(last)

    def trusts(self, host: str) -> bool:
        """Whether a peer at this address is a proxy that is believed."""
        return bool(self._networks or self._unix) and self._trusts(host)

    def _is_trusted(self, host: str) -> bool:
        if host == _UNIX:
            return self._unix
        address = _address(host)
        return address is not None and any(address in network for network in self._networks)


def _hops(header: str, value: str) -> list[str]:
    """The addresses of a header, without ports; `` for what is none."""
    elements = value.split(",") if value else []
    if header == HEADERS[0]:
        return [_host(element.strip()) for element in elements]
    return [_host(found[1].strip('"')) if (found := _FOR.search(element)) else "" for element in elements]


def _host(node: str) -> str:
    """The address of a node: `10.0.0.1:5000` and `[2001:db8::1]:5000` name a port too."""
    if node.startswith("["):
        return node[1:].partition("]")[0]
    return node.partition(":")[0] if node.count(":") == 1 else node


def _address(host: str) -> IPv4Address | IPv6Address | None:
    """The address that a text names, that of IPv4 where it is written as one of IPv6; None where it names none."""
    try:
        address = ip_address(host)
    except ValueError:
        return None
    return (address.ipv4_mapped or address) if isinstance(address, IPv6Address) else address
