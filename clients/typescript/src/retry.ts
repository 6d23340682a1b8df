/** When a call is tried again: only where nobody answered, never where the server said no. Times are in milliseconds. */
export interface Retry {
  /** How often at most, the first try included. */
  readonly tries: number;
  /** The pause after the first try; each that follows is `growth` times as long. */
  readonly first: number;
  /** The longest pause. */
  readonly most: number;
  readonly growth: number;
  /** For how long a stream looks for a server before it fails with `Unavailable`; Infinity: for ever. */
  readonly giveUp: number;
}

export const DEFAULT_RETRY: Retry = { tries: 4, first: 100, most: 2_000, growth: 4, giveUp: 300_000 };

/** How long to wait after this many tries: at least as long as the server told, and never all at once. */
export function pause(retry: Retry, tried: number, told = 0): number {
  const longest = Math.min(retry.first * retry.growth ** Math.min(tried - 1, 20), retry.most);
  return Math.max(told, longest * (0.5 + Math.random() / 2));
}

/** Waits so many milliseconds; rejects with the signal's reason where it is aborted meanwhile. */
export function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(reasonOf(signal));
      return;
    }
    const stop = () => {
      clearTimeout(timer);
      reject(reasonOf(signal));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, milliseconds);
    signal?.addEventListener("abort", stop, { once: true });
  });
}

/** Why a signal was aborted, as an error. */
export function reasonOf(signal?: AbortSignal): Error {
  const reason: unknown = signal?.reason;
  return reason instanceof Error ? reason : new Error("aborted");
}
