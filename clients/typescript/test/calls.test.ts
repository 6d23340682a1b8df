import { create, toJson } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { ActionSchema } from "../gen/chautari/v1/action_pb.js";
import { Keys } from "../gen/chautari/v1/keys_pb.js";
import { SeatingRule, TimeControlSchema } from "../gen/chautari/v1/match_pb.js";
import { MatchList } from "../gen/chautari/v1/matches_pb.js";
import { ActResponseSchema, Play } from "../gen/chautari/v1/play_pb.js";
import { ErrorInfoSchema } from "../gen/google/rpc/error_details_pb.js";
import { Client } from "../src/client.js";
import { bank, daysPerMove, NO_CLOCK, perMove } from "../src/clocks.js";
import {
  BeyondHead,
  ChautariError,
  Exhausted,
  Faulty,
  Malformed,
  NotAllowed,
  NotFound,
  NotSignedIn,
  Refused,
  RequestReused,
  Stale,
  TimedOut,
  Unavailable,
} from "../src/errors.js";
import { uuid } from "../src/uuid.js";
import { Fake, fails, over } from "./fake.js";

const acted = (revision: number) => create(ActResponseSchema, { revision });

async function caught(promise: Promise<unknown>): Promise<ChautariError> {
  return promise.then(
    () => expect.fail("nothing was thrown"),
    (error: unknown) => error as ChautariError,
  );
}

test("a call that nobody answered is made again with one request id", async () => {
  const fake = new Fake();
  const client = await fake.client();
  fake.answers = [fails(Code.Unavailable), fails(Code.DeadlineExceeded), acted(7)];
  expect((await client.act("matches/m1", 0, "throw 7H")).revision).toBe(7);
  expect(fake.acts).toHaveLength(3);
  expect(new Set(fake.acts.map((act) => act.requestId)).size).toBe(1);
  expect(fake.acts[0]?.move).toEqual({ case: "text", value: "throw 7H" });
});

test("a refusal is not repeated, and says all that the server told", async () => {
  const fake = new Fake();
  const client = await fake.client();
  fake.answers = [fails(Code.FailedPrecondition, "RULE_BROKEN", { metadata: { rule: "R3" }, message: "not so" })];
  const error = await caught(client.act("matches/m1", 0, "throw 7H"));
  expect(error).toBeInstanceOf(Refused);
  expect([error.reason, error.rule, error.message]).toEqual(["RULE_BROKEN", "R3", "not so"]);
  expect(fake.acts).toHaveLength(1);
});

test.each([
  [Code.InvalidArgument, Malformed],
  [Code.PermissionDenied, NotAllowed],
  [Code.NotFound, NotFound],
  [Code.Aborted, Stale],
  [Code.AlreadyExists, RequestReused],
  [Code.OutOfRange, BeyondHead],
  [Code.ResourceExhausted, Exhausted],
  [Code.Internal, Faulty],
  [Code.Unimplemented, Faulty],
])("code %s has a kind of its own", async (code, kind) => {
  const fake = new Fake();
  const client = await fake.client();
  fake.answers = [fails(code, "SOME_REASON", { field: "match", wait: 250, metadata: { revision: "12" } })];
  const error = await caught(client.act("matches/m1", 0, "x"));
  expect(error).toBeInstanceOf(kind);
  expect(error.violations).toEqual({ match: "must be right" });
  expect(error.retryAfter).toBe(0.25);
  expect(error.revision).toBe(12);
});

test("details of somebody else are not taken for ours", async () => {
  const fake = new Fake();
  const client = await fake.client();
  fake.answers = [fails(Code.NotFound, "SOME_REASON", { domain: "elsewhere" })];
  expect((await caught(client.act("matches/m1", 0, "x"))).reason).toBe("");
});

test.each([Code.Unknown, Code.Internal, Code.Aborted, Code.Canceled, Code.InvalidArgument])(
  "a connection that breaks as code %s is one that nobody answered",
  async (code) => {
    const fake = new Fake();
    const client = await fake.client();
    fake.answers = [fails(code), acted(7)];
    expect((await client.act("matches/m1", 0, "x")).revision).toBe(7);
  },
);

test("tries end", async () => {
  const fake = new Fake();
  const client = await fake.client({ retry: { tries: 3, first: 1 } });
  fake.answers = [1, 2, 3, 4].map(() => fails(Code.Unavailable));
  expect(await caught(client.act("matches/m1", 0, "x"))).toBeInstanceOf(Unavailable);
  expect(fake.acts).toHaveLength(3);
});

