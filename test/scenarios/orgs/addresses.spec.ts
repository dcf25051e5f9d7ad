import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import { newEmail, newInvite } from '../invites/invite.js';
import { Site } from '../passkeys/site.js';
import { newWorkspace, type TestWorkspace } from '../workspaces/workspace.js';
import { newOrg, newSlug, type TestOrg } from './org.js';

let app: TestApp;
let org: TestOrg;
let workspace: TestWorkspace;
beforeAll(async () => {
  app = await startApp();
  org = await newOrg(app);
  workspace = await newWorkspace(app, org);
});

/** A person who registers by the code of an invitation, and so has its address without proof. */
async function registered(code: string): Promise<Site & { readonly userId: string }> {
  const site = new Site(app);
  const { body: options } = await site.send('POST', '/v2/login/invitation/options', { code, name: 'Eve' });
  const { body } = await site.send('POST', '/v2/login/invitation', site.authenticator.create(options));
  return Object.assign(site, { userId: body.userId });
}

/** A member of `org` with an address that another organization has given. */
async function impostor(email: string) {
  const elsewhere = await newOrg(app);
  const site = await registered((await newInvite(app, elsewhere, { email })).code);
  const { code } = await newInvite(app, org);
  await site.send('POST', '/v2/orgs/join', { code });
  return site;
}

const asOwner = (path: string, body: unknown) => app.request('POST', path, { token: org.owner.token, body });
const invited = (email: string) => asOwner(`${org.path}/members`, { users: [{ email }] });
const granted = (target: object) => asOwner(`${workspace.path}/permissions`, { target, role: 'editor' });

async function grouped(user: object) {
  const slug = newSlug();
  await asOwner(`${org.path}/groups`, { slug, name: 'Group' });
  return asOwner(`${org.path}/groups/${slug}/members`, { users: [user] });
}

describe('an e-mail address that a member has not proven', () => {
  it('selects nobody if another organization has given it; the id does', async () => {
    const email = newEmail();
    const { userId } = await impostor(email);
    expect((await granted({ email })).status).toBe(400);
    expect((await grouped({ email })).status).toBe(400);
    expect((await granted({ id: userId })).status).toBe(201);
    expect((await grouped({ userId })).status).toBe(201);
  });

  it('does not keep the organization from inviting it if another organization has given it', async () => {
    const email = newEmail();
    await impostor(email);
    expect((await invited(email)).status).toBe(201);
  });

  it('selects the member whom the organization itself has invited by it', async () => {
    const email = newEmail();
    const { userId } = await registered((await newInvite(app, org, { email })).code);
    expect((await granted({ email: email.toUpperCase() })).body.target).toEqual({ id: userId, email });
    expect((await grouped({ email: email.toUpperCase() })).body.results).toMatchObject([{ userId, email }]);
    expect((await invited(email)).status).toBe(409);
  });

  it('is marked in the list of members', async () => {
    const own = await newOrg(app);
    const email = newEmail();
    await registered((await newInvite(app, own, { email })).code);
    const { body } = await app.request('GET', `${own.path}/members`, { token: own.owner.token });
    expect(body.results).toMatchObject([{ emailVerified: true }, { email, emailVerified: false }]);
  });
});
