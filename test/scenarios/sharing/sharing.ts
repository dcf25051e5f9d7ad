import type { TestApp, TestResponse } from '../../harness/app.js';
import type { Caller, TestCollection } from '../../harness/collection.js';
import type { Person } from '../auth/person.js';
import { newKey, newMember, newSlug, type TestOrg } from '../orgs/org.js';

/** A principal with whom a collection is shared. */
export interface Bound {
  readonly principal_type: 'user' | 'group' | 'org';
  readonly principal_id: string;
}

export const withUser = ({ userId }: Pick<Person, 'userId'>): Bound => ({
  principal_type: 'user',
  principal_id: userId,
});
export const withGroup = ({ slug }: Pick<TestOrg, 'slug'>, group: string): Bound => ({
  principal_type: 'group',
  principal_id: `${slug}:${group}`,
});
export const withOrg = ({ slug }: Pick<TestOrg, 'slug'>): Bound => ({
  principal_type: 'org',
  principal_id: slug,
});

/** Grants a role as the owner, unless another caller is named. */
export function grant(
  app: TestApp,
  { path, owner }: TestCollection,
  bound: Bound,
  role: string,
  caller: Caller = owner,
): Promise<TestResponse> {
  return app.request('POST', `${path}/access`, { ...caller, body: { ...bound, role } });
}

export function bindingPath({ path }: TestCollection, { principal_type, principal_id }: Bound): string {
  return `${path}/access/${principal_type}/${encodeURIComponent(principal_id)}`;
}

/** Adds a member of the organization who has a role on the collection by a binding. */
export async function guest(
  app: TestApp,
  org: TestOrg,
  collection: TestCollection,
  role: string,
): Promise<Person> {
  const member = await newMember(app, org);
  const { status, text } = await grant(app, collection, withUser(member), role);
  if (status !== 201) throw new Error(`nothing was granted: ${status} ${text}`);
  return member;
}

/** Creates a group with these members. */
export async function newGroup(app: TestApp, org: TestOrg, ...members: Person[]): Promise<string> {
  const slug = newSlug();
  await app.request('POST', `${org.path}/groups`, { ...org.owner, body: { slug, name: 'Group' } });
  if (members.length > 0) {
    const users = members.map(({ userId }) => ({ userId }));
    const { status } = await app.request('POST', `${org.path}/groups/${slug}/members`, {
      ...org.owner,
      body: { users },
    });
    if (status !== 201) throw new Error(`nobody joined the group: ${status}`);
  }
  return slug;
}

/** Creates an agent and a key that acts as it. */
export async function newAgent(
  app: TestApp,
  org: TestOrg,
  permissions: string[] = ['collections:*'],
): Promise<{ id: string; slug: string; key: string }> {
  const slug = newSlug();
  const body = { slug, name: 'Agent' };
  const { id } = (await app.request('POST', `${org.path}/agents`, { ...org.owner, body })).body;
  const { apiKey } = await newKey(app, org, { ownerType: 'agent', ownerId: id, permissions });
  return { id, slug, key: apiKey };
}

/** The status of a small read and of a small write, which show the caller's role. */
export async function reach(
  app: TestApp,
  { path, data }: Pick<TestCollection, 'path' | 'data'>,
  caller: Caller,
): Promise<[read: number, write: number, share: number]> {
  const read = await app.request('GET', `${data}/count`, caller);
  const write = await app.request('POST', data, { ...caller, body: { records: {} } });
  const share = await app.request('GET', `${path}/access`, caller);
  return [read.status, write.status, share.status];
}

export const NOTHING = [404, 404, 404];
export const READS = [200, 403, 403];
export const WRITES = [200, 200, 403];
export const SHARES = [200, 200, 200];
