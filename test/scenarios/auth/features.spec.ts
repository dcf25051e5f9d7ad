import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, startOwnApp, type TestApp } from '../../harness/app.js';
import { type Home, newCollection, newHome, newName, outcome } from '../../harness/collection.js';
import { newKey } from '../orgs/org.js';

const FEATURES = {
  version: expect.stringMatching(/^\d+\.\d+\.\d+/),
  passkeys: true,
  bulk_delete: false,
  changes: true,
  mail: false,
  email_login: 'off',
  ask: { model: 'builtin' },
  body_limit_bytes: 10 * 1024 * 1024,
  response_limit_bytes: 16 * 1024 * 1024,
  max_records_limit: 10_000_000,
  changes_retention_hours: 72,
  trash_days: 7,
};

describe('GET /v2/features', () => {
  let app: TestApp;
  let other: TestApp;
  let home: Home;
  beforeAll(async () => {
    app = await startApp();
    home = await newHome(app);
    other = await startOwnApp({
      database: { url: app.settings.DATABASE_URL as string },
      environment: {
        ALLOW_BULK_DELETE: 'true',
        PASSKEYS: 'off',
        AI_ADAPTER: 'openai',
        AI_BASE_URL: 'https://models.example/v1',
        AI_MODEL: 'small-model',
        BODY_LIMIT_BYTES: '70000',
        COLLECTION_MAX_RECORDS_LIMIT: '20000',
        CHANGES_RETENTION_HOURS: '5',
        TRASH_DAYS: '3',
      },
    });
  });
  afterAll(() => other?.close());

  it('returns what the installation offers to people, organization keys and collection keys', async () => {
    const collection = await newCollection(app, home);
    const minted = await app.request('POST', `${collection.path}/api-keys`, {
      ...home.owner,
      body: { name: 'Own', slug: newName(), permissions: ['collections:read'] },
    });
    const callers = [
      home.owner,
      { key: (await newKey(app, home.org, { permissions: ['collections:read'] })).apiKey },
      { key: minted.body.secret },
    ];
    for (const caller of callers) {
      const { status, body } = await app.request('GET', '/v2/features', caller);
      expect([status, body]).toEqual([200, FEATURES]);
    }
  });

  it('follows the settings', async () => {
    const { apiKey: key } = await newKey(app, home.org);
    const { body } = await other.request('GET', '/v2/features', { key });
    expect(body).toEqual({
      ...FEATURES,
      passkeys: false,
      trash_days: 3,
      bulk_delete: true,
      ask: { model: 'small-model' },
      body_limit_bytes: 70_000,
      max_records_limit: 20_000,
      changes_retention_hours: 5,
    });
  });

  it('needs a credential', async () => {
    expect(outcome(await app.request('GET', '/v2/features'))).toEqual([401, 'Unauthorized']);
    const guessed = await app.request('GET', '/v2/features', { token: 'guessed' });
    expect(outcome(guessed)).toEqual([401, 'Unauthorized']);
  });
});
