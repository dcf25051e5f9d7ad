import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import {
  eventsOf,
  type Home,
  insert,
  newCollection,
  newHome,
  newName,
  newTypedCollection,
  outcome,
  type TestCollection,
} from '../../harness/collection.js';
import { newKey, newMember, newSlug } from '../orgs/org.js';

describe('PATCH /v1/collections/{collection_id}', () => {
  let app: TestApp;
  let home: Home;
  beforeAll(async () => {
    app = await startApp();
    home = await newHome(app);
  });

  const patch = ({ path, owner }: TestCollection, body: unknown) =>
    app.request('PATCH', path, { ...owner, body });
  const agent = async () => {
    const body = { slug: newSlug(), name: 'Agent' };
    return (await app.request('POST', `${home.org.path}/agents`, { ...home.owner, body })).body.id as string;
  };

  it('changes the sent properties and nothing else', async () => {
    const collection = await newTypedCollection(app, home, { description: 'old', settings: { ttl_days: 3 } });
    const { body: before } = await app.request('GET', collection.path, home.owner);
    const name = newName();
    const agentId = await agent();
    const table: [object, object][] = [
      [{ name }, { name }],
      [{ description: 'new' }, { description: 'new' }],
      [{ description: null }, { description: null }],
      [{ settings: { max_records: 77 } }, { settings: { ttl_days: 3, max_records: 77, history_days: 7 } }],
      [{ settings: { ttl_days: 0 } }, { settings: { ttl_days: 0, max_records: 77, history_days: 7 } }],
      [{ settings: { history_days: 30 } }, { settings: { ttl_days: 0, max_records: 77, history_days: 30 } }],
      [{ agent_ids: [agentId] }, { agent_ids: [agentId] }],
      [{ agent_ids: [] }, { agent_ids: [] }],
    ];
    let expected = before;
    for (const [body, change] of table) {
      const answer = await patch(collection, body);
      expected = { ...expected, ...change, updated_at: answer.body.updated_at };
      expect([answer.status, answer.body]).toEqual([200, expected]);
      expect((await app.request('GET', collection.path, home.owner)).body).toEqual(expected);
    }
    expect(expected.updated_at > before.updated_at).toBe(true);
  });

  it('leaves one event per change, with the values before and after', async () => {
    const collection = await newCollection(app, home, { description: 'old' });
    const answer = await patch(collection, { description: 'new' });
    const events = await eventsOf(app, collection);
    expect(events.map(event => event.type)).toEqual(['collections.created', 'collections.updated']);
    expect(events[1]).toMatchObject({
      target: { type: 'collection', id: collection.id, name: collection.name },
      changes: { before: { description: 'old' }, after: { description: 'new' } },
      correlation_id: answer.headers.get('x-correlation-id'),
    });
  });

  it('keeps the records', async () => {
    const collection = await newTypedCollection(app, home);
    const [id] = await insert(app, collection, { title: 'Emma' });
    await patch(collection, { name: newName(), settings: { max_records: 1 } });
    const found = await app.request('GET', `${collection.data}/${id}`, home.owner);
    expect(found.body.record.title).toBe('Emma');
  });

  it('refuses a name that another collection of the owner has, and accepts its own', async () => {
    const [one, other] = [await newCollection(app, home), await newCollection(app, home)];
    expect(outcome(await patch(one, { name: other.name, description: 'x' }))).toEqual([409, 'AlreadyExists']);
    const { body } = await app.request('GET', one.path, home.owner);
    expect([body.name, body.description]).toEqual([one.name, null]);
    expect(await eventsOf(app, one)).toHaveLength(1);
    expect(outcome(await patch(one, { name: one.name }))).toEqual([200, undefined]);
  });

  it('frees the former name', async () => {
    const collection = await newCollection(app, home);
    await patch(collection, { name: newName() });
    expect((await newCollection(app, home, { name: collection.name })).name).toBe(collection.name);
  });

  it('is allowed for admins, except renaming', async () => {
    const collection = await newCollection(app, home);
    const admin = { token: (await newMember(app, home.org, 'admin')).token };
    const as = (body: object) => app.request('PATCH', collection.path, { ...admin, body });
    expect(outcome(await as({ description: 'by an admin' }))).toEqual([200, undefined]);
    expect(outcome(await as({ name: newName() }))).toEqual([403, 'Forbidden']);
    expect(outcome(await as({ name: newName(), description: 'x' }))).toEqual([403, 'Forbidden']);
    expect(outcome(await as({ name: collection.name }))).toEqual([200, undefined]);
    const { body } = await app.request('GET', collection.path, home.owner);
    expect([body.name, body.description]).toEqual([collection.name, 'by an admin']);
  });

  it('applies concurrent changes one after the other without losing one', async () => {
    const collection = await newCollection(app, home);
    const changes = Array.from({ length: 10 }, (_, index) => patch(collection, { description: `d${index}` }));
    const settings = Array.from({ length: 10 }, (_, index) =>
      patch(collection, { settings: index % 2 === 0 ? { ttl_days: index } : { max_records: 100 + index } }),
    );
    const answers = await Promise.all([...changes, ...settings]);
    expect(new Set(answers.map(answer => answer.status))).toEqual(new Set([200]));
    const events = (await eventsOf(app, collection)).filter(event => event.type === 'collections.updated');
    expect(events).toHaveLength(20);
    const { body } = await app.request('GET', collection.path, home.owner);
    expect(body.settings.max_records).toBeGreaterThan(100);
    expect(body.description).toMatch(/^d\d$/);
  });

  it.each<[object | unknown[] | string | null, string]>([
    [{ name: '' }, 'name'],
    [{ name: null }, 'name'],
    [{ name: 'a b' }, 'name'],
    [{ description: 7 }, 'description'],
    [{ settings: null }, 'settings'],
    [{ settings: [] }, 'settings'],
    [{ settings: { max_records: 0 } }, 'max_records'],
    [{ settings: { max_records: null } }, 'max_records'],
    [{ settings: { max_records: 10_000_001 } }, 'max_records'],
    [{ settings: { ttl_days: -1 } }, 'ttl_days'],
    [{ settings: { ttl: 1 } }, 'settings.ttl'],
    [{ agent_ids: null }, 'agent_ids'],
    [{ agent_ids: [7] }, 'agent_ids'],
    [{ agent_ids: [randomUUID()] }, 'agent_ids'],
    [{ properties: {} }, 'properties'],
    [{ owner_id: randomUUID() }, 'owner_id'],
    [{ status: 'building' }, 'status'],
    [[], 'body'],
    ['name', 'body'],
    [null, 'body'],
  ])('refuses %j', async (body, place) => {
    const collection = await newCollection(app, home);
    const before = (await app.request('GET', collection.path, home.owner)).body;
    const answer = await patch(collection, body);
    expect(outcome(answer)).toEqual([400, 'InvalidArguments']);
    expect(answer.body.message).toContain(place);
    expect((await app.request('GET', collection.path, home.owner)).body).toEqual(before);
    expect(await eventsOf(app, collection)).toHaveLength(1);
  });

  it('refuses an agent of another organization', async () => {
    const other = await newHome(app);
    const body = { slug: newSlug(), name: 'Agent' };
    const foreign = await app.request('POST', `${other.org.path}/agents`, { ...other.owner, body });
    const answer = await patch(await newCollection(app, home), { agent_ids: [foreign.body.id] });
    expect(outcome(answer)).toEqual([400, 'InvalidArguments']);
  });

  it('changes agent_ids only for callers who may share; ids that stay are no change', async () => {
    const [first, second] = [await agent(), await agent()];
    const collection = await newCollection(app, home, { agent_ids: [first] });
    const permissions = ['collections:manage', 'collections:share'];
    const body = { slug: newSlug(), name: 'Key', permissions };
    const ofCollection = await app.request('POST', `${collection.path}/api-keys`, { ...home.owner, body });
    const manager = await newKey(app, home.org, { permissions: ['collections:manage'] });
    const sharer = await newKey(app, home.org, { permissions });
    const keys = [ofCollection.body.secret, manager.apiKey];
    const patch = (key: string, agent_ids: string[]) =>
      app.request('PATCH', collection.path, { key, body: { agent_ids } });
    for (const key of keys) {
      for (const changed of [[], [second], [first, second]]) {
        expect(outcome(await patch(key, changed))).toEqual([403, 'Forbidden']);
      }
      expect((await patch(key, [first.toUpperCase()])).status).toBe(200);
    }
    expect((await patch(sharer.apiKey, [first, second])).status).toBe(200);
  });

  it('accepts an agent id in capital letters or twice as one agent', async () => {
    const id = await agent();
    const answer = await patch(await newCollection(app, home), { agent_ids: [id.toUpperCase(), id] });
    expect([answer.status, answer.body.agent_ids]).toEqual([200, [id]]);
  });
});
