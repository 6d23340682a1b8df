"""What a newer release has written and this program cannot read: another replica can, so callers try again there."""

from chautari.errors import Unavailable


def newer(match_id: str) -> Unavailable:
    """What is told of such a match; nothing was changed."""
    return Unavailable(
        "MATCH_NEWER",
        f"match {match_id} is as a newer release of the server left it, and this replica cannot read it: nothing was "
        "changed; try again, and another replica answers",
    )
