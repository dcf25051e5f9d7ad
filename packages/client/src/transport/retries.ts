import { TcError } from '../errors/tc-error.js';
import type { ApiRequest, RetryInfo, RetryPolicy } from './transport.js';

export const DEFAULT_RETRY: RetryPolicy = {
  attempts: 4,
  baseMs: 500,
  maxDelayMs: 60_000,
  totalMs: 300_000,
};

/** The service keeps an `Idempotency-Key` for a day. A repetition after that would be a second write. */
const KEY_LIFETIME_MS = 86_400_000;
/** A request with these statuses was not executed, so every request may be repeated. */
const NOT_EXECUTED = [425, 429];
/** It is not known whether a request with these statuses was executed. 0: there was no complete response. */
const UNCERTAIN = [0, 408, 502, 503, 504];
/** Methods that do the same when they are repeated (RFC 9110, 9.2.2). */
const IDEMPOTENT = ['GET', 'HEAD', 'PUT', 'DELETE'];

/**
 * Does the work of a request again after failures that may pass, with random waits (full jitter) that grow, or the wait
 * that the service asks for. With `gone`, a repeated attempt that finds nothing has succeeded. Stops at the limits of
 * attempts and of time, when the signal aborts, and before the key of a write expires. `work` gets the number of the
 * attempt and the milliseconds that it may take.
 */
export async function retrying<T>(
  request: ApiRequest,
  policy: RetryPolicy,
  onRetry: ((info: RetryInfo) => void) | undefined,
  timeoutMs: number,
  work: (attempt: number, limitMs: number) => Promise<T>,
  gone?: () => T,
): Promise<T> {
  const began = Date.now();
  const isLimited = timeoutMs !== Number.POSITIVE_INFINITY;
  const totalMs = isLimited ? Math.min(KEY_LIFETIME_MS, policy.totalMs) : KEY_LIFETIME_MS;
  let maybeDone = false;
  for (let attempt = 1; ; attempt += 1) {
    try {
      const left = totalMs - (Date.now() - began);
      return await work(attempt, isLimited ? Math.min(timeoutMs, left) : timeoutMs);
    } catch (error) {
      if (!(error instanceof TcError)) throw error;
      // An attempt whose response was lost has deleted it.
      if (error.status === 404 && maybeDone && gone !== undefined) return gone();
      if (attempt >= policy.attempts || !mayRepeat(request, error, attempt)) throw error;
      const delayMs = error.retryAfterMs ?? jitter(policy, attempt);
      const isTooLong = delayMs > policy.maxDelayMs || Date.now() - began + delayMs >= totalMs;
      if (isTooLong) throw error;
      maybeDone ||= UNCERTAIN.includes(error.status);
      onRetry?.({ method: request.method, path: request.path, attempt, delayMs, error });
      await pause(delayMs, request.signal);
    }
  }
}

function mayRepeat(request: ApiRequest, { status, code, retryAfterMs }: TcError, attempt: number): boolean {
  // A stream is used up after the first attempt.
  if (request.raw instanceof ReadableStream) return false;
  if (NOT_EXECUTED.includes(status)) return true;
  // The service sends Retry-After only with refusals that wrote nothing.
  if (status === 503 && retryAfterMs !== undefined) return true;
  const hasKey = typeof request.idempotencyKey === 'string';
  // The first attempt of the same write is still running.
  if (code === 'Conflict' && hasKey && attempt > 1) return true;
  const isRepeatable = hasKey || request.readOnly === true || IDEMPOTENT.includes(request.method);
  return isRepeatable && UNCERTAIN.includes(status);
}

/** True for failures that pass by themselves. */
export function isPassing({ status }: TcError): boolean {
  return UNCERTAIN.includes(status) || NOT_EXECUTED.includes(status);
}

/** A random wait below a limit that doubles with each attempt, so that many clients do not return at once. */
export function jitter({ baseMs, maxDelayMs }: RetryPolicy, attempt: number): number {
  return Math.random() * Math.min(maxDelayMs, baseMs * 2 ** (attempt - 1));
}

/** Waits. Throws the reason of the signal as soon as it aborts. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(signal.reason);
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });
}
