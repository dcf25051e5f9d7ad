import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { PositionExpiredError, PositionResetError, TooManyRequestsError } from '../errors/classes.js';
import { errorOf } from '../errors/error-of.js';
import { NetworkError } from '../errors/tc-error.js';
import type { ApiRequest, Transport } from '../transport/transport.js';
import type { AnyCollection } from '../types/index.js';
import { ChangeFeed, type ChangesOptions } from './change-feed.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const change = (n: number) => `id: ${n}\nevent: change\ndata: {"id":"${n}"}\n\n`;

/** A connection that sends these texts, and then stays silent or ends. */
function connection(texts: string[], { ends = false } = {}) {
  return (signal: AbortSignal | undefined) =>
    new Response(
      new ReadableStream<Uint8Array>({
        start(controller) {
          for (const text of texts) controller.enqueue(new TextEncoder().encode(text));
          if (ends) controller.close();
          signal?.addEventListener('abort', () => controller.error(signal.reason));
        },
      }),
    );
}

type Step = Error | ((signal: AbortSignal | undefined) => Response | Promise<Response>);

/** A feed over connections that behave in these ways, one after the other. */
function feedOf(steps: Step[], options: ChangesOptions<AnyCollection> = {}) {
  const requests: ApiRequest[] = [];
  const stream = async (request: ApiRequest) => {
    requests.push(request);
    const step = steps.shift();
    if (step === undefined || step instanceof Error) throw step ?? new Error('one connection too many');
    return step(request.signal);
  };
  const feed = new ChangeFeed({ stream } as unknown as Transport, '/v1/collections/x/changes', options);
  const changes = feed[Symbol.asyncIterator]();
  /** The next change, with all waits passed. */
  const next = async () => {
    const result = changes.next();
    result.catch(() => undefined);
    await vi.advanceTimersByTimeAsync(120_000);
    const { done, value } = await result;
    return done ? 'the end' : (value as { id: string }).id;
  };
  return { feed, requests, next };
}

it('a connection without a byte for 45 seconds is dead: the feed reconnects from its position', async () => {
  const { next, requests, feed } = feedOf([connection([change(1)]), connection([change(2)])], { since: '0' });
  expect(await next()).toBe('1');
  expect(await next()).toBe('2');
  expect(requests.map(({ query, headers }) => [query?.since, headers?.['last-event-id']])).toEqual([
    ['0', undefined],
    [undefined, '1'],
  ]);
  expect(feed.position).toBe('2');
});

it('tells when it is connected, and when it reconnects', async () => {
  const told: boolean[] = [];
  const { next } = feedOf(
    [connection([change(1)], { ends: true }), new NetworkError('gone', undefined), connection([change(2)])],
    {
      onConnection: isConnected => told.push(isConnected),
    },
  );
  expect(await next()).toBe('1');
  expect(told).toEqual([true]);
  expect(await next()).toBe('2');
  expect(told).toEqual([true, false, false, true]);
});

it('a comment every 15 seconds keeps a connection alive', async () => {
  const alive = (signal: AbortSignal | undefined) =>
    new Response(
      new ReadableStream<Uint8Array>({
        async start(controller) {
          controller.enqueue(new TextEncoder().encode('id: 1\n\n'));
          for (let n = 0; n < 5; n += 1) {
            await new Promise(resolve => setTimeout(resolve, 15_000));
            controller.enqueue(new TextEncoder().encode(': still here\n\n'));
          }
          controller.enqueue(new TextEncoder().encode(change(2)));
          signal?.addEventListener('abort', () => controller.error(signal.reason));
        },
      }),
    );
  const { next, requests } = feedOf([alive]);
  expect(await next()).toBe('2');
  expect(requests).toHaveLength(1);
});

it('a position without a change is kept, and an event that is cut off is not delivered', async () => {
  const lost = connection(['id: 5\n\n', 'id: 6\nevent: change\nda'], { ends: true });
  const { next, requests } = feedOf([lost, connection([change(6)])]);
  expect(await next()).toBe('6');
  expect(requests[1]?.headers?.['last-event-id']).toBe('5');
});

it('a feed that was connected once reconnects after every failure that passes', async () => {
  const away = [new NetworkError('x', undefined), errorOf('x', { code: 'Unavailable' })];
  const { next } = feedOf([
    connection([change(1)], { ends: true }),
    ...away,
    ...away,
    new TooManyRequestsError('x', { code: 'TooManyRequests', status: 429 }),
    connection([change(2)]),
  ]);
  expect(await next()).toBe('1');
  expect(await next()).toBe('2');
});

