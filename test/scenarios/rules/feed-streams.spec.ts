import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { RecordStore } from '../../../src/engine/storage/record-store.js';
import { startOwnApp, type TestApp } from '../../harness/app.js';
import {
  type Caller,
  type Home,
  insert,
  newCollection,
  newHome,
  type TestCollection,
} from '../../harness/collection.js';
import type { Person } from '../auth/person.js';
import { ask, follow, until } from '../changes/feed.js';
import { credentials, metaOf } from '../mcp/client.js';
import { newGroup } from '../sharing/sharing.js';
import { COLUMNS, type GrantParts, regrant, ruledMember } from './ruled.js';

const RED = { rules: { read: { team: 'red' } } };
/** Within this time after a change of rights, streams end. */
const RESET_MS = 5_000;

describe('Streams of callers whose grants have rules', () => {
  let app: TestApp;
  let home: Home;
  beforeAll(async () => {
    app = await startOwnApp({ environment: { CHANGES_MAX_STREAMS_PER_CALLER: '200' } });
    home = await newHome(app);
    return () => app.close();
  });

  const made = () => newCollection(app, home, { properties: COLUMNS });
  const member = (of: TestCollection, parts: GrantParts) => ruledMember(app, home, of, 'reader', parts);
  const patch = (of: TestCollection, id: string | undefined, body: object) =>
    app.request('PATCH', `${of.data}/${id}`, { ...home.owner, body });
  const start = async (of: TestCollection, caller: Person) =>
    (await ask(app, { ...of, owner: caller })).body.next_since as string;

  it('send `left`, and nothing about hidden records', async () => {
    const orders = await made();
    const caller = await member(orders, { ...RED, fields: { read: { margin: 0 } } });
    const stream = await follow(app, orders, {}, { caller });
    const [red] = await insert(app, orders, { team: 'red', margin: 0.25 }, { team: 'blue', name: 'hidden' });
    await patch(orders, red, { team: 'blue', name: 'hidden' });
    await until(() => stream.changes().length === 2);
    expect(stream.changes().map(({ type, record_id }) => [type, record_id])).toEqual([
      ['inserted', red],
      ['left', red],
    ]);
    expect(stream.text()).not.toMatch(/hidden|margin|0\.25/);
    const again = await follow(app, orders, {}, { caller, lastEventId: stream.changes()[0]!.eventId });
    await until(() => again.changes().length === 1);
    expect(again.changes()[0]!.type).toBe('left');
  });

  it('refuse a filter on a hidden field before anything is sent', async () => {
    const orders = await made();
    const caller = await member(orders, { rules: { read: true }, fields: { read: { margin: 0 } } });
    const stream = await follow(app, orders, { filter: { margin: { $gt: 0 } } }, { caller });
    expect(stream.status).toBe(403);
  });

  it('end with `reset` within 5 seconds when rules, fields or variables of the caller change', async () => {
    const orders = await made();
    const [ruled, grouped, filtering, other] = [
      await member(orders, RED),
      await member(orders, { rules: { read: { team: { $in: '${user.groups}' } } } }),
      await member(orders, { rules: { read: true }, fields: { read: { name: 0 } } }),
      await member(orders, { rules: { read: { team: 'green' } } }),
    ];
    const open = {
      ruled: await follow(app, orders, {}, { caller: ruled }),
      grouped: await follow(app, orders, {}, { caller: grouped }),
      filtering: await follow(app, orders, { filter: { amount: 1 } }, { caller: filtering }),
      other: await follow(app, orders, {}, { caller: other }),
      owner: await follow(app, orders),
    };
    const began = performance.now();
    await regrant(app, orders, ruled, { rules: { read: { team: 'blue' } } });
    await regrant(app, orders, filtering, { rules: { read: true }, fields: { read: { amount: 0 } } });
    await newGroup(app, home.org, grouped);
    await Promise.all([open.ruled.ended, open.grouped.ended, open.filtering.ended]);
    expect(performance.now() - began).toBeLessThan(RESET_MS);
    for (const stream of [open.ruled, open.grouped, open.filtering]) {
      const last = stream.text().trim().split('\n\n').at(-1);
      expect(last).toMatch(/^event: reset\ndata: \{"error":"PositionReset",/);
      expect(stream.end()).toBeUndefined();
    }
    const ended = await follow(app, orders, {}, { caller: ruled, lastEventId: open.ruled.lastId()! });
    expect(ended.status).toBe(410);
    await insert(app, orders, { team: 'green', name: 'still' });
    await until(() => open.other.changes().length === 1 && open.owner.changes().length === 1);
    expect([open.other.text(), open.owner.text()].join()).not.toMatch(/event: (reset|end)/);
  });

  it('read each change once for each group of equal rules and filters', async () => {
    const orders = await made();
    const groups = await Promise.all(
      Array.from({ length: 3 }, async (_, group) => [
        await member(orders, { rules: { read: { amount: { $gte: group } } } }),
        await member(orders, { rules: { read: { amount: { $gte: group } } } }),
      ]),
    );
    const streams = await Promise.all(
      groups.flat().flatMap(caller => Array.from({ length: 10 }, () => follow(app, orders, {}, { caller }))),
    );
    const store = app.nest.get(RecordStore, { strict: false });
    const read = store.readPrimary.bind(store);
    let examined = 0;
    const spy = vi.spyOn(store, 'readPrimary').mockImplementation(async (collection, statement, ...more) => {
      const result = await read(collection, statement, ...more);
      const { changes } = result as { changes?: unknown[] };
      if (changes !== undefined) examined += changes.length;
      return result;
    });
    onTestFinished(() => spy.mockRestore());
    for (let n = 0; n < 5; n++) {
      await insert(app, orders, { amount: 10, name: `n${n}` });
      await pause(300);
    }
    await until(() => streams.every(stream => stream.changes().length === 5));
    expect(examined).toBe(3 * 5);
    for (const stream of streams)
      expect(stream.changes().map(({ record }) => record.name)).toEqual(['n0', 'n1', 'n2', 'n3', 'n4']);
  });

  it('send nothing with content later than 5 seconds after rights have changed, under load', async () => {
    const orders = await made();
    const members = await Promise.all(Array.from({ length: 8 }, () => member(orders, RED)));
    const streams = await Promise.all(
      members.flatMap(caller => Array.from({ length: 5 }, () => follow(app, orders, {}, { caller }))),
    );
    let isWriting = true;
    const writing = (async () => {
      while (isWriting) await insert(app, orders, { team: 'red', name: `${performance.now()}` });
    })();
    await until(() => streams.every(stream => stream.changes().length > 3));
    const changedAt = performance.now();
    for (const each of members) await regrant(app, orders, each, { rules: { read: { team: 'none' } } });
    await pause(RESET_MS + 1_000);
    isWriting = false;
    await writing;
    for (const stream of streams) {
      expect(stream.text()).toContain('event: reset');
      const latest = Math.max(...stream.changes().map(({ record }) => Number(record.name)));
      expect(latest - changedAt).toBeLessThan(RESET_MS);
    }
  });

  it('of MCP signal visible changes only, and end with `reset`', async () => {
    const orders = await made();
    const caller = await member(orders, RED);
    const stream = await listen(app, caller, `collection://${orders.id}/sample`);
    await insert(app, orders, { team: 'blue' });
    await pause(2_500);
    expect(stream.text()).not.toContain('resources/updated');
    await insert(app, orders, { team: 'red' });
    await until(() => stream.text().includes('resources/updated'));
    const began = performance.now();
    await regrant(app, orders, caller, { rules: { read: { team: 'blue' } } });
    await stream.ended;
    expect(performance.now() - began).toBeLessThan(RESET_MS);
    expect(stream.text()).toContain('event: reset\ndata: {"error":"PositionReset"}\n\n');
  });

  it('continue from a position of the same rules', async () => {
    const orders = await made();
    const caller = await member(orders, RED);
    const since = await start(orders, caller);
    await insert(app, orders, { team: 'red', name: 'one' }, { team: 'blue' });
    const stream = await follow(app, orders, { since }, { caller });
    await until(() => stream.changes().length === 1);
    expect(stream.lastId()).not.toBe(since);
    const page = await ask(app, { ...orders, owner: caller }, { since: stream.lastId()! });
    expect(page.body.changes).toEqual([]);
  });
});

/** Opens a subscription of MCP, and stores its text. */
async function listen(app: TestApp, caller: Caller, uri: string) {
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const params = { notifications: { resourceSubscriptions: [uri] }, _meta: metaOf('2026-07-28') };
  const answer = await fetch(`${app.url}/v1/mcp`, {
    method: 'POST',
    signal: stop.signal,
    headers: {
      ...credentials(caller),
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'subscriptions/listen',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 5, method: 'subscriptions/listen', params }),
  });
  let text = '';
  const read = async () => {
    for await (const chunk of answer.body as AsyncIterable<Uint8Array>) text += Buffer.from(chunk).toString();
  };
  const ended = read().catch(() => undefined);
  await until(() => text.includes('acknowledged'));
  return { text: () => text, ended };
}
