"""What the document says before its first path."""

from typing import Final

OVERVIEW: Final = """\
Chautari is a service for card games. The server alone deals and decides; a client sends what a seat wants to do, and
is shown what that seat may know. Play is for points and play chips only.

**One contract, five ways in.** The same methods answer over gRPC, gRPC-Web, Connect, REST with JSON, and REST streams
as Server-Sent Events or lines of JSON, with the same answers and the same reasons. This document is the REST form.
The protos are the contract; this is generated from them. Over Connect, what only reads may also be asked by GET
(`/chautari.v1.Games/GetGame?connect=v1&encoding=json&message=…`), with the headers about keeping that it has here.

**Signing in.** `POST /v1/accounts:createGuest` gives a guest an access token, which goes with each call as
`authorization: Bearer TOKEN`, and a refresh token, with which `POST /v1/accounts:refreshToken` renews it. Tokens
belong into no address.

**Once.** A call that changes something takes an `Idempotency-Key`, a UUID of the caller's (or the field `requestId`,
the same thing): repeated with it, it takes effect once and gives the same answer. After 503, 504 or no answer at all,
repeat it with the same key. What ends, links or merges something needs none and may be repeated as it is; what gives
tokens takes none, for they are told once.

**Refusals** are `application/problem+json` (RFC 9457). Programs read `reason`; texts are for people and may change.

**Watching.** `GET /v1/matches/{match}:watch` streams what happens, each revision once and in order, as
`text/event-stream` or `application/x-ndjson`, as `accept` asks. The `id` of an event is its revision and, behind a
hyphen, the epoch: a stream that breaks goes on with `Last-Event-ID`, or with `afterRevision` and `epoch`, without a
gap. The last event of a stream is an `end`, which says whether to come back, or a `problem`.

**Cards** are texts: a rank, A 2 3 4 5 6 7 8 9 T J Q K, and a suit, C D H S (clubs, diamonds, hearts, spades). `7H` is
the seven of hearts, `XX` a printed joker, `??` a card whose face is not seen. Copies of a card are written alike. The
card order is suits C D H S, in a suit A 2 … K, jokers last.

**Drawing a table** needs no rules. `GET /v1/games/{game}` tells once, in the language asked for, what to call all that
there is: zones, facts, verbs and their arguments, words, ranks, suits, cards. A `View` is the whole table at one
revision as a seat sees it, with all that the seat may do; each `Event` says how to fold it onto the view.

**Lists** come in pages: ask again with `pageToken` set to the `nextPageToken` of the page before, and everything else
as it was, until it is empty.

**Versions.** Within `v1` fields, enum values, events and reasons are only added. A client skips those that it does
not know. Nothing is removed or changes its meaning; what must change comes as `v2` beside `v1`.

Values are written as in the JSON form of proto3: names in lowerCamelCase, enum values as their names, bytes in
base64, 64-bit integers as texts. In a request a field that has its default value may be left out; answers have every
field that has a default.
"""
