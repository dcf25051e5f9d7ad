import { beforeAll, describe, expect, it } from 'vitest';
import { render } from '../../../src/base/sql/index.js';
import { auditTable } from '../../../src/platform/audit/audit-log.js';
import { startApp, type TestApp, type TestRequest } from '../../harness/app.js';
import { newKey, newMember, newOrg, newSlug, type TestOrg } from '../orgs/org.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});

const list = (org: TestOrg, query: object = {}, caller: TestRequest = { token: org.owner.token }) =>
  app.request('GET', `${org.path}/audit?${new URLSearchParams({ ...query })}`, caller);
const types = async (org: TestOrg, query?: object): Promise<string[]> =>
  (await list(org, query)).body.items.map((item: { type: string }) => item.type);

/** An organization with a role that was created and changed, and a key that created another key. */
async function withHistory() {
  const org = await newOrg(app);
  const { token } = org.owner;
  const role = { slug: 'analyst', name: 'Analyst, "junior"', permissions: ['collections:read'] };
  await app.request('POST', `${org.path}/roles`, { token, body: role });
  await app.request('PATCH', `${org.path}/roles/analyst`, { token, body: { name: '=Senior' } });
  const key = await newKey(app, org);
  const body = { slug: newSlug(), name: 'Second', permissions: ['collections:read'] };
  await app.request('POST', `${org.path}/api-keys`, { key: key.apiKey, body });
  return { org, key };
}

const HISTORY = [
  'orgs.apikeys.minted',
  'orgs.apikeys.minted',
  'orgs.roles.updated',
  'orgs.roles.created',
  'orgs.members.added',
  'orgs.created',
];

describe('GET /v2/orgs/{orgSlug}/audit', () => {
  it('lists the events of the organization, newest first, and of no other', async () => {
    const { org } = await withHistory();
    await withHistory();
    const { status, body, headers } = await list(org);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toContain('application/json');
    expect(headers.get('link')).toBeNull();
    expect(Object.keys(body).sort()).toEqual(['items', 'next_cursor']);
    expect(body.items.map((item: { type: string }) => item.type)).toEqual(HISTORY);
    expect(body.next_cursor).toBeNull();
    expect(body.items[3]).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      type: 'orgs.roles.created',
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      orgSlug: org.slug,
      actor: { type: 'user', id: org.owner.userId, via: 'rest' },
      target: { type: 'role', id: 'analyst', name: null },
      count: null,
      record_ids: null,
      changes: { before: null, after: expect.objectContaining({ name: 'Analyst, "junior"' }) },
      correlationId: expect.any(String),
      ip: '127.0.0.1',
    });
    expect(JSON.stringify(body)).not.toContain('iak_');
  });

  it('includes events of collections and their records', async () => {
    const org = await newOrg(app);
    const body = { name: 'customers' };
    await app.request('POST', '/v1/collections', { token: org.owner.token, body });
    expect((await types(org))[0]).toBe('collections.created');
    expect(await types(org, { category: 'collections' })).toEqual(['collections.created']);
  });

  it('requires orgs:audit:read', async () => {
    const { org } = await withHistory();
    const auditor = await newMember(app, org, { permissions: ['orgs:audit:read'] });
    const member = await newMember(app, org, { permissions: ['orgs:members:manage', 'collections:*'] });
    const stranger = await newOrg(app);
    expect((await list(org, {}, { token: auditor.token })).status).toBe(200);
    expect((await list(org, {}, { token: member.token })).body.error).toBe('Forbidden');
    expect((await list(org, {}, { token: stranger.owner.token })).body.error).toBe(
      'OrganizationMembershipRequired',
    );
    expect((await list(org, {}, {})).status).toBe(401);
  });

  it('writes no event itself', async () => {
    const { org } = await withHistory();
    await list(org);
    expect(await types(org)).toEqual(HISTORY);
  });
});

