import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import { type Person, person } from '../auth/person.js';
import { events, newKey, newMember, newOrg, newSlug, type TestOrg } from '../orgs/org.js';
import { arrival, join, newEmail, newInvite, rolesIn } from './invite.js';

let app: TestApp;
let org: TestOrg;
beforeAll(async () => {
  app = await startApp();
  org = await newOrg(app);
});

describe('POST /v2/orgs/join', () => {
  it('makes the caller a member with the role of the invitation, with effect at once', async () => {
    const { id, code } = await newInvite(app, org, { roleSlug: 'admin' });
    const newcomer = await person(app);
    expect((await app.request('GET', org.path, { token: newcomer.token })).status).toBe(403);
    const { status, body } = await join(app, newcomer, code);
    expect([status, body]).toEqual([201, { slug: org.slug, name: 'Acme', roleSlug: 'admin', groups: [] }]);
    expect((await app.request('GET', `${org.path}/api-keys`, { token: newcomer.token })).status).toBe(200);
    const [added] = (await events(app, org, 'orgs.members.added')).slice(-1);
    expect(added).toMatchObject({ target: { id: newcomer.userId }, actor: { id: newcomer.userId } });
    const accepted = await events(app, org, 'orgs.invites.accepted');
    expect(accepted.at(-1)).toMatchObject({
      target: { type: 'invite', id },
      changes: { after: { uses: 1 } },
    });
    expect(JSON.stringify(accepted)).not.toContain('inv_');
  });

  it('answers 409 to a member, and does not use the invitation', async () => {
    const { id, code } = await newInvite(app, org, { maxUses: 2 });
    const newcomer = await person(app);
    expect((await join(app, newcomer, code)).status).toBe(201);
    for (const member of [newcomer, org.owner]) {
      const { status, body } = await join(app, member, code);
      expect([status, body.error]).toEqual([409, 'AlreadyExists']);
    }
    expect(await app.sql('SELECT uses FROM org_invites WHERE id = $1', [id])).toEqual([{ uses: 1 }]);
    expect((await rolesIn(app, org))[org.owner.userId]).toBe('owner');
  });

  it.each<[string, (member: Person) => Person]>([
    ['was removed', () => org.owner],
    ['has left', member => member],
  ])('does not let a person who %s return with the code of the first time', async (_, by) => {
    const { id, code } = await newInvite(app, org, { maxUses: 20 });
    const ada = await person(app);
    expect((await join(app, ada, code)).status).toBe(201);
    const path = `${org.path}/members/${ada.userId}`;
    expect((await app.request('DELETE', path, { token: by(ada).token })).status).toBe(200);
    const unknown = await join(app, ada, 'inv_unknown');
    const again = await join(app, ada, code);
    expect([again.status, again.text]).toEqual([404, unknown.text]);
    expect(await rolesIn(app, org)).not.toHaveProperty(ada.userId);
    expect(await app.sql('SELECT uses FROM org_invites WHERE id = $1', [id])).toEqual([{ uses: 1 }]);
    expect((await join(app, await person(app), code)).status).toBe(201);
    expect((await join(app, ada, (await newInvite(app, org)).code)).status).toBe(201);
  });

  it('admits exactly maxUses of fifty concurrent callers', async () => {
    const company = await newOrg(app);
    const { id, code } = await newInvite(app, company, { maxUses: 7 });
    const crowd = await Promise.all(Array.from({ length: 50 }, () => person(app)));
    const answers = await Promise.all(crowd.map(each => join(app, each, code)));
    const statuses = answers.map(answer => answer.status);
    expect(statuses.filter(status => status === 201)).toHaveLength(7);
    expect(statuses.filter(status => status === 404)).toHaveLength(43);
    expect(Object.keys(await rolesIn(app, company))).toHaveLength(8);
    expect(await app.sql('SELECT uses FROM org_invites WHERE id = $1', [id])).toEqual([{ uses: 7 }]);
    expect(await events(app, company, 'orgs.invites.accepted')).toHaveLength(7);
  });

  it('answers the same for every code that cannot be used', async () => {
    const [expired, revoked, used] = await Promise.all([1, 2, 3].map(() => newInvite(app, org)));
    const forAda = await newInvite(app, org, { email: newEmail() });
    await app.sql(`UPDATE org_invites SET expires_at = now() - interval '1 s' WHERE id = $1`, [expired?.id]);
    await app.request('DELETE', `${org.path}/invites/${revoked?.id}`, { token: org.owner.token });
    await join(app, await person(app), used?.code as string);
    const deleted = await newOrg(app);
    const { code: ofDeleted } = await newInvite(app, deleted);
    await app.request('DELETE', deleted.path, { token: deleted.owner.token });
    const newcomer = await person(app);
    const unknown = await join(app, newcomer, 'inv_unknown');
    expect([unknown.status, unknown.body.error]).toEqual([404, 'NotFound']);
    for (const code of [expired?.code, revoked?.code, used?.code, forAda.code, forAda.id, ofDeleted]) {
      const { status, text } = await join(app, newcomer, code as string);
      expect([status, text]).toEqual([404, unknown.text]);
    }
    expect(await rolesIn(app, org)).not.toHaveProperty(newcomer.userId);
  });

  it('admits the invited person, whatever the case of their e-mail address', async () => {
    const email = newEmail();
    const { code } = await newInvite(app, org, { email: email.toUpperCase() });
    const ada = await arrival(app, email, false);
    expect(await rolesIn(app, org)).not.toHaveProperty(ada.userId);
    expect((await join(app, ada, code)).status).toBe(201);
  });

  it('refuses a role that the inviter could no longer grant', async () => {
    const host = await newMember(app, org, 'admin');
    const invited = async () => {
      const body = { roleSlug: 'member' };
      return (await app.request('POST', `${org.path}/invites`, { token: host.token, body })).body;
    };
    const member = (change: object) =>
      app.request('PATCH', `${org.path}/members/${host.userId}`, { token: org.owner.token, body: change });
    const host403 = newSlug();
    const role = { slug: host403, name: 'Host', permissions: ['orgs:invites:manage'] };
    await app.request('POST', `${org.path}/roles`, { token: org.owner.token, body: role });
    const [before, after, gone] = [await invited(), await invited(), await invited()];
    expect((await join(app, await person(app), before.code)).status).toBe(201);
    await member({ roleSlug: host403 });
    expect((await join(app, await person(app), after.code)).status).toBe(404);
    await member({ roleSlug: 'admin' });
    expect((await join(app, await person(app), after.code)).status).toBe(201);
    await app.sql(`UPDATE users SET status = 'disabled' WHERE id = $1`, [host.userId]);
    expect((await join(app, await person(app), gone.code)).status).toBe(404);
    const [{ uses }] = await app.sql('SELECT uses FROM org_invites WHERE id = $1', [gone.id]);
    expect(uses).toBe(0);
  });

  it('refuses a role that was deleted', async () => {
    const slug = newSlug();
    const body = { slug, name: 'Short-lived', permissions: [] };
    await app.request('POST', `${org.path}/roles`, { token: org.owner.token, body });
    const { code } = await newInvite(app, org, { roleSlug: slug });
    await app.request('DELETE', `${org.path}/roles/${slug}`, { token: org.owner.token });
    expect((await join(app, await person(app), code)).status).toBe(404);
  });

  it('refuses anonymous users and keys', async () => {
    const { code } = await newInvite(app, org);
    const anonymous = (await app.request('POST', '/v2/login/anonymous')).body;
    const { apiKey } = await newKey(app, await newOrg(app));
    for (const caller of [{ token: anonymous.token }, { key: apiKey }]) {
      const { status, body } = await app.request('POST', '/v2/orgs/join', { ...caller, body: { code } });
      expect([status, body.error]).toEqual([403, 'Forbidden']);
    }
    expect((await app.request('POST', '/v2/orgs/join', { body: { code } })).status).toBe(401);
    expect((await join(app, await person(app), code)).status).toBe(201);
  });

  it.each([{}, { code: '' }, { code: { $ne: null } }, { code: 'x'.repeat(201) }, { code: 'a\0b' }])(
    'refuses %j',
    async body => {
      const { token } = await person(app);
      expect((await app.request('POST', '/v2/orgs/join', { token, body })).status).toBe(400);
    },
  );
});
