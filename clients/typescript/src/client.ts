import { create, type DescService, type JsonObject } from "@bufbuild/protobuf";
import { durationFromMs } from "@bufbuild/protobuf/wkt";
import { type Client as Stub, createClient, type Interceptor, type Transport } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-web";
import type { Tokens } from "../gen/chautari/v1/accounts_pb.js";
import * as games from "../gen/chautari/v1/games_pb.js";
import {
  Audience,
  Disclosure,
  type Match,
  Privacy,
  SeatingRule,
  StartRule,
  type TimeControl,
} from "../gen/chautari/v1/match_pb.js";
import * as matches from "../gen/chautari/v1/matches_pb.js";
import * as server from "../gen/chautari/v1/server_pb.js";
import { type Asked, Connection, type Repeatable } from "./connection.js";
import { type GameRef, gameName, type MatchRef, matchName } from "./naming.js";
import { Playing } from "./playing.js";
import { DEFAULT_RETRY, type Retry } from "./retry.js";
import { uuid } from "./uuid.js";

/** A list of matches. */
export type Which = keyof typeof WHICH;

/** How a client reaches its server; times are in milliseconds. */
export interface ConnectOptions {
  /** When calls are tried again. */
  readonly retry?: Partial<Retry>;
  /** The deadline of one try; 10 s. */
  readonly timeout?: number;
  /** How often the server says at least that a stream is alive; as the server tells. */
  readonly heartbeat?: number;
  /** The language of texts, such as `ne`. */
  readonly language?: string;
  /** The secret of an API key, for a program that calls without a sign-in. */
  readonly apiKey?: string;
  /** Called whenever the tokens change, so that a program can keep the refresh token; undefined after a sign-out. */
  readonly onTokens?: (tokens: Tokens | undefined) => void;
  /** In place of the global `fetch`; React Native needs one that streams, such as that of `expo/fetch`. */
  readonly fetch?: typeof globalThis.fetch;
  /** JSON in place of the binary form, to read along in a browser's tools. */
  readonly json?: boolean;
  readonly interceptors?: Interceptor[];
}

/** What to play, and how. */
export interface NewMatch extends Repeatable {
  /** The settings that are not as by default, by name. */
  readonly settings?: JsonObject;
  /** The seats that the creator takes. */
  readonly seats?: readonly number[];
  readonly title?: string;
  readonly privacy?: "private" | "public";
  readonly disclosure?: "full" | "shown_only";
  readonly start?: "automatic" | "by_host";
  /** Who sits where; `rotated` where it is left out. */
  readonly seating?: "chosen" | "random" | "rotated";
  /** How long a seat has to act, as `perMove`, `bank` or `daysPerMove` make it; left out, what the game has. */
  readonly clock?: TimeControl;
  /** Who may watch beside the members. */
  readonly audience?: "members" | "link" | "everyone";
  /** How much later they see it, in milliseconds; at most an hour. */
  readonly spectatorDelay?: number;
  /** 16 to 64 random bytes that go into every shuffle, for each seat taken. */
  readonly contribution?: Uint8Array;
  readonly validateOnly?: boolean;
}

/** Which matches to list. */
export interface Listing extends Asked {
  readonly game?: GameRef;
  /** How many to fetch at once. */
  readonly pageSize?: number;
  /** Only those for which this holds, such as `state = PLAYING AND game != bluff`. */
  readonly filter?: string;
  /** `create_time` for the oldest first. */
  readonly orderBy?: string;
}

/** Which match to join, by its name, code or link, and where to sit. */
export type Joined = ({ readonly match: MatchRef } | { readonly code: string } | { readonly link: string }) &
  Repeatable & {
    /** These seats; else `count` free ones; else one. */
    readonly seats?: readonly number[];
    readonly count?: number;
    readonly contribution?: Uint8Array;
  };

const PRIVACY = { private: Privacy.PRIVATE, public: Privacy.PUBLIC } as const;
const DISCLOSURE = { full: Disclosure.FULL, shown_only: Disclosure.SHOWN_ONLY } as const;
const AUDIENCE = { members: Audience.MEMBERS, link: Audience.LINK, everyone: Audience.EVERYONE } as const;
const SEATING = {
  chosen: SeatingRule.CHOSEN,
  random: SeatingRule.RANDOM,
  rotated: SeatingRule.ROTATED,
} as const;
const START = { automatic: StartRule.AUTOMATIC, by_host: StartRule.BY_HOST } as const;
const WHICH = {
  mine: matches.MatchList.MINE,
  mine_active: matches.MatchList.MINE_ACTIVE,
  my_turn: matches.MatchList.MY_TURN,
  open: matches.MatchList.OPEN,
  playing: matches.MatchList.PLAYING,
} as const;

