/** A server of the API in this process that does what a test says: it knows no game and keeps nothing. */
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { Code, ConnectError, createRouterTransport, type HandlerContext } from "@connectrpc/connect";
import { Accounts, type Tokens, TokensSchema } from "../gen/chautari/v1/accounts_pb.js";
import { Keys } from "../gen/chautari/v1/keys_pb.js";
import { type Match, MatchSchema } from "../gen/chautari/v1/match_pb.js";
import { type CreateMatchRequest, type ListMatchesRequest, Matches } from "../gen/chautari/v1/matches_pb.js";
import {
  type ActRequest,
  type ActResponse,
  ActResponseSchema,
  EndCause,
  type MineUpdate,
  MineUpdateSchema,
  Play,
  StepSchema,
  type Update,
  UpdateSchema,
  type WatchRequest,
} from "../gen/chautari/v1/play_pb.js";
import { Server } from "../gen/chautari/v1/server_pb.js";
import { type View, ViewSchema } from "../gen/chautari/v1/view_pb.js";
import { BadRequestSchema, ErrorInfoSchema, RetryInfoSchema } from "../gen/google/rpc/error_details_pb.js";
import { Client, type ConnectOptions } from "../src/client.js";
import { sleep } from "../src/retry.js";

/** What a stream does next: send a message, fail, or wait so many milliseconds. */
export type Sent = Update | MineUpdate | Error | number;

/** An answer that is an error, with the details that Chautari gives. */
export function fails(
  code: Code,
  reason = "",
  more: { metadata?: Record<string, string>; field?: string; wait?: number; domain?: string; message?: string } = {},
): ConnectError {
  const error = new ConnectError(more.message ?? "no", code);
  if (reason !== "") {
    const value = { reason, domain: more.domain ?? "chautari", metadata: more.metadata ?? {} };
    error.details.push({ desc: ErrorInfoSchema, value });
  }
  if (more.field !== undefined) {
    const value = { fieldViolations: [{ field: more.field, description: "must be right" }] };
    error.details.push({ desc: BadRequestSchema, value });
  }
  if (more.wait !== undefined) {
    const nanos = Math.round(more.wait * 1e6);
    error.details.push({ desc: RetryInfoSchema, value: { retryDelay: { seconds: 0n, nanos } } });
  }
  return error;
}

/** What the client is told, and what it asked. */
export class Fake {
  readonly acts: ActRequest[] = [];
  readonly watches: WatchRequest[] = [];
  readonly created: CreateMatchRequest[] = [];
  readonly lists: ListMatchesRequest[] = [];
  readonly tokensSeen: string[] = [];
  readonly renewals: string[] = [];
  readonly tickets: string[] = [];
  readonly kept: (string | undefined)[] = [];
  answers: (ActResponse | Error | number)[] = [];
  streams: Sent[][] = [];
  renewalFails: Error[] = [];
  keyFails: Error[] = [];
  validToken = "access-1";
  /** The access tokens that are too old for what cannot be undone, and how often that was said. */
  old: string[] = [];
  toldOld = 0;
  view: View = create(ViewSchema);
  /** What it tells of its signs of life, in seconds; an error where it does not say; and how often it was asked. */
  beats: number | Error = 0;
  asked = 0;
  open = 0;

  /** A client of this server that loses no time between its tries, signed in. */
  async client(options: ConnectOptions = {}): Promise<Client> {
    const client = this.unsigned(options);
    await client.signInAsGuest("Asha");
    return client;
  }

  /** The same, not signed in. */
  unsigned(options: ConnectOptions = {}): Client {
    return new Client(this.transport(), {
      timeout: 1_000,
      onTokens: (tokens) => this.kept.push(tokens?.refreshToken),
      ...options,
      retry: { first: 1, most: 5, giveUp: 300, ...options.retry },
    });
  }

  private tokens(number: number): Tokens {
    return create(TokensSchema, { accessToken: this.validToken, refreshToken: `refresh-${number}` });
  }

  private check(context: HandlerContext): void {
    const given = tokenOf(context);
    this.tokensSeen.push(given);
    if (given !== this.validToken) {
      throw fails(Code.Unauthenticated, given === "" ? "TOKEN_MISSING" : "TOKEN_EXPIRED");
    }
  }

  private checkFresh(context: HandlerContext): void {
    if (this.old.includes(tokenOf(context))) {
      this.toldOld += 1;
      throw fails(Code.Unauthenticated, "SIGN_IN_OLD", { metadata: { field: "authorization", seconds: "120" } });
    }
    this.check(context);
  }

