import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TestApp } from '../../../test/harness/app.js';
import { newMember } from '../../../test/scenarios/orgs/org.js';
import { type Receiver, startReceiver } from '../../../test/scenarios/webhooks/receiver.js';
import { newService, permissiveApp, type Service } from './service.js';
import { rowsOf, tcol } from './tcol.js';

let app: TestApp;
let service: Service;
const run = (...args: string[]) => tcol(args, { env: service.env });

beforeAll(async () => {
  app = await permissiveApp();
  service = await newService(app);
  await run('collections', 'create', 'books', '--column', 'title:text!', '--column', 'year:integer');
});
afterAll(() => app.close());

describe('tcol keys', () => {
  /** Counts the books with a key. */
  const counted = (secret: string) =>
    tcol(['count', 'books'], { env: { TC_URL: app.url, TC_KEY: secret, TC_CONFIG_DIR: '/nonexistent' } });

  it('prints the secret of a new key alone on stdout, for once', async () => {
    const made = await run('keys', 'create', 'books', 'reports', '-o', 'table');
    expect(made.stdout).toMatch(/^\S+\n$/);
    expect(made.stderr).toContain('shown only once');
    expect(await counted(made.stdout.trim())).toMatchObject({ code: 0, stdout: '0\n' });
    const [key] = rowsOf(await run('keys', 'list', 'books'));
    expect(key).toMatchObject({ slug: 'reports', permissions: ['collections:read'] });
    expect(JSON.stringify(key)).not.toContain(made.stdout.trim());
  });

  it('gives a key the rights and the end that are asked for', async () => {
    await run('keys', 'create', 'books', 'importer', '--can', 'read,write', '--expires-in', '30');
    const found = rowsOf(await run('keys', 'list', 'books')).find(({ slug }) => slug === 'importer');
    expect(found.permissions).toEqual(['collections:read', 'collections:write']);
    expect(found.expires_at * 1000 - Date.now()).toBeGreaterThan(29 * 86_400_000);
  });

  it('ends the old secret with the rotation, and the key with its revocation', async () => {
    const [{ secret }] = rowsOf(await run('keys', 'create', 'books', 'rotated'));
    expect((await run('keys', 'rotate', 'books', 'rotated')).code).toBe(2);
    expect((await counted(secret)).code).toBe(0);
    const [{ secret: fresh }] = rowsOf(await run('keys', 'rotate', 'books', 'rotated', '--yes'));
    expect([(await counted(secret)).code, (await counted(fresh)).code]).toEqual([1, 0]);
    expect((await run('keys', 'revoke', 'books', 'rotated', '--yes')).code).toBe(0);
    expect((await counted(fresh)).code).toBe(1);
  });

  it('says that there is no such key', async () => {
    expect(await run('keys', 'revoke', 'books', 'unknown', '--yes')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('has no key "unknown"'),
    });
  });

  it('never shows a refused key', async () => {
    const secret = `tck_${'x'.repeat(40)}`;
    const { code, stdout, stderr } = await counted(secret);
    expect(code).toBe(1);
    expect(stdout + stderr).not.toContain(secret);
  });
});

describe('tcol access', () => {
  it('grants, lists, explains and revokes', async () => {
    const org = { slug: service.orgSlug, path: `/v2/orgs/${service.orgSlug}` };
    const owner = { token: service.env.TC_TOKEN as string };
    const { userId } = await newMember(app, { ...org, owner } as never);
    expect((await run('access', 'grant', 'books', `user:${userId}`, 'editor')).code).toBe(0);
    const bindings = rowsOf(await run('access', 'list', 'books'));
    expect(bindings).toContainEqual(expect.objectContaining({ principal_id: userId, role: 'editor' }));
    const explained = await run('access', 'explain', 'books', `user:${userId}`, '-o', 'table');
    expect(explained.stderr).toContain(`user:${userId} has the role editor in books.`);
    expect(explained.stdout).toContain('write');
    expect((await run('access', 'revoke', 'books', `user:${userId}`)).code).toBe(2);
    expect((await run('access', 'revoke', 'books', `user:${userId}`, '--yes')).code).toBe(0);
    expect(rowsOf(await run('access', 'list', 'books')).map(({ role }) => role)).not.toContain('editor');
  });

  it('finds a group of the organization by its slug', async () => {
    const groups = `/v2/orgs/${service.orgSlug}/groups`;
    await run('api', 'POST', groups, '{"slug":"editors","name":"Editors"}');
    const granted = await run('access', 'grant', 'books', 'group:editors', 'reader');
    expect(rowsOf(granted)).toMatchObject([{ principal_id: `${service.orgSlug}:editors`, role: 'reader' }]);
  });

  it.each([
    [['grant', 'books', 'somebody', 'reader'], 'is not TYPE:ID'],
    [['grant', 'books', 'user:', 'reader'], 'is not TYPE:ID'],
    [['grant', 'books', 'user:x', 'owner'], 'Allowed choices are reader, editor, admin'],
  ])('%j is a misuse', async (args, message) => {
    expect(await run('access', ...args)).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
  });
});

