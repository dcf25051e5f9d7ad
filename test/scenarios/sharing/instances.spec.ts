import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startOwnApp, type TestApp } from '../../harness/app.js';
import { type Home, newCollection, newHome, type TestCollection } from '../../harness/collection.js';
import type { Person } from '../auth/person.js';
import { connect } from '../mcp/client.js';
import { enter, newMember } from '../orgs/org.js';
import {
  bindingPath,
  grant,
  NOTHING,
  newGroup,
  READS,
  reach,
  SHARES,
  WRITES,
  withGroup,
  withOrg,
  withUser,
} from './sharing.js';

/** The contract's limit for changes of memberships, groups and roles, plus time for a slow machine. */
const SOON = { timeout: 6_000, interval: 50 };

describe('a change on one instance', () => {
  let here: TestApp;
  let there: TestApp;
  let home: Home;
  let books: TestCollection;
  let ada: Person;
  beforeAll(async () => {
    here = await startOwnApp({ database: 'own' });
    there = await startOwnApp({ database: { url: here.settings.DATABASE_URL as string } });
    const { org } = await newHome(here);
    home = { org, owner: await withAccessToken(here, org.owner) };
    books = await newCollection(here, home);
    ada = await withAccessToken(here, await newMember(here, org));
    // The other instance has both in its cache by then.
    await vi.waitFor(async () => expect(await reach(there, books, home.owner)).toEqual(SHARES), SOON);
    await vi.waitFor(async () => expect(await reach(there, books, ada)).toEqual(NOTHING), SOON);
  });
  afterAll(async () => {
    await here?.close();
    await there?.close();
  });

  it('of a binding takes effect on the other with the next request, whatever it is', async () => {
    const bound = withUser(ada);
    const set = (role: string) => grant(here, books, bound, role);
    const revoke = () => here.request('DELETE', bindingPath(books, bound), home.owner);
    const requests: [string, string, unknown?][] = [
      ['GET', `${books.data}/count`],
      ['GET', `${books.data}?limit=1`],
      ['POST', `${books.data}/query`, {}],
      ['GET', books.path],
    ];
    for (const [method, path, body] of requests) {
      const next = async () =>
        (await there.request(method, path, { ...ada, ...(body !== undefined && { body }) })).status;
      expect(await next()).toBe(404);
      await set('reader');
      expect(await next()).toBe(200);
      await revoke();
      expect(await next()).toBe(404);
    }
    const write = async () =>
      (await there.request('POST', books.data, { ...ada, body: { records: {} } })).status;
    await set('editor');
    expect(await write()).toBe(200);
    await set('reader');
    expect(await write()).toBe(403);
    await set('editor');
    expect(await write()).toBe(200);
    await revoke();
    expect(await write()).toBe(404);
  });

  it('that revokes access stops all writes on the other', async () => {
    const [{ count }] = [(await here.request('GET', `${books.data}/count`, home.owner)).body];
    await grant(here, books, withUser(ada), 'editor');
    expect(await reach(there, books, ada)).toEqual(WRITES);
    await here.request('DELETE', bindingPath(books, withUser(ada)), home.owner);
    const bulk = { records: [{}, {}] };
    expect((await there.request('POST', `${books.data}/bulk`, { ...ada, body: bulk })).status).toBe(404);
    expect((await here.request('GET', `${books.data}/count`, home.owner)).body.count).toBe(count + 1);
  });

  it('of a binding takes effect on the other with the next call of an MCP tool', async () => {
    const mcp = await connect(there, ada);
    const calls: [string, object, string | undefined][] = [
      ['data_query', {}, undefined],
      ['data_query', { filter: { a: { $is: 1 } } }, 'InvalidArguments'],
      ['data_query', { limit: 'many' }, 'InvalidArguments'],
      ['data_count', {}, undefined],
    ];
    for (const [tool, args, granted] of calls) {
      const call = async () => (await mcp.call(tool, { collection_id: books.id, ...args })).error;
      await grant(here, books, withUser(ada), 'reader');
      expect([tool, args, await call()]).toEqual([tool, args, granted]);
      await here.request('DELETE', bindingPath(books, withUser(ada)), home.owner);
      expect([tool, args, await call()]).toEqual([tool, args, 'CollectionNotFound']);
    }
  });

  it('of the bindings in the database takes effect with the next request, too', async () => {
    await grant(here, books, withOrg(home.org), 'reader');
    expect(await reach(there, books, ada)).toEqual(READS);
    await here.sql(`UPDATE collection_bindings SET role = 'editor' WHERE collection_id = $1`, [books.id]);
    expect(await reach(there, books, ada)).toEqual(WRITES);
    await here.sql('DELETE FROM collection_bindings WHERE collection_id = $1', [books.id]);
    expect(await reach(there, books, ada)).toEqual(NOTHING);
  });

  it('of a group takes effect at once on the same instance, and within 5 seconds on the other', async () => {
    const slug = await newGroup(here, home.org);
    await grant(here, books, withGroup(home.org, slug), 'reader');
    const members = `${home.org.path}/groups/${slug}/members`;
    const join = () =>
      here.request('POST', members, { ...home.owner, body: { users: [{ userId: ada.userId }] } });
    for (const leave of [`${members}/${ada.userId}`, members]) {
      expect(await reach(here, books, ada)).toEqual(NOTHING);
      expect((await join()).status).toBe(201);
      expect(await reach(here, books, ada)).toEqual(READS);
      await expect.poll(() => reach(there, books, ada), SOON).toEqual(READS);
      await here.request('DELETE', leave, home.owner);
      expect(await reach(here, books, ada)).toEqual(NOTHING);
      await expect.poll(() => reach(there, books, ada), SOON).toEqual(NOTHING);
    }
  });

  it('by deleting a group takes effect on the other with the next request', async () => {
    const slug = await newGroup(here, home.org, ada);
    await grant(here, books, withGroup(home.org, slug), 'reader');
    await expect.poll(() => reach(there, books, ada), SOON).toEqual(READS);
    await here.request('DELETE', `${home.org.path}/groups/${slug}`, home.owner);
    expect(await reach(there, books, ada)).toEqual(NOTHING);
  });

  it('of a membership takes effect at once on the same instance, and deletes the binding', async () => {
    const bob = await withAccessToken(here, await newMember(here, home.org));
    const elsewhere = await newHome(here);
    await enter(here, elsewhere.org, bob);
    await grant(here, books, withUser(bob), 'editor');
    await expect.poll(() => reach(there, books, bob), SOON).toEqual(WRITES);
    await here.request('DELETE', `${home.org.path}/members/${bob.userId}`, home.owner);
    expect(await reach(here, books, bob)).toEqual(NOTHING);
    expect(await reach(there, books, bob)).toEqual(NOTHING);
  });

  it('costs the other one round trip for a collection and its bindings', async () => {
    await grant(here, books, withUser(ada), 'reader');
    await reach(there, books, ada);
    const statements = await statementsOf(there, () => there.request('GET', books.path, ada));
    expect(statements.filter(text => text.includes('collection'))).toHaveLength(1);
  });
});

/** The person with an access token, which is valid at every instance. A JWT is valid at its issuer only. */
async function withAccessToken(app: TestApp, who: Person): Promise<Person> {
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
  const { body } = await app.request('POST', '/v2/user/accessTokens', {
    token: who.token,
    body: { name: 'Both', expiresAt },
  });
  return { ...who, token: body.token };
}

/** The text of the statements that an instance sends while `work` runs. */
async function statementsOf(app: TestApp, work: () => Promise<unknown>): Promise<string[]> {
  const { DataSource } = await import('typeorm');
  const source = app.nest.get(DataSource);
  const texts: string[] = [];
  const { createQueryRunner } = source;
  source.createQueryRunner = (...mode) => {
    const runner = createQueryRunner.apply(source, mode);
    const { query } = runner;
    runner.query = ((text: string, ...rest: never[]) => {
      texts.push(text);
      return query.call(runner, text, ...rest);
    }) as typeof query;
    return runner;
  };
  try {
    await work();
  } finally {
    source.createQueryRunner = createQueryRunner;
  }
  return texts;
}
