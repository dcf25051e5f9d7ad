import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import { person } from '../auth/person.js';
import { events, newKey, newMember, newOrg, newSlug, type TestOrg } from './org.js';

let app: TestApp;
let org: TestOrg;
beforeAll(async () => {
  app = await startApp();
  org = await newOrg(app, `my_org-${newSlug()}`);
});

const mint = (credential: { token?: string; key?: string }, body: object) =>
  app.request('POST', `${org.path}/api-keys`, {
    ...credential,
    body: { slug: newSlug(), name: 'Key', permissions: ['collections:read'], ...body },
  });

describe('POST /v2/orgs/{orgSlug}/api-keys', () => {
  it('shows the key only in this response, and stores only its hash', async () => {
    const sent = {
      permissions: ['collections:read'],
      scopes: ['collections:*'],
      expiresAt: '2099-01-01T00:00:00Z',
    };
    const { status, body } = await mint(org.owner, sent);
    expect(status).toBe(201);
    expect(body.apiKey).toMatch(
      new RegExp(`^iak_${org.slug}_[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-`),
    );
    expect(body.prefix).toBe(`iak_${org.slug}_…${body.apiKey.slice(-4)}`);
    expect(body).toMatchObject({
      ...sent,
      expiresAt: '2099-01-01T00:00:00.000Z',
      disabled: false,
      lastUsedAt: null,
    });
    expect(body).toMatchObject({
      ownerType: null,
      ownerId: null,
      createdBy: org.owner.userId,
      ipAllowList: [],
    });

    const { apiKey, ...metadata } = body;
    const read = await app.request('GET', `${org.path}/api-keys/${body.id}`, org.owner);
    expect(read.body).toEqual(metadata);
    const list = await app.request('GET', `${org.path}/api-keys?limit=100`, org.owner);
    expect(list.body.results).toContainEqual(metadata);
    const uuid = apiKey.slice(-36);
    const rows = await app.sql('SELECT * FROM org_api_keys WHERE id = $1', [body.id]);
    const logged = await events(app, org, 'orgs.apikeys.minted');
    expect(logged.at(-1)?.target).toEqual({ type: 'apikey', id: body.id, name: body.slug });
    expect(JSON.stringify([rows, logged])).not.toContain(uuid);
    expect(JSON.stringify(logged)).not.toMatch(/hash/i);
  });

  it('requires a slug that no other key of the organization has', async () => {
    const slug = newSlug();
    expect((await mint(org.owner, { slug })).status).toBe(201);
    const { status, body } = await mint(org.owner, { slug });
    expect([status, body.error]).toEqual([409, 'AlreadyExists']);
  });

  it.each([
    { permissions: ['nothing'] },
    { permissions: undefined },
    { scopes: ['collections'] },
    { expiresAt: '2020-01-01T00:00:00Z' },
    { expiresAt: 'tomorrow' },
    { ipAllowList: ['10.0.0.0/40'] },
    { ipAllowList: ['example.com'] },
    { ownerType: 'user' },
    { ownerId: '00000000-0000-7000-8000-000000000000' },
    { ownerType: 'user', ownerId: '00000000-0000-7000-8000-000000000000' },
    { ownerType: 'agent', ownerId: 'x' },
    { ownerType: 'team', ownerId: '00000000-0000-7000-8000-000000000000' },
    { collectionId: '00000000-0000-7000-8000-000000000000' },
    { createdBy: '00000000-0000-7000-8000-000000000000' },
  ])('refuses %j', async key => {
    const { status, body } = await mint(org.owner, key);
    expect([status, body.error]).toEqual([400, 'InvalidArguments']);
    expect(body).not.toHaveProperty('apiKey');
  });

  it('refuses a key that holds more than its minter', async () => {
    const minter = await newMember(app, org, { permissions: ['orgs:apikeys:manage', 'collections:read'] });
    const own = { ownerType: 'user', ownerId: minter.userId };
    expect((await mint(minter, { permissions: ['collections:read'], ...own })).status).toBe(201);
    for (const permission of ['collections:write', 'collections:*', 'orgs:*', '*']) {
      const { status, body } = await mint(minter, { permissions: [permission] });
      expect([permission, status, body.error]).toEqual([permission, 403, 'Forbidden']);
    }
  });

  it.each(['collections:read', 'collections:*'])(
    'refuses a key without an owner, which owns every collection, with %s to callers without every permission',
    async permission => {
      const minter = await newMember(app, org, { permissions: ['orgs:apikeys:manage', 'collections:*'] });
      const key = { permissions: [permission], scopes: ['collections:a'] };
      const { status, body } = await mint(minter, key);
      expect([status, body.error]).toEqual([403, 'Forbidden']);
      expect((await mint(minter, { permissions: ['workspaces:read'] })).status).toBe(403);
      expect((await mint(minter, { permissions: ['orgs:apikeys:manage'] })).status).toBe(201);
      expect((await mint(await newMember(app, org, 'admin'), key)).status).toBe(201);
    },
  );

  it('refuses a key with scopes beyond those of its minter', async () => {
    const minter = await newMember(app, org, {
      permissions: ['orgs:apikeys:manage', 'collections:read'],
      scopes: ['collections:a'],
    });
    const own = { ownerType: 'user', ownerId: minter.userId };
    expect((await mint(minter, own)).status).toBe(403);
    expect((await mint(minter, { ...own, scopes: ['collections:*'] })).status).toBe(403);
    expect((await mint(minter, { ...own, scopes: ['collections:a'] })).status).toBe(201);
  });

  it('lets a key mint only with the permission, and only keys within its own rights', async () => {
    const { apiKey: reader } = await newKey(app, org, { permissions: ['collections:read'] });
    expect((await mint({ key: reader }, {})).status).toBe(403);
    const { apiKey: minter } = await newKey(app, org, {
      permissions: ['orgs:apikeys:manage', 'workspaces:read'],
    });
    expect((await mint({ key: minter }, { permissions: ['workspaces:create'] })).status).toBe(403);
    const { status, body } = await mint({ key: minter }, { permissions: ['workspaces:read'] });
    expect(status).toBe(201);
    expect(body.createdBy).toBe(org.owner.userId);
  });

  it("limits a person's key to minting within its own permissions", async () => {
    const { userId } = org.owner;
    const permissions = ['orgs:apikeys:manage', 'collections:read'];
    const { apiKey } = await newKey(app, org, { permissions, ownerType: 'user', ownerId: userId });
    const own = { ownerType: 'user', ownerId: userId };
    expect((await mint({ key: apiKey }, { permissions: ['collections:write'], ...own })).status).toBe(403);
    expect((await mint({ key: apiKey }, own)).status).toBe(201);
  });

  it('mints a key that acts as another person only for callers who hold every permission', async () => {
    const permissions = ['orgs:apikeys:manage', 'collections:read'];
    const minter = await newMember(app, org, { permissions });
    const other = await newMember(app, org);
    const { body: agent } = await app.request('POST', `${org.path}/agents`, {
      ...org.owner,
      body: { slug: newSlug(), name: 'Agent' },
    });
    const asOther = { ownerType: 'user', ownerId: other.userId };
    const asAgent = { ownerType: 'agent', ownerId: agent.id };
    expect((await mint(minter, { ownerType: 'user', ownerId: minter.userId })).status).toBe(201);
    expect((await mint(minter, asOther)).status).toBe(403);
    expect((await mint(minter, asAgent)).status).toBe(403);
    expect((await mint(org.owner, asOther)).status).toBe(201);
    expect((await mint(org.owner, asAgent)).status).toBe(201);
    const operator = await newMember(app, org, { permissions: [...permissions, 'agents:act'] });
    expect((await mint(operator, asAgent)).status).toBe(201);
  });

  it('refuses an owner from outside the organization', async () => {
    const { userId } = await person(app);
    expect((await mint(org.owner, { ownerType: 'user', ownerId: userId })).status).toBe(400);
  });
});
