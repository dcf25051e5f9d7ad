import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import { person } from '../auth/person.js';
import { enter, events, newMember, newOrg, type TestOrg } from '../orgs/org.js';
import { invite, newWorkspace, secure, type TestWorkspace } from './workspace.js';

let app: TestApp;
let org: TestOrg;
let workspace: TestWorkspace;
beforeAll(async () => {
  app = await startApp();
  org = await newOrg(app);
  workspace = await newWorkspace(app, org);
});

const grant = (body: unknown, { path } = workspace, caller: object = org.owner) =>
  app.request('POST', `${path}/permissions`, { ...caller, body });

const listed = async (caller: object) =>
  (await app.request('GET', '/v2/workspaces', caller)).body.map(({ id }: TestWorkspace) => id);

describe('the collaborators of a workspace', () => {
  it('begin with its creator; they are added by id or e-mail address, listed and removed, with an event each', async () => {
    const own = await newWorkspace(app, org);
    const [one, other] = [await newMember(app, org), await newMember(app, org)];
    const [{ email }] = await app.sql('SELECT email FROM users WHERE id = $1', [other.userId]);
    const first = await grant({ target: { id: one.userId }, role: 'editor' }, own);
    expect([first.status, first.body]).toEqual([
      201,
      {
        target: { id: one.userId, email: expect.any(String) },
        role: 'editor',
        createdAt: expect.any(String),
      },
    ]);
    const second = await grant({ target: { email: email.toUpperCase() }, role: 'editor' }, own);
    expect(second.body.target).toEqual({ id: other.userId, email });
    const { body } = await app.request('GET', `${own.path}/permissions`, org.owner);
    expect(body.total).toBe(3);
    expect(body.results).toMatchObject([
      { target: { id: org.owner.userId }, role: 'owner' },
      first.body,
      second.body,
    ]);
    const revoke = () => app.request('DELETE', `${own.path}/permissions/${one.userId}`, org.owner);
    expect((await revoke()).body).toEqual({ success: true });
    expect((await revoke()).status).toBe(404);
    expect(await listed(one)).toEqual([]);
    const logged = await events(app, org, 'workspaces.permissions.');
    expect(logged.filter(({ target }) => target.id === own.id)).toMatchObject([
      { type: 'workspaces.permissions.granted', changes: { after: { userId: one.userId, role: 'editor' } } },
      { type: 'workspaces.permissions.granted' },
      { type: 'workspaces.permissions.revoked', changes: { before: { userId: one.userId } } },
    ]);
  });

  it('have one role each, the last one granted', async () => {
    const { userId } = await newMember(app, org);
    const target = { id: userId };
    const { body } = await grant({ target, role: 'editor' });
    const again = await grant({ target, role: 'owner' });
    expect([again.status, again.body]).toEqual([201, { ...body, role: 'owner' }]);
  });

  it('are members of the organization; the refusal of other users is the same for all of them', async () => {
    const outsider = await person(app);
    const [{ email }] = await app.sql('SELECT email FROM users WHERE id = $1', [outsider.userId]);
    const answers = [
      await grant({ target: { id: outsider.userId }, role: 'editor' }),
      await grant({ target: { id: randomUUID() }, role: 'editor' }),
      await grant({ target: { email }, role: 'editor' }),
      await grant({ target: { email: 'nobody@example.com' }, role: 'editor' }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 400]);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  });

  it.each([
    { role: 'editor' },
    { target: {}, role: 'editor' },
    { target: { id: randomUUID(), email: 'a@example.com' }, role: 'editor' },
    { target: { id: 'x' }, role: 'editor' },
    { target: 'x', role: 'editor' },
    { target: { email: 'a@example.com' } },
    { target: { email: 'a@example.com' }, role: 'nobody' },
    { target: { email: 'a@example.com' }, role: 'constructor' },
  ])('are not added by %j', async body => {
    const { status, body: refusal } = await grant(body);
    expect([status, refusal.error]).toEqual([400, 'InvalidArguments']);
  });

  it('are removed with their membership, and do not return with a new one', async () => {
    const own = await newWorkspace(app, org);
    const member = await newMember(app, org);
    await invite(app, org, own, member, 'owner');
    expect((await app.request('GET', own.path, member)).status).toBe(200);
    await app.request('DELETE', `${org.path}/members/${member.userId}`, org.owner);
    expect((await app.request('GET', own.path, member)).status).toBe(404);
    await enter(app, org, member);
    expect((await app.request('GET', own.path, member)).status).toBe(404);
  });

  it('keep a role from being removed while they have it', async () => {
    const own = await newWorkspace(app, org);
    const member = await newMember(app, org);
    await secure(app, org, own, { roles: { viewer: {} } });
    await invite(app, org, own, member, 'viewer');
    const refused = await secure(app, org, own, { roles: {} });
    expect([refused.status, refused.body.error]).toEqual([409, 'Conflict']);
    await app.request('DELETE', `${own.path}/permissions/${member.userId}`, org.owner);
    expect((await secure(app, org, own, { roles: {} })).status).toBe(200);
  });
});

describe('what a role allows', () => {
  it('is everything for an owner, without a permission in the organization', async () => {
    const own = await newWorkspace(app, org);
    const owner = await newMember(app, org);
    await invite(app, org, own, owner, 'owner');
    const colleague = await newMember(app, org);
    expect((await grant({ target: { id: colleague.userId }, role: 'editor' }, own, owner)).status).toBe(201);
    expect((await app.request('GET', `${own.path}/security/apikeys`, owner)).status).toBe(200);
    expect(await listed(owner)).toEqual([own.id]);
    expect((await app.request('DELETE', own.path, owner)).status).toBe(200);
  });

  it('is changing the contents for an editor, but not roles, rules and keys', async () => {
    const own = await newWorkspace(app, org);
    const editor = await newMember(app, org);
    await invite(app, org, own, editor, 'editor');
    expect(await listed(editor)).toEqual([own.id]);
    expect((await app.request('PATCH', own.path, { ...editor, body: { name: 'x' } })).status).toBe(200);
    const refused = [
      await app.request('DELETE', own.path, editor),
      await app.request('GET', `${own.path}/security`, editor),
      await app.request('PUT', `${own.path}/security`, { ...editor, body: { authorizations: {} } }),
      await app.request('GET', `${own.path}/security/apikeys`, editor),
      await app.request('GET', `${own.path}/permissions`, editor),
      await grant({ target: { id: editor.userId }, role: 'owner' }, own, editor),
      await app.request('DELETE', `${own.path}/permissions/${org.owner.userId}`, editor),
    ];
    expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 403));
    expect((await app.request('GET', `${own.path}/security/roles`, editor)).status).toBe(200);
  });

  it('is reading for a role of the workspace, and what its rules allow', async () => {
    const own = await newWorkspace(app, org);
    const [viewer, other] = [await newMember(app, org), await newMember(app, org)];
    await secure(app, org, own, {
      roles: { viewer: {}, other: {} },
      rules: [{ action: 'update', subject: 'workspaces', role: 'viewer', conditions: { slug: own.slug } }],
    });
    await invite(app, org, own, viewer, 'viewer');
    await invite(app, org, own, other, 'other');
    const patch = (caller: object) => app.request('PATCH', own.path, { ...caller, body: { name: 'x' } });
    expect((await patch(viewer)).status).toBe(200);
    expect((await patch(other)).status).toBe(403);
    expect((await app.request('GET', own.path, other)).status).toBe(200);
  });
});
