/**
 * What a call may throw.
 *
 *     ChautariError
 *     ├── Refused            the server looked at it and says no: a rule of the game, or the state of the match
 *     │   ├── Malformed      it cannot be read, or a value is not allowed
 *     │   ├── NotAllowed     the caller may not do this, or see whether it could be done
 *     │   ├── NotFound       there is no such thing
 *     │   ├── NotSignedIn    no token, or one that does not hold: sign in anew
 *     │   ├── SeatMoved      the seats were drawn by lot: the account of the watched seat sits on another one
 *     │   ├── Stale          the match has gone on since the revision that was named
 *     │   ├── RequestReused  the request id belongs to another request
 *     │   ├── BeyondHead     the cursor lies behind the newest revision
 *     │   │   └── EpochChanged  the server was restored from a backup: start from a fresh view
 *     │   └── Exhausted      a limit was reached; `retryAfter` seconds may help
 *     ├── Unavailable        not now: nobody there, starting, draining; a call may have been done all the same
 *     │   └── TimedOut       no answer within the deadline; the call may have been done
 *     └── Faulty             a fault of the server, or an answer that is none of ours
 *
 * A program reads `reason` (an `ErrorReason` of the API without its common beginning) and `rule`; `message` is for
 * people.
 */
import { Code, ConnectError } from "@connectrpc/connect";
import {
  BadRequestSchema,
  ErrorInfoSchema,
  LocalizedMessageSchema,
  RetryInfoSchema,
} from "../gen/google/rpc/error_details_pb.js";
import { ErrorReason } from "../gen/chautari/v1/errors_pb.js";

const DOMAIN = "chautari";

/** The reasons of the API by name, `RULE_BROKEN` and so on. A newer server may have more. */
export type Reason = Exclude<keyof typeof ErrorReason, "UNSPECIFIED">;

/** What the server told of a refusal. */
export interface Told {
  readonly reason?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly violations?: Readonly<Record<string, string>>;
  readonly retryAfter?: number | undefined;
  readonly localized?: string;
}

/** A call that was not done, or of which nobody knows whether it was. */
export class ChautariError extends Error {
  /** The status, as Connect and gRPC number it. */
  readonly code: Code;
  /** Why, as `ErrorReason` names it; empty where the answer did not come from Chautari. */
  readonly reason: Reason | "" | (string & {});
  /** The rule of the game behind a refusal, an id that does not change; else empty. */
  readonly rule: string;
  /** The values that the message speaks of. */
  readonly metadata: Readonly<Record<string, string>>;
  /** By field, what is wrong with it. */
  readonly violations: Readonly<Record<string, string>>;
  /** Seconds after which it may work; undefined where nothing is known. */
  readonly retryAfter: number | undefined;
  /** The message in the caller's language, where the server has it; else empty. */
  readonly localized: string;

  constructor(code: Code, message: string, told: Told = {}, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = new.target.name;
    this.code = code;
    this.reason = told.reason ?? "";
    this.metadata = told.metadata ?? {};
    this.rule = this.metadata["rule"] ?? "";
    this.violations = told.violations ?? {};
    this.retryAfter = told.retryAfter;
    this.localized = told.localized ?? "";
  }

  /** The revision that the server named, the newest one of the match; undefined where it named none. */
  get revision(): number | undefined {
    const text = this.metadata["revision"];
    return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
  }
}

/** The server looked at it and says no. */
export class Refused extends ChautariError {}
/** It cannot be read, or a value is not allowed; `violations` names the fields. */
export class Malformed extends Refused {}
/** The caller may not do this, or it might not exist. */
export class NotAllowed extends Refused {}
/** There is no such thing. */
export class NotFound extends Refused {}
/** No token, or one that does not hold. */
export class NotSignedIn extends Refused {}
/** The match has gone on since the revision that the call named; `revision` is the current one. */
export class Stale extends Refused {}
/** The request id was used for another request. */
export class RequestReused extends Refused {}
/** The cursor lies behind the newest revision of the match; `revision` is that one. */
export class BeyondHead extends Refused {}
/**
 * The server's database has been restored from a backup since: what is known of its matches is void. Start from a fresh
 * view. What was done after the backup has not happened.
 */
export class EpochChanged extends BeyondHead {}
/** The seats were drawn by lot: the account of the watched seat sits on `seat` now. Watch that one. */
export class SeatMoved extends Refused {
  constructor(readonly seat: number) {
    super(Code.PermissionDenied, `the seats were drawn, and yours is seat ${seat} now`);
  }
}
/** A limit, or a disk, is full. */
export class Exhausted extends Refused {}
/** Nobody answers, or not now. The call may have been done: repeat it with the same request id. */
export class Unavailable extends ChautariError {}
/** No answer came within the deadline. The call may have been done: repeat it with the same request id. */
export class TimedOut extends Unavailable {}
/** A fault of the server, or an answer that no Chautari server gives. */
export class Faulty extends ChautariError {}
/** An update that does not follow the table's revision: fetch a fresh view. */
export class Gap extends Error {}

const BY_CODE: ReadonlyMap<Code, typeof ChautariError> = new Map<Code, typeof ChautariError>([
  [Code.FailedPrecondition, Refused],
  [Code.InvalidArgument, Malformed],
  [Code.PermissionDenied, NotAllowed],
  [Code.NotFound, NotFound],
  [Code.Unauthenticated, NotSignedIn],
  [Code.Aborted, Stale],
  [Code.AlreadyExists, RequestReused],
  [Code.OutOfRange, BeyondHead],
  [Code.ResourceExhausted, Exhausted],
  [Code.Unavailable, Unavailable],
  [Code.DeadlineExceeded, TimedOut],
]);

/**
 * What transports make of a connection that breaks: `fetch` throws a TypeError, Node's sockets are aborted, an answer
 * stops within a message. Chautari itself never says these without a reason.
 */
const BROKEN: readonly Code[] = [
  Code.Unknown,
  Code.Internal,
  Code.Aborted,
  Code.Canceled,
  Code.DataLoss,
  Code.InvalidArgument,
];

/** The error for whatever a call has thrown, with all that the server told of it. */
export function errorOf(thrown: unknown): ChautariError {
  if (thrown instanceof ChautariError) {
    return thrown;
  }
  const error = ConnectError.from(thrown);
  const info = error.findDetails(ErrorInfoSchema).find((each) => each.domain === DOMAIN);
  const wait = error.findDetails(RetryInfoSchema)[0]?.retryDelay;
  const violations = error.findDetails(BadRequestSchema).flatMap((each) => each.fieldViolations);
  const told: Told = {
    reason: info?.reason ?? "",
    metadata: info?.metadata ?? {},
    violations: Object.fromEntries(violations.map((each) => [each.field, each.description])),
    retryAfter: wait === undefined ? undefined : Number(wait.seconds) + wait.nanos / 1e9,
    localized: error.findDetails(LocalizedMessageSchema)[0]?.message ?? "",
  };
  return new (kindOf(error.code, info?.reason))(error.code, error.rawMessage, told, thrown);
}

/** The class for a code; reason: undefined where the answer is none of ours. */
function kindOf(code: Code, reason: string | undefined): typeof ChautariError {
  if (reason === undefined && BROKEN.includes(code)) {
    return Unavailable;
  }
  return reason === "EPOCH_CHANGED" ? EpochChanged : (BY_CODE.get(code) ?? Faulty);
}
