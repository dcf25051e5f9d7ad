import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  COLLECTION_PERMISSIONS,
  COLLECTION_RIGHTS,
  type CollectionRight,
  type CollectionRole,
  covers,
  roleReaches,
} from '../../../src/base/kernel/permission.js';
import { type DeclaredRoute, routesOf } from '../../architecture/routes.js';
import { startOwnApp, type TestApp } from '../../harness/app.js';
import { type Caller, type Home, newCollection, newHome, outcome } from '../../harness/collection.js';
import { person } from '../auth/person.js';
import { newKey, newMember, newSlug } from '../orgs/org.js';
import { grant, guest, newAgent, newGroup, withGroup, withOrg } from './sharing.js';

/** A kind of caller: its role on the collection and its permissions in the organization. */
interface Somebody {
  readonly caller: Caller;
  /** The role by the contract's section "Who may do what"; undefined: the caller cannot see the collection. */
  readonly role: CollectionRole | undefined;
  readonly permissions: readonly string[];
  /** True for a collection key, which cannot share, mint keys or list. */
  readonly ofCollection?: true;
}

/** The contract's table: the weakest role for each operation that it names. */
const TABLE: Record<CollectionRole, string[]> = {
  reader: [
    ...['getCollection', 'queryRecords', 'searchRecords', 'getRecord', 'countRecords', 'distinctValues'],
    ...['countRecordsByBody', 'distinctValuesByBody', 'exportRecordsByBody', 'listChangesByBody'],
    ...['aggregateRecords', 'askCollection', 'getCharts', 'getRecordHistory'],
  ],
  editor: [
    ...[
      'insertRecords',
      'updateRecord',
      'updateRecords',
      'upsertRecord',
      'bulkInsertRecords',
      'deleteRecord',
    ],
    ...['deleteRecords', 'saveCharts', 'undoWrites'],
  ],
  admin: [
    ...['updateSchema', 'applyIndexes', 'updateCollection', 'listAccess', 'grantAccess', 'getAccessBinding'],
    ...['updateAccessBinding', 'revokeAccess', 'explainAccess', 'listApiKeys', 'createApiKey', 'getApiKey'],
    ...['deleteApiKey', 'rotateApiKey', 'listAuditEvents', 'listAdvice', 'restoreRecords'],
  ],
  owner: ['deleteCollection'],
};

/** A query string that gets 400 when the caller has the right, so that the matrix reads, writes and deletes nothing. */
const MALFORMED = '?q=%zz';

