import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import {
  eventsOf,
  type Home,
  newCollection,
  newHome,
  outcome,
  type TestCollection,
} from '../../harness/collection.js';
import { newMember } from '../orgs/org.js';
import { type Bound, grant, guest, newAgent, newGroup, withGroup, withOrg, withUser } from './sharing.js';

describe('POST /v1/collections/{collection_id}/access', () => {
  let app: TestApp;
  let home: Home;
  let books: TestCollection;
  beforeAll(async () => {
    app = await startApp();
    home = await newHome(app);
    books = await newCollection(app, home);
  });

  it('shares with a user, and shows their e-mail address', async () => {
    const ada = await newMember(app, home.org);
    const { status, body } = await grant(app, books, withUser(ada), 'reader');
    expect(status).toBe(201);
    const [{ email }] = await app.sql('SELECT email FROM users WHERE id = $1', [ada.userId]);
    expect(body).toEqual({
      object: 'collection.access',
      collection_id: books.id,
      principal_type: 'user',
      principal_id: ada.userId,
      role: 'reader',
      email,
    });
  });

  it('shares with a group and with the organization, which have no e-mail address', async () => {
    const group = await newGroup(app, home.org);
    for (const bound of [withGroup(home.org, group), withOrg(home.org)]) {
      const { status, body } = await grant(app, books, bound, 'editor');
      expect(status).toBe(201);
      expect(body).toEqual({
        object: 'collection.access',
        collection_id: books.id,
        ...bound,
        role: 'editor',
      });
    }
  });

  it('changes the role when it is granted again, and answers 200', async () => {
    const ada = await newMember(app, home.org);
    expect((await grant(app, books, withUser(ada), 'reader')).status).toBe(201);
    const again = await grant(app, books, withUser(ada), 'admin');
    expect([again.status, again.body.role]).toEqual([200, 'admin']);
    const inCapitals = { ...withUser(ada), principal_id: ada.userId.toUpperCase() };
    const third = await grant(app, books, inCapitals, 'reader');
    expect([third.status, third.body.principal_id, third.body.role]).toEqual([200, ada.userId, 'reader']);
  });

  it('creates one binding when many requests grant the same at once', async () => {
    const ada = await newMember(app, home.org);
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => grant(app, books, withUser(ada), 'reader')),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 200, 200, 201]);
    const rows = await app.sql(
      'SELECT role FROM collection_bindings WHERE collection_id = $1 AND user_id = $2',
      [books.id, ada.userId],
    );
    expect(rows).toEqual([{ role: 'reader' }]);
  });

  it('records one event with the principal and its role', async () => {
    const collection = await newCollection(app, home);
    const bound = withOrg(home.org);
    await grant(app, collection, bound, 'reader');
    await grant(app, collection, bound, 'editor');
    const [, ...events] = await eventsOf(app, collection);
    expect(events).toMatchObject([
      {
        type: 'collections.access.granted',
        actor: { type: 'user', id: home.org.owner.userId, via: 'rest' },
        target: { type: 'collection', id: collection.id, name: collection.name },
        changes: { after: { ...bound, role: 'reader' } },
      },
      {
        type: 'collections.access.updated',
        changes: { before: { ...bound, role: 'reader' }, after: { ...bound, role: 'editor' } },
      },
    ]);
    expect(events[0]?.changes).not.toHaveProperty('before');
  });

  describe('refuses principals that the organization does not have', () => {
    const cases: [string, () => Promise<object>][] = [
      ['somebody of another organization', async () => withUser((await newHome(app)).org.owner)],
      ['a user who does not exist', async () => withUser({ userId: randomUUID() })],
      ['a user id that is none', async () => withUser({ userId: 'ada' })],
      ['another organization', async () => withOrg((await newHome(app)).org)],
      [
        'a group of another organization',
        async () => {
          const { org } = await newHome(app);
          return withGroup(org, await newGroup(app, org));
        },
      ],
      ['a group that does not exist', async () => withGroup(home.org, 'nobody')],
      ['a group without its organization', async () => ({ principal_type: 'group', principal_id: 'nobody' })],
      [
        'a disabled member',
        async () => {
          const ada = await newMember(app, home.org);
          await app.sql(`UPDATE users SET status = 'disabled' WHERE id = $1`, [ada.userId]);
          return withUser(ada);
        },
      ],
      [
        'a member who left',
        async () => {
          const ada = await newMember(app, home.org);
          await app.request('DELETE', `${home.org.path}/members/${ada.userId}`, home.owner);
          return withUser(ada);
        },
      ],
      ['an agent as if it were a user', async () => withUser({ userId: (await newAgent(app, home.org)).id })],
    ];
    it.each(cases)('%s', async (_, bound) => {
      const answer = await grant(app, books, (await bound()) as Bound, 'reader');
      expect(outcome(answer)).toEqual([400, 'InvalidArguments']);
      expect(answer.body.message).toContain('principal_id');
    });
  });

  it.each([
    [{ role: 'owner' }, 'role'],
    [{ role: 'writer' }, 'role'],
    [{ role: undefined }, 'role'],
    [{ principal_type: 'service-account' }, 'principal_type'],
    [{ principal_type: 'constructor' }, 'principal_type'],
    [{ principal_id: '' }, 'principal_id'],
    [{ principal_id: 7 }, 'principal_id'],
    [{ principal_id: undefined }, 'principal_id'],
    [{ email: 'ada@example.com' }, 'email'],
  ])('refuses %j', async (change, place) => {
    const body = { ...withOrg(home.org), role: 'reader', ...change };
    const answer = await app.request('POST', `${books.path}/access`, { ...home.owner, body });
    expect(outcome(answer)).toEqual([400, 'InvalidArguments']);
    expect(answer.body.message).toContain(place);
  });

  it('does not change the role of the owner', async () => {
    const answer = await grant(app, books, withUser(home.org.owner), 'reader');
    expect(outcome(answer)).toEqual([400, 'InvalidArguments']);
  });

  it('is for admins of the collection; the refusal of others who see it is logged', async () => {
    const collection = await newCollection(app, home);
    const [editor, admin] = [
      await guest(app, home.org, collection, 'editor'),
      await guest(app, home.org, collection, 'admin'),
    ];
    const ada = await newMember(app, home.org);
    const refused = await grant(app, collection, withUser(ada), 'reader', { token: editor.token });
    expect(outcome(refused)).toEqual([403, 'Forbidden']);
    expect((await eventsOf(app, collection)).at(-1)).toMatchObject({
      type: 'collections.access.denied',
      actor: { id: editor.userId },
    });
    const count = (await eventsOf(app, collection)).length;
    const stranger = await grant(app, collection, withUser(ada), 'reader', { token: ada.token });
    expect(outcome(stranger)).toEqual([404, 'CollectionNotFound']);
    expect(await eventsOf(app, collection)).toHaveLength(count);
    expect((await grant(app, collection, withUser(ada), 'admin', { token: admin.token })).status).toBe(201);
  });
});
