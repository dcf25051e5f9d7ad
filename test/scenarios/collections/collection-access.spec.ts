import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import {
  type Caller,
  EMMA,
  type Home,
  insert,
  newHome,
  newName,
  newTypedCollection,
  outcome,
  type TestCollection,
  written,
} from '../../harness/collection.js';
import { person } from '../auth/person.js';
import { newKey, newMember, newSlug } from '../orgs/org.js';

/** An operation on a collection: its request, and the status for an authorized caller. */
interface Operation {
  readonly method: string;
  readonly path: (collection: string, record: string) => string;
  readonly body?: unknown;
  readonly status: number;
  readonly right: 'read' | 'write' | 'manage' | 'rename' | 'keys' | 'delete';
}

const OPERATIONS: Record<string, Operation> = {
  getCollection: { method: 'GET', path: c => c, status: 200, right: 'read' },
  queryRecords: { method: 'GET', path: c => `${c}/data`, status: 200, right: 'read' },
  searchRecords: { method: 'POST', path: c => `${c}/data/query`, body: {}, status: 200, right: 'read' },
  getRecord: { method: 'GET', path: (c, r) => `${c}/data/${r}`, status: 200, right: 'read' },
  countRecords: { method: 'GET', path: c => `${c}/data/count`, status: 200, right: 'read' },
  distinctValues: { method: 'GET', path: c => `${c}/data/distinct?field=year`, status: 200, right: 'read' },
  countRecordsByBody: { method: 'POST', path: c => `${c}/data/count`, body: {}, status: 200, right: 'read' },
  distinctValuesByBody: {
    method: 'POST',
    path: c => `${c}/data/distinct`,
    body: { field: 'year' },
    status: 200,
    right: 'read',
  },
  listChangesByBody: { method: 'POST', path: c => `${c}/changes`, body: {}, status: 200, right: 'read' },
  exportRecordsByBody: { method: 'POST', path: c => `${c}/export`, body: {}, status: 200, right: 'read' },
  aggregateRecords: {
    method: 'POST',
    path: c => `${c}/data/aggregate`,
    body: { steps: [{ type: 'count', output_field: 'n' }] },
    status: 200,
    right: 'read',
  },
  insertRecords: {
    method: 'POST',
    path: c => `${c}/data`,
    body: { records: {} },
    status: 200,
    right: 'write',
  },
  bulkInsertRecords: {
    method: 'POST',
    path: c => `${c}/data/bulk`,
    body: { records: [{}] },
    status: 201,
    right: 'write',
  },
  updateRecord: {
    method: 'PATCH',
    path: (c, r) => `${c}/data/${r}`,
    body: { shelf: 9 },
    status: 200,
    right: 'write',
  },
  deleteRecord: { method: 'DELETE', path: (c, r) => `${c}/data/${r}`, status: 200, right: 'write' },
  eraseRecord: {
    method: 'DELETE',
    path: (c, r) => `${c}/data/${r}?erase=true`,
    status: 200,
    right: 'manage',
  },
  updateCollection: {
    method: 'PATCH',
    path: c => c,
    body: { description: 'x' },
    status: 200,
    right: 'manage',
  },
  renameCollection: {
    method: 'PATCH',
    path: c => c,
    body: { name: 'renamed' },
    status: 200,
    right: 'rename',
  },
  listApiKeys: { method: 'GET', path: c => `${c}/api-keys`, status: 200, right: 'keys' },
  deleteCollection: { method: 'DELETE', path: c => c, status: 200, right: 'delete' },
};
const NAMES = Object.keys(OPERATIONS);