describe('the access matrix', () => {
  let app: TestApp;
  let home: Home;
  let path: string;
  let routes: DeclaredRoute[];
  const people: Record<string, Somebody> = {};
  beforeAll(async () => {
    // Features that settings can disable are enabled, because the matrix tests roles and permissions.
    app = await startOwnApp({ database: 'own', environment: { ALLOW_BULK_DELETE: 'true' } });
    home = await newHome(app);
    routes = routesOf(app.nest).filter(route => route.path.startsWith('/v1/'));
    Object.assign(people, await everybody());
    return () => app.close();
  }, 60_000);

  /** Creates one caller of each kind, and the collection. */
  async function everybody(): Promise<Record<string, Somebody>> {
    const { org } = home;
    const [agent, otherAgent] = [await newAgent(app, org), await newAgent(app, org)];
    const books = await newCollection(app, home, { agent_ids: [agent.id] });
    const other = await newCollection(app, home);
    path = books.path;
    const inGroup = await newMember(app, org);
    const group = await newGroup(app, org, inGroup);
    await grant(app, books, withGroup(org, group), 'editor');
    const stranger = await newHome(app);
    const key = async (permissions: string[], more: object = {}): Promise<Somebody> => ({
      caller: { key: (await newKey(app, org, { permissions, ...more })).apiKey },
      role: 'owner',
      permissions,
    });
    const collectionKey = async (at: string, permissions: string[]): Promise<Somebody> => {
      const body = { name: 'Key', slug: newSlug(), permissions };
      const { secret } = (await app.request('POST', `${at}/api-keys`, { ...home.owner, body })).body;
      return {
        caller: { key: secret },
        role: at === path ? 'admin' : undefined,
        permissions,
        ofCollection: true,
      };
    };
    const member = async (
      role: CollectionRole | undefined,
      permissions = ['collections:*'],
    ): Promise<Somebody> => {
      const { token } =
        role === undefined ? await newMember(app, org, { permissions }) : await guest(app, org, books, role);
      return { caller: { token }, role, permissions };
    };
    const found: Record<string, Somebody> = {
      owner: { caller: home.owner, role: 'owner', permissions: ['*'] },
      'another owner of the organization': { ...(await orgRole('owner')) },
      'an admin of the organization': { ...(await orgRole('admin')) },
      'an admin by binding': await member('admin'),
      'an editor by binding': await member('editor'),
      'a reader by binding': await member('reader'),
      'an editor by a group': {
        caller: { token: inGroup.token },
        role: 'editor',
        permissions: ['collections:*'],
      },
      'a stranger in the organization': await member(undefined),
      'a stranger with * in the organization': await member(undefined, ['*']),
      'the owner of another organization': { caller: stranger.owner, role: undefined, permissions: ['*'] },
      'a key of another organization': {
        caller: { key: (await newKey(app, stranger.org)).apiKey },
        role: undefined,
        permissions: ['*'],
      },
      'an agent in agent_ids': { caller: { key: agent.key }, role: 'editor', permissions: ['collections:*'] },
      'another agent': { caller: { key: otherAgent.key }, role: undefined, permissions: ['collections:*'] },
      'a key narrowed to another collection': {
        ...(await key(['*'], { scopes: [`collections:${other.id}`] })),
        role: undefined,
      },
      'a key of another collection': await collectionKey(other.path, ['collections:*']),
      'a key of the collection that may everything': await collectionKey(path, ['collections:*']),
      'a key of the organization with *': await key(['*']),
      'a key of the organization with nothing': await key([]),
      'a key of a reader with *': await keyOfReader(books),
    };
    for (const permission of COLLECTION_PERMISSIONS) {
      found[`a key of the organization with ${permission}`] = await key([permission]);
      found[`a key of the collection with ${permission}`] = await collectionKey(path, [permission]);
    }
    return found;
  }

  async function orgRole(role: 'owner' | 'admin'): Promise<Somebody> {
    return { caller: { token: (await newMember(app, home.org, role)).token }, role, permissions: ['*'] };
  }

  async function keyOfReader(books: Parameters<typeof guest>[2]): Promise<Somebody> {
    const { userId } = await guest(app, home.org, books, 'reader');
    const { apiKey } = await newKey(app, home.org, {
      permissions: ['*'],
      ownerType: 'user',
      ownerId: userId,
    });
    return { caller: { key: apiKey }, role: 'reader', permissions: ['collections:*'] };
  }

  const needing = (kind: 'collection' | 'product') =>
    routes.filter(({ requirement }) => requirement !== undefined && kind in requirement);
  const call = (route: DeclaredRoute, caller: Caller, collection = path) => {
    const [method, at] = route.name.split(' ') as [string, string];
    const filled = at
      .replace('/v1/collections/:collection_id', collection)
      .replace(':principal_type', 'user')
      .replace(/:\w+/g, randomUUID());
    return app.request(method, `${filled}${MALFORMED}`, caller);
  };

  /** The status by the contract: 404 before 403 before 400. */
  function expected(route: DeclaredRoute, { role, permissions, ofCollection }: Somebody): [number, string] {
    const { collection: right, trash } = route.requirement as { collection: CollectionRight; trash?: string };
    // The collection is in use, so nobody finds it in the trash. restore-collection.spec.ts has the callers who may.
    if (trash === 'only') return [404, 'CollectionNotFound'];
    const needed = COLLECTION_RIGHTS[right];
    if (role === undefined) return [404, 'CollectionNotFound'];
    const may = roleReaches(role, needed.role) && covers(permissions, needed.permission);
    const never = ofCollection === true && ['share', 'keys', 'webhooks'].includes(right);
    return may && !never ? [400, 'InvalidArguments'] : [403, 'Forbidden'];
  }

  it('requires, for every operation of the contract, the role that its table names', () => {
    const declared = Object.fromEntries(
      needing('collection').map(({ operationId, requirement }) => [
        operationId,
        COLLECTION_RIGHTS[(requirement as { collection: CollectionRight }).collection].role,
      ]),
    );
    const wanted = Object.entries(TABLE).flatMap(([role, ids]) => ids.map(id => [id, role]));
    const present = wanted.filter(([id]) => id !== undefined && id in declared);
    expect(present.length).toBeGreaterThan(20);
    expect(Object.fromEntries(present.map(([id]) => [id, declared[id as string]]))).toEqual(
      Object.fromEntries(present),
    );
  });

  it('admits every kind of caller to exactly the operations that their role and permissions allow', async () => {
    const operations = needing('collection');
    expect(operations.length).toBeGreaterThan(20);
    const [found, wanted]: Record<string, unknown>[] = [{}, {}];
    for (const route of operations) {
      for (const [who, somebody] of Object.entries(people)) {
        const name = `${route.operationId}, ${who}`;
        (found as Record<string, unknown>)[name] = outcome(await call(route, somebody.caller));
        (wanted as Record<string, unknown>)[name] = expected(route, somebody);
      }
    }
    expect(found).toEqual(wanted);
  }, 120_000);

  it('answers alike, byte for byte, for a collection that the caller cannot see and for one that does not exist', async () => {
    const blind = Object.values(people).filter(({ role }) => role === undefined);
    expect(blind.length).toBeGreaterThan(5);
    for (const route of needing('collection')) {
      for (const { caller } of blind) {
        const foreign = await call(route, caller);
        for (const id of [randomUUID(), 'no-uuid']) {
          const absent = await call(route, caller, `/v1/collections/${id}`);
          expect([absent.status, absent.text, headersOf(absent)]).toEqual([
            foreign.status,
            foreign.text,
            headersOf(foreign),
          ]);
        }
      }
    }
  }, 120_000);

  it('refuses callers without a credential and without an organization', async () => {
    const { token } = await person(app);
    for (const route of [...needing('collection'), ...needing('product')]) {
      expect([route.name, ...outcome(await call(route, {}))]).toEqual([route.name, 401, 'Unauthorized']);
      const homeless = [route.name, 403, 'OrganizationMembershipRequired'];
      expect([route.name, ...outcome(await call(route, { token }))]).toEqual(homeless);
    }
  });

  it('requires the permission for operations without a collection, and refuses collection keys there', async () => {
    const operations = needing('product');
    expect(operations.length).toBeGreaterThan(1);
    for (const route of operations) {
      const { product, everyCollection } = route.requirement as { product: string; everyCollection?: true };
      for (const [who, { caller, permissions, ofCollection }] of Object.entries(people)) {
        const narrowed = who === 'a key narrowed to another collection' && everyCollection === true;
        const holds = covers(permissions, product) && ofCollection === undefined && !narrowed;
        const may = product === 'member' || holds;
        const answer = outcome(await call(route, caller));
        expect([route.name, who, ...answer]).toEqual([
          route.name,
          who,
          ...(may ? [400, 'InvalidArguments'] : [403, 'Forbidden']),
        ]);
      }
    }
  });

  it('lets only owners rename a collection, even together with other changes', async () => {
    for (const [who, { caller, role, permissions }] of Object.entries(people)) {
      const { status } = await app.request('PATCH', path, { ...caller, body: { name: newSlug() } });
      const may = role === 'owner' && covers(permissions, COLLECTION_RIGHTS.rename.permission);
      expect([who, status]).toEqual([who, role === undefined ? 404 : may ? 200 : 403]);
    }
  });

  it('changes at once when the collection is shared with the organization', async () => {
    const books = await newCollection(app, home);
    const inOrg = ['a stranger in the organization', 'another agent', 'an editor by binding'];
    const outside = ['the owner of another organization', 'a key of another collection'];
    const statuses = async (names: string[]) => {
      const found = names.map(name => app.request('GET', books.path, (people[name] as Somebody).caller));
      return (await Promise.all(found)).map(({ status }) => status);
    };
    expect(await statuses([...inOrg, ...outside])).toEqual([404, 404, 404, 404, 404]);
    await grant(app, books, withOrg(home.org), 'reader');
    expect(await statuses([...inOrg, ...outside])).toEqual([200, 200, 200, 404, 404]);
  });
});

/** Everything in a response that could differ, except its time and correlation id. */
function headersOf({ headers }: { headers: Headers }): Record<string, string> {
  const { date, 'x-correlation-id': id, ...rest } = Object.fromEntries(headers);
  expect([date, id]).not.toContain(undefined);
  return rest;
}