it('a feed that never connected throws', async () => {
  const { next } = feedOf([new NetworkError('no such host', undefined)]);
  await expect(next()).rejects.toThrow('no such host');
});

it('an expired position is thrown, and so is the reason with which the service ends the stream', async () => {
  const expired = feedOf([
    connection([change(1)], { ends: true }),
    errorOf('gone', { code: 'PositionExpired' }),
  ]);
  expect(await expired.next()).toBe('1');
  await expect(expired.next()).rejects.toBeInstanceOf(PositionExpiredError);
  const ended = feedOf([
    connection(['id: 1\n\n', 'event: end\ndata: {"error":"Forbidden","message":"no"}\n\n'], { ends: true }),
  ]);
  await expect(ended.next()).rejects.toMatchObject({ code: 'Forbidden', status: 403 });
});

it('a reset ends the feed with an error, and is not followed by another connection', async () => {
  const reset = feedOf([
    connection([change(1), 'event: reset\ndata: {"error":"PositionReset","message":"changed"}\n\n'], {
      ends: true,
    }),
  ]);
  expect(await reset.next()).toBe('1');
  await expect(reset.next()).rejects.toBeInstanceOf(PositionResetError);
});

it('records that have left are yielded with `left: true` only, and move the position either way', async () => {
  const texts = ['id: 1\nevent: change\ndata: {"id":"1","type":"left"}\n\n', change(2)];
  const told = feedOf([connection(texts)], { left: true });
  expect([await told.next(), await told.next()]).toEqual(['1', '2']);
  expect(told.requests[0]?.query?.left).toBe(true);
  const without = feedOf([connection(texts.slice(0, 1), { ends: true }), connection([change(2)])]);
  expect(await without.next()).toBe('2');
  expect(without.requests[1]?.headers?.['last-event-id']).toBe('1');
});

it('a feed whose token expired connects once more, and throws if the credential is refused', async () => {
  const end = connection(['id: 1\n\n', 'event: end\ndata: {"error":"Unauthorized","message":"no"}\n\n'], {
    ends: true,
  });
  const renewed = feedOf([end, connection([change(2)])]);
  expect(await renewed.next()).toBe('2');
  const refused = feedOf([end, errorOf('no', { code: 'Unauthorized' })]);
  await expect(refused.next()).rejects.toMatchObject({ code: 'Unauthorized' });
});

it('a connection that is not established within two minutes is dead', async () => {
  const silent = (signal: AbortSignal | undefined) =>
    new Promise<Response>((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
  const { next } = feedOf([connection([change(1)], { ends: true }), silent, connection([change(2)])]);
  expect(await next()).toBe('1');
  const second = next();
  await vi.advanceTimersByTimeAsync(120_000);
  expect(await second).toBe('2');
});

it('the signal ends the feed, also while it waits to reconnect', async () => {
  const reading = new AbortController();
  const first = feedOf([connection([change(1)])], { signal: reading.signal });
  expect(await first.next()).toBe('1');
  reading.abort();
  expect(await first.next()).toBe('the end');
  const waiting = new AbortController();
  const second = feedOf([connection([change(1)], { ends: true })], { signal: waiting.signal });
  expect(await second.next()).toBe('1');
  setTimeout(() => waiting.abort(), 0);
  expect(await second.next()).toBe('the end');
});

it('waits before it reconnects as the service asks for with retry', async () => {
  const random = vi.spyOn(Math, 'random').mockReturnValue(0.999);
  const told: number[] = [];
  const { next } = feedOf(
    [connection([`retry: 20000\n${change(1)}`], { ends: true }), connection([change(2)])],
    { onConnection: () => told.push(Date.now()) },
  );
  expect(await next()).toBe('1');
  expect(await next()).toBe('2');
  expect((told[2] as number) - (told[1] as number)).toBe(19_980);
  random.mockRestore();
});

it('is read by one loop at a time, and goes on in another one', async () => {
  const { feed, next } = feedOf([connection([change(1)]), connection([change(2)])]);
  expect(await next()).toBe('1');
  await expect(feed[Symbol.asyncIterator]().next()).rejects.toThrow('one loop at a time');
  const reading = new AbortController();
  const again = feedOf([connection([change(1)]), connection([change(2)])], { signal: reading.signal });
  for await (const { id } of again.feed) {
    expect(id).toBe('1');
    break;
  }
  for await (const { id } of again.feed) {
    expect(id).toBe('2');
    break;
  }
});
