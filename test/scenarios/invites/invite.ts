import { randomBytes } from 'node:crypto';
import { DataSource } from 'typeorm';
import { platformCall } from '../../../src/base/kernel/call.js';
import { Users } from '../../../src/features/identity/users.service.js';
import { Joining } from '../../../src/features/orgs/invites/joining.service.js';
import type { TestApp } from '../../harness/app.js';
import { type Person, signIn } from '../auth/person.js';
import type { TestOrg } from '../orgs/org.js';

/** An invitation as it was created. */
export interface TestInvite {
  readonly id: string;
  readonly code: string;
}

export const newEmail = () => `${randomBytes(6).toString('hex')}@Example.com`;

export async function newInvite(app: TestApp, org: TestOrg, invite: object = {}): Promise<TestInvite> {
  const body = { roleSlug: 'member', ...invite };
  const answer = await app.request('POST', `${org.path}/invites`, { token: org.owner.token, body });
  if (answer.status !== 201) throw new Error(`nobody was invited: ${answer.text}`);
  return answer.body;
}

export function join(app: TestApp, { token }: Pick<Person, 'token'>, code: string) {
  return app.request('POST', '/v2/orgs/join', { token, body: { code } });
}

/** Creates a user with this e-mail address, as the first federated login does. */
export async function arrival({ nest }: TestApp, email: string, emailVerified = true): Promise<Person> {
  const user = await nest.get(DataSource).transaction(async manager => {
    const created = await nest.get(Users).create(manager, { email, emailVerified });
    await nest.get(Joining).claimInvitations(manager, platformCall('cli'), created);
    return created;
  });
  return signIn({ nest }, user.id);
}

/** The roles of all members of the organization, by user id. */
export async function rolesIn(app: TestApp, org: TestOrg): Promise<Record<string, string>> {
  const rows = await app.sql('SELECT user_id, role_slug FROM org_memberships WHERE org_id = $1', [org.id]);
  return Object.fromEntries(rows.map(row => [row.user_id, row.role_slug]));
}