/**
 * One sign-in at one server.
 *
 * Every call may throw a `ChautariError`. Calls that nobody answered are made again, with one request id, so that they
 * take effect once; refusals are never repeated.
 */
export class Client extends Playing {
  private readonly catalogue: Stub<typeof games.Games>;
  private readonly lobby: Stub<typeof matches.Matches>;

  /** Over a transport of your own, such as one of `@connectrpc/connect-node` with HTTP/2; else see `connect`. */
  constructor(transport: Transport, options: ConnectOptions = {}) {
    super(
      new Connection(transport, {
        retry: { ...DEFAULT_RETRY, ...options.retry },
        timeout: options.timeout ?? 10_000,
        language: options.language ?? "",
        apiKey: options.apiKey ?? "",
        onTokens: options.onTokens ?? (() => undefined),
      }),
      options.heartbeat,
    );
    this.catalogue = createClient(games.Games, transport);
    this.lobby = createClient(matches.Matches, transport);
  }

  /**
   * A client of the server at an address such as `https://cards.example`, over Connect; nothing is sent yet.
   *
   * What only reads is asked by GET, so that a browser keeps the catalogue for as long as the server lets it.
   */
  static connect(address: string, options: ConnectOptions = {}): Client {
    const transport = createConnectTransport({
      baseUrl: address.replace(/\/+$/, ""),
      useBinaryFormat: !options.json,
      useHttpGet: true,
      ...(options.fetch === undefined ? {} : { fetch: options.fetch }),
      ...(options.interceptors === undefined ? {} : { interceptors: options.interceptors }),
    });
    return new Client(transport, options);
  }

  // Games ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

  /** All games, without their declarations. */
  async games(asked: Asked = {}): Promise<games.Game[]> {
    const found: games.Game[] = [];
    for (let pageToken = ""; ; ) {
      const request = create(games.ListGamesRequestSchema, { pageToken });
      const page = await this.connection.call(this.catalogue.listGames, request, asked);
      found.push(...page.games);
      pageToken = page.nextPageToken;
      if (pageToken === "") {
        return found;
      }
    }
  }

  /** A game with all its declarations: settings, zones, facts, verbs, words. */
  game(game: GameRef, language = "", asked: Asked = {}): Promise<games.Game> {
    const request = create(games.GetGameRequestSchema, { name: gameName(game), language });
    return this.connection.call(this.catalogue.getGame, request, asked);
  }

  /** The page on which people read the rules of a game, in Markdown. */
  async rules(game: GameRef, language = "", asked: Asked = {}): Promise<string> {
    const request = create(games.GetRulesRequestSchema, { name: gameName(game), language });
    return (await this.connection.call(this.catalogue.getRules, request, asked)).markdown;
  }

  /** Version, limits and time of the server. */
  serverInfo(asked: Asked = {}): Promise<server.ServerInfo> {
    return this.connection.call(this.server.getServerInfo, create(server.GetServerInfoRequestSchema), asked);
  }

  /** The public keys by which access tokens can be checked. */
  signingKeys(asked: Asked = {}): Promise<server.SigningKeys> {
    return this.connection.call(this.server.getSigningKeys, create(server.GetSigningKeysRequestSchema), asked);
  }

  // Matches ───────────────────────────────────────────────────────────────────────────────────────────────────────────

  /** Creates a match and hosts it. */
  createMatch(game: GameRef, made: NewMatch = {}): Promise<Match> {
    const request = create(matches.CreateMatchRequestSchema, {
      game: gameName(game),
      settings: made.settings ?? {},
      title: made.title ?? "",
      privacy: PRIVACY[made.privacy ?? "private"],
      disclosure: made.disclosure === undefined ? Disclosure.UNSPECIFIED : DISCLOSURE[made.disclosure],
      start: START[made.start ?? "automatic"],
      seating: SEATING[made.seating ?? "rotated"],
      ...(made.clock === undefined ? {} : { clock: made.clock }),
      audience: made.audience === undefined ? Audience.UNSPECIFIED : AUDIENCE[made.audience],
      ...(made.spectatorDelay ? { spectatorDelay: durationFromMs(made.spectatorDelay) } : {}),
      seats: [...(made.seats ?? [])],
      contribution: made.contribution ?? new Uint8Array(),
      requestId: made.requestId ?? uuid(),
      validateOnly: made.validateOnly ?? false,
    });
    return this.connection.call(this.lobby.createMatch, request, made);
  }

