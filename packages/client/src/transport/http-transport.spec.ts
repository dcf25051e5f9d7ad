import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type NetworkError, TcError } from '../errors/tc-error.js';
import { HttpTransport, isOlder } from './http-transport.js';
import type { ApiRequest, TransportOptions } from './transport.js';

type Reply = Response | Error | ((init: RequestInit) => Response);

/** A transport whose `fetch` gives these replies, one after the other. */
function transportOf(replies: Reply[], options: TransportOptions = {}) {
  const sent: { url: string; init: RequestInit; headers: Record<string, string> }[] = [];
  const fetch = async (url: unknown, init: RequestInit = {}) => {
    sent.push({ url: String(url), init, headers: { ...(init.headers as Record<string, string>) } });
    const reply = replies.shift();
    if (reply === undefined) throw new Error('one request too many');
    if (reply instanceof Error) throw reply;
    return typeof reply === 'function' ? reply(init) : reply;
  };
  const transport = new HttpTransport({ url: 'https://tc.example', fetch: fetch as never, ...options });
  return { transport, sent };
}

const ok = (body: unknown = { ok: true }) => Response.json(body);
const refusal = (status: number, error: string, headers: Record<string, string> = {}) =>
  Response.json({ error, message: `${error}!` }, { status, headers });
const broken = () => new TypeError('fetch failed', { cause: new Error('ECONNRESET') });

const READ: ApiRequest = { method: 'GET', path: '/v1/x' };
const QUERY: ApiRequest = { method: 'POST', path: '/v1/x/query', body: {}, readOnly: true };
const WRITE: ApiRequest = { method: 'POST', path: '/v1/x', body: { a: 1 }, idempotencyKey: true };
const UNSAFE: ApiRequest = { method: 'POST', path: '/v2/x', body: {} };

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** The outcome of a call, with all waits passed, and how long they took in milliseconds. */
async function settled<T>(call: Promise<T>): Promise<{ value?: T; error?: TcError; ms: number }> {
  const began = Date.now();
  const outcome = call.then(
    value => ({ value, ms: Date.now() - began }),
    (error: TcError) => ({ error, ms: Date.now() - began }),
  );
  await vi.runAllTimersAsync();
  return outcome;
}

describe('the version of the service', () => {
  const versioned = (version: string) => Response.json({}, { headers: { 'x-service-version': version } });

  it('is told once if it is older than the client', async () => {
    const onOlderService = vi.fn();
    const { transport } = transportOf([ok(), versioned('0.9.0'), versioned('0.9.0')], { onOlderService });
    await transport.request(READ);
    expect(onOlderService).not.toHaveBeenCalled();
    await transport.request(READ);
    await transport.request(READ);
    expect(onOlderService.mock.calls).toEqual([['0.9.0']]);
  });

  it('is a warning in the console without a function for it, also when the request is refused', async () => {
    const warn = vi.spyOn(console, 'warn').mockReturnValue();
    const { transport } = transportOf([refusal(404, 'NotFound', { 'x-service-version': '0.9.0' })]);
    await settled(transport.request(READ));
    expect(warn.mock.calls).toEqual([[expect.stringContaining('newer than the service (0.9.0)')]]);
  });

  it.each(['99.0.0', '', 'unknown'])('is no reason to warn: %j', async version => {
    const onOlderService = vi.fn();
    const { transport } = transportOf([versioned(version)], { onOlderService });
    await transport.request(READ);
    expect(onOlderService).not.toHaveBeenCalled();
  });

  it.each([
    ['1.2.3', '1.2.4', true],
    ['1.9.0', '1.10.0', true],
    ['1.10.0', '1.9.9', false],
    ['2.0.0', '1.9.9', false],
    ['1.2.0', '1.2.0', false],
    ['1.3.0-rc.1', '1.3.0', false],
  ])('%s is compared with %s number by number', (version, than, expected) => {
    expect(isOlder(version, than)).toBe(expected);
  });
});

