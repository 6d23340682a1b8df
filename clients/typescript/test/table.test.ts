import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { durationFromMs, timestampFromMs } from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { EventSchema, Put, Take } from "../gen/chautari/v1/event_pb.js";
import { MatchState, SeatState } from "../gen/chautari/v1/match_pb.js";
import { ViewSchema } from "../gen/chautari/v1/view_pb.js";
import { Gap } from "../src/errors.js";
import { Table } from "../src/table.js";
import { compareCards } from "../src/zones.js";
import { step } from "./fake.js";

function table(): Table {
  return new Table(
    create(ViewSchema, {
      match: "matches/m1",
      revision: 1,
      seat: 0,
      state: MatchState.PLAYING,
      seats: [{ number: 0, state: SeatState.TAKEN }, { number: 1, state: SeatState.TAKEN }],
      zones: [
        { name: "deck", base: "deck", count: 3, ordered: true },
        { name: "hand.0", base: "hand", count: 2, cards: ["2C", "7H"] },
        { name: "hand.1", base: "hand", count: 2 },
        { name: "pile", base: "pile", count: 0, ordered: true },
      ],
    }),
  );
}

function fold(one: Table, ...kinds: MessageInitShape<typeof EventSchema>["kind"][]): Table {
  const events = kinds.map((kind) => create(EventSchema, kind === undefined ? {} : { kind }));
  one.apply(step(one.revision + 1, { events, head: {} }));
  return one;
}

const lies = (one: Table, name: string) => [one.zone(name)?.count, one.zone(name)?.cards];

test("cards that move are seen where they are seen", () => {
  const one = table();
  const named = { source: "hand.0", target: "pile", count: 1, cards: ["7H"], take: Take.NAMED, put: Put.LAST };
  const drawn = { source: "deck", target: "hand.1", count: 1, take: Take.FIRST };
  const got = { source: "deck", target: "hand.0", count: 1, cards: ["AC"], take: Take.FIRST };
  fold(one, { case: "moved", value: named }, { case: "moved", value: drawn }, { case: "moved", value: got });
  expect(lies(one, "hand.0")).toEqual([2, ["AC", "2C"]]);
  expect(lies(one, "pile")).toEqual([1, ["7H"]]);
  expect(lies(one, "hand.1")).toEqual([3, []]);
  expect(lies(one, "deck")).toEqual([1, []]);
  expect(one.needsView).toBe(false);
});

test("what is dealt, shown, hidden and shuffled is folded", () => {
  const one = table();
  fold(one, { case: "dealt", value: { source: "deck", hands: [{ zone: "hand.0", count: 1, cards: ["XX"] }] } });
  expect(lies(one, "hand.0")).toEqual([3, ["2C", "7H", "XX"]]);
  fold(one, { case: "shown", value: { zone: "hand.1", cards: ["KS", "3D"] } });
  expect(lies(one, "hand.1")).toEqual([2, ["3D", "KS"]]);
  fold(one, { case: "hidden", value: { zone: "hand.1" } });
  expect(lies(one, "hand.1")).toEqual([2, []]);
  fold(one, { case: "shuffled", value: { zone: "deck", count: 9 } });
  expect(lies(one, "deck")).toEqual([9, []]);
  fold(one, { case: "handBegan", value: { hand: 2 } });
  expect([one.view.hand, lies(one, "hand.0")]).toEqual([2, [0, []]]);
});

test("the turn, the facts, the seats and the end are folded", () => {
  const one = table();
  fold(one, { case: "turned", value: { turn: { phase: "play", must: [0], may: [1] } } });
  expect([one.isMyTurn, one.isOver]).toEqual([true, false]);
  fold(one, { case: "told", value: { facts: { trump: "H" } } }, { case: "seatLeft", value: { seat: 1 } });
  expect([one.facts, one.view.seats[1]?.state]).toEqual([{ trump: "H" }, SeatState.LEFT]);
  fold(one, { case: "matchEnded", value: { result: { placing: [1, 2] } } });
  expect([one.isOver, one.isMyTurn, one.view.turn?.phase]).toEqual([true, false, "over"]);
});

test("seats that were drawn or handed over have other accounts", () => {
  const one = table();
  one.view.seats.forEach((seat) => Object.assign(seat, { account: `accounts/${seat.number}` }));
  fold(one, { case: "seatsDrawn", value: { before: [1, 0] } });
  expect(one.view.seats.map((seat) => seat.account)).toEqual(["accounts/1", "accounts/0"]);
  fold(one, { case: "seatHanded", value: { seat: 1, account: "accounts/2" } });
  expect(one.view.seats.map((seat) => seat.account)).toEqual(["accounts/1", "accounts/2"]);
});

test("what an operator says of a match that was stopped stays with its result", () => {
  const one = table();
  fold(one, { case: "matchStopped", value: { note: "the server moves" } });
  fold(one, { case: "matchEnded", value: { result: { aborted: true } } });
  expect([one.view.result?.note, one.view.result?.aborted, one.isOver]).toEqual(["the server moves", true, true]);
});

test("what is not known asks for a fresh view", () => {
  expect(fold(table(), undefined).needsView).toBe(true);
  expect(fold(table(), { case: "hidden", value: { zone: "elsewhere" } }).needsView).toBe(true);
});

test("a step that was folded changes nothing, and one that is missing is told", () => {
  const one = table();
  expect(one.apply(step(1))).toBe(false);
  expect(() => one.apply(step(3))).toThrow(Gap);
  expect(one.apply(step(2))).toBe(true);
  expect([one.revision, one.isCurrent]).toEqual([2, false]);
});

test("cards are sorted in the card order", () => {
  const sorted = ["XX", "KS", "AD", "TC", "2C", "AC"].sort(compareCards);
  expect(sorted).toEqual(["AC", "2C", "TC", "AD", "KS", "XX"]);
});

test("clocks tell when the time of a seat is up, and how much of it there was", () => {
  const one = table();
  expect([one.dueTime(0), one.timeLeft(0)]).toEqual([undefined, undefined]);
  const time = timestampFromMs(1_000_000);
  const clocks = [{ seat: 0, dueTime: timestampFromMs(1_029_500) }, { seat: 1, bank: durationFromMs(60_000) }];
  one.apply(step(one.revision + 1, { time, head: { clocks } }));
  expect([one.dueTime(0)?.getTime(), one.timeLeft(0)]).toEqual([1_029_500, 29_500]);
  expect([one.dueTime(1), one.timeLeft(1)]).toEqual([undefined, undefined]);
});
