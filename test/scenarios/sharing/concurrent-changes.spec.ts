import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import { type Home, newCollection, newHome, type TestCollection } from '../../harness/collection.js';
import type { Person } from '../auth/person.js';
import { newMember } from '../orgs/org.js';
import { bindingPath, grant, guest, newGroup, withGroup, withOrg, withUser } from './sharing.js';

const ROUNDS = 6;

describe('concurrent changes of access', () => {
  let app: TestApp;
  let home: Home;
  let shelf: TestCollection[];
  let people: Person[];
  beforeAll(async () => {
    app = await startApp();
    home = await newHome(app);
    shelf = [await newCollection(app, home), await newCollection(app, home)];
    people = [];
    for (let i = 0; i < ROUNDS; i++)
      people.push(await guest(app, home.org, shelf[0] as TestCollection, 'editor'));
  });

  it('run one after another: none fails and none is lost', async () => {
    const before = new Map<string, number>();
    for (const { id } of shelf) before.set(id, await version(id));
    const answers = await Promise.all(
      people.flatMap(person => [
        ...shelf.map(collection => grant(app, collection, withUser(person), 'admin')),
        ...shelf.map(collection => grant(app, collection, withOrg(home.org), 'reader')),
        ...shelf.map(({ path }) =>
          app.request('PATCH', path, { ...home.owner, body: { description: person.userId } }),
        ),
      ]),
    );
    expect(answers.map(({ status }) => status).filter(status => status !== 200 && status !== 201)).toEqual(
      [],
    );
    for (const { id, path } of shelf) {
      expect((await app.request('GET', `${path}/access`, home.owner)).body.total).toBe(people.length + 2);
      expect((await version(id)) - (before.get(id) as number)).toBe(3 * people.length);
    }
  });

  it('do not deadlock with members who leave and groups that are deleted', async () => {
    const groups: string[] = [];
    for (const person of people) groups.push(await newGroup(app, home.org, person));
    const answers = await Promise.all(
      people.flatMap((person, index) => {
        const group = groups[index] as string;
        return [
          ...shelf.map(collection => grant(app, collection, withGroup(home.org, group), 'reader')),
          ...shelf.map(collection => grant(app, collection, withUser(person), 'reader')),
          app.request('DELETE', bindingPath(shelf[0] as TestCollection, withUser(person)), home.owner),
          app.request('DELETE', `${home.org.path}/groups/${group}`, home.owner),
          app.request('DELETE', `${home.org.path}/members/${person.userId}`, home.owner),
          app.request('POST', `${shelf[1]?.data}`, { ...home.owner, body: { records: {} } }),
        ];
      }),
    );
    expect(answers.map(({ status }) => status).filter(status => status >= 500)).toEqual([]);
    for (const { path } of shelf) {
      const { items } = (await app.request('GET', `${path}/access`, home.owner)).body;
      expect(items.map((item: { role: string }) => item.role)).toEqual(['owner', 'reader']);
    }
  });

  it('do not deadlock with the deletion of collections and groups', async () => {
    const friends: Person[] = [];
    for (let i = 0; i < ROUNDS; i++) friends.push(await newMember(app, home.org));
    const group = await newGroup(app, home.org);
    const ending = await Promise.all(friends.map(() => newCollection(app, home)));
    for (const collection of ending) {
      for (const friend of friends) await grant(app, collection, withUser(friend), 'reader');
      await grant(app, collection, withGroup(home.org, group), 'reader');
    }
    const answers = await Promise.all([
      ...friends.map(({ userId }) => app.request('DELETE', `${home.org.path}/members/${userId}`, home.owner)),
      ...ending.map(({ path }) => app.request('DELETE', path, home.owner)),
      app.request('DELETE', `${home.org.path}/groups/${group}`, home.owner),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  });

  it('do not deadlock with the deletion of the organization, and are refused after it', async () => {
    const own = await newHome(app);
    const books = await newCollection(app, own);
    const members = [
      await newMember(app, own.org),
      await newMember(app, own.org),
      await newMember(app, own.org),
    ];
    const answers = await Promise.all([
      ...members.map(member => grant(app, books, withUser(member), 'reader')),
      app.request('DELETE', own.org.path, own.owner),
      ...members.map(member => grant(app, books, withUser(member), 'editor')),
    ]);
    expect(answers.map(({ status }) => status).filter(status => status >= 500)).toEqual([]);
    expect(await app.sql('SELECT 1 FROM collection_bindings WHERE org_id = $1', [own.org.id])).toEqual([]);
  });

  async function version(id: string): Promise<number> {
    const [row] = await app.sql('SELECT version::int FROM collections WHERE id = $1', [id]);
    return row.version;
  }
});