describe('a request', () => {
  it('carries the key, the version and the query, and follows no redirect', async () => {
    const { transport, sent } = transportOf([ok({ a: 1 })], { key: 'k', headers: { traceparent: 't' } });
    const query = { filter: { a: 'ü&' }, limit: 2, none: undefined, dry_run: true };
    expect(await transport.request({ ...READ, query })).toEqual({ a: 1 });
    const [{ url, init, headers }] = sent as [(typeof sent)[0]];
    expect(url).toBe('https://tc.example/v1/x?filter=%7B%22a%22%3A%22%C3%BC%26%22%7D&limit=2&dry_run=true');
    expect(headers).toMatchObject({
      'x-platform-api-key': 'k',
      'x-client-version': '1.1.0',
      traceparent: 't',
    });
    expect([init.redirect, init.credentials]).toEqual(['manual', 'omit']);
  });

  it('uses the cookie of the browser without a key and a token', async () => {
    const { transport, sent } = transportOf([ok()]);
    await transport.request(READ);
    expect(sent[0]?.init.credentials).toBe('include');
    expect(sent[0]?.headers).not.toHaveProperty('authorization');
  });

  it('asks for a token before each attempt, and for another one after a 401', async () => {
    const asked: boolean[] = [];
    const token = async ({ refused }: { refused: boolean }) => {
      asked.push(refused);
      return refused ? 'new' : 'old';
    };
    const { transport, sent } = transportOf([refusal(401, 'Unauthorized'), ok()], { token });
    await transport.request(READ);
    expect(sent.map(({ headers }) => headers.authorization)).toEqual(['Bearer old', 'Bearer new']);
    expect(asked).toEqual([false, true]);
    const stale = transportOf([refusal(401, 'Unauthorized')], { token: () => 'old' });
    await expect(stale.transport.request(READ)).rejects.toMatchObject({ code: 'Unauthorized' });
  });

  it('can be seen and extended by onRequest', async () => {
    const seen: string[] = [];
    const { transport, sent } = transportOf([ok()], {
      onRequest: ({ method, url, attempt, headers }) => {
        seen.push(`${method} ${url} ${attempt}`);
        headers.traceparent = 'mine';
      },
    });
    await transport.request(READ);
    expect(seen).toEqual(['GET https://tc.example/v1/x 1']);
    expect(sent[0]?.headers.traceparent).toBe('mine');
  });

  it('has no body in its result if the response has none', async () => {
    const { transport } = transportOf([new Response(null, { status: 204 })]);
    expect(await transport.request(READ)).toBeUndefined();
  });
});

describe('the options', () => {
  it('are refused at once if they are wrong', () => {
    expect(() => new HttpTransport({ url: 'tc.example' })).toThrow(TypeError);
    const both = { url: 'https://tc.example', key: 'k', token: 't' };
    expect(() => new HttpTransport(both)).toThrow('a key or a token, not both');
  });

  it('need the address of the service where no page has an origin', () => {
    expect(() => new HttpTransport({ key: 'k' })).toThrow('createClient: expects the url of the service');
    vi.stubGlobal('location', new URL('https://tc.example/page'));
    expect(() => new HttpTransport({})).not.toThrow();
    vi.unstubAllGlobals();
  });
});

