import { DataSource, type MigrationInterface } from 'typeorm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { MIGRATIONS } from '../../../src/platform/database/migrations.js';
import { startOwnApp, type TestApp } from '../../harness/app.js';
import { type Home, newCollection, newHome, type TestCollection } from '../../harness/collection.js';
import { newMember } from '../orgs/org.js';
import { grant, newAgent, withOrg, withUser } from './sharing.js';

let app: TestApp;
let home: Home;
beforeAll(async () => {
  app = await startOwnApp({ database: 'own' });
  home = await newHome(app);
});
afterAll(() => app.close());

const Migration = MIGRATIONS.find(({ name }) =>
  name.startsWith('GiveGrantsRules'),
) as new () => MigrationInterface;

async function bindingsOf({ path }: TestCollection) {
  const { body } = await app.request('GET', `${path}/access`, home.owner);
  return body.items.slice(1);
}

const ALL = { read: true, create: true, update: true, becomes: true, delete: true };

it('the upgrade binds the agents of agent_ids, and anonymous people where they had access', async () => {
  const [first, second, gone] = [
    await newAgent(app, home.org),
    await newAgent(app, home.org),
    await newAgent(app, home.org),
  ];
  const auth = { anonymous: { enabled: true, role: 'member' } };
  await app.request('PATCH', home.org.path, { ...home.owner, body: { auth } });
  const books = await newCollection(app, home);
  const notes = await newCollection(app, home);
  const ruled = await newCollection(app, home);
  await grant(app, books, withOrg(home.org), 'reader');
  await grant(app, notes, withOrg(home.org), 'admin');
  const rules = { read: { a: 1 } };
  const body = { ...withUser(await newMember(app, home.org)), role: 'editor', rules };
  await app.request('POST', `${ruled.path}/access`, { ...home.owner, body });
  const closed = await newHome(app);
  const other = await newCollection(app, closed);
  await grant(app, other, withOrg(closed.org), 'reader');

  const runner = app.nest.get(DataSource).createQueryRunner();
  try {
    await new Migration().down(runner);
    // A binding would reach every record without its rules.
    expect(await app.sql('SELECT FROM collection_bindings WHERE collection_id = $1', [ruled.id])).toEqual([]);
    await app.sql('UPDATE collections SET agent_ids = $1 WHERE id = $2', [
      [second.id, first.id, gone.id],
      books.id,
    ]);
    await app.sql('DELETE FROM agents WHERE id = $1', [gone.id]);
    await new Migration().up(runner);
  } finally {
    await runner.release();
  }

  expect(await bindingsOf(books)).toMatchObject([
    { principal_type: 'agent', principal_id: second.id, role: 'editor' },
    { principal_type: 'agent', principal_id: first.id, role: 'editor' },
    { ...withOrg(home.org), role: 'reader' },
    { principal_type: 'anonymous', principal_id: home.org.slug, role: 'reader', rules: ALL },
  ]);
  expect(await bindingsOf(notes)).toMatchObject([
    { ...withOrg(home.org), role: 'admin' },
    { principal_type: 'anonymous', role: 'editor', rules: ALL },
  ]);
  const { items } = (await app.request('GET', `${other.path}/access`, closed.owner)).body;
  expect(items).toHaveLength(2);
});

it('agent_ids of the version before follows the bindings, and its changes of agent_ids change them', async () => {
  const [ada, bob] = [await newAgent(app, home.org), await newAgent(app, home.org)];
  const books = await newCollection(app, home, { agent_ids: [ada.id] });
  const column = async () =>
    (await app.sql('SELECT agent_ids FROM collections WHERE id = $1', [books.id]))[0].agent_ids;
  const shown = async () => (await app.request('GET', books.path, home.owner)).body.agent_ids;
  const write = (ids: string[]) =>
    app.sql('UPDATE collections SET agent_ids = $1, version = version + 1 WHERE id = $2', [ids, books.id]);
  expect(await column()).toEqual([ada.id]);

  await write([ada.id, bob.id]);
  expect(await shown()).toEqual([ada.id, bob.id]);
  expect((await app.request('GET', `${books.data}/count`, { key: bob.key })).status).toBe(200);
  await write([bob.id]);
  expect(await shown()).toEqual([bob.id]);
  expect((await app.request('GET', `${books.data}/count`, { key: ada.key })).status).toBe(404);

  // An agent with rules is no unrestricted editor, as which the version before would treat it.
  const path = `${books.path}/access/agent/${bob.id}`;
  const restricted = await app.request('PATCH', path, { ...home.owner, body: { rules: { read: { a: 1 } } } });
  expect(restricted.status).toBe(200);
  expect([await column(), await shown()]).toEqual([[], [bob.id]]);
  await write([ada.id]);
  expect(await shown()).toEqual([bob.id, ada.id]);
  expect(await bindingsOf(books)).toMatchObject([
    { principal_id: bob.id, rules: { read: { a: 1 } } },
    { principal_id: ada.id, role: 'editor' },
  ]);
});