describe('tcol audit', () => {
  it('prints who did what, newest first', async () => {
    await run('insert', 'books', '[{"title":"Emma"},{"title":"Ulysses"}]');
    const [newest] = rowsOf(await run('audit', 'books', '--limit', '1'));
    expect(newest).toMatchObject({ type: 'collections.records.inserted', count: 2 });
    const inserted = rowsOf(await run('audit', 'books', '--action', 'collections.records.inserted'));
    expect(new Set(inserted.map(({ type }) => type))).toEqual(new Set(['collections.records.inserted']));
    const { stdout } = await run('audit', 'books', '--limit', '1', '-o', 'table');
    expect(stdout).toMatch(/records\.inserted\s+user/);
  });
});

describe('tcol watch', () => {
  it('prints the changes after a position, and ends after --limit', async () => {
    const [{ next_since }] = rowsOf(await run('api', 'GET', '/v1/collections/books/changes'));
    await run('insert', 'books', '[{"title":"A","year":1},{"title":"B","year":2},{"title":"C","year":3}]');
    const filter = ['--filter', '{"year":{"$gte":2}}'];
    const changes = rowsOf(await run('watch', 'books', '--since', next_since, ...filter, '--limit', '2'));
    expect(changes.map(({ type, record }) => [type, record.title])).toEqual([
      ['inserted', 'B'],
      ['inserted', 'C'],
    ]);
  });

  it('prints CSV with the columns of a change', async () => {
    const [{ next_since }] = rowsOf(await run('api', 'GET', '/v1/collections/books/changes'));
    await run('insert', 'books', '{"title":"A"}');
    const { stdout } = await run('watch', 'books', '--since', next_since, '--limit', '1', '-o', 'csv');
    expect(stdout).toMatch(
      /^id,type,record_id,changed_at,record\n[^,\n]+,inserted,[^\n]+""title"":""A""[^\n]+\n$/,
    );
  });
});

describe('tcol webhooks', () => {
  let receiver: Receiver;
  let id: string;
  beforeEach(async () => {
    receiver = await startReceiver();
    await run('webhooks', 'create', 'books', receiver.url, '--events', 'inserted', '-q');
    id = rowsOf(await run('webhooks', 'list', 'books')).find(({ url }) => url === receiver.url).id;
    return () => receiver.close();
  });

  it('sends a test, lists what was sent, and sends it again', async () => {
    await run('webhooks', 'test', 'books', id);
    await expect.poll(() => receiver.arrived.length).toBe(1);
    const delivered = async () =>
      rowsOf(await run('webhooks', 'deliveries', 'books', id, '--status', 'delivered'));
    await expect.poll(delivered).toHaveLength(1);
    const [delivery] = await delivered();
    expect((await run('webhooks', 'redeliver', 'books', id, delivery.id)).code).toBe(0);
    await expect.poll(() => receiver.arrived.length).toBe(2);
  });

  it('shows its secret only when it is made or rotated', async () => {
    const [{ secret }] = rowsOf(await run('webhooks', 'rotate', 'books', id, '--yes'));
    expect(secret).toMatch(/^whsec_/);
    expect((await run('webhooks', 'list', 'books')).stdout).not.toContain('whsec_');
  });

  it('ends', async () => {
    expect((await run('webhooks', 'delete', 'books', id)).code).toBe(2);
    expect((await run('webhooks', 'delete', 'books', id, '--yes')).code).toBe(0);
    expect(rowsOf(await run('webhooks', 'list', 'books')).map(each => each.id)).not.toContain(id);
  });
});
