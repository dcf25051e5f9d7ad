import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, startOwnApp, type TestApp, type TestRequest } from '../../harness/app.js';
import {
  type Caller,
  expire,
  type Home,
  insert,
  newCollection,
  newHome,
  outcome,
  read,
  type TestCollection,
  written,
} from '../../harness/collection.js';
import { newKey } from '../orgs/org.js';

let app: TestApp;
let second: TestApp;
let home: Home;
let owner: Caller;
beforeAll(async () => {
  app = await startApp();
  second = await startOwnApp({ database: { url: app.settings.DATABASE_URL as string } });
  const { org } = await newHome(app);
  owner = { key: (await newKey(app, org)).apiKey };
  home = { org, owner };
});
afterAll(() => second.close());

const make = () => newCollection(app, home, { properties: { n: { type: 'integer' } } });

/** A thing with an entity tag, and a change to it. */
interface Thing {
  readonly collection: TestCollection;
  readonly path: string;
  readonly change: object;
  readonly id: string;
}

const THINGS: [string, () => Promise<Thing>][] = [
  [
    'record',
    async () => {
      const collection = await make();
      const [id] = (await insert(app, collection, { n: 1, list: [] })) as [string];
      return { collection, id, path: `${collection.data}/${id}`, change: { $inc: { n: 1 } } };
    },
  ],
  [
    'collection',
    async () => {
      const collection = await make();
      return { collection, id: collection.id, path: collection.path, change: { description: 'new' } };
    },
  ],
];

const ask = (method: string, path: string, headers: TestRequest['headers'] = {}, body?: object) =>
  app.request(method, path, { ...owner, headers, ...(body && { body }) });

async function tagOf(path: string): Promise<string> {
  return (await ask('GET', path)).headers.get('etag') as string;
}

