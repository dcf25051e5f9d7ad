import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Providers } from '../../../src/features/orgs/sso/providers.service.js';
import { startOwnApp, type TestApp } from '../../harness/app.js';
import { newOrg, newSlug, type TestOrg } from '../orgs/org.js';

let app: TestApp;
beforeAll(async () => {
  app = await startOwnApp({ database: 'own' });
});
afterAll(() => app.close());

/** Gives the organization a provider. Returns its slug, which comes last in the alphabet. */
async function withProvider({ path, owner: { token } }: TestOrg): Promise<string> {
  const slug = `zz-${newSlug()}`;
  const config = { issuer: 'https://id.example.com', client_id: 'test' };
  const body = { slug, name: 'Real', type: 'oidc', config };
  const { status, text } = await app.request('POST', `${path}/auth/sso`, { token, body });
  if (status !== 201) throw new Error(text);
  return slug;
}

const prove = (org: string) =>
  app.sql(
    `INSERT INTO org_domains (org_id, domain, token, created_at, verified_at)
     SELECT id, slug || '.example', 'token', now(), now() FROM orgs WHERE starts_with(slug, $1)`,
    [org],
  );

async function listed(): Promise<string[]> {
  app.nest.get(Providers, { strict: false }).forgetListed();
  const { body } = await app.request('GET', '/v2/login/providers');
  return body.providers.map(({ slug }: { slug: string }) => slug);
}

describe('the list of providers', () => {
  it('keeps the oldest when organizations with more providers than it shows are added', async () => {
    const old = await withProvider(await newOrg(app));
    await app.sql(`
      WITH made AS (
        INSERT INTO orgs (id, slug, name) SELECT gen_random_uuid(), '00flood-' || n, 'Flood' FROM generate_series(1, 60) n
        RETURNING id, slug),
      slugs AS (
        INSERT INTO sso_provider_slugs (slug) SELECT slug || '-' || n FROM made, generate_series(1, 20) n)
      INSERT INTO sso_providers (id, org_id, slug, name, config, attributes_mapping, created_at, updated_at)
      SELECT gen_random_uuid(), id, slug || '-' || n, 'Google', '{}', '{}', now(), now()
      FROM made, generate_series(1, 20) n`);
    expect((await listed()).indexOf(old)).toBe(0);
    const owner = await newOrg(app);
    const [proven, unproven] = [await withProvider(owner), await withProvider(await newOrg(app))];
    await prove(owner.slug);
    const now = await listed();
    expect([now.length, now.includes(proven), now.includes(unproven)]).toEqual([1000, true, false]);
    await prove('00flood');
    expect((await listed()).indexOf(old)).toBe(0);
  });
});
