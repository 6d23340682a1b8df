/** Chautari from TypeScript: `Client` is the face, messages are those of the API, `chautari.v1`. */
export type { Account, Tokens } from "../gen/chautari/v1/accounts_pb.js";
export { type Action, ActionSchema, type Argument, ArgumentSchema } from "../gen/chautari/v1/action_pb.js";
export { ErrorReason } from "../gen/chautari/v1/errors_pb.js";
export type { Event } from "../gen/chautari/v1/event_pb.js";
export type { Game } from "../gen/chautari/v1/games_pb.js";
export {
  type Match,
  type MatchResult,
  MatchState,
  type Seat,
  SeatState,
  type TimeControl,
} from "../gen/chautari/v1/match_pb.js";
export type { JoinMatchResponse } from "../gen/chautari/v1/matches_pb.js";
export type { Option } from "../gen/chautari/v1/option_pb.js";
export { type ActResponse, EndCause, type MatchRecord, type MineUpdate, type Update } from "../gen/chautari/v1/play_pb.js";
export type { ServerInfo } from "../gen/chautari/v1/server_pb.js";
export { type View, type Zone, ZoneKind } from "../gen/chautari/v1/view_pb.js";
export { Client, type ConnectOptions, type Joined, type Listing, type NewMatch, type Which } from "./client.js";
export { type Away, bank, daysPerMove, NO_CLOCK, perMove } from "./clocks.js";
export type { Asked, Repeatable } from "./connection.js";
export {
  BeyondHead,
  ChautariError,
  EpochChanged,
  Exhausted,
  Faulty,
  Gap,
  Malformed,
  NotAllowed,
  NotFound,
  NotSignedIn,
  type Reason,
  Refused,
  RequestReused,
  SeatMoved,
  Stale,
  TimedOut,
  Unavailable,
} from "./errors.js";
export type { GameRef, MatchRef } from "./naming.js";
export type { Acting, Move, Watching } from "./playing.js";
export type { Retry } from "./retry.js";
export { Table } from "./table.js";
export { compareCards } from "./zones.js";
