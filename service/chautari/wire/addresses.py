"""Where calls come from: the address that counts for limits."""

from typing import Final

_SITE: Final = 4
"""A home has a whole network of IPv6 addresses, 64 bits of it fixed: they count as one."""


def network_of(host: str) -> str:
    """The address itself, or its home network where it is of IPv6."""
    if ":" not in host or host.startswith("::"):
        return host
    return ":".join(host.split(":")[:_SITE])


def forwarded_for(header: str) -> str:
    """The address that the nearest proxy wrote into `x-forwarded-for`; empty where there is none."""
    return header.rpartition(",")[2].strip()
