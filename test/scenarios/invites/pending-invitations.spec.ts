import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../app/app.js';
import { person } from '../auth/person.js';
import { events, newMember, newOrg, type TestOrg } from '../orgs/org.js';
import { arrival, newEmail, newInvite, rolesIn } from './invite.js';

let app: TestApp;
let org: TestOrg;
beforeAll(async () => {
  app = await startApp();
  org = await newOrg(app);
  await app.sql(`INSERT INTO org_groups (org_id, slug, name) VALUES ($1, 'sales', 'Sales')`, [org.id]);
});

const add = (users: object[], token = org.owner.token) =>
  app.request('POST', `${org.path}/members`, { token, body: { users } });

describe('POST /v2/orgs/{orgSlug}/members with an e-mail address that nobody here has', () => {
  it('invites whom it names, next to those it adds', async () => {
    const [email, known] = [newEmail(), await person(app)];
    const { status, body } = await add([{ email, groups: ['sales'] }, { userId: known.userId }]);
    expect(status).toBe(201);
    expect([body.total, body.results.map((each: { userId: string }) => each.userId)]).toEqual([
      1,
      [known.userId],
    ]);
    expect(body.invitations).toEqual([
      expect.objectContaining({ email, roleSlug: 'member', groups: ['sales'], maxUses: 1, uses: 0 }),
    ]);
    expect(body.invitations[0]).not.toHaveProperty('code');
    const { results } = (await app.request('GET', `${org.path}/invites`, { token: org.owner.token })).body;
    expect(results[0]).toEqual(body.invitations[0]);
    const [event] = (await events(app, org, 'orgs.invites.created')).slice(-1);
    expect(event?.target.id).toBe(results[0].id);
  });

  it('does all or nothing', async () => {
    const [email, known] = [newEmail(), await person(app)];
    for (const [users, status] of [
      [[{ userId: known.userId }, { email: 'not an address' }], 400],
      [[{ userId: known.userId }, { email, roleSlug: 'no-such-role' }], 400],
      [[{ userId: known.userId }, { email, groups: ['no-such-group'] }], 400],
      [[{ userId: known.userId }, { email }, { email: email.toUpperCase() }], 409],
    ] as const) {
      expect((await add([...users])).status).toBe(status);
    }
    expect(await rolesIn(app, org)).not.toHaveProperty(known.userId);
    expect(await app.sql('SELECT 1 FROM org_invites WHERE lower(email) = lower($1)', [email])).toEqual([]);
  });

  it('grants as adding does: no role and no group beyond the caller’s', async () => {
    const { token } = await newMember(app, org, { permissions: ['orgs:members:manage', 'collections:*'] });
    expect((await add([{ email: newEmail(), roleSlug: 'admin' }], token)).status).toBe(403);
    expect((await add([{ email: newEmail(), groups: ['sales'] }], token)).status).toBe(403);
    expect((await add([{ email: newEmail() }], token)).status).toBe(201);
  });
});

describe('a pending invitation', () => {
  it('is claimed by whoever signs in with the verified e-mail address, in every organization that sent one', async () => {
    const email = newEmail();
    const second = await newOrg(app);
    await add([{ email, groups: ['sales'] }]);
    await newInvite(app, second, { email, roleSlug: 'admin' });
    const ada = await arrival(app, email.toLowerCase());
    const { organizations } = (await app.request('GET', '/v2/me', { token: ada.token })).body;
    expect(organizations).toHaveLength(2);
    expect(organizations).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ slug: org.slug, roleSlug: 'member', groups: ['sales'] }),
        expect.objectContaining({ slug: second.slug, roleSlug: 'admin', groups: [] }),
      ]),
    );
    expect(await app.sql('SELECT uses FROM org_invites WHERE email = $1', [email])).toEqual([
      { uses: 1 },
      { uses: 1 },
    ]);
    expect(await events(app, second, 'orgs.invites.accepted')).toHaveLength(1);
  });

  it('is not claimed by an address that nobody has verified, nor by another', async () => {
    const email = newEmail();
    await add([{ email }]);
    for (const arrived of [await arrival(app, email, false), await arrival(app, newEmail())]) {
      expect((await app.request('GET', '/v2/me', { token: arrived.token })).body.organizations).toEqual([]);
    }
  });

  it('is not claimed once it is revoked or expired, or its inviter could not give the role any more', async () => {
    const emails = [newEmail(), newEmail(), newEmail()];
    const host = await newMember(app, org, 'admin');
    const { invitations } = (
      await add(
        emails.map(email => ({ email })),
        host.token,
      )
    ).body;
    await app.request('DELETE', `${org.path}/invites/${invitations[0].id}`, { token: org.owner.token });
    await app.sql(`UPDATE org_invites SET expires_at = '2020-01-01' WHERE id = $1`, [invitations[1].id]);
    await app.request('DELETE', `${org.path}/members/${host.userId}`, { token: org.owner.token });
    for (const email of emails) {
      expect(await rolesIn(app, org)).not.toHaveProperty((await arrival(app, email)).userId);
    }
    const [{ uses }] = await app.sql('SELECT uses FROM org_invites WHERE id = $1', [invitations[2].id]);
    expect(uses).toBe(0);
  });
});

describe('the groups of a join rule', () => {
  const patch = (joinRules: object[], token = org.owner.token) =>
    app.request('PATCH', org.path, { token, body: { joinRules } });

  it('exist, and are given only by who manages groups', async () => {
    const rule = { domain: 'example.com', roleSlug: 'member' };
    expect((await patch([{ ...rule, groups: ['sales'] }])).body.joinRules).toEqual([
      { ...rule, groups: ['sales'] },
    ]);
    const refused = await patch([rule, { ...rule, domain: 'example.org', groups: ['marketing'] }]);
    expect([refused.status, refused.body.error]).toEqual([400, 'InvalidArguments']);
    expect(refused.body.message).toContain('marketing');
    const { token } = await newMember(app, org, { permissions: ['orgs:manage', 'collections:*'] });
    expect((await patch([{ ...rule, groups: ['sales'] }], token)).status).toBe(403);
    expect((await patch([rule], token)).status).toBe(200);
  });
});
