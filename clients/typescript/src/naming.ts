/** How programs name things: each by its name, or by its message. */
import type { Game } from "../gen/chautari/v1/games_pb.js";
import type { Match } from "../gen/chautari/v1/match_pb.js";

/** A match: its name `matches/…`, or the message itself. */
export type MatchRef = string | Match;
/** A game: its key `bluff`, its name `games/bluff`, or the message itself. */
export type GameRef = string | Game;

/** The name of a match. */
export function matchName(match: MatchRef): string {
  return typeof match === "string" ? match : match.name;
}

/** The name of a game, which may be given by its key alone. */
export function gameName(game: GameRef): string {
  if (typeof game !== "string") {
    return game.name;
  }
  return game.includes("/") ? game : `games/${game}`;
}