describe.each(THINGS)('the entity tag of a %s', (_, thing) => {
  it('is strong, and stays the same while nothing changes', async () => {
    const { path } = await thing();
    const tag = await tagOf(path);
    expect(tag).toMatch(/^"[\x21\x23-\x7e]+"$/);
    expect(await tagOf(path)).toBe(tag);
    expect((await ask('HEAD', path)).headers.get('etag')).toBe(tag);
  });

  it('is different after every change', async () => {
    const { path, change } = await thing();
    const tags = [await tagOf(path)];
    for (let time = 0; time < 5; time++) {
      expect((await ask('PATCH', path, {}, change)).status).toBe(200);
      tags.push(await tagOf(path));
    }
    expect(new Set(tags).size).toBe(tags.length);
  });

  it.each([
    ['the tag', (tag: string) => tag],
    ['a weak form of it', (tag: string) => `W/${tag}`],
    ['a list with it', (tag: string) => `"x", ${tag}, W/"y"`],
    ['*', () => '*'],
  ])('matches If-None-Match: %s', async (__, condition) => {
    const { path, change } = await thing();
    const tag = await tagOf(path);
    const answer = await ask('GET', path, { 'if-none-match': condition(tag) });
    expect([answer.status, answer.text, answer.headers.get('etag')]).toEqual([304, '', tag]);
    expect(answer.headers.has('content-type')).toBe(false);
    await ask('PATCH', path, {}, change);
    const changed = await ask('GET', path, { 'if-none-match': condition(tag) });
    expect(changed.status).toBe(condition(tag) === '*' ? 304 : 200);
    expect(changed.headers.get('etag')).not.toBe(tag);
  });

  it.each(['"x"', 'W/"x"', '"x", "y"', '""'])('does not match If-None-Match: %s', async condition => {
    const { path } = await thing();
    const answer = await ask('GET', path, { 'if-none-match': condition });
    expect(answer.status).toBe(200);
    expect(answer.body).toBeDefined();
  });

  it.each(['PATCH', 'DELETE'])('allows a %s with If-Match only while it is current', async method => {
    const { path, change, collection, id } = await thing();
    const tag = await tagOf(path);
    await ask('PATCH', path, {}, change);
    const before = [await written(app, collection), await tagOf(path)];
    const body = method === 'PATCH' ? change : undefined;
    for (const condition of [tag, '"x"', `W/${before[1]}`, `${tag}, "x"`]) {
      const refused = await ask(method, path, { 'if-match': condition }, body);
      expect(outcome(refused)).toEqual([412, 'PreconditionFailed']);
      expect(refused.text).not.toContain(id);
    }
    expect([await written(app, collection), await tagOf(path)]).toEqual(before);
    const condition = `"x", W/"y", ${before[1]}`;
    expect((await ask(method, path, { 'if-match': condition }, body)).status).toBe(200);
    expect((await ask('GET', path)).status).toBe(method === 'PATCH' ? 200 : 404);
  });

  it.each(['PATCH', 'DELETE'])('allows a %s with If-Match: *', async method => {
    const { path, change } = await thing();
    const body = method === 'PATCH' ? change : undefined;
    expect((await ask(method, path, { 'if-match': '*' }, body)).status).toBe(200);
  });

  it.each(['PATCH', 'DELETE'])('refuses a %s with If-None-Match if it is in the list', async method => {
    const { path, change, collection } = await thing();
    const tag = await tagOf(path);
    const before = await written(app, collection);
    const body = method === 'PATCH' ? change : undefined;
    const refused: Record<string, string>[] = [
      { 'if-none-match': '*' },
      { 'if-none-match': tag },
      { 'if-none-match': `"x", W/${tag}` },
      { 'if-none-match': tag, 'if-match': tag },
      { 'if-none-match': '"x"', 'if-match': '"y"' },
    ];
    for (const headers of refused)
      expect([headers, ...outcome(await ask(method, path, headers, body))]).toEqual([
        headers,
        412,
        'PreconditionFailed',
      ]);
    expect([await written(app, collection), await tagOf(path)]).toEqual([before, tag]);
    const allowed = { 'if-none-match': '"x", "y"', 'if-match': tag };
    expect((await ask(method, path, allowed, body)).status).toBe(200);
  });

  it.each(['PATCH', 'DELETE'])('allows a %s with If-None-Match of other tags', async method => {
    const { path, change } = await thing();
    const body = method === 'PATCH' ? change : undefined;
    expect((await ask(method, path, { 'if-none-match': '"x"' }, body)).status).toBe(200);
  });

  it.each(['x', '"x', '*, "x"', '"x" "y"', ''])(
    'cannot be %s in a condition: 400, and nothing is done',
    async condition => {
      const { path, change, collection } = await thing();
      const before = [await written(app, collection), await tagOf(path)];
      for (const [method, header, body] of [
        ['GET', 'if-none-match', undefined],
        ['PATCH', 'if-match', change],
        ['DELETE', 'if-match', undefined],
        ['PATCH', 'if-none-match', change],
        ['DELETE', 'if-none-match', undefined],
      ] as const) {
        const refused = await ask(method, path, { [header]: condition }, body);
        expect([method, ...outcome(refused)]).toEqual([method, 400, 'InvalidArguments']);
      }
      expect([await written(app, collection), await tagOf(path)]).toEqual(before);
    },
  );

  it('lets one of many concurrent clients that read the same state succeed, on two instances', async () => {
    const { path, change } = await thing();
    const tag = await tagOf(path);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (__, n) =>
        (n % 2 === 0 ? app : second).request('PATCH', path, {
          ...owner,
          body: change,
          headers: { 'if-match': tag },
        }),
      ),
    );
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([200, ...Array.from({ length: 19 }, () => 412)]);
  });

  it('is not evaluated for a thing that does not exist', async () => {
    const { path } = await thing();
    const absent = `${path.slice(0, -12)}000000000000`;
    const plain = await ask('PATCH', absent, {}, {});
    for (const condition of ['*', '"x"']) {
      expect((await ask('PATCH', absent, { 'if-none-match': condition }, {})).text).toBe(plain.text);
      const answer = await ask('PATCH', absent, { 'if-match': condition }, {});
      expect([answer.status, answer.text]).toEqual([404, plain.text]);
      expect((await ask('DELETE', absent, { 'if-match': condition })).status).toBe(404);
    }
    const asked = await ask('GET', absent, { 'if-none-match': '*' });
    expect([asked.status, asked.headers.has('etag')]).toEqual([404, false]);
  });

  it('is documented', async () => {
    const { paths } = (await app.request('GET', '/openapi.json')).body;
    const collection = paths['/v1/collections/{collection_id}'];
    const record = paths['/v1/collections/{collection_id}/data/{record_id}'];
    for (const { get, patch, delete: remove } of [collection, record]) {
      const names = (operation: { parameters: { name: string }[] }) =>
        operation.parameters.map(({ name }) => name);
      expect([names(get), Object.keys(get.responses)]).toEqual([
        expect.arrayContaining(['If-None-Match']),
        expect.arrayContaining(['200', '304']),
      ]);
      for (const write of [patch, remove])
        expect([names(write), Object.keys(write.responses)]).toEqual([
          expect.arrayContaining(['If-Match']),
          expect.arrayContaining(['200', '412']),
        ]);
    }
  });
});

