import { setTimeout as pause } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import { type Home, insert, newCollection, newHome, type TestCollection } from '../../harness/collection.js';
import { newMember } from '../orgs/org.js';
import { grant, withUser } from '../sharing/sharing.js';
import { connect, send, VERSIONS } from './client.js';

let app: TestApp;
let home: Home;
let books: TestCollection;
beforeAll(async () => {
  app = await startApp();
  home = await newHome(app);
  books = await newCollection(app, home, { properties: { title: { type: 'text' } } });
  await insert(app, books, { title: 'Emma' });
});

describe('a client that accepts only JSON', () => {
  const call = {
    ...{ jsonrpc: '2.0', id: 3, method: 'tools/call' },
    params: { name: 'data_count', arguments: { collection_id: 'books' } },
  };

  it.each(['application/json', '*/*', 'application/json; q=0.9'])(
    'by "Accept: %s" gets JSON',
    async accept => {
      const message = structuredClone(call);
      message.params.arguments.collection_id = books.id;
      const answer = await send(app, home.owner, message, { headers: { accept } });
      expect(answer.headers.get('content-type')).toContain('application/json');
      expect([answer.status, answer.body.id]).toEqual([200, 3]);
      expect(answer.body.result.structuredContent).toEqual({ count: 1 });
      const begun = await send(
        app,
        home.owner,
        {
          ...{ jsonrpc: '2.0', id: 'a', method: 'initialize' },
          params: {
            ...{ protocolVersion: '2025-06-18', capabilities: {} },
            clientInfo: { name: 'curl', version: '1' },
          },
        },
        { headers: { accept } },
      );
      expect(begun.body.result.protocolVersion).toBe('2025-06-18');
    },
  );

  it('gets errors as JSON too, and no body for a notification', async () => {
    const headers = { accept: 'application/json' };
    const unknown = await send(app, home.owner, { jsonrpc: '2.0', id: 4, method: 'tools/drop' }, { headers });
    expect(unknown.headers.get('content-type')).toContain('application/json');
    expect(unknown.body).toMatchObject({ id: 4, error: { code: -32601 } });
    const notification = { jsonrpc: '2.0', method: 'notifications/initialized' };
    const taken = await send(app, home.owner, notification, { headers });
    expect([taken.status, taken.text]).toEqual([202, '']);
  });

  it('is refused without a valid credential', async () => {
    const answer = await send(app, {}, call, { headers: { accept: 'application/json' } });
    expect(answer.status).toBe(401);
  });
});

describe('completion', () => {
  const EXPLORE = { type: 'ref/prompt', name: 'explore_collection' } as const;

  it('offers only collection names that begin with the text, in any case', async () => {
    const own = await newHome(app);
    const names = ['books', 'Bookings', 'boats', 'cars'];
    for (const name of names) await newCollection(app, own, { name });
    const { sdk } = await connect(app, own.owner);
    const complete = async (value: string, ref: Parameters<typeof sdk.complete>[0]['ref'], name: string) =>
      (await sdk.complete({ ref, argument: { name, value } })).completion.values;
    expect(await complete('boo', EXPLORE, 'collection_id')).toEqual(['Bookings', 'books']);
    const template = { type: 'ref/resource', uri: 'collection://{id}/schema' } as const;
    expect(await complete('', template, 'id')).toEqual(names.toSorted());
    expect(await complete('b%', EXPLORE, 'collection_id')).toEqual([]);
    expect(await complete('boo', EXPLORE, 'goal')).toEqual([]);
    expect(await complete('boo', { type: 'ref/prompt', name: 'nothing' }, 'collection_id')).toEqual([]);
    const { contents } = await sdk.readResource({ uri: 'collection://books/schema' });
    expect(JSON.parse((contents[0] as { text: string }).text).name).toBe('books');
  });

  it('offers only collections that the caller can access', async () => {
    const guest = await newMember(app, home.org);
    const { sdk } = await connect(app, guest);
    const values = async () =>
      (await sdk.complete({ ref: EXPLORE, argument: { name: 'collection_id', value: books.name } }))
        .completion.values;
    expect(await values()).toEqual([]);
    await grant(app, books, withUser(guest), 'reader');
    expect(await values()).toEqual([books.name]);
  });

  it('offers at most 100 names, and states that there are more', async () => {
    const own = await newHome(app);
    for (let n = 0; n < 101; n++) await newCollection(app, own, { name: `n${n}` });
    const { sdk } = await connect(app, own.owner);
    const { completion } = await sdk.complete({
      ref: EXPLORE,
      argument: { name: 'collection_id', value: 'n' },
    });
    expect([completion.values.length, completion.hasMore]).toEqual([100, true]);
  });
});

describe('progress', () => {
  /** Locks the collection's table so that no write to it can end. */
  const locked = async (work: () => Promise<void>) => {
    const runner = app.nest.get(DataSource).createQueryRunner();
    await runner.startTransaction();
    await runner.query(`LOCK TABLE ${books.table} IN ACCESS EXCLUSIVE MODE`);
    try {
      await work();
    } finally {
      await runner.commitTransaction();
      await runner.release();
    }
  };

  it.each(VERSIONS)('is reported to a client of %s that requests it, while its tool runs', async version => {
    const { sdk } = await connect(app, home.owner, { version });
    const received: number[] = [];
    let done: Promise<unknown> = Promise.resolve();
    await locked(async () => {
      const args = { collection_id: books.id, records: { title: version } };
      done = sdk.callTool(
        { name: 'data_insert', arguments: args },
        { onprogress: ({ progress }) => void received.push(progress) },
      );
      await expect.poll(() => received.length).toBeGreaterThan(1);
    });
    expect(await done).toMatchObject({ structuredContent: { inserted_count: 1 } });
    expect(received.slice(0, 2)).toEqual([1, 2]);
    const after = received.length;
    await pause(1_500);
    expect(received).toHaveLength(after);
  });

  it('is not reported to a client that accepts only JSON, which gets the answer alone', async () => {
    let answered: ReturnType<typeof send> | undefined;
    await locked(async () => {
      answered = send(
        app,
        home.owner,
        {
          ...{ jsonrpc: '2.0', id: 9, method: 'tools/call' },
          params: {
            ...{ name: 'data_insert', _meta: { progressToken: 'p' } },
            arguments: { collection_id: books.id, records: { title: 'x' } },
          },
        },
        { headers: { accept: 'application/json' } },
      );
      await pause(2_200);
    });
    expect((await answered)?.body).toMatchObject({
      id: 9,
      result: { structuredContent: { inserted_count: 1 } },
    });
  });
});
