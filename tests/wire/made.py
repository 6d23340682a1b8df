"""What several tests of the wire look at: the methods without an application behind them, and the descriptors."""

from functools import cache
from pathlib import Path
from typing import Final

import chautari
from chautari.wire.limits import Allowed, Rate
from chautari.wire.methods import Method, methods_of
from chautari.wire.services import Accounts, Games, Hosting, Identities, Keys, Matches, Operate, Play, Server

IMAGE: Final = Path(chautari.__file__).parent / "_data/chautari.binpb"


@cache
def methods() -> dict[str, Method]:
    """Every method, of services that must not be called."""
    kinds = (Games, Accounts, Identities, Keys, Matches, Hosting, Operate, Play, Server)
    return methods_of([kind.__new__(kind) for kind in kinds])


def allowed() -> Allowed:
    """As much as anybody likes."""
    free = Rate(0, 1.0)
    return Allowed(
        calls=free, address=free, anonymous=free, guests=free, codes=free, tokens=free, acts=free, streams=0, watchers=0
    )
