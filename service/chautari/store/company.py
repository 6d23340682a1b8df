"""How many acts are waited for, so that they are committed together (decision 038)."""


def expected(before: int, came: int) -> int:
    """How many to wait for next, at least 1. before: how many were waited for; came: how many were committed together.

    It sinks by a quarter at most: fewer in one transaction do not mean that the others have gone.
    """
    return max(came, before * 3 // 4, 1)
