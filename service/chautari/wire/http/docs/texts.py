"""The chapters of the page that the protos do not tell."""

from typing import Final

START: Final = """\
export CHAUTARI={base}

# a guest, and its access token
TOKEN=$(curl -s "$CHAUTARI/v1/accounts:createGuest" -H "content-type: application/json" \\
  -d '{{"displayName": "Asha"}}' | python3 -c 'import json, sys; print(json.load(sys.stdin)["tokens"]["accessToken"])')

# a match of Bluff for three, with both seats 0 and 1 on this device
MATCH=$(curl -s "$CHAUTARI/v1/matches" -H "authorization: Bearer $TOKEN" -H "content-type: application/json" \\
  -d '{{"game": "games/bluff", "settings": {{"players": 3}}, "seats": [0, 1]}}' \\
  | python3 -c 'import json, sys; print(json.load(sys.stdin)["name"].split("/")[1])')

# what happens in it, from its creation on
curl -N "$CHAUTARI/v1/matches/$MATCH:watch?afterRevision=0" \\
  -H "authorization: Bearer $TOKEN" -H "accept: text/event-stream"
"""

WATCH: Final = """\
`GET /v1/matches/{match}:watch` with `accept: text/event-stream` streams **Server-Sent Events**; with any other `accept`
it streams the same messages as lines of JSON (`application/x-ndjson`), in which an empty line is a sign of life.

- Each event's `id` is the revision and, behind a hyphen, the epoch of the database; its `data` is an `Update` in one
  line. A revision comes once, in order, whole.
- A stream that breaks is resumed with the last `id` in the header `Last-Event-ID`, or with `afterRevision` and `epoch`,
  and misses nothing. Where the database was restored meanwhile it is refused with EPOCH_CHANGED: take a fresh view.
- The last event is named `end`; it says why, and whether to come back. A stream that fails ends with an event named
  `problem`. One that is refused never begins: it is answered with a problem.
- Whoever comes back with `Last-Event-ID` after the end of the match gets 204, by which a browser knows to stop.

A browser's own `EventSource` cannot send the token, which belongs into no address. Read the stream with `fetch`, as
below, or take the TypeScript client, which resumes by itself.
"""

WATCH_SCRIPT: Final = """\
const answer = await fetch(`${base}/v1/matches/${match}:watch?seat=0&afterRevision=${revision}`, {
  headers: { authorization: `Bearer ${token}`, accept: "text/event-stream" },
});
let rest = "";
for await (const text of answer.body.pipeThrough(new TextDecoderStream())) {
  const events = (rest + text).split("\\n\\n");
  rest = events.pop();
  for (const event of events) {
    const data = event.split("\\n").find((line) => line.startsWith("data: "));
    if (data) draw(JSON.parse(data.slice(6)));   // remember its revision: from there the stream is resumed
  }
}
"""

TRANSPORTS: Final = (
    (
        "REST",
        "JSON over HTTP/1.1, as this page and [OpenAPI] tell; problems as RFC 9457.",
        'curl "$CHAUTARI/v1/games"',
    ),
    (
        "Connect",
        "For browsers, React Native and Node with `@connectrpc/connect`, in JSON or the binary form; streams too. What "
        "only reads may be asked by GET, and is kept by browsers and caches where it may be (`useHttpGet`).",
        'curl "$CHAUTARI/chautari.v1.Games/ListGames" -H "content-type: application/json" -d \'{}\'',
    ),
    (
        "gRPC-Web",
        "For clients that speak it already, in binary or text form.",
        "createGrpcWebTransport({ baseUrl: CHAUTARI })",
    ),
    (
        "gRPC",
        "On a port of its own, with health and reflection: for servers, bots and everything generated from the protos.",
        "grpcurl -plaintext HOST:50051 list",
    ),
)

VERSIONS: Final = """\
- Within `v1` fields, methods, enum values, events and reasons are only **added**. Nothing is removed, renamed, or given
  another meaning or default.
- A client skips what it does not know: a field, an event, a kind of message. It draws a kind of zone that it does not
  know as a pile, and treats a reason that it does not know by its status.
- What has to break comes as `v2` beside `v1`, and both are served for a time that is told beforehand.
- `GET /v1/server` tells the version, and the oldest version of this project's clients that still works with it.
- A match is played to its end by the version of the rules that it was created with.
"""

CLIENTS: Final = """\
- **TypeScript**: `clients/typescript`, for browsers, Node and React Native: retries safely, renews tokens, resumes
  streams, folds events into a table.
- **Python**: `clients/python`, the same over gRPC, async and sync.
- **Any other language**: generate from `protos/`, or from `/openapi.json`.
"""
