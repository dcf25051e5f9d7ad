import { beforeAll, describe, expect, it } from 'vitest';
import { startOwnApp, type TestApp } from '../../harness/app.js';
import { run } from './service.js';

let app: TestApp;

beforeAll(async () => {
  app = await startOwnApp({ database: 'own' });
  return () => app.close();
});

const create = (...args: string[]) =>
  run('cli.js', ['keys', 'create', ...args], {
    DATABASE_URL: app.settings.DATABASE_URL as string,
    SECRETS_MASTER_KEYS: app.settings.SECRETS_MASTER_KEYS.join(','),
    PUBLIC_URL: app.url,
  });
const keyIn = (output: string) => output.match(/iak_[\w-]+_[0-9a-f-]{36}/)?.[0] as string;

describe('cli keys create', () => {
  it('prints a key that works at the running service, with the requested permissions and expiry', async () => {
    const { status, output } = await create(
      ...['--org', app.bootstrap.orgSlug, '--name', 'Nightly report'],
      ...['--permissions', 'collections:read, collections:create', '--expires', '90d'],
    );
    expect(status).toBe(0);
    expect(output).toContain('shown only once');
    const key = keyIn(output);
    const made = await app.request('POST', '/v1/collections', { key, body: { name: 'by-key' } });
    expect(made.status).toBe(200);
    expect(made.body.owner_id).toBe(app.bootstrap.userId);
    expect((await app.request('GET', '/v2/orgs/default/api-keys', { key })).status).toBe(403);
    const keys = await app.request('GET', '/v2/orgs/default/api-keys', { token: app.bootstrap.accessToken });
    const kept = keys.body.results.find((each: { slug: string }) => each.slug === 'nightly-report');
    expect(kept).toMatchObject({
      name: 'Nightly report',
      permissions: ['collections:read', 'collections:create'],
    });
    expect(Math.round((Date.parse(kept.expiresAt) - Date.now()) / 86_400_000)).toBe(90);
  });

  it('leaves an audit event that names the command line, without the key', async () => {
    const key = keyIn((await create('--name', 'audited', '--permissions', '*')).output);
    const { body, text } = await app.request('GET', '/v2/orgs/default/audit?action=orgs.apikeys.minted', {
      token: app.bootstrap.accessToken,
    });
    const event = body.items.find((each: { target: { name: string } }) => each.target.name === 'audited');
    expect(event).toMatchObject({ actor: { type: 'user', via: 'cli' } });
    expect(text).not.toContain(key);
  });

  it('does not need --org if there is one organization, and otherwise names the problem', async () => {
    expect((await create('--name', 'a', '--permissions', '*')).status).toBe(0);
    for (const [args, status, text] of [
      [
        ['--name', 'a', '--permissions', '*'],
        1,
        'slug: another key of the organization already has the slug a.',
      ],
      [['--name', 'b', '--permissions', '*', '--org', 'nobody'], 1, 'There is no organization nobody'],
      [['--name', 'b', '--permissions', '*', '--expires', '2001-01-01'], 1, 'expiresAt'],
    ] as const) {
      const ended = await create(...args);
      expect(ended).toEqual({ status, output: expect.stringContaining(text) });
      expect(keyIn(ended.output)).toBeUndefined();
    }
    const token = app.bootstrap.accessToken;
    const second = await app.request('POST', '/v2/orgs', { token, body: { slug: 'second', name: 'Second' } });
    expect(second.status).toBe(201);
    expect(await create('--name', 'c', '--permissions', '*')).toMatchObject({
      status: 2,
      output: expect.stringContaining('expects --org'),
    });
  });
});