test("a try that takes too long is one that nobody answered", async () => {
  const fake = new Fake();
  const client = await fake.client({ timeout: 300, retry: { tries: 2, first: 1 } });
  fake.answers = [60_000, 60_000];
  expect(await caught(client.act("matches/m1", 0, "x"))).toBeInstanceOf(TimedOut);
  expect(fake.acts).toHaveLength(2);
});

test("a signal ends a call with its reason, without another try", async () => {
  const fake = new Fake();
  const client = await fake.client();
  fake.answers = [60_000];
  const ends = new AbortController();
  setTimeout(() => ends.abort(new Error("enough")), 10);
  await expect(client.act("matches/m1", 0, "x", { signal: ends.signal })).rejects.toThrow("enough");
  expect(fake.acts).toHaveLength(1);
  await expect(client.act("matches/m1", 0, "x", { signal: ends.signal })).rejects.toThrow("enough");
  expect(fake.acts).toHaveLength(1);
});

test("an access token that has expired is renewed once for all calls under way", async () => {
  const fake = new Fake();
  const client = await fake.client();
  fake.validToken = "access-2";
  await Promise.all([1, 2, 3].map(() => client.act("matches/m1", 0, "x")));
  expect(fake.renewals).toEqual(["refresh-1"]);
  expect(client.refreshToken).toBe("refresh-2");
  expect(fake.kept).toEqual(["refresh-1", "refresh-2"]);
});

test("a renewal that is refused ends the call", async () => {
  const fake = new Fake();
  const client = await fake.client();
  fake.validToken = "access-2";
  fake.renewalFails = [fails(Code.Unauthenticated, "TOKEN_REUSED")];
  const error = await caught(client.act("matches/m1", 0, "x"));
  expect(error).toBeInstanceOf(NotSignedIn);
  expect(error.reason).toBe("TOKEN_REUSED");
});

test("pages are fetched as they are needed", async () => {
  const fake = new Fake();
  const client = await fake.client();
  const names: string[] = [];
  for await (const match of client.matches("my_turn", { game: "bluff" })) {
    names.push(match.name);
    if (names.length === 3) {
      break;
    }
  }
  expect(names).toEqual(["matches/m0", "matches/m1", "matches/m2"]);
  expect(fake.lists.map((list) => [list.game, list.pageToken])).toEqual([
    ["games/bluff", ""],
    ["games/bluff", "2"],
  ]);
});

test("a list is of the kind, filter and order that are asked for, on every page", async () => {
  const fake = new Fake();
  const client = await fake.client();
  const listing = { filter: "game != bluff", orderBy: "create_time", pageSize: 2 };
  for await (const match of client.matches("playing", listing)) {
    void match;
  }
  expect(fake.lists.length).toBeGreaterThan(1);
  for (const list of fake.lists) {
    expect([list.which, list.filter, list.orderBy]).toEqual([MatchList.PLAYING, "game != bluff", "create_time"]);
  }
});

test("a match has the clock and the seating that are asked for, else those of the server", async () => {
  const fake = new Fake();
  const client = await fake.client();
  await client.createMatch("bluff");
  await client.createMatch("bluff", { seating: "chosen", clock: perMove(4_500, { awayAfter: 0, whenAway: "resign" }) });
  await client.createMatch("bluff", { seating: "random", clock: bank(60_000, 2_000) });
  await client.createMatch("bluff", { clock: daysPerMove(3) });
  await client.createMatch("bluff", { clock: NO_CLOCK });
  expect(fake.created.map((made) => made.seating)).toEqual([
    SeatingRule.ROTATED,
    SeatingRule.CHOSEN,
    SeatingRule.RANDOM,
    SeatingRule.ROTATED,
    SeatingRule.ROTATED,
  ]);
  expect(fake.created.map((made) => made.clock && toJson(TimeControlSchema, made.clock))).toEqual([
    undefined,
    { perMove: "4.500s", awayAfter: 0, whenAway: "WHEN_AWAY_RESIGN" },
    { bank: { time: "60s", increment: "2s" }, awayAfter: 2, whenAway: "WHEN_AWAY_PLAY_AT_ONCE" },
    { daysPerMove: 3, awayAfter: 2, whenAway: "WHEN_AWAY_PLAY_AT_ONCE" },
    { none: {} },
  ]);
});

test("a program calls with an API key, and a service as it is with whatever is in use", async () => {
  const fake = new Fake();
  fake.validToken = "chautari_key";
  const client = fake.unsigned({ apiKey: "chautari_key" });
  await client.act("matches/m1", 0, "x");
  await client.service(Play).act({ match: "matches/m2", move: { case: "text", value: "y" } });
  expect(fake.tokensSeen).toEqual(["chautari_key", "chautari_key"]);
  expect(fake.acts[1]?.match).toBe("matches/m2");
});

