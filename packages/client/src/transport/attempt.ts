import { NetworkError } from '../errors/tc-error.js';
import type { ApiRequest } from './transport.js';

/** Longer than the service works on a request that is no transfer of a file, and than a gateway waits for it. */
export const TIMEOUT_MS = 60_000;

/**
 * One attempt that ends after a time, because a network may swallow packets without a word. Then it throws a
 * `NetworkError`, which may be repeated. The signal of the request ends it earlier, with its own reason.
 */
export async function limited<T>(
  request: ApiRequest,
  limitMs: number,
  work: (request: ApiRequest) => Promise<T>,
): Promise<T> {
  if (limitMs === Number.POSITIVE_INFINITY) return work(request);
  const { method, path, signal } = request;
  const stop = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  // A function for the token, or a `fetch` of the program, may not obey the signal.
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const error = new NetworkError(
        `${method} ${path}: no complete response within ${limitMs / 1000} seconds`,
        undefined,
      );
      stop.abort(error);
      reject(error);
    }, limitMs);
  });
  try {
    const either = signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal]);
    return await Promise.race([work({ ...request, signal: either }), late]);
  } finally {
    clearTimeout(timer);
  }
}