  private async *sent(context: HandlerContext): AsyncGenerator<Update | MineUpdate> {
    // The transport within a process tells of a reader that has gone by the signal alone.
    const left = new Promise<void>((resolve) => context.signal.addEventListener("abort", () => resolve()));
    this.open += 1;
    void left.then(() => (this.open -= 1));
    for (const next of this.streams.shift() ?? []) {
      if (next instanceof Error) {
        throw next;
      } else if (typeof next === "number") {
        await sleep(next, context.signal);
      } else {
        yield next;
      }
    }
  }

  private transport() {
    return createRouterTransport(({ service }) => {
      service(Accounts, {
        createGuest: (request) => ({
          account: { name: "accounts/a1", displayName: request.displayName },
          tokens: this.tokens(1),
        }),
        refreshToken: async (request) => {
          const failure = this.renewalFails.shift();
          if (failure !== undefined) {
            throw failure;
          }
          this.renewals.push(request.refreshToken);
          await sleep(5);
          return { tokens: this.tokens(this.renewals.length + 1) };
        },
      });
      service(Keys, {
        createApiKey: (request, context) => {
          this.checkFresh(context);
          const failure = this.keyFails.shift();
          if (failure !== undefined) {
            throw failure;
          }
          return { apiKey: { title: request.apiKey?.title ?? "" }, secret: "secret" };
        },
      });
      service(Server, {
        getServerInfo: () => {
          this.asked += 1;
          if (this.beats instanceof Error) {
            throw this.beats;
          }
          return { limits: { heartbeatSeconds: this.beats } };
        },
      });
      service(Matches, {
        createMatch: (request, context): Match => {
          this.check(context);
          this.created.push(request);
          return create(MatchSchema, { name: "matches/m1", game: request.game });
        },
        findMatch: () => ({ name: "matches/m1", ticket: "ticket" }),
        getMatch: (request) => {
          this.tickets.push(request.ticket);
          return { name: request.name };
        },
        listMatches: (request, context) => {
          this.check(context);
          this.lists.push(request);
          const start = Number(request.pageToken || "0");
          const found = [start, start + 1].map((number) => ({ name: `matches/m${number}` }));
          return { matches: found, nextPageToken: start < 4 ? String(start + 2) : "" };
        },
      });
      service(Play, {
        act: async (request, context): Promise<ActResponse> => {
          this.check(context);
          this.acts.push(request);
          const answer = this.answers.shift() ?? create(ActResponseSchema);
          if (answer instanceof Error) {
            throw answer;
          }
          if (typeof answer === "number") {
            await sleep(answer, context.signal);
            return create(ActResponseSchema);
          }
          return answer;
        },
        view: (request, context) => {
          this.check(context);
          if (request.ticket !== "") {
            this.tickets.push(request.ticket);
          }
          return this.view;
        },
        watch: (request, context) => {
          this.check(context);
          this.watches.push(request);
          if (request.ticket !== "") {
            this.tickets.push(request.ticket);
          }
          return this.sent(context) as AsyncGenerator<Update>;
        },
        watchMine: (_, context) => {
          this.check(context);
          return this.sent(context) as AsyncGenerator<MineUpdate>;
        },
      });
    });
  }
}

function tokenOf(context: HandlerContext): string {
  return (context.requestHeader.get("authorization") ?? "").replace("Bearer ", "");
}

/** A step of the match `m1`. */
export function step(revision: number, more: MessageInitShape<typeof StepSchema> = {}): Update {
  return create(UpdateSchema, { match: "matches/m1", revision, kind: { case: "step", value: more } });
}

/** A heartbeat. */
export function beat(revision: number): Update {
  return create(UpdateSchema, { match: "matches/m1", revision, kind: { case: "heartbeat", value: {} } });
}

/** The last message of a stream. */
export function end(revision: number, cause: EndCause, resume: boolean, wait = 0): Update {
  const value = { cause, resume, retryMilliseconds: wait };
  return create(UpdateSchema, { match: "matches/m1", revision, kind: { case: "end", value } });
}

/** The end of a match. */
export function over(revision: number): Update {
  return end(revision, EndCause.MATCH_OVER, false);
}

/** A message of the stream of one's matches. */
export function mine(kind: MessageInitShape<typeof MineUpdateSchema>["kind"]): MineUpdate {
  return create(MineUpdateSchema, kind === undefined ? {} : { kind });
}
