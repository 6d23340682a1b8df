import { create } from "@bufbuild/protobuf";
import { type CallOptions, type Client as Stub, Code, createClient, type Transport } from "@connectrpc/connect";
import { Accounts, RefreshTokenRequestSchema, type Tokens } from "../gen/chautari/v1/accounts_pb.js";
import { ChautariError, NotSignedIn, TimedOut, Unavailable, errorOf } from "./errors.js";
import { type Retry, pause, reasonOf, sleep } from "./retry.js";

const RENEWABLE: readonly string[] = ["TOKEN_EXPIRED", "TOKEN_INVALID", "SIGN_IN_OLD"];

/** What a caller may give with each call. */
export interface Asked {
  /** Ends the call, or the stream, when it is aborted. */
  readonly signal?: AbortSignal | undefined;
}

/** With which a call that changes something is known again. */
export interface Repeatable extends Asked {
  /** A UUID; give one of your own to go on with a call that was still not answered after all tries. */
  readonly requestId?: string;
}

/** A unary method of a stub. */
export type Unary<I, O> = (request: I, options?: CallOptions) => Promise<O>;

/** How a connection is set up; times are in milliseconds. */
export interface Setup {
  readonly retry: Retry;
  readonly timeout: number;
  readonly language: string;
  readonly apiKey: string;
  readonly onTokens: (tokens: Tokens | undefined) => void;
}

/** A transport, the tokens of one sign-in, and how calls are made with them. */
export class Connection {
  readonly retry: Retry;
  private readonly accounts: Stub<typeof Accounts>;
  private kept: Tokens | undefined;
  private renewing: Promise<void> | undefined;

  constructor(
    readonly transport: Transport,
    private readonly setup: Setup,
  ) {
    this.retry = setup.retry;
    this.accounts = createClient(Accounts, transport);
  }

  /** The tokens in use; undefined where nobody is signed in. */
  get tokens(): Tokens | undefined {
    return this.kept;
  }

  set tokens(tokens: Tokens | undefined) {
    this.kept = tokens;
    this.setup.onTokens(tokens);
  }

  /** The access token in use, else the API key; empty where nobody is signed in. */
  get accessToken(): string {
    return this.kept?.accessToken ?? this.setup.apiKey;
  }

  /** The headers of a call. */
  headers(accessToken: string): Record<string, string> {
    return {
      ...(this.setup.language === "" ? {} : { "accept-language": this.setup.language }),
      ...(accessToken === "" ? {} : { authorization: `Bearer ${accessToken}` }),
    };
  }

  /**
   * Makes a call: renews the access token where it has expired, and tries again where nobody answered.
   *
   * The request must be one that may be made twice: it reads only, or it carries a request id.
   */
  async call<I, O>(
    method: Unary<I, O>,
    request: NoInfer<I>,
    { signal, signed = true }: Asked & { readonly signed?: boolean } = {},
  ): Promise<O> {
    let renewed = false;
    for (let tried = 1; ; ) {
      const token = signed ? this.accessToken : "";
      let error: ChautariError;
      try {
        return await this.within(signal, (ends) => method(request, { headers: this.headers(token), signal: ends }));
      } catch (thrown) {
        if (signal?.aborted) {
          throw reasonOf(signal);
        }
        error = errorOf(thrown);
      }
      if (signed && !renewed && this.mayRenew(error)) {
        await this.renew(token);
        renewed = true;
        continue;
      }
      if (!(error instanceof Unavailable) || tried >= this.retry.tries) {
        throw error;
      }
      await sleep(pause(this.retry, tried, (error.retryAfter ?? 0) * 1000), signal);
      tried += 1;
    }
  }

  /** The transport with this sign-in. A unary call that is refused for an old access token is made again with a new one. */
  signed(): Transport {
    const { transport } = this;
    const all = (headers: HeadersInit | undefined) => {
      const given = new Headers(headers);
      Object.entries(this.headers(this.accessToken)).forEach(([name, value]) => given.set(name, value));
      return given;
    };
    return {
      unary: async (method, signal, timeout, headers, message, context) => {
        const token = this.accessToken;
        const ask = () => transport.unary(method, signal, timeout, all(headers), message, context);
        try {
          return await ask();
        } catch (thrown) {
          if (signal?.aborted || !this.mayRenew(errorOf(thrown))) {
            throw thrown;
          }
          await this.renew(token);
          return ask();
        }
      },
      stream: (method, signal, timeout, headers, messages, context) =>
        transport.stream(method, signal, timeout, all(headers), messages, context),
    };
  }

  /** Whether a new access token may help. */
  mayRenew(error: ChautariError): boolean {
    return error instanceof NotSignedIn && RENEWABLE.includes(error.reason) && this.kept !== undefined;
  }

  /** Exchanges the refresh token for a new pair, unless the access token `used` has been replaced meanwhile. */
  async renew(used: string): Promise<void> {
    if (this.kept === undefined || this.kept.accessToken !== used) {
      return;
    }
    this.renewing ??= this.exchange(this.kept.refreshToken).finally(() => {
      this.renewing = undefined;
    });
    await this.renewing;
  }

  private async exchange(refreshToken: string): Promise<void> {
    const request = create(RefreshTokenRequestSchema, { refreshToken });
    const answer = await this.call(this.accounts.refreshToken, request, { signed: false });
    this.tokens = answer.tokens;
  }

  /** Runs one try under its deadline. A timer of ours holds also where a transport does not look at the time. */
  private async within<O>(signal: AbortSignal | undefined, run: (signal: AbortSignal) => Promise<O>): Promise<O> {
    const ends = new AbortController();
    const stop = () => ends.abort(signal?.reason);
    if (signal?.aborted) {
      throw reasonOf(signal);
    }
    signal?.addEventListener("abort", stop, { once: true });
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      ends.abort();
    }, this.setup.timeout);
    try {
      return await run(ends.signal);
    } catch (thrown) {
      throw late ? new TimedOut(Code.DeadlineExceeded, "no answer came in time", {}, thrown) : thrown;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", stop);
    }
  }
}
