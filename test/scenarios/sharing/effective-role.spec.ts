import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import { type Home, newCollection, newHome, type TestCollection } from '../../harness/collection.js';
import { enter, newKey, newMember } from '../orgs/org.js';
import {
  bindingPath,
  grant,
  guest,
  NOTHING,
  newAgent,
  newGroup,
  READS,
  reach,
  SHARES,
  WRITES,
  withGroup,
  withOrg,
  withUser,
} from './sharing.js';

let app: TestApp;
let home: Home;
let books: TestCollection;
beforeAll(async () => {
  app = await startApp();
  home = await newHome(app);
});

const share = async (): Promise<TestCollection> => {
  books = await newCollection(app, home);
  return books;
};

describe('a shared collection', () => {
  it.each([
    ['reader', READS],
    ['editor', WRITES],
    ['admin', SHARES],
  ])('gives a user the role %s at once and until it is revoked', async (role, expected) => {
    await share();
    const ada = await newMember(app, home.org);
    expect(await reach(app, books, ada)).toEqual(NOTHING);
    await grant(app, books, withUser(ada), role);
    expect(await reach(app, books, ada)).toEqual(expected);
    await app.request('DELETE', bindingPath(books, withUser(ada)), home.owner);
    expect(await reach(app, books, ada)).toEqual(NOTHING);
  });

  it('gives its role to members of a group, as long as they are in it', async () => {
    await share();
    const [ada, bob] = [await newMember(app, home.org), await newMember(app, home.org)];
    const group = await newGroup(app, home.org, ada);
    await grant(app, books, withGroup(home.org, group), 'editor');
    expect(await reach(app, books, ada)).toEqual(WRITES);
    expect(await reach(app, books, bob)).toEqual(NOTHING);
    const members = `${home.org.path}/groups/${group}/members`;
    await app.request('POST', members, { ...home.owner, body: { users: [{ userId: bob.userId }] } });
    expect(await reach(app, books, bob)).toEqual(WRITES);
    await app.request('DELETE', `${members}/${ada.userId}`, home.owner);
    expect([await reach(app, books, ada), await reach(app, books, bob)]).toEqual([NOTHING, WRITES]);
    await app.request('DELETE', members, home.owner);
    expect(await reach(app, books, bob)).toEqual(NOTHING);
  });

  it('is not shared again by a new group with the slug of a deleted one', async () => {
    await share();
    const ada = await newMember(app, home.org);
    const slug = await newGroup(app, home.org, ada);
    await grant(app, books, withGroup(home.org, slug), 'reader');
    expect(await reach(app, books, ada)).toEqual(READS);
    await app.request('DELETE', `${home.org.path}/groups/${slug}`, home.owner);
    expect(await reach(app, books, ada)).toEqual(NOTHING);
    await app.request('POST', `${home.org.path}/groups`, { ...home.owner, body: { slug, name: 'Again' } });
    const users = [{ userId: ada.userId }];
    await app.request('POST', `${home.org.path}/groups/${slug}/members`, { ...home.owner, body: { users } });
    expect(await reach(app, books, ada)).toEqual(NOTHING);
  });

  it('is shared with members and agents of the organization only', async () => {
    await share();
    const ada = await newMember(app, home.org);
    const agent = await newAgent(app, home.org);
    await grant(app, books, withOrg(home.org), 'reader');
    expect(await reach(app, books, ada)).toEqual(READS);
    expect(await reach(app, books, agent)).toEqual(READS);
    expect(await reach(app, books, (await newHome(app)).owner)).toEqual(NOTHING);
  });

  it('gives the strongest of several roles', async () => {
    await share();
    const ada = await newMember(app, home.org);
    const [weak, strong] = [await newGroup(app, home.org, ada), await newGroup(app, home.org, ada)];
    await grant(app, books, withOrg(home.org), 'reader');
    await grant(app, books, withGroup(home.org, weak), 'reader');
    expect(await reach(app, books, ada)).toEqual(READS);
    await grant(app, books, withGroup(home.org, strong), 'editor');
    expect(await reach(app, books, ada)).toEqual(WRITES);
    await grant(app, books, withUser(ada), 'reader');
    expect(await reach(app, books, ada)).toEqual(WRITES);
    await grant(app, books, withUser(ada), 'admin');
    expect(await reach(app, books, ada)).toEqual(SHARES);
  });

  it('does not weaken an admin of the organization by a weaker binding', async () => {
    await share();
    const admin = await newMember(app, home.org, 'admin');
    await grant(app, books, withUser(admin), 'reader');
    expect(await reach(app, books, admin)).toEqual(SHARES);
  });

  it('never gives more than the permissions in the organization', async () => {
    await share();
    const reader = await newMember(app, home.org, { permissions: ['collections:read'] });
    const writer = await newMember(app, home.org, { permissions: ['collections:write'] });
    await grant(app, books, withUser(reader), 'admin');
    await grant(app, books, withUser(writer), 'editor');
    expect(await reach(app, books, reader)).toEqual(READS);
    expect(await reach(app, books, writer)).toEqual([403, 200, 403]);
  });

  it('is hidden outside the scopes of a role in the organization', async () => {
    const [inside, outside] = [await newCollection(app, home), await newCollection(app, home)];
    const role = { permissions: ['collections:*'], scopes: [`collections:${inside.id}`] };
    const ada = await newMember(app, home.org, role);
    for (const collection of [inside, outside]) await grant(app, collection, withUser(ada), 'editor');
    expect(await reach(app, inside, ada)).toEqual(WRITES);
    expect(await reach(app, outside, ada)).toEqual(NOTHING);
  });

  it('is reached by keys of a user it is shared with, within the key’s permissions', async () => {
    await share();
    const ada = await guest(app, home.org, books, 'editor');
    const owned = { ownerType: 'user', ownerId: ada.userId };
    const all = await newKey(app, home.org, { ...owned, permissions: ['*'] });
    const reading = await newKey(app, home.org, { ...owned, permissions: ['collections:read'] });
    expect(await reach(app, books, { key: all.apiKey })).toEqual(WRITES);
    expect(await reach(app, books, { key: reading.apiKey })).toEqual(READS);
  });

  it('is reached by keys of members of a group it is shared with', async () => {
    await share();
    const ada = await newMember(app, home.org);
    await grant(app, books, withGroup(home.org, await newGroup(app, home.org, ada)), 'reader');
    const { apiKey } = await newKey(app, home.org, { ownerType: 'user', ownerId: ada.userId });
    expect(await reach(app, books, { key: apiKey })).toEqual(READS);
  });

  it('loses its bindings for a member who leaves, also when they return', async () => {
    await share();
    const ada = await guest(app, home.org, books, 'editor');
    expect(await reach(app, books, ada)).toEqual(WRITES);
    const own = await newHome(app);
    await enter(app, own.org, ada);
    await app.request('DELETE', `${home.org.path}/members/${ada.userId}`, home.owner);
    expect(await reach(app, books, ada)).toEqual(NOTHING);
    await enter(app, home.org, ada);
    expect(await reach(app, books, ada)).toEqual(NOTHING);
    expect((await app.request('GET', `${books.path}/access`, home.owner)).body.total).toBe(1);
  });

  it('stays without another owner when its owner leaves', async () => {
    const owner = await newMember(app, home.org);
    const notes = await newCollection(app, { org: home.org, owner: { token: owner.token } });
    const ada = await newMember(app, home.org);
    await grant(app, notes, withUser(ada), 'reader');
    await app.request('DELETE', `${home.org.path}/members/${owner.userId}`, home.owner);
    expect((await app.request('GET', notes.path, owner)).status).toBe(403);
    expect(await reach(app, notes, ada)).toEqual(READS);
    const { body } = await app.request('GET', notes.path, home.owner);
    expect(body.owner_id).toBe(owner.userId);
  });
});
