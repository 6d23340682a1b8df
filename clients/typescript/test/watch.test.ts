/** Streams: cut, drained, silent, repeated or with holes, they go on without a gap and without a repeat. */
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { MatchState } from "../gen/chautari/v1/match_pb.js";
import { ActResponseSchema, EndCause, UpdateSchema } from "../gen/chautari/v1/play_pb.js";
import { ViewSchema } from "../gen/chautari/v1/view_pb.js";
import type { Client } from "../src/client.js";
import { BeyondHead, EpochChanged, Faulty, NotAllowed, Unavailable } from "../src/errors.js";
import { beat, end, Fake, fails, mine, over, type Sent, step } from "./fake.js";

async function revisions(client: Client, after: number | undefined = 0): Promise<number[]> {
  const found: number[] = [];
  for await (const update of client.watch("matches/m1", 1, after === undefined ? {} : { after })) {
    if (update.kind.case === "step") {
      found.push(update.revision);
    }
  }
  return found;
}

async function watched(streams: Sent[][], options: Parameters<Fake["client"]>[0] = {}) {
  const fake = new Fake();
  fake.streams = streams;
  return { fake, client: await fake.client(options) };
}

test("a stream ends with the match", async () => {
  const { fake, client } = await watched([[step(1), beat(1), step(2), over(2)]]);
  const kinds: unknown[] = [];
  for await (const update of client.watch("matches/m1", 1, { after: 0 })) {
    kinds.push(update.kind.case);
  }
  expect(kinds).toEqual(["step", "step", "end"]);
  expect(fake.watches[0]).toMatchObject({ seat: 1, afterRevision: 0 });
});

test("a stream that was cut is resumed from the last revision", async () => {
  const { fake, client } = await watched([
    [step(1), step(2)],
    [step(3), fails(Code.Unavailable, "READER_SLOW")],
    [beat(3)],
    [step(4), over(4)],
  ]);
  expect(await revisions(client)).toEqual([1, 2, 3, 4]);
  expect(fake.watches.map((asked) => asked.afterRevision)).toEqual([0, 2, 3, 3]);
});

test("a repeat is dropped, and a hole asked for again", async () => {
  const { fake, client } = await watched([
    [step(1), step(1), step(2), step(4)],
    [step(2), step(3), beat(5)],
    [step(4), step(5), over(5)],
  ]);
  expect(await revisions(client)).toEqual([1, 2, 3, 4, 5]);
  expect(fake.watches.map((asked) => asked.afterRevision)).toEqual([0, 2, 3]);
});

test("a stream that is drained waits as told and goes on", async () => {
  const { client } = await watched([[step(1), end(1, EndCause.DRAINING, true, 60)], [step(2), over(2)]]);
  const before = performance.now();
  expect(await revisions(client)).toEqual([1, 2]);
  expect(performance.now() - before).toBeGreaterThanOrEqual(59);
});

test("two missed heartbeats are a cut", async () => {
  const silent: Sent[] = [step(1), 600_000];
  const { fake, client } = await watched([silent, [beat(1), step(2), over(2)]], { heartbeat: 200 });
  expect(await revisions(client)).toEqual([1, 2]);
  expect(fake.watches).toHaveLength(2);
});

test("how often a server beats it says itself, and is asked once", async () => {
  const { fake, client } = await watched([[step(1), 9_000, over(1)], [step(2), over(2)], [over(2)]]);
  fake.beats = 1;
  expect(await revisions(client)).toEqual([1, 2]);
  expect(await revisions(client, 2)).toEqual([]);
  expect(fake.asked).toBe(1);
});

test("a server that does not say how often it beats is watched all the same, and asked again", async () => {
  const { fake, client } = await watched([[step(1), over(1)], [over(1)]]);
  fake.beats = fails(Code.Internal, "FAULT");
  expect(await revisions(client)).toEqual([1]);
  expect(await revisions(client, 1)).toEqual([]);
  expect(fake.asked).toBe(2);
});

test("without a cursor it goes on from where it began", async () => {
  const { fake, client } = await watched([[beat(7)], [step(8)], [step(9), over(9)]]);
  const found: number[] = [];
  for await (const update of client.watch("matches/m1", 1)) {
    if (update.kind.case === "step") {
      found.push(update.revision);
    }
  }
  expect(found).toEqual([8, 9]);
  expect(fake.watches.map((asked) => asked.afterRevision)).toEqual([undefined, 7, 8]);
});

test("a token that runs out is renewed", async () => {
  const { fake, client } = await watched([[step(1), end(1, EndCause.TOKEN, true)], [step(2), over(2)]]);
  expect(await revisions(client)).toEqual([1, 2]);
  expect(fake.renewals).toEqual(["refresh-1"]);
});

test("a token that expired before the call is renewed", async () => {
  const { fake, client } = await watched([[step(1), over(1)]]);
  fake.validToken = "access-2";
  expect(await revisions(client)).toEqual([1]);
  expect(fake.renewals).toEqual(["refresh-1"]);
});

test.each<[Sent, new (...values: never[]) => Error]>([
  [fails(Code.PermissionDenied, "NO_ACCESS"), NotAllowed],
  [fails(Code.OutOfRange, "BEYOND_HEAD", { metadata: { revision: "3" } }), BeyondHead],
  [end(1, EndCause.NO_ACCESS, false), NotAllowed],
  [end(1, EndCause.BANNED, false), NotAllowed],
  [end(1, EndCause.FAULT, false), Faulty],
])("a stream that is refused throws and is not resumed (%#)", async (failure, kind) => {
  const { fake, client } = await watched([[step(1), failure]]);
  await expect(revisions(client)).rejects.toBeInstanceOf(kind);
  expect(fake.watches).toHaveLength(1);
});