  /** A match as it is now. */
  getMatch(match: MatchRef, asked: Asked = {}): Promise<Match> {
    const name = matchName(match);
    const request = create(matches.GetMatchRequestSchema, { name, ticket: this.tickets.get(name) ?? "" });
    return this.connection.call(this.lobby.getMatch, request, asked);
  }

  /** The match behind a code or a link, to look at before joining, or to watch where its audience may. */
  async findMatch(by: ({ readonly code: string } | { readonly link: string }) & Asked): Promise<Match> {
    const request = create(matches.FindMatchRequestSchema, {
      by: "code" in by ? { case: "code", value: by.code } : { case: "link", value: by.link },
    });
    const found = await this.connection.call(this.lobby.findMatch, request, by);
    if (found.ticket !== "") {
      this.tickets.set(found.name, found.ticket);
    }
    return found;
  }

  /**
   * Sits down. The answer holds the match, whose `mySeats` are the caller's, and the view of the lowest seat taken. Who
   * comes too late is refused with MATCH_STARTED or MATCH_OVER, and with `match` in the metadata if it may be watched.
   */
  join(by: Joined): Promise<matches.JoinMatchResponse> {
    const request = create(matches.JoinMatchRequestSchema, {
      by:
        "match" in by
          ? { case: "name", value: matchName(by.match) }
          : "code" in by
            ? { case: "code", value: by.code }
            : { case: "link", value: by.link },
      seats: [...(by.seats ?? [])],
      count: by.count ?? 0,
      contribution: by.contribution ?? new Uint8Array(),
      requestId: by.requestId ?? uuid(),
    });
    return this.connection.call(this.lobby.joinMatch, request, by);
  }

  /** Gives up these seats, or all, before the start. */
  leave(match: MatchRef, seats: readonly number[] = [], asked: Repeatable = {}): Promise<Match> {
    const request = create(matches.LeaveMatchRequestSchema, {
      name: matchName(match),
      seats: [...seats],
      requestId: asked.requestId ?? uuid(),
    });
    return this.connection.call(this.lobby.leaveMatch, request, asked);
  }

  /** Starts a match that waits for its host. */
  start(match: MatchRef, asked: Repeatable = {}): Promise<Match> {
    const requestId = asked.requestId ?? uuid();
    const request = create(matches.StartMatchRequestSchema, { name: matchName(match), requestId });
    return this.connection.call(this.lobby.startMatch, request, asked);
  }

  /** Gives a seat up in a match under way. */
  resign(match: MatchRef, seat: number, asked: Repeatable = {}): Promise<Match> {
    const requestId = asked.requestId ?? uuid();
    const request = create(matches.ResignMatchRequestSchema, { name: matchName(match), seat, requestId });
    return this.connection.call(this.lobby.resignMatch, request, asked);
  }

  /** Another match with the same people, each one seat further on. */
  rematch(match: MatchRef, asked: Repeatable & { readonly contribution?: Uint8Array } = {}): Promise<Match> {
    const request = create(matches.RematchMatchRequestSchema, {
      name: matchName(match),
      contribution: asked.contribution ?? new Uint8Array(),
      requestId: asked.requestId ?? uuid(),
    });
    return this.connection.call(this.lobby.rematchMatch, request, asked);
  }

  /** Matches, those created last first unless `orderBy` says otherwise; pages are fetched as they are needed. */
  async *matches(
    which: Which = "mine",
    { game, pageSize = 0, filter = "", orderBy = "", ...asked }: Listing = {},
  ): AsyncGenerator<Match, void, undefined> {
    for (let pageToken = ""; ; ) {
      const request = create(matches.ListMatchesRequestSchema, {
        which: WHICH[which],
        game: game === undefined ? "" : gameName(game),
        pageSize,
        pageToken,
        filter,
        orderBy,
      });
      const page = await this.connection.call(this.lobby.listMatches, request, asked);
      yield* page.matches;
      pageToken = page.nextPageToken;
      if (pageToken === "") {
        return;
      }
    }
  }

  // All else ──────────────────────────────────────────────────────────────────────────────────────────────────────────

  /**
   * A service of the API as it is, called with this sign-in: for the methods that have no short form here. Such a call
   * is made once; one that is no stream is made again where it was refused for an old access token, with a new one.
   */
  service<S extends DescService>(service: S): Stub<S> {
    return createClient(service, this.connection.signed());
  }
}