describe('the filters of the organization’s audit list', () => {
  it('select one type, one category, and the events of one caller', async () => {
    const { org, key } = await withHistory();
    expect(await types(org, { action: 'orgs.roles.updated' })).toEqual(['orgs.roles.updated']);
    expect(await types(org, { action: 'orgs.roles' })).toEqual([]);
    expect(await types(org, { category: 'orgs' })).toEqual(HISTORY);
    expect(await types(org, { category: 'orgs.roles' })).toEqual(HISTORY.slice(2, 4));
    expect(await types(org, { category: 'orgs.rol' })).toEqual([]);
    expect(await types(org, { category: 'orgs_roles' })).toEqual([]);
    expect(await types(org, { category: 'orgs.roles', action: 'orgs.created' })).toEqual([]);
    expect(await types(org, { actor: key.id })).toEqual(['orgs.apikeys.minted']);
    expect(await types(org, { actor: key.id, category: 'orgs.roles' })).toEqual([]);
    expect(await types(org, { actor: "' OR true --" })).toEqual([]);
  });

  it('select events between two instants, both included', async () => {
    const { org } = await withHistory();
    const table = render(auditTable(org.id)).text;
    await app.sql(`UPDATE ${table} SET created_at = '2020-01-01T00:00:00.0004Z' WHERE type = 'orgs.created'`);
    await app.sql(
      `UPDATE ${table} SET id = '016f5e66-e800-7000-8000-000000000000' WHERE type = 'orgs.created'`,
    );
    expect(await types(org, { until: '2020-01-01T00:00:00Z' })).toEqual(['orgs.created']);
    expect(await types(org, { until: '2019-12-31T23:59:59.999Z' })).toEqual([]);
    expect(await types(org, { since: '2020-01-01T00:00:00Z' })).toEqual(HISTORY);
    expect(await types(org, { since: '2020-01-01T00:00:00.001Z' })).toEqual(HISTORY.slice(0, -1));
    expect(await types(org, { since: '2020-01-01T00:00:00Z', category: 'orgs.roles' })).toHaveLength(2);
  });

  it.each([
    { limit: 0 },
    { limit: 101 },
    { since: 'yesterday' },
    { cursor: 'x' },
    { page: 2 },
    { actor: '' },
  ])('refuse %j', async query => {
    const { org } = await withHistory();
    const { status, body } = await list(org, query);
    expect([status, body.error]).toEqual([400, 'InvalidArguments']);
    expect(body.message).toContain(Object.keys(query)[0]);
  });
});

describe("the pages of the organization's audit list", () => {
  it.each([{}, { category: 'orgs' }])('contain every event exactly once, with %j', async filter => {
    const { org } = await withHistory();
    const seen: string[] = [];
    let cursor = '';
    do {
      const { body } = await list(org, { ...filter, limit: 2, cursor });
      expect(body.items.length).toBe(2);
      seen.push(...body.items.map((item: { type: string }) => item.type));
      cursor = body.next_cursor;
    } while (cursor !== null);
    expect(seen).toEqual(HISTORY);
  });

  it('link to the next page', async () => {
    const { org } = await withHistory();
    const seen: string[] = [];
    let path = `${org.path}/audit?limit=4&category=orgs`;
    for (let pages = 0; path !== ''; pages++) {
      expect(pages).toBeLessThan(3);
      const { body, headers } = await app.request('GET', path, { token: org.owner.token });
      seen.push(...body.items.map((item: { type: string }) => item.type));
      path = /^<(\/[^>]+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1] ?? '';
    }
    expect(seen).toEqual(HISTORY);
  });

  it('refuse the cursor of another organization or of other filters', async () => {
    const [{ org }, { org: other }] = [await withHistory(), await withHistory()];
    const cursor = (await list(org, { limit: 2 })).body.next_cursor;
    for (const [of, query] of [
      [other, {}],
      [org, { category: 'orgs' }],
      [org, { actor: org.owner.userId }],
      [org, { action: 'orgs.created' }],
    ] as const) {
      expect((await list(of, { ...query, cursor })).status).toBe(400);
    }
    expect((await list(org, { limit: 4, cursor })).body.items).toHaveLength(4);
  });
});

describe('the formats of the organization’s audit list', () => {
  const inFormat = (org: TestOrg, accept: string, query: object = {}) =>
    list(org, query, { token: org.owner.token, headers: { accept } });

  it('contain the same events as JSON', async () => {
    const { org } = await withHistory();
    const { items } = (await list(org)).body;
    const lines = await inFormat(org, 'application/x-ndjson');
    expect(lines.headers.get('content-type')).toContain('application/x-ndjson');
    expect(lines.headers.get('vary')).toContain('Accept');
    expect(
      lines.text
        .trimEnd()
        .split('\n')
        .map(line => JSON.parse(line)),
    ).toEqual(items);
    const csv = await inFormat(org, 'text/csv');
    expect(csv.headers.get('content-type')).toContain('text/csv');
    const rows = csv.text.split('\r\n');
    expect(rows).toHaveLength(items.length + 2);
    expect(rows[0]).toMatch(/^id,type,createdAt,orgSlug,actor\.type,/);
    expect(rows.slice(1, -1).map(row => row.split(',')[0])).toEqual(
      items.map((item: { id: string }) => item.id),
    );
    expect(rows[4]).toContain('""name"":""Analyst, \\""junior\\""""');
  });

  it('have the same pages as JSON', async () => {
    const { org } = await withHistory();
    const { text, headers } = await inFormat(org, 'application/x-ndjson', { limit: 2 });
    expect(text.trimEnd().split('\n')).toHaveLength(2);
    expect(headers.get('link')).toContain('limit=2&cursor=');
  });

  it.each(['*/*', 'text/html', 'application/json, text/csv;q=0.5'])('are JSON for %s', async accept => {
    const { org } = await withHistory();
    const { status, body } = await inFormat(org, accept);
    expect([status, body.items.length]).toEqual([200, HISTORY.length]);
  });

  it('do not change the format of a refusal', async () => {
    const { org } = await withHistory();
    const { status, body } = await inFormat(org, 'text/csv', { limit: 0 });
    expect([status, body.error]).toEqual([400, 'InvalidArguments']);
  });
});
