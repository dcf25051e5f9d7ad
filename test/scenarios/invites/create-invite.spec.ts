import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import { events, newKey, newMember, newOrg, type TestOrg } from '../orgs/org.js';
import { newEmail, newInvite } from './invite.js';

let app: TestApp;
let org: TestOrg;
beforeAll(async () => {
  app = await startApp();
  org = await newOrg(app);
});

const invite = (body: object, caller: object = { token: org.owner.token }) =>
  app.request('POST', `${org.path}/invites`, { ...caller, body });
const outcome = async (answer: ReturnType<typeof invite>) => {
  const { status, body } = await answer;
  return [status, body.error];
};

describe('POST /v2/orgs/{orgSlug}/invites', () => {
  it('shows the code only in this response, and stores only its hash', async () => {
    const email = newEmail();
    const { status, body } = await invite({ email, roleSlug: 'member', expiresAt: '2099-12-31T00:00:00Z' });
    expect(status).toBe(201);
    const { code, url, ...shown } = body;
    expect(url).toBe(`${app.url}/console/join?code=${code}`);
    expect(code).toMatch(/^inv_[A-Za-z0-9_-]{43}$/);
    expect(shown).toEqual({
      id: expect.any(String),
      email,
      roleSlug: 'member',
      groups: [],
      maxUses: 1,
      uses: 0,
      expiresAt: '2099-12-31T00:00:00.000Z',
      invitedBy: org.owner.userId,
      createdAt: expect.any(String),
    });
    const list = await app.request('GET', `${org.path}/invites`, { token: org.owner.token });
    expect(list.body.results[0]).toEqual(shown);
    const [row] = await app.sql('SELECT * FROM org_invites WHERE id = $1', [shown.id]);
    const [event] = (await events(app, org, 'orgs.invites.created')).slice(-1);
    expect(event).toMatchObject({ target: { type: 'invite', id: shown.id }, changes: { after: { email } } });
    for (const place of [list.body, row, event]) expect(JSON.stringify(place)).not.toContain(code.slice(4));
    expect(JSON.stringify(event)).not.toContain(row.code_hash);
  });

  it('needs orgs:invites:manage, and refuses a role that holds more than the caller', async () => {
    const member = await newMember(app, org);
    expect(await outcome(invite({ roleSlug: 'member' }, member))).toEqual([403, 'Forbidden']);
    const host = await newMember(app, org, { permissions: ['orgs:invites:manage'] });
    for (const roleSlug of ['owner', 'admin', 'member']) {
      expect(await outcome(invite({ roleSlug }, host))).toEqual([403, 'Forbidden']);
    }
    const generous = await newMember(app, org, { permissions: ['orgs:invites:manage', 'collections:*'] });
    expect((await invite({ roleSlug: 'member' }, generous)).status).toBe(201);
    expect(await outcome(invite({ roleSlug: 'owner' }, generous))).toEqual([403, 'Forbidden']);
    expect((await invite({ roleSlug: 'owner' })).status).toBe(201);
    const { apiKey } = await newKey(app, org, { permissions: ['orgs:invites:manage', 'collections:*'] });
    expect((await invite({ roleSlug: 'member' }, { key: apiKey })).status).toBe(201);
    expect(await outcome(invite({ roleSlug: 'admin' }, { key: apiKey }))).toEqual([403, 'Forbidden']);
  });

  it.each([
    {},
    { roleSlug: 'no-such-role' },
    { roleSlug: 'member', maxUses: 0 },
    { roleSlug: 'member', maxUses: 1.5 },
    { roleSlug: 'member', email: 'ada' },
    { roleSlug: 'member', email: 'ada@example.com', maxUses: 2 },
    { roleSlug: 'member', expiresAt: '2020-01-01T00:00:00Z' },
    { roleSlug: 'member', expiresAt: 'soon' },
    { roleSlug: 'member', code: 'mine' },
  ])('refuses %j', async body => {
    const before = (await events(app, org, 'orgs.invites')).length;
    expect(await outcome(invite(body))).toEqual([400, 'InvalidArguments']);
    expect((await events(app, org, 'orgs.invites')).length).toBe(before);
  });

  it('refuses an e-mail address that is already invited or belongs to a member', async () => {
    const email = newEmail();
    const { id } = await newInvite(app, org, { email });
    const again = { email: email.toUpperCase(), roleSlug: 'member' };
    expect(await outcome(invite(again))).toEqual([409, 'AlreadyExists']);
    await app.sql(`UPDATE org_invites SET expires_at = '2020-01-01' WHERE id = $1`, [id]);
    expect((await invite(again)).status).toBe(201);
    const { userId } = await newMember(app, org);
    const [row] = await app.sql('SELECT email FROM users WHERE id = $1', [userId]);
    expect(await outcome(invite({ email: row.email, roleSlug: 'member' }))).toEqual([409, 'AlreadyExists']);
  });
});

describe('DELETE /v2/orgs/{orgSlug}/invites/{code}', () => {
  it('revokes by code or id, and only invitations of the organization', async () => {
    const [one, two] = [await newInvite(app, org), await newInvite(app, org)];
    const other = await newOrg(app);
    const revoke = (which: string, of = org) =>
      app.request('DELETE', `${of.path}/invites/${which}`, { token: of.owner.token });
    for (const which of [one.code, one.id, 'inv_unknown'])
      expect((await revoke(which, other)).status).toBe(404);
    expect((await revoke(one.code)).body).toEqual({ success: true });
    expect((await revoke(two.id)).body).toEqual({ success: true });
    for (const which of [one.code, one.id, two.code]) expect((await revoke(which)).status).toBe(404);
    const revoked = (await events(app, org, 'orgs.invites.revoked')).slice(-2);
    expect(revoked.map(event => event.target.id)).toEqual([one.id, two.id]);
    expect(JSON.stringify(revoked)).not.toContain('inv_');
  });

  it('needs the permission, like the list', async () => {
    const { id } = await newInvite(app, org);
    const { token } = await newMember(app, org);
    expect((await app.request('DELETE', `${org.path}/invites/${id}`, { token })).status).toBe(403);
    expect((await app.request('GET', `${org.path}/invites`, { token })).status).toBe(403);
  });
});

it('is deleted with the organization', async () => {
  const doomed = await newOrg(app);
  const { id } = await newInvite(app, doomed);
  expect((await app.request('DELETE', doomed.path, { token: doomed.owner.token })).status).toBe(200);
  expect(await app.sql('SELECT 1 FROM org_invites WHERE id = $1', [id])).toEqual([]);
});