test("what cannot be undone is asked again where the sign-in is too old for it, with one new token for all", async () => {
  const fake = new Fake();
  const client = await fake.client();
  fake.old = ["access-1"];
  await client.act("matches/m1", 0, "x"); // it does for everything else
  expect(fake.renewals).toEqual([]);
  fake.validToken = "access-2";
  const keys = client.service(Keys);
  const made = await Promise.all([1, 2, 3].map((number) => keys.createApiKey({ apiKey: { title: `bot ${number}` } })));
  expect(made.map((each) => each.apiKey?.title)).toEqual(["bot 1", "bot 2", "bot 3"]);
  expect(fake.renewals).toEqual(["refresh-1"]);
  expect(client.refreshToken).toBe("refresh-2");
});

test("a sign-in that stays too old is told so after one renewal", async () => {
  const fake = new Fake();
  const client = await fake.client();
  fake.old = ["access-1"];
  const error = await caught(client.service(Keys).createApiKey({}));
  expect(ConnectError.from(error).findDetails(ErrorInfoSchema)[0]?.reason).toBe("SIGN_IN_OLD");
  expect([fake.toldOld, fake.renewals]).toEqual([2, ["refresh-1"]]);
});

test("a service as it is repeats nothing else, and renews nothing without a sign-in", async () => {
  const fake = new Fake();
  const client = await fake.client();
  fake.keyFails = [fails(Code.Unavailable), fails(Code.PermissionDenied, "NO_ACCESS")];
  for (const code of [Code.Unavailable, Code.PermissionDenied]) {
    const error = await caught(client.service(Keys).createApiKey({}));
    expect(ConnectError.from(error).code).toBe(code);
  }
  fake.validToken = "chautari_key";
  fake.old = ["chautari_key"];
  await caught(fake.unsigned({ apiKey: "chautari_key" }).service(Keys).createApiKey({}));
  expect([fake.toldOld, fake.renewals]).toEqual([1, []]);
});

test("a renewal that is refused ends a call of a service as it is", async () => {
  const fake = new Fake();
  const client = await fake.client();
  fake.old = ["access-1"];
  fake.renewalFails = [fails(Code.Unauthenticated, "TOKEN_REUSED")];
  expect((await caught(client.service(Keys).createApiKey({}))).reason).toBe("TOKEN_REUSED");
  expect(fake.toldOld).toBe(1);
});

test("who found a match by its link looks at it with the ticket that came", async () => {
  const fake = new Fake();
  const client = await fake.client();
  fake.streams = [[over(0)]];
  const match = await client.findMatch({ link: "abc" });
  await client.view(match);
  for await (const _ of client.watch(match)) {
    void _;
  }
  await client.getMatch(match);
  expect(fake.tickets).toEqual(["ticket", "ticket", "ticket"]);
});

test("settings keep their types, and an action may be given in parts", async () => {
  const fake = new Fake();
  const client = await fake.client();
  await client.createMatch("bluff", { settings: { players: 3, jokers: true }, seats: [0] });
  expect(fake.created[0]?.settings).toEqual({ players: 3, jokers: true });
  const action = create(ActionSchema, { verb: "throw", arguments: [{ value: { case: "card", value: "7H" } }] });
  await client.act("matches/m1", 0, action, { revision: 0 });
  expect(fake.acts[0]?.move.case).toBe("action");
  expect(fake.acts[0]?.revision).toBe(0);
});

test("what only reads is asked by GET, and what changes something by POST", async () => {
  const asked: [string | undefined, string, string][] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const url = new URL(String(input));
    asked.push([init?.method, url.pathname, url.searchParams.get("encoding") ?? ""]);
    return new Response(new Uint8Array(), { headers: { "content-type": "application/proto" } });
  };
  const client = Client.connect("http://cards.example/", { fetch });
  await client.game("bluff");
  await client.view("matches/m1");
  await client.findMatch({ code: "ABCDEF" });
  await client.act("matches/m1", 0, "x");
  expect(asked).toEqual([
    ["GET", "/chautari.v1.Games/GetGame", "proto"],
    ["GET", "/chautari.v1.Play/View", "proto"],
    ["POST", "/chautari.v1.Matches/FindMatch", ""],
    ["POST", "/chautari.v1.Play/Act", ""],
  ]);
});

test("ids are UUIDs also without a secure context", () => {
  const form = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
  const kept = globalThis.crypto;
  for (const crypto of [kept, { getRandomValues: kept.getRandomValues.bind(kept) }, undefined]) {
    Object.defineProperty(globalThis, "crypto", { value: crypto, configurable: true });
    expect(uuid()).toMatch(form);
    expect(uuid()).not.toBe(uuid());
  }
  Object.defineProperty(globalThis, "crypto", { value: kept, configurable: true });
});
