import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';

const HEADER = 'x-correlation-id';
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

async function answered(path: string, given?: string): Promise<string | null> {
  const headers: Record<string, string> = given === undefined ? {} : { [HEADER]: given };
  return (await app.request('GET', path, { headers })).headers.get(HEADER);
}

describe('the correlation id of a request', () => {
  it('is the one that the client sent', async () => {
    expect(await answered('/health/live', 'checkout-2026.11_7')).toBe('checkout-2026.11_7');
  });

  it('is generated when the client sends none, and differs for each request', async () => {
    const [one, two] = [await answered('/health/live'), await answered('/health/live')];
    expect(one).toMatch(UUID);
    expect(two).toMatch(UUID);
    expect(two).not.toBe(one);
  });

  it('is in refusals too', async () => {
    expect(await answered('/v1/collections', 'refused')).toBe('refused');
    expect(await answered('/nowhere', 'nowhere')).toBe('nowhere');
  });

  it.each([
    ['is empty', ''],
    ['is longer than 64 characters', 'a'.repeat(65)],
    ['could forge a log line', 'a b'],
    ['contains a credential', 'iak_default_00000000-0000-4000-8000-000000000000'],
  ])("is generated when the client's own %s", async (_, given) => {
    expect(await answered('/health/live', given)).toMatch(UUID);
  });

  it('is in the audit event of the write', async () => {
    const body = { name: 'correlated' };
    const headers = { [HEADER]: 'written-by-me' };
    const made = await app.request('POST', '/v1/collections', {
      key: app.bootstrap.orgApiKey,
      body,
      headers,
    });
    expect(made.status).toBe(200);
    const [{ schema }] = await app.sql(
      `SELECT 'org_' || replace(org_id::text, '-', '') AS schema FROM collections WHERE id = $1`,
      [made.body.collection_id],
    );
    const events = await app.sql(
      `SELECT type FROM ${schema}.audit_events WHERE correlation_id = 'written-by-me'`,
    );
    expect(events).toEqual([{ type: 'collections.created' }]);
  });
});
