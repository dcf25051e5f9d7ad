import type { TestApp } from '../../harness/app.js';
import type { Person } from '../auth/person.js';
import { newSlug, type TestOrg } from '../orgs/org.js';

/** A workspace that only one test uses. */
export interface TestWorkspace {
  readonly id: string;
  readonly slug: string;
  /** `/v2/workspaces/{id}` */
  readonly path: string;
}

/** Creates a workspace as the owner of the organization. */
export async function newWorkspace(app: TestApp, org: TestOrg, body: object = {}): Promise<TestWorkspace> {
  const made = await app.request('POST', '/v2/workspaces', {
    token: org.owner.token,
    body: { name: newSlug(), orgSlug: org.slug, ...body },
  });
  if (made.status !== 201) throw new Error(`no workspace was made: ${made.text}`);
  return { id: made.body.id, slug: made.body.slug, path: `/v2/workspaces/${made.body.id}` };
}

/** Gives a member a role in the workspace. */
export async function invite(
  app: TestApp,
  org: TestOrg,
  { path }: TestWorkspace,
  { userId }: Person,
  role: string,
): Promise<void> {
  const { token } = org.owner;
  const body = { target: { id: userId }, role };
  const { status, text } = await app.request('POST', `${path}/permissions`, { token, body });
  if (status !== 201) throw new Error(`nobody was invited: ${text}`);
}

/** Replaces the workspace's own roles and rules. */
export function secure(app: TestApp, org: TestOrg, { path }: TestWorkspace, authorizations: object) {
  return app.request('PUT', `${path}/security`, { token: org.owner.token, body: { authorizations } });
}