describe('access to a collection', () => {
  let app: TestApp;
  let home: Home;
  let books: TestCollection;
  let record: string;
  beforeAll(async () => {
    app = await startApp();
    home = await newHome(app);
    books = await newTypedCollection(app, home);
    [record] = (await insert(app, books, EMMA)) as [string];
  });

  const call = (name: string, caller: Caller, { path } = books, of = record, more: object = {}) => {
    const { method, path: at, body } = OPERATIONS[name] as Operation;
    const named = name === 'renameCollection' ? { name: newName() } : body;
    return app.request(method, at(path, of), {
      ...caller,
      ...(named !== undefined && { body: named }),
      ...more,
    });
  };
  /** A new collection with one record. */
  const collectionWithRecord = async (): Promise<[TestCollection, string]> => {
    const collection = await newTypedCollection(app, home);
    const [id] = await insert(app, collection, EMMA);
    return [collection, id as string];
  };
  const keyOf = async (key: object): Promise<Caller> => ({ key: (await newKey(app, home.org, key)).apiKey });
  const agent = async (): Promise<string> => {
    const body = { slug: newSlug(), name: 'Agent' };
    return (await app.request('POST', `${home.org.path}/agents`, { ...home.owner, body })).body.id;
  };

  describe.each<[who: string, rights: string[], caller: (collection: TestCollection) => Promise<Caller>]>([
    ['the owner', ['read', 'write', 'manage', 'rename', 'keys', 'delete'], async () => home.owner],
    [
      'another owner of the organization',
      ['read', 'write', 'manage', 'rename', 'keys', 'delete'],
      async () => ({ token: (await newMember(app, home.org, 'owner')).token }),
    ],
    [
      'an admin of the organization',
      ['read', 'write', 'manage', 'keys'],
      async () => ({ token: (await newMember(app, home.org, 'admin')).token }),
    ],
    [
      'a key with *',
      ['read', 'write', 'manage', 'rename', 'keys', 'delete'],
      () => keyOf({ permissions: ['*'] }),
    ],
    [
      'a key with collections:*',
      ['read', 'write', 'manage', 'rename', 'keys', 'delete'],
      () => keyOf({ permissions: ['collections:*'] }),
    ],
    ['a key with collections:read', ['read'], () => keyOf({ permissions: ['collections:read'] })],
    ['a key with collections:write', ['write'], () => keyOf({ permissions: ['collections:write'] })],
    [
      'a key with collections:manage',
      ['manage', 'rename'],
      () => keyOf({ permissions: ['collections:manage'] }),
    ],
    ['a key with collections:keys', ['keys'], () => keyOf({ permissions: ['collections:keys'] })],
    ['a key with collections:delete', ['delete'], () => keyOf({ permissions: ['collections:delete'] })],
    ['a key with collections:create', [], () => keyOf({ permissions: ['collections:create'] })],
    [
      'a key narrowed to this collection',
      ['read', 'write', 'manage', 'rename', 'keys', 'delete'],
      ({ id }) => keyOf({ permissions: ['*'], scopes: [`collections:${id}`] }),
    ],
    [
      'a reading key of the owner',
      ['read'],
      () => keyOf({ permissions: ['collections:read'], ownerType: 'user', ownerId: home.org.owner.userId }),
    ],
    [
      'an agent that it is shared with',
      ['read', 'write'],
      async ({ path }) => {
        const id = await agent();
        await app.request('PATCH', path, { ...home.owner, body: { agent_ids: [id] } });
        return keyOf({ permissions: ['*'], ownerType: 'agent', ownerId: id });
      },
    ],
    [
      'an agent that it is shared with, by a key without the permissions',
      [],
      async ({ path }) => {
        const id = await agent();
        await app.request('PATCH', path, { ...home.owner, body: { agent_ids: [id] } });
        return keyOf({ permissions: ['collections:create'], ownerType: 'agent', ownerId: id });
      },
    ],
    [
      'a collection key that may read',
      ['read'],
      collection => collectionKey(collection, ['collections:read']),
    ],
    [
      'a collection key that may write',
      ['write'],
      collection => collectionKey(collection, ['collections:write']),
    ],
    [
      'a collection key with everything, which never shares, mints, renames or deletes',
      ['read', 'write', 'manage'],
      collection => collectionKey(collection, ['collections:*']),
    ],
  ])('%s', (_, rights, callerOf) => {
    it.each(NAMES)('%s', async name => {
      const [collection, id] = await collectionWithRecord();
      const caller = await callerOf(collection);
      const before = await written(app, collection);
      const answer = await call(name, caller, collection, id);
      const { right, status } = OPERATIONS[name] as Operation;
      if (rights.includes(right)) {
        expect(outcome(answer)).toEqual([status, undefined]);
      } else {
        expect(outcome(answer)).toEqual([403, 'Forbidden']);
        expect(await written(app, collection)).toEqual(before);
      }
    });
  });

  const collectionKey = async ({ path }: TestCollection, permissions: string[]): Promise<Caller> => {
    const body = { name: 'Key', slug: newSlug(), permissions };
    const { body: minted } = await app.request('POST', `${path}/api-keys`, { ...home.owner, body });
    return { key: minted.secret };
  };

  describe.each<[who: string, caller: () => Promise<Caller>]>([
    ['a member of the organization', async () => ({ token: (await newMember(app, home.org)).token })],
    ['the owner of another organization', async () => (await newHome(app)).owner],
    [
      'a key with * of another organization',
      async () => ({ key: (await newKey(app, (await newHome(app)).org)).apiKey }),
    ],
    [
      'a key of another collection',
      async () => collectionKey((await collectionWithRecord())[0], ['collections:*']),
    ],
    [
      'a key limited to another collection',
      () => keyOf({ permissions: ['*'], scopes: [`collections:${randomUUID()}`] }),
    ],
    ['a key limited to workspaces', () => keyOf({ permissions: ['*'], scopes: ['workspaces:*'] })],
    [
      'an agent without access',
      async () => keyOf({ permissions: ['*'], ownerType: 'agent', ownerId: await agent() }),
    ],
    [
      'a key of a member',
      async () => {
        const { userId } = await newMember(app, home.org);
        return keyOf({ permissions: ['*'], ownerType: 'user', ownerId: userId });
      },
    ],
  ])('does not reveal to %s that it exists', (_, callerOf) => {
    it.each(NAMES)('%s', async name => {
      const caller = await callerOf();
      const before = await written(app, books);
      const [foreign, random, malformed] = [
        await call(name, caller),
        await call(name, caller, { ...books, path: `/v1/collections/${randomUUID()}` }),
        await call(name, caller, { ...books, path: '/v1/collections/no-uuid' }),
      ];
      expect(outcome(foreign)).toEqual([404, 'CollectionNotFound']);
      expect([foreign.text, foreign.status]).toEqual([random.text, random.status]);
      expect([foreign.text, foreign.status]).toEqual([malformed.text, malformed.status]);
      expect(headersOf(foreign)).toEqual(headersOf(random));
      expect(await written(app, books)).toEqual(before);
    });
  });

  it.each(NAMES)(
    'requires a credential: %s is 401 for a collection that exists and for one that does not',
    async name => {
      const answers = [
        await call(name, {}),
        await call(name, {}, { ...books, path: `/v1/collections/${randomUUID()}` }),
        await call(name, { token: 'at:nonsense' }),
        await call(name, { key: 'iak_nobody_00000000-0000-4000-8000-000000000000' }),
      ];
      for (const answer of answers) {
        expect(outcome(answer)).toEqual([401, 'Unauthorized']);
        expect(answer.headers.get('www-authenticate')).toContain('Bearer');
      }
      expect(new Set(answers.map(answer => answer.text)).size).toBe(1);
    },
  );

  it.each([...NAMES, 'listCollections', 'createCollection'])(
    'somebody without an organization: %s is 403',
    async name => {
      const { token } = await person(app);
      const answer = NAMES.includes(name)
        ? await call(name, { token })
        : await app.request(name === 'listCollections' ? 'GET' : 'POST', '/v1/collections', { token });
      expect(outcome(answer)).toEqual([403, 'OrganizationMembershipRequired']);
    },
  );

  it('lets a key list and create only with the permission for it, and a collection key never', async () => {
    const list = async (caller: Caller) => outcome(await app.request('GET', '/v1/collections', caller))[0];
    const create = async (caller: Caller) =>
      outcome(await app.request('POST', '/v1/collections', { ...caller, body: { name: newName() } }))[0];
    const table: [Caller, number, number][] = [
      [await keyOf({ permissions: ['collections:read'] }), 200, 403],
      [await keyOf({ permissions: ['collections:create'] }), 403, 200],
      [await keyOf({ permissions: ['collections:write', 'collections:manage'] }), 403, 403],
      [await collectionKey(books, ['collections:*']), 403, 403],
    ];
    for (const [caller, listed, created] of table) {
      expect([await list(caller), await create(caller)]).toEqual([listed, created]);
    }
  });

  it('gives collections created by a key without an owner to the user who created the key', async () => {
    const key = await keyOf({ permissions: ['collections:create'] });
    const { body } = await app.request('POST', '/v1/collections', { ...key, body: { name: newName() } });
    expect([body.owner_type, body.owner_id]).toEqual(['user', home.org.owner.userId]);
  });

  it('ends at once when an agent is removed from the list', async () => {
    const [collection] = await collectionWithRecord();
    const id = await agent();
    const key = await keyOf({ permissions: ['*'], ownerType: 'agent', ownerId: id });
    const set = (agent_ids: string[]) =>
      app.request('PATCH', collection.path, { ...home.owner, body: { agent_ids } });
    const count = async () => outcome(await app.request('GET', `${collection.data}/count`, key));
    expect(await count()).toEqual([404, 'CollectionNotFound']);
    await set([id]);
    expect(await count()).toEqual([200, undefined]);
    await set([]);
    expect(await count()).toEqual([404, 'CollectionNotFound']);
  });

  describe('the order of refusals', () => {
    const oversized = { raw: 'x'.repeat(11 * 1024 * 1024), headers: { 'content-type': 'text/plain' } };
    const table: [string, () => Promise<Caller>, string, number][] = [
      ['401', async () => ({}), 'insertRecords', 401],
      ['404', async () => (await newHome(app)).owner, 'insertRecords', 404],
      ['403', () => keyOf({ permissions: ['collections:read'] }), 'insertRecords', 403],
      [
        '403 of an admin who deletes',
        async () => ({ token: (await newMember(app, home.org, 'admin')).token }),
        'deleteCollection',
        403,
      ],
    ];
    it.each(table)(
      '%s comes before a body that is too large, no JSON and wrong',
      async (_, callerOf, name, status) => {
        const caller = await callerOf();
        expect((await call(name, caller, books, record, oversized)).status).toBe(status);
        expect((await call(name, caller, books, record, { raw: '{' })).status).toBe(status);
        expect((await call(name, caller, books, record, { body: { records: 7 } })).status).toBe(status);
      },
    );

    it.each(['GET /data?limit=0', 'GET /data/count?filter=x', 'GET /data/distinct'])(
      '404 comes before %s',
      async request => {
        const [method, path] = request.split(' ') as [string, string];
        const stranger = (await newHome(app)).owner;
        expect((await app.request(method, `${books.path}${path}`, stranger)).status).toBe(404);
        expect((await app.request(method, `${books.path}${path}`, {})).status).toBe(401);
        expect((await app.request(method, `${books.path}${path}`, home.owner)).status).toBe(400);
      },
    );

    it('reports errors in a body before the 404 of a record', async () => {
      const answer = await app.request('PATCH', `${books.data}/${randomUUID()}`, {
        ...home.owner,
        body: { year: 'x' },
      });
      expect(outcome(answer)).toEqual([400, 'InvalidArguments']);
    });

    it('reports the media type of a body before its size, and its size before its content', async () => {
      expect((await call('insertRecords', home.owner, books, record, oversized)).status).toBe(415);
      const json = { ...oversized, headers: {} };
      expect((await call('insertRecords', home.owner, books, record, json)).status).toBe(413);
    });
  });
});

/** All headers that could distinguish one refusal from another. */
function headersOf({ headers }: { headers: Headers }): Record<string, string> {
  const { date, 'x-correlation-id': id, ...rest } = Object.fromEntries(headers);
  expect([date, id]).not.toContain(undefined);
  return rest;
}
