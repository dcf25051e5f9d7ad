import { beforeAll, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import { type Home, newCollection, newHome, newName, outcome } from '../../harness/collection.js';
import { events } from '../orgs/org.js';

let app: TestApp;
let home: Home;
beforeAll(async () => {
  app = await startApp();
  home = await newHome(app);
});

const PARTS = {
  rules: { read: { owner: '${key.id}' }, create: true },
  fields: { read: { margin: 0 } },
  limits: { writes_per_minute: 5 },
};

async function minted(parts: object, permissions = ['collections:read', 'collections:write']) {
  const books = await newCollection(app, home);
  const body = { slug: newName(), name: 'Key', permissions, ...parts };
  const answer = await app.request('POST', `${books.path}/api-keys`, { ...home.owner, body });
  const path = `${books.path}/api-keys/${answer.body.id}`;
  const patch = (change: object) => app.request('PATCH', path, { ...home.owner, body: change });
  return { books, answer, path, patch };
}

it('shows the rules, fields and limits of a key wherever the key is shown', async () => {
  const { books, answer, path } = await minted(PARTS);
  expect([answer.status, answer.body]).toEqual([201, expect.objectContaining(PARTS)]);
  const { secret, ...key } = answer.body;
  expect((await app.request('GET', path, home.owner)).body).toEqual(key);
  expect((await app.request('GET', `${books.path}/api-keys`, home.owner)).body.items).toEqual([key]);
  const plain = await minted({});
  for (const part of Object.keys(PARTS)) expect(plain.answer.body).not.toHaveProperty(part);
});

it('refuses other permissions than reading and writing for a key with rules or fields', async () => {
  for (const part of [{ rules: PARTS.rules }, { fields: PARTS.fields }]) {
    const { answer } = await minted(part, ['collections:read', 'collections:manage']);
    expect(outcome(answer)).toEqual([400, 'InvalidArguments']);
    expect(answer.body.message).toContain('collections:manage');
    const { patch } = await minted(part);
    expect(outcome(await patch({ permissions: ['collections:*'] }))).toEqual([400, 'InvalidArguments']);
  }
  const { answer, patch, books } = await minted({ limits: PARTS.limits }, ['collections:*']);
  expect(answer.status).toBe(201);
  expect(outcome(await patch({ rules: PARTS.rules }))).toEqual([400, 'InvalidArguments']);
  const restricted = await minted(PARTS);
  const ofOrg = `${home.org.path}/api-keys/${restricted.answer.body.id}`;
  const widened = { permissions: ['collections:*'], scopes: [`collections:${books.id}`] };
  expect((await app.request('PATCH', ofOrg, { ...home.owner, body: widened })).status).toBe(400);
});

it('refuses rules that a grant cannot have', async () => {
  for (const parts of [
    { rules: {} },
    { rules: { read: { a: '${x}' } } },
    { fields: { read: {} } },
    { limits: {} },
  ]) {
    expect(outcome((await minted(parts)).answer)).toEqual([400, 'InvalidArguments']);
    expect(outcome(await (await minted({})).patch(parts))).toEqual([400, 'InvalidArguments']);
  }
});

it('updateApiKey changes what is named and keeps the rest; null removes a part', async () => {
  const { answer, patch } = await minted(PARTS);
  const { secret, ...key } = answer.body;
  const change = { name: 'Other', permissions: ['collections:read'], expires_at: 4_000_000_000 };
  expect((await patch(change)).body).toEqual({ ...key, ...change });
  const { rules, ...without } = { ...key, ...change };
  const changed = await patch({ rules: null });
  expect([changed.status, changed.body]).toEqual([200, without]);
  expect(outcome(await patch({}))).toEqual([400, 'InvalidArguments']);
  expect(outcome(await patch({ expires_at: 1 }))).toEqual([400, 'InvalidArguments']);
  expect(outcome(await patch({ slug: 'x' }))).toEqual([400, 'InvalidArguments']);
  expect((await events(app, home.org, 'collections.apikeys.updated')).slice(-1)).toMatchObject([
    { type: 'collections.apikeys.updated', changes: { before: { rules }, after: { fields: PARTS.fields } } },
  ]);
});

it('updateApiKey needs the right keys, and a key cannot update itself', async () => {
  const { answer, path } = await minted(PARTS);
  const change = { name: 'Mine' };
  const byKey = await app.request('PATCH', path, { key: answer.body.secret, body: change });
  expect(outcome(byKey)).toEqual([403, 'Forbidden']);
  expect(
    (
      await app.request('PATCH', `${path.slice(0, -36)}${home.org.owner.userId}`, {
        ...home.owner,
        body: change,
      })
    ).status,
  ).toBe(404);
});

it('a changed rule counts at once for calls with the key', async () => {
  const { books, answer, patch } = await minted({ rules: { read: false } });
  const count = () => app.request('GET', `${books.data}/count`, { key: answer.body.secret });
  const before = await count();
  expect(before.body.count ?? 0).toBe(0);
  await patch({ rules: null });
  await expect.poll(async () => (await count()).status).toBe(200);
});
