/** Streams that outlive their connection: each is taken up again from where it was cut, without a gap or a repeat. */
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { type CallOptions, Code } from "@connectrpc/connect";
import { EndCause, type StreamEnd, type Update, type WatchRequest, WatchRequestSchema } from "../gen/chautari/v1/play_pb.js";
import type { Connection } from "./connection.js";
import { ChautariError, Faulty, NotAllowed, SeatMoved, Unavailable, errorOf } from "./errors.js";
import { pause, reasonOf, sleep } from "./retry.js";

/** How often a server sends something at least, in milliseconds, that does not say how often it does. */
export const HEARTBEAT = 20_000;

/** A message of a stream. */
interface Message {
  readonly kind: { readonly case: string; readonly value: unknown } | { readonly case: undefined };
}

/** A streaming method of a stub. */
export type Streaming<I, O> = (request: I, options?: CallOptions) => AsyncIterable<O>;

/** How a stream is watched. */
export interface Watched {
  readonly heartbeat: number;
  readonly signal?: AbortSignal | undefined;
}

/** How one call of a stream ended. final: there is nothing to come back for. */
interface Ended {
  readonly error: ChautariError;
  readonly wait?: number;
  readonly renew?: boolean;
  readonly final?: boolean;
}

/**
 * All messages of as many calls as it takes, but the ends that are none. `ask` makes the request of each call.
 *
 * Ends after a StreamEnd with MATCH_OVER, which is the last message. Two heartbeats missed are a cut. Throws where the
 * server refuses, and `Unavailable` where nobody has answered for so long that `Retry.giveUp` has passed.
 */
export async function* resumed<I, O extends Message>(
  connection: Connection,
  method: Streaming<I, O>,
  ask: () => NoInfer<I>,
  { heartbeat, signal }: Watched,
): AsyncGenerator<O, void, undefined> {
  const retry = connection.retry;
  let [tried, renewed, lost] = [0, false, 0];
  for (;;) {
    const token = connection.accessToken;
    const ends = new AbortController();
    const stop = () => ends.abort(signal?.reason);
    signal?.addEventListener("abort", stop, { once: true });
    let ended: Ended = { error: new Unavailable(Code.Unavailable, "the stream was cut") };
    try {
      const call = method(ask(), { headers: connection.headers(token), signal: ends.signal, timeoutMs: 0 });
      const messages = call[Symbol.asyncIterator]();
      for (;;) {
        const next = await within(2 * heartbeat, messages.next());
        if (next === undefined || next.done) {
          break;
        }
        const message = next.value;
        if (message.kind.case !== "end") {
          [tried, renewed] = [0, false];
          if (message.kind.case !== undefined) {
            yield message;
          }
          continue;
        }
        const end = message.kind.value as StreamEnd;
        if (end.cause === EndCause.MATCH_OVER && !end.resume) {
          yield message;
          return;
        }
        ended = afterEnd(end);
        break;
      }
    } catch (thrown) {
      if (signal?.aborted) {
        throw reasonOf(signal);
      }
      const error = errorOf(thrown);
      const renew = connection.mayRenew(error) && !renewed;
      const mayBeBroken = error instanceof Unavailable || (error instanceof Faulty && tried < retry.tries);
      ended = { error, renew, final: !renew && !mayBeBroken };
    } finally {
      signal?.removeEventListener("abort", stop);
      ends.abort();
    }
    if (signal?.aborted) {
      throw reasonOf(signal);
    }
    if (ended.final) {
      throw ended.error;
    }
    if (ended.renew) {
      try {
        await connection.renew(token);
        renewed = true;
      } catch (thrown) {
        if (!(thrown instanceof Unavailable)) {
          throw thrown;
        }
        ended = { error: thrown };
      }
    }
    tried += 1;
    lost = tried === 1 ? Date.now() : lost;
    if (Date.now() - lost > retry.giveUp) {
      throw ended.error;
    }
    await sleep(pause(retry, tried, ended.wait ?? (ended.error.retryAfter ?? 0) * 1000), signal);
  }
}

/** What to do after the last message of a stream. */
function afterEnd(end: StreamEnd): Ended {
  if (end.cause === EndCause.SEAT_MOVED) {
    return { error: new SeatMoved(end.seat ?? 0), final: true };
  }
  if (end.resume) {
    const renew = end.cause === EndCause.TOKEN;
    const error = new Unavailable(Code.Unavailable, renew ? "the access token does not hold" : "the stream was cut");
    return renew ? { error, renew } : { error, wait: end.retryMilliseconds };
  }
  return { error: endOf(end.cause), final: true };
}

/** Why a stream has ended for good, though the match is not over. */
function endOf(cause: EndCause): ChautariError {
  switch (cause) {
    case EndCause.NO_ACCESS:
      return new NotAllowed(Code.PermissionDenied, "you may not watch any more", { reason: "NO_ACCESS" });
    case EndCause.BANNED:
      return new NotAllowed(Code.PermissionDenied, "this account is banned", { reason: "ACCOUNT_BANNED" });
    default:
      return new Faulty(Code.DataLoss, "the server ended the stream for good, and the match is not over");
  }
}

/** What a promise brings within so many milliseconds, else undefined. */
async function within<T>(milliseconds: number, promise: Promise<T>): Promise<T | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), milliseconds);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
    promise.catch(() => undefined); // a call that is given up fails later, and nobody waits for it then
  }
}

/**
 * The updates of a match behind a revision, each revision once and in order; see `resumed`. first: what to ask for at
 * first; later calls ask for what comes behind the last revision that was seen.
 */
export async function* watch(
  connection: Connection,
  method: Streaming<WatchRequest, Update>,
  first: MessageInitShape<typeof WatchRequestSchema>,
  watched: Watched,
): AsyncGenerator<Update, void, undefined> {
  let cursor = first.afterRevision;
  let epoch = first.epoch ?? "";
  const ask = () =>
    create(WatchRequestSchema, { ...first, epoch, ...(cursor === undefined ? {} : { afterRevision: cursor }) });
  for (;;) {
    let whole = true;
    for await (const update of resumed(connection, method, ask, watched)) {
      epoch = update.epoch || epoch;
      if (update.kind.case === "step") {
        if (cursor !== undefined && update.revision <= cursor) {
          continue;
        }
        whole = cursor === undefined || update.revision === cursor + 1;
      } else {
        whole = cursor === undefined || update.revision <= cursor;
      }
      if (!whole) {
        break;
      }
      if (update.kind.case === "step" || cursor === undefined) {
        cursor = update.revision;
      }
      yield update;
    }
    if (whole) {
      return;
    }
    await sleep(pause(connection.retry, 1), watched.signal); // something is missing: ask for it again
  }
}