test("a fault of the server is told after some tries", async () => {
  const { fake, client } = await watched(Array.from({ length: 9 }, () => [fails(Code.Internal, "FAULT")]));
  await expect(revisions(client)).rejects.toBeInstanceOf(Faulty);
  expect(fake.watches).toHaveLength(5);
});

test("a watch gives up where nobody answers for long", async () => {
  const nobody: Sent[][] = Array.from({ length: 1000 }, () => [fails(Code.Unavailable)]);
  const { client } = await watched([[step(1)], ...nobody]);
  await expect(revisions(client)).rejects.toBeInstanceOf(Unavailable);
});

test("kinds that are not known are skipped", async () => {
  const known = toBinary(UpdateSchema, create(UpdateSchema, { match: "matches/m1", revision: 1 }));
  const unknown = fromBinary(UpdateSchema, new Uint8Array([...known, 0xa2, 0x06, 0x00]));
  const { client } = await watched([[unknown, step(1), over(1)]]);
  expect(await revisions(client)).toEqual([1]);
});

test("leaving a watch closes its stream", async () => {
  const { fake, client } = await watched([[step(1), 600_000]]);
  for await (const update of client.watch("matches/m1", undefined, { after: 0 })) {
    expect([update.revision, fake.open]).toEqual([1, 1]);
    break;
  }
  await expect.poll(() => fake.open).toBe(0);
});

test("a signal ends a watch with its reason", async () => {
  const { fake, client } = await watched([[step(1), 600_000]]);
  const ends = new AbortController();
  const seen: number[] = [];
  const all = (async () => {
    for await (const update of client.watch("matches/m1", 0, { after: 0, signal: ends.signal })) {
      seen.push(update.revision);
      ends.abort(new Error("enough"));
    }
  })();
  await expect(all).rejects.toThrow("enough");
  expect(seen).toEqual([1]);
  await expect.poll(() => fake.open).toBe(0);
});

test("the stream of one's matches begins anew after a cut", async () => {
  const summary = mine({ case: "summary", value: {} });
  const changed = mine({ case: "changed", value: { match: "matches/m1", myTurn: true } });
  const { client } = await watched([
    [summary, mine({ case: "heartbeat", value: {} }), changed],
    [summary, 600_000],
  ]);
  const kinds: unknown[] = [];
  for await (const update of client.watchMine()) {
    kinds.push(update.kind.case);
    if (kinds.length === 3) {
      break;
    }
  }
  expect(kinds).toEqual(["summary", "changed", "summary"]);
});

test("a restored server and a seat that was drawn are told", async () => {
  const gone = fails(Code.OutOfRange, "EPOCH_CHANGED", { metadata: { epoch: "b" } });
  const { fake, client } = await watched([[{ ...step(1), epoch: "a" }], [gone]]);
  await expect(revisions(client)).rejects.toBeInstanceOf(EpochChanged);
  expect(fake.watches.map((asked) => asked.epoch)).toEqual(["", "a"]);
  const moved = end(1, EndCause.SEAT_MOVED, false);
  Object.assign(moved.kind.value ?? {}, { seat: 3 });
  const drawn = await watched([[step(1), moved]]);
  await expect(revisions(drawn.client)).rejects.toMatchObject({ name: "SeatMoved", seat: 3 });
});

test("follow starts anew from a restored server, and goes on with the seat that was drawn", async () => {
  const moved = end(4, EndCause.SEAT_MOVED, false);
  Object.assign(moved.kind.value ?? {}, { seat: 0 });
  const gone = fails(Code.OutOfRange, "EPOCH_CHANGED");
  const { fake, client } = await watched([[step(4, { head: {} }), moved], [gone], [step(4, { head: {} }), over(4)]]);
  fake.view = create(ViewSchema, { match: "matches/m1", revision: 3, epoch: "a", state: MatchState.PLAYING });
  const seen: [number, number][] = [];
  for await (const table of client.follow("matches/m1", 1)) {
    seen.push([table.revision, table.restarts]);
  }
  expect(seen).toEqual([[3, 0], [4, 0], [3, 0], [3, 1], [4, 1]]);
  expect(fake.watches.map((asked) => asked.seat)).toEqual([1, 0, 0]);
});

test("follow gives the table whenever it is up to date, and none older than one's own act", async () => {
  const { fake, client } = await watched([
    [
      step(4, { head: {} }),
      step(5),
      step(6, { head: {} }),
      step(7, { head: {} }),
      step(8, { head: {}, events: [{ kind: { case: "matchEnded", value: { result: { placing: [1, 2] } } } }] }),
      over(8),
    ],
  ]);
  fake.view = create(ViewSchema, { match: "matches/m1", revision: 3, seat: 1, state: MatchState.PLAYING });
  fake.answers = [create(ActResponseSchema, { revision: 6 })];
  const seen: [number, boolean][] = [];
  for await (const table of client.follow("matches/m1", 1)) {
    seen.push([table.revision, table.isOver]);
    if (table.revision === 3) {
      await client.act("matches/m1", 1, "accept");
    }
  }
  expect(seen).toEqual([[3, false], [6, false], [7, false], [8, true]]);
});
