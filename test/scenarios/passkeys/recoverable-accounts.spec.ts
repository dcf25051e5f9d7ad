import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestApp } from '../../harness/app.js';
import { Browser } from '../../harness/browser.js';
import { type Person, person } from '../auth/person.js';
import { join, newEmail, newInvite } from '../invites/invite.js';
import { exchange, logIn, newAccount, ownProvider, startWorld, type World } from '../login/world.js';
import { enter, newOrg, prove, type TestOrg } from '../orgs/org.js';
import { newJoiner, Site } from './site.js';

let world: World;
let app: TestApp;
let org: TestOrg;
beforeAll(async () => {
  world = await startWorld();
  ({ app } = world);
  org = await newOrg(app);
});
afterAll(() => world.close());

const create = ({ userId }: Pick<Person, 'userId'>, { path, owner } = org) =>
  app.request('POST', `${path}/members/${userId}/recovery-link`, { token: owner.token });

const use = (code: string) => new Site(app).press('/v2/login/recovery', { code });

async function expectRefused(member: Pick<Person, 'userId'>, of = org): Promise<void> {
  const { status, body } = await create(member, of);
  expect([status, body.error]).toEqual([403, 'Forbidden']);
  const links = await app.sql('SELECT 1 FROM recovery_links WHERE user_id = $1', [member.userId]);
  expect(links).toEqual([]);
}

/** Signs somebody new in by an id_token. */
async function entered(slug: string, idp = world.open, account = newAccount()) {
  const { status, body } = await exchange(app, slug, await idp.idToken({ ...account }));
  if (status !== 200) throw new Error(JSON.stringify(body));
  return { ...account, userId: body.id as string, token: body.token as string };
}

/** Links an identity of `open` to the account that is signed in. */
async function linkIdentity({ token, userId }: Person): Promise<void> {
  const browser = new Browser();
  browser.set(app.url, 'access-token', token);
  await logIn(world, 'open', world.open.knows(newAccount()), browser);
  const linked = await app.sql('SELECT 1 FROM federated_identities WHERE user_id = $1', [userId]);
  expect(linked).toHaveLength(1);
}

describe('an organization makes no recovery link for a member', () => {
  it.each<[string, (email: string) => Promise<unknown>]>([
    ['an invitation', email => newInvite(app, org, { email })],
    [
      'a join rule',
      async email => {
        const domain = email.split('@')[1] as string;
        await prove(app, org, domain);
        const body = { joinRules: [{ domain, roleSlug: 'member' }] };
        await app.request('PATCH', org.path, { token: org.owner.token, body });
      },
    ],
  ])('whom a provider of the operator signs in and who joined by %s', async (_, admit) => {
    const email = `ada@${newEmail().split('@')[0]}.example`;
    await admit(email);
    const ada = await entered('open', world.open, newAccount({ email }));
    const me = await app.request('GET', '/v2/me', { token: ada.token });
    expect(me.body).toMatchObject({ id: ada.userId, orgSlugs: [org.slug] });
    await expectRefused(ada);
  });

  it('who had an account before they joined', async () => {
    const ada = await person(app);
    await enter(app, org, ada);
    await expectRefused(ada);
  });

  it('whose account another organization has created, even if the person has left that one', async () => {
    const employer = await newOrg(app);
    const ada = await newJoiner(app, employer);
    const { code } = await newInvite(app, org);
    await join(app, ada, code);
    const left = await app.request('DELETE', `${employer.path}/members/${ada.userId}`, { token: ada.token });
    expect(left.status).toBe(200);
    await expectRefused(ada);
  });

  it('who has linked another identity provider to the account', async () => {
    const ada = await newJoiner(app, org);
    await linkIdentity(ada);
    await expectRefused(ada);
  });
});

it('does not sign in with a recovery link after the member has linked another identity provider', async () => {
  const ada = await newJoiner(app, org);
  const { status, body } = await create(ada);
  expect(status).toBe(201);
  await linkIdentity(ada);
  const code = new URL(body.url).searchParams.get('code') as string;
  expect((await use(code)).status).toBe(401);
  expect((await app.request('GET', '/v2/me', { token: ada.token })).status).toBe(200);
});

it("makes recovery links for accounts that the organization's own provider has created, also after its deletion", async () => {
  const company = await newOrg(app);
  const slug = await ownProvider(world, company);
  const ada = await entered(slug, world.foreign);
  expect((await create(ada, company)).status).toBe(201);
  const path = `${company.path}/auth/sso/${slug}`;
  expect((await app.request('DELETE', path, { token: company.owner.token })).status).toBe(200);
  const { status, body } = await create(ada, company);
  expect(status).toBe(201);
  const code = new URL(body.url).searchParams.get('code') as string;
  expect((await use(code)).status).toBe(303);
});

it('makes recovery links for accounts of a provider that the operator has given to the organization', async () => {
  const owner = await person(app);
  const [{ id }] = await app.sql(
    `INSERT INTO org_memberships (org_id, user_id, role_slug) SELECT id, $1, 'owner' FROM orgs WHERE slug = 'default'
     RETURNING org_id AS id`,
    [owner.userId],
  );
  const given = { id, slug: 'default', path: '/v2/orgs/default', owner };
  const ada = await entered('staff', world.staff);
  const { status, body } = await create(ada, given);
  expect(status).toBe(201);
  const { userId } = await entered('open');
  await app.sql('UPDATE federated_identities SET user_id = $1 WHERE user_id = $2', [ada.userId, userId]);
  expect((await use(new URL(body.url).searchParams.get('code') as string)).status).toBe(401);
  expect((await create(ada, given)).status).toBe(403);
});
