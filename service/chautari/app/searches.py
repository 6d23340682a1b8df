"""What operators look for, and what they find."""

import msgspec

from chautari.app.account_values import Account
from chautari.app.bans import Ban
from chautari.app.values import MatchState


class AccountQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """Which accounts to find; empty fields ask for nothing. name_prefix: in capitals or small letters."""

    account_id: str = ""
    name_prefix: str = ""
    banned: bool = False


class AccountRow(msgspec.Struct, frozen=True, kw_only=True):
    """An account as operators see it. active_matches: those that are not over, counted as far as 100."""

    account: Account
    ban: Ban | None
    active_matches: int


class MatchQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """Which matches to find; empty fields ask for nothing. account_id: of a member; failing: those
    in which something is due that could not be done, `Match.is_put_off`."""

    match_id: str = ""
    code: str = ""
    account_id: str = ""
    state: MatchState | None = None
    game: str = ""
    failing: bool = False
