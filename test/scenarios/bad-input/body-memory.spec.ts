import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { ByteBudget } from '../../../src/base/kernel/bounds/byte-budget.js';
import { RequestPlaces } from '../../../src/platform/http/access/request-places.js';
import { startOwnApp, type TestApp } from '../../harness/app.js';
import { newHome, newTypedCollection, type TestCollection } from '../../harness/collection.js';
import { newKey } from '../orgs/org.js';

const MEBIBYTE = 1024 * 1024;
/** Bodies may use half of it, which a body of one mebibyte fills, because it counts four times. */
const BUDGET = 8 * MEBIBYTE;

describe('a request body', () => {
  let app: TestApp;
  let books: TestCollection;
  let apiKey: string;
  let otherKey: string;
  const held = () => app.nest.get(ByteBudget).state.used;
  beforeAll(async () => {
    app = await startOwnApp({ environment: { MEMORY_BUDGET_BYTES: String(BUDGET) } });
    const home = await newHome(app);
    books = await newTypedCollection(app, home);
    ({ apiKey } = await newKey(app, home.org));
    ({ apiKey: otherKey } = await newKey(app, home.org));
  });
  afterAll(() => app.close());

  const body = (bytes: number) => JSON.stringify({ records: { title: 'x'.repeat(bytes) } });
  const insert = (
    sent: string | Uint8Array<ArrayBuffer> | ReadableStream,
    headers: Record<string, string> = {},
  ) =>
    fetch(`${app.url}${books.data}`, {
      method: 'POST',
      headers: { 'x-platform-api-key': apiKey, 'content-type': 'application/json', ...headers },
      body: sent,
      ...(sent instanceof ReadableStream && { duplex: 'half' }),
    } as RequestInit).then(answer => answer.status);

  /** Sends the headers of an insert of one mebibyte, without the body. */
  async function begin(): Promise<Socket> {
    const socket = opened(MEBIBYTE);
    await expect.poll(held).toBe(4 * MEBIBYTE);
    return socket;
  }

  /** A connection with the headers of an insert, and with the beginning of its body. */
  function opened(bytes: number, beginning = '', key = apiKey): Socket {
    const { hostname, port } = new URL(app.url);
    const socket = connect(Number(port), hostname).on('error', () => undefined);
    onTestFinished(() => void socket.destroy());
    socket.write(
      `POST ${books.data} HTTP/1.1\r\nHost: localhost\r\nx-platform-api-key: ${key}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${bytes}\r\n\r\n${beginning}`,
    );
    return socket;
  }

  it('that is short takes a place of its caller, and waits unread for one without holding up other callers', async () => {
    const places = app.nest.get(RequestPlaces);
    const { perKey } = places.limits;
    const sockets = Array.from({ length: perKey + 3 }, () => opened(1_000, '{"records":'));
    await expect.poll(() => [places.running, places.waiting]).toEqual([perKey, 3]);
    const small = body(1_000);
    const other = await insert(small, { 'x-platform-api-key': otherKey });
    expect(other).toBe(200);
    let status: number | undefined;
    const own = insert(small).then(answered => {
      status = answered;
    });
    await expect.poll(() => places.waiting).toBe(4);
    expect(status).toBeUndefined();
    for (const socket of sockets) socket.destroy();
    await own;
    expect(status).toBe(200);
    await expect.poll(() => [places.running, places.waiting, held()]).toEqual([0, 0, 0]);
  });

  it('of more than 32 KiB counts from its first byte', async () => {
    const socket = opened(100_000);
    await expect.poll(held).toBe(400_000);
    socket.destroy();
    await expect.poll(held).toBe(0);
  });

  it.each<[string, () => Promise<number>]>([
    ['of an announced length', () => insert(body(MEBIBYTE))],
    ['in chunks', () => insert(new Blob([body(MEBIBYTE)]).stream())],
    ['compressed', () => insert(gzipSync(body(MEBIBYTE)), { 'content-encoding': 'gzip' })],
  ])('that is large, %s, waits until others release memory, and small ones do not', async (_, send) => {
    const other = await begin();
    let status: number | undefined;
    const waiting = send().then(answered => {
      status = answered;
    });
    await expect.poll(() => insert(body(1_000))).toBe(200);
    await pause(300);
    expect(status).toBeUndefined();
    other.destroy();
    await waiting;
    expect(status).toBe(200);
    await expect.poll(held).toBe(0);
  });

  it.each([
    ['is refused', async () => expect(await insert(`{"records":"${'x'.repeat(MEBIBYTE)}"`)).toBe(400)],
    ['is too large', async () => expect(await insert(new Blob([body(12 * MEBIBYTE)]).stream())).toBe(413)],
    ['is written', async () => expect(await insert(body(MEBIBYTE))).toBe(200)],
  ])('releases its memory when it %s', async (_, send) => {
    await send();
    await expect.poll(held).toBe(0);
  });

  it('uses no memory when its client disconnected while it waited', async () => {
    const [first, second] = [await begin(), new AbortController()];
    const waiting = fetch(`${app.url}${books.data}`, {
      method: 'POST',
      headers: { 'x-platform-api-key': apiKey, 'content-type': 'application/json' },
      body: body(MEBIBYTE),
      signal: second.signal,
    }).catch(() => undefined);
    await pause(300);
    second.abort();
    await waiting;
    first.destroy();
    await expect.poll(held).toBe(0);
    expect(await insert(body(MEBIBYTE))).toBe(200);
  });
});
