/** How long a seat has to act, for `createMatch`'s `clock`: in a few words, and as a message of the API. */
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { durationFromMs } from "@bufbuild/protobuf/wkt";
import { type TimeControl, TimeControlSchema, WhenAway } from "../gen/chautari/v1/match_pb.js";

/** What becomes of a seat that timed out several times in a row. */
export interface Away {
  /** After how many time-outs in a row a seat is away; 0 for never. 2 where it is left out. */
  readonly awayAfter?: number;
  /** What then becomes of it; `play_at_once` where it is left out. */
  readonly whenAway?: "play_at_once" | "keep_clock" | "resign";
}

const WHEN_AWAY = {
  play_at_once: WhenAway.PLAY_AT_ONCE,
  keep_clock: WhenAway.KEEP_CLOCK,
  resign: WhenAway.RESIGN,
} as const;

/** Nobody's time is ever up. */
export const NO_CLOCK: TimeControl = create(TimeControlSchema, { kind: { case: "none", value: {} } });

/** So many milliseconds for each move: 3 seconds to an hour. */
export function perMove(milliseconds: number, away: Away = {}): TimeControl {
  return control({ case: "perMove", value: durationFromMs(milliseconds) }, away);
}

/** So many milliseconds for all moves of a seat, 10 seconds to a day, and what each own move adds, 0 to 10 minutes. */
export function bank(milliseconds: number, increment = 0, away: Away = {}): TimeControl {
  const value = { time: durationFromMs(milliseconds), increment: durationFromMs(increment) };
  return control({ case: "bank", value }, away);
}

/** So many days for each move, 1 to 30. */
export function daysPerMove(days: number, away: Away = {}): TimeControl {
  return control({ case: "daysPerMove", value: days }, away);
}

function control(
  kind: MessageInitShape<typeof TimeControlSchema>["kind"],
  { awayAfter = 2, whenAway = "play_at_once" }: Away,
): TimeControl {
  return create(TimeControlSchema, { kind, awayAfter, whenAway: WHEN_AWAY[whenAway] });
}
