import { randomBytes } from 'node:crypto';
import type { TestApp } from '../../harness/app.js';
import { schemaOf } from '../../harness/tables.js';
import { type Person, person } from '../auth/person.js';

/** An organization that only one test uses. */
export interface TestOrg {
  readonly id: string;
  readonly slug: string;
  readonly owner: Person;
  /** `/v2/orgs/{slug}` */
  readonly path: string;
}

export function newSlug(): string {
  return `t-${randomBytes(6).toString('hex')}`;
}

/** Creates an organization and its owner, who is in no other one. */
export async function newOrg(app: TestApp, slug = newSlug()): Promise<TestOrg> {
  const owner = await person(app);
  const { body } = await app.request('POST', '/v2/orgs', {
    token: owner.token,
    body: { slug, name: 'Acme' },
  });
  return { id: body.id, slug, owner, path: `/v2/orgs/${slug}` };
}

/** Adds a member; with `permissions`, in a custom role with exactly these. */
export async function newMember(
  app: TestApp,
  org: TestOrg,
  role: string | { permissions: string[]; scopes?: string[] } = 'member',
): Promise<Person> {
  const member = await person(app);
  const roleSlug = typeof role === 'string' ? role : newSlug();
  if (typeof role !== 'string') {
    await app.request('POST', `${org.path}/roles`, {
      token: org.owner.token,
      body: { slug: roleSlug, name: 'Custom', ...role },
    });
  }
  await enter(app, org, member, roleSlug);
  return member;
}

/** Invites a user who is signed in, and accepts the invitation as that user. */
export async function enter(
  app: TestApp,
  { path, owner }: Pick<TestOrg, 'path' | 'owner'>,
  { token, userId }: Person,
  roleSlug?: string,
): Promise<void> {
  const email = await emailOf(app, { userId });
  const body = { users: [{ email, ...(roleSlug !== undefined && { roleSlug }) }] };
  const invited = await app.request('POST', `${path}/members`, { token: owner.token, body });
  const [invitation] = invited.body?.invitations ?? [];
  const accepted = await app.request('POST', `/v2/user/invitations/${invitation?.id}/accept`, { token });
  if (accepted.status !== 201) throw new Error(`nobody became a member: ${invited.text} ${accepted.text}`);
}

/** An e-mail domain that no other test uses. */
export const newDomain = () => `${newSlug()}.example`;

/** Makes the organization have proved the domain, as its DNS record would. */
export async function prove({ sql }: TestApp, { id }: Pick<TestOrg, 'id'>, domain: string): Promise<void> {
  await sql(
    `INSERT INTO org_domains (org_id, domain, token, created_at, verified_at)
     VALUES ($1, $2, 'token', now(), now()) ON CONFLICT DO NOTHING`,
    [id, domain],
  );
}

/** The e-mail address of a person. */
export async function emailOf(app: TestApp, { userId }: Pick<Person, 'userId'>): Promise<string> {
  return (await app.sql('SELECT email FROM users WHERE id = $1', [userId]))[0].email;
}

/** Mints a key as the owner. */
export async function newKey(
  app: TestApp,
  org: TestOrg,
  key: object = {},
): Promise<{ id: string; apiKey: string }> {
  const { body } = await app.request('POST', `${org.path}/api-keys`, {
    token: org.owner.token,
    body: { slug: newSlug(), name: 'Key', permissions: ['*'], ...key },
  });
  return body;
}

export interface LoggedEvent {
  readonly type: string;
  readonly target: { type: string; id: string; name?: string };
  readonly actor: { type: string; id: string; via: string };
  // biome-ignore lint/suspicious/noExplicitAny: the fields depend on the event
  readonly changes: any;
}

/** The organization's audit events whose type begins with this text, oldest first. */
export function events({ sql }: TestApp, org: Pick<TestOrg, 'id'>, type: string): Promise<LoggedEvent[]> {
  return sql(
    `SELECT type, target, actor, changes FROM ${schemaOf(org.id)}.audit_events
     WHERE starts_with(type, $1) ORDER BY id`,
    [type],
  );
}