describe('the time of a request', () => {
  /** A network that swallows what is sent; obeys the signal or not. */
  const silent = (obeys = true) =>
    vi.fn(
      (_url: unknown, { signal }: RequestInit = {}) =>
        new Promise<Response>((_, reject) => {
          if (obeys) signal?.addEventListener('abort', () => reject(signal.reason));
        }),
    );
  const silentTransport = (options: TransportOptions, obeys = true) => {
    const fetch = silent(obeys);
    return {
      fetch,
      transport: new HttpTransport({ url: 'https://tc.example', fetch: fetch as never, ...options }),
    };
  };

  it.each([true, false])(
    'is limited for each attempt, which is then repeated (fetch obeys: %s)',
    async obeys => {
      const { transport, fetch } = silentTransport(
        { timeoutMs: 1000, retry: { attempts: 3, baseMs: 0 } },
        obeys,
      );
      const { error, ms } = await settled(transport.request(READ));
      expect(error).toMatchObject({ name: 'NetworkError', status: 0 });
      expect(error?.message).toBe('GET /v1/x: no complete response within 1 seconds');
      expect([fetch.mock.calls.length, ms]).toEqual([3, 3000]);
    },
  );

  it('is a minute by default, and in all five minutes', async () => {
    const { transport, fetch } = silentTransport({ retry: { attempts: 99, baseMs: 0 } });
    const { error, ms } = await settled(transport.request(READ));
    expect(error?.message).toContain('within 60 seconds');
    expect([fetch.mock.calls.length, ms]).toEqual([5, 300_000]);
    expect((await settled(silentTransport({ timeoutMs: 1e9 }).transport.request(READ))).ms).toBe(300_000);
  });

  it('includes the body of the response', async () => {
    const endless = () =>
      new Response(new ReadableStream({ start: stream => stream.enqueue(new Uint8Array([123])) }));
    const { transport } = transportOf([endless, ok({ a: 1 })], { timeoutMs: 1000 });
    expect((await settled(transport.request(READ))).value).toEqual({ a: 1 });
  });

  it('does not end a write without a key silently in a second one', async () => {
    const { transport, fetch } = silentTransport({});
    expect((await settled(transport.request(UNSAFE))).error?.name).toBe('NetworkError');
    expect(fetch).toHaveBeenCalledOnce();
  });

  it('has no limit for a transfer, and none for a stream that has begun', async () => {
    const { transport, fetch } = silentTransport({ timeoutMs: 1000 });
    void transport.stream({ ...WRITE, timeoutMs: Number.POSITIVE_INFINITY });
    await vi.advanceTimersByTimeAsync(86_400_000);
    expect(fetch).toHaveBeenCalledOnce();
    const begun = transportOf([ok()], { timeoutMs: 1000 });
    const response = await begun.transport.stream(READ);
    await vi.advanceTimersByTimeAsync(5000);
    expect(await response.json()).toEqual({ ok: true });
    expect(begun.sent[0]?.init.signal?.aborted).toBe(false);
  });

  it('leaves no timer behind', async () => {
    const { transport } = transportOf([ok(), refusal(404, 'NotFound')]);
    await transport.request(READ);
    await expect(transport.request(READ)).rejects.toMatchObject({ status: 404 });
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('a failed request', () => {
  it('is repeated after waits that double, with full jitter', async () => {
    const delays: number[] = [];
    const { transport, sent } = transportOf([broken(), broken(), broken(), ok()], {
      onRetry: ({ delayMs }) => delays.push(delayMs),
    });
    expect((await settled(transport.request(READ))).value).toEqual({ ok: true });
    expect(delays).toEqual([250, 500, 1000]);
    expect(sent).toHaveLength(4);
  });

  it.each([408, 425, 429, 502, 503, 504])('is repeated after %i', async status => {
    for (const request of [READ, QUERY, WRITE, { ...READ, method: 'PUT' }]) {
      const { transport } = transportOf([refusal(status, 'Unavailable'), ok()]);
      expect((await settled(transport.request(request))).value).toEqual({ ok: true });
    }
  });

  it.each([400, 401, 403, 404, 409, 410, 412, 413, 415, 422, 500])(
    'is not repeated after %i',
    async status => {
      const { transport, sent } = transportOf([refusal(status, 'Conflict')]);
      expect((await settled(transport.request(WRITE))).error).toMatchObject({ status });
      expect(sent).toHaveLength(1);
    },
  );

  it('has the same Idempotency-Key in every attempt, and another one in the next call', async () => {
    const { transport, sent } = transportOf([broken(), ok(), ok()]);
    await settled(transport.request(WRITE));
    await settled(transport.request(WRITE));
    const keys = sent.map(({ headers }) => headers['idempotency-key']);
    expect(keys[0]).toMatch(/^[\x21-\x7e]{20,255}$/);
    expect(keys[1]).toBe(keys[0]);
    expect(keys[2]).not.toBe(keys[0]);
  });

  it('is repeated if the first attempt of the write is still running', async () => {
    const { transport } = transportOf([broken(), refusal(409, 'Conflict'), ok()]);
    expect((await settled(transport.request(WRITE))).value).toEqual({ ok: true });
  });

  it('that writes without a key is repeated only if it was not executed', async () => {
    for (const reply of [broken(), refusal(502, 'BadGateway'), refusal(503, 'Unavailable')]) {
      const { transport, sent } = transportOf([reply]);
      expect((await settled(transport.request(UNSAFE))).error).toBeInstanceOf(TcError);
      expect(sent).toHaveLength(1);
    }
    for (const status of [429, 503]) {
      const { transport } = transportOf([refusal(status, 'Unavailable', { 'retry-after': '1' }), ok()]);
      expect((await settled(transport.request(UNSAFE))).value).toEqual({ ok: true });
    }
  });

  it('waits as long as Retry-After says, in seconds or until a date', async () => {
    const until = new Date(Date.now() + 7000).toUTCString();
    for (const [header, ms] of [
      ['3', 3000],
      [until, 7000],
    ] as const) {
      const { transport } = transportOf([refusal(429, 'TooManyRequests', { 'retry-after': header }), ok()]);
      const outcome = await settled(transport.request(READ));
      expect(outcome.ms).toBeGreaterThan(ms - 1001);
      expect(outcome.ms).toBeLessThanOrEqual(ms);
      vi.setSystemTime(Date.now() - outcome.ms);
    }
  });

  it('is thrown at once if Retry-After asks for a longer wait than the policy allows', async () => {
    const { transport } = transportOf([refusal(429, 'TooManyRequests', { 'retry-after': '3600' })]);
    const { error } = await settled(transport.request(READ));
    expect(error).toMatchObject({ code: 'TooManyRequests', retryAfterMs: 3_600_000 });
  });

  it('is not repeated after the day for which the service keeps the key', async () => {
    const replies = Array.from({ length: 9 }, () => refusal(503, 'Unavailable', { 'retry-after': '36000' }));
    const { transport, sent } = transportOf(replies, {
      retry: { attempts: 9, maxDelayMs: 1e9, totalMs: 1e9 },
    });
    const { error, ms } = await settled(transport.request(WRITE));
    expect(error?.code).toBe('Unavailable');
    expect([sent.length, ms]).toEqual([3, 72_000_000]);
  });

  it('of DELETE has succeeded if a repeated attempt finds nothing', async () => {
    const remove = { method: 'DELETE', path: '/v1/x', gone: { deleted_count: 1 } };
    const lost = transportOf([broken(), refusal(404, 'RecordNotFound')]);
    expect((await settled(lost.transport.request(remove))).value).toEqual({ deleted_count: 1 });
    const refused = transportOf([refusal(429, 'TooManyRequests'), refusal(404, 'RecordNotFound')]);
    expect((await settled(refused.transport.request(remove))).error?.code).toBe('RecordNotFound');
    const never = transportOf([refusal(404, 'RecordNotFound')]);
    expect((await settled(never.transport.request(remove))).error?.code).toBe('RecordNotFound');
  });

  it('is not repeated if its body was a stream', async () => {
    const raw = new Blob(['a']).stream();
    const { transport, sent } = transportOf([refusal(503, 'Unavailable', { 'retry-after': '1' })]);
    expect((await settled(transport.request({ ...WRITE, body: undefined, raw }))).error?.status).toBe(503);
    expect(sent).toHaveLength(1);
  });

  it('stops waiting when its signal aborts, and throws the reason', async () => {
    const stop = new AbortController();
    const { transport, sent } = transportOf([broken()]);
    const call = transport.request({ ...READ, signal: stop.signal });
    const failure = expect(call).rejects.toThrow('enough');
    await vi.advanceTimersByTimeAsync(10);
    stop.abort(new Error('enough'));
    await failure;
    expect(sent).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('throws the reason of the signal, not a network error, when fetch is aborted', async () => {
    const stop = new AbortController();
    const abort = () => {
      stop.abort(new Error('enough'));
      throw stop.signal.reason;
    };
    const { transport } = transportOf([abort]);
    await expect(transport.request({ ...READ, signal: stop.signal })).rejects.toThrow('enough');
  });
});

describe('an error', () => {
  const failing = async (reply: Reply) => {
    const { transport } = transportOf([reply], { retry: { attempts: 1 } });
    return (await settled(transport.request(READ))).error as TcError;
  };

  it('has code, status, message, details and the id of the request', async () => {
    const body = { error: 'BatchRejected', message: 'row 3', details: [{ row: 3 }] };
    const error = await failing(Response.json(body, { status: 422, headers: { 'x-correlation-id': 'c-1' } }));
    expect(error).toMatchObject({ code: 'BatchRejected', status: 422, message: 'row 3', requestId: 'c-1' });
    expect(error).toMatchObject({ details: [{ row: 3 }], name: 'BatchRejectedError' });
  });

  it('of the network keeps its cause, and its message has no query', async () => {
    const { transport } = transportOf([broken()], { retry: { attempts: 1 } });
    const { error } = await settled(transport.request({ ...READ, query: { filter: { ssn: 1 } } }));
    expect(error).toMatchObject({ code: 'NetworkError', status: 0, message: 'GET /v1/x: ECONNRESET' });
    expect((error as NetworkError).cause).toBeInstanceOf(TypeError);
  });

  it('without the form of the service has a code from its status', async () => {
    const page = await failing(new Response('<html>Bad gateway</html>', { status: 502 }));
    expect(page).toMatchObject({ code: 'Http502', status: 502, message: '502 <html>Bad gateway</html>' });
    const moved = await failing(new Response(null, { status: 301, headers: { location: 'https://b/' } }));
    expect(moved).toMatchObject({ code: 'Http301', message: expect.stringContaining('https://b/') });
    expect(await failing(new Response('hello'))).toMatchObject({ code: 'InvalidResponse', status: 200 });
    expect(await failing(refusal(418, 'toString'))).toMatchObject({ code: 'toString', status: 418 });
  });
});