describe('the entity tag of a record', () => {
  it('changes with an update under a lock, with an upsert and with a bulk upsert', async () => {
    const collection = await newCollection(app, home, {
      properties: { n: { type: 'integer' } },
      uniques: [{ properties: ['n'] }],
    });
    const [id] = await insert(app, collection, { n: 1 });
    const path = `${collection.data}/${id}`;
    const tags = [await tagOf(path)];
    for (const [method, where, body] of [
      ['PATCH', path, { $push: { list: 1 } }],
      ['POST', `${collection.data}/upsert`, { data: { n: 1, a: 1 }, match_fields: ['n'] }],
      ['POST', `${collection.data}/bulk`, { records: [{ n: 1, b: 1 }], upsert_key: 'n' }],
      ['PATCH', collection.data, { filter: { n: 1 }, update: { c: 1 } }],
    ] as const) {
      expect((await ask(method, where, {}, body)).status).toBeLessThan(300);
      tags.push(await tagOf(path));
    }
    expect(new Set(tags).size).toBe(tags.length);
  });

  it('is checked under the lock of an update that has no single-statement form', async () => {
    const collection = await make();
    const [id] = await insert(app, collection, { list: [] });
    const path = `${collection.data}/${id}`;
    const tag = await tagOf(path);
    const push = (condition: string) =>
      ask('PATCH', path, { 'if-match': condition }, { $push: { list: 'x' } });
    const answers = await Promise.all(Array.from({ length: 10 }, () => push(tag)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 412)).toHaveLength(9);
    expect((await read(app, collection, id as string)).list).toEqual(['x']);
    expect((await push(await tagOf(path))).status).toBe(200);
  });

  it('changes when a new column appears in records, not when the collection is renamed or shared', async () => {
    const collection = await make();
    const [id] = await insert(app, collection, { n: 1 });
    const path = `${collection.data}/${id}`;
    const tag = await tagOf(path);
    await ask('PATCH', collection.path, {}, { description: 'other' });
    await ask(
      'POST',
      `${collection.path}/access`,
      {},
      {
        principal_type: 'org',
        principal_id: home.org.slug,
        role: 'reader',
      },
    );
    expect(await tagOf(path)).toBe(tag);
    await ask('PATCH', `${collection.path}/schema`, {}, { properties: { more: { type: 'text' } } });
    expect(await tagOf(path)).not.toBe(tag);
  });

  it('does not match after the record has expired', async () => {
    const collection = await make();
    const [id] = await insert(app, collection, { n: 1 });
    const path = `${collection.data}/${id}`;
    const tag = await tagOf(path);
    await expire(app, collection, id as string);
    expect(outcome(await ask('PATCH', path, { 'if-match': tag }, { n: 2 }))).toEqual([404, 'RecordNotFound']);
    expect((await ask('GET', path, { 'if-none-match': tag })).status).toBe(404);
  });

  it('does not apply to a retry with an Idempotency-Key, which gets the first answer', async () => {
    const collection = await make();
    const [id] = await insert(app, collection, { n: 1 });
    const path = `${collection.data}/${id}`;
    const headers = { 'if-match': await tagOf(path), 'idempotency-key': `etag-${id}` };
    const first = await ask('PATCH', path, headers, { $inc: { n: 1 } });
    const again = await ask('PATCH', path, headers, { $inc: { n: 1 } });
    expect([again.status, again.text, again.headers.get('idempotency-replayed')]).toEqual([
      200,
      first.text,
      'true',
    ]);
    expect((await read(app, collection, id as string)).n).toBe(2);
  });
});

describe('the entity tag of a collection', () => {
  it('comes with the answer of a change, and equals the tag of the next read', async () => {
    const { path } = await make();
    const changed = await ask('PATCH', path, {}, { description: 'new' });
    expect(changed.headers.get('etag')).toBe(await tagOf(path));
    expect(changed.body.description).toBe('new');
  });

  it('changes with schema, indexes, charts and sharing', async () => {
    const { path } = await make();
    const tags = [await tagOf(path)];
    for (const [method, where, body] of [
      ['PATCH', '/schema', { properties: { more: { type: 'text' } } }],
      ['POST', '/indexes', { indexes: [{ properties: ['n'] }] }],
      ['PUT', '/charts', { charts: [{ title: 'a' }] }],
      ['POST', '/access', { principal_type: 'org', principal_id: home.org.slug, role: 'reader' }],
    ] as const) {
      expect((await ask(method, path + where, {}, body)).status).toBeLessThan(300);
      tags.push(await tagOf(path));
    }
    expect(new Set(tags).size).toBe(tags.length);
  });
});
