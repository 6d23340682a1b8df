"""Those who read a stream: how far each has come, whether it is too slow, and why its stream ends."""

from collections.abc import Awaitable, Callable
from functools import partial
from time import perf_counter
from typing import Any, Final

from chautari.app.parking import Give, Post
from chautari.app.updates import End, EndCause
from chautari.errors import ChautariError, Forbidden, Unauthenticated, Unavailable

Write = Callable[[bytes], Awaitable[None]]
Giving = Callable[[Callable[[Any], bytes]], Give]
"""How a transport gives steps straight to its reader, by how they are encoded."""

_CAUSES: Final = {
    "READER_SLOW": EndCause.SLOW,
    "TOKEN_EXPIRED": EndCause.TOKEN,
    "DRAINING": EndCause.DRAINING,
    "NO_ACCESS": EndCause.NO_ACCESS,
    "NOT_SEATED": EndCause.NO_ACCESS,
    "ACCOUNT_BANNED": EndCause.BANNED,
}
_ENDS: Final[dict[EndCause, Callable[[], ChautariError]]] = {
    EndCause.DRAINING: partial(Unavailable, "DRAINING", "the server is about to stop: resume in a moment"),
    EndCause.TOKEN: partial(Unauthenticated, "TOKEN_EXPIRED", "the access token has expired: refresh it and resume"),
    EndCause.NO_ACCESS: partial(
        Forbidden, "NO_ACCESS", "this match is not for you to see any more, or it might not exist"
    ),
    EndCause.BANNED: partial(
        Forbidden, "ACCOUNT_BANNED", "this account is banned: call again, and you are told until when"
    ),
    EndCause.FAULT: partial(Unavailable, "STORAGE_AWAY", "the database does not answer: resume in a moment"),
}


class Reader:
    """Somebody who is sent a stream.

    revision  of the last message that its stream sent; sent: whether there was one
    since     when the write under way began, 0 where none is
    is_slow   it took too long for a message: its stream ends as soon as it has read that one
    is_cut    it took twice as long, and is not waited for any more
    is_revoked  what it opened the stream with does not hold any more: its `credential`, a sign-in or an API key
    """

    __slots__ = ("_post", "credential", "is_cut", "is_revoked", "is_slow", "match_id", "revision", "sent", "since")

    def __init__(self, match_id: str, revision: int, credential: str, post: Post | None = None) -> None:
        self.match_id = match_id
        self.revision = revision
        self.credential = credential
        self._post = post
        self.since = 0.0
        self.sent = False
        self.is_slow = False
        self.is_cut = False
        self.is_revoked = False

    async def send(self, write: Write, data: bytes) -> None:
        """Sends a message, as fast as it is read."""
        self.since = perf_counter()
        await write(data)
        self.since = 0.0
        self.sent = True

    def reached(self) -> int:
        """The last revision that was sent, also from outside of its stream while that rests."""
        return self.revision if self._post is None else max(self.revision, self._post.revision)

    def takes_too_long(self, now: float, most_seconds: float) -> bool:
        """Whether it is to be cut off now; marks it as slow before it comes to that."""
        waited = now - self.since if self.since else 0.0
        self.is_slow = self.is_slow or waited > most_seconds
        if waited <= 2 * most_seconds or self.is_cut:
            return False
        self.is_cut = True
        return True

    def too_slow(self) -> Unavailable:
        """What it is told then."""
        error = Unavailable("READER_SLOW", "the stream was read too slowly: resume it from the last revision", 0.1)
        error.values["revision"] = str(self.reached())
        return error

    def ended(self) -> Unauthenticated:
        """What it is told when its sign-in or key was revoked."""
        return Unauthenticated("TOKEN_INVALID", "this sign-in or API key has been ended: sign in again")


def end_cause(error: ChautariError) -> EndCause:
    """Why a stream ends that fails with this."""
    return _CAUSES.get(error.reason, EndCause.FAULT)


def check_end(end: End) -> None:
    """Raises the status that follows the last message; the stream of a match that is over ends well."""
    made = _ENDS.get(end.cause)
    if made is not None:
        raise made()
