import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startOwnApp, type TestApp } from '../../harness/app.js';
import { newOrg, newSlug, type TestOrg } from '../orgs/org.js';

const MOST = 2;
const SETTINGS = [
  'ACCESS_TOKENS_MAX_PER_PERSON',
  'API_KEYS_MAX_PER_ORG',
  'SERVICE_ACCOUNTS_MAX_PER_ORG',
  'ROLES_MAX_PER_ORG',
  'GROUPS_MAX_PER_ORG',
  'INVITATIONS_MAX_PER_ORG',
  'AGENTS_MAX_PER_ORG',
  'WORKSPACES_MAX_PER_ORG',
  'COLLECTIONS_MAX_PER_ORG',
];

let app: TestApp;
let org: TestOrg;
beforeAll(async () => {
  const environment = Object.fromEntries(SETTINGS.map(name => [name, String(MOST)]));
  app = await startOwnApp({ database: 'own', environment });
  org = await newOrg(app);
});
afterAll(() => app.close());

const nextYear = new Date(Date.now() + 30 * 86_400_000).toISOString();

describe('a person or an organization', () => {
  it.each<[things: string, path: () => string, body: () => object]>([
    ['access tokens', () => '/v2/user/accessTokens', () => ({ name: 'T', expiresAt: nextYear })],
    ['API keys', () => `${org.path}/api-keys`, () => ({ permissions: [] })],
    ['service accounts', () => `${org.path}/service-accounts`, () => ({ permissions: [] })],
    ['roles', () => `${org.path}/roles`, () => ({ permissions: [] })],
    ['groups', () => `${org.path}/groups`, () => ({})],
    [
      'invitations',
      () => `${org.path}/invites`,
      () => ({ roleSlug: 'member', slug: undefined, name: undefined }),
    ],
    ['agents', () => `${org.path}/agents`, () => ({})],
    ['workspaces', () => '/v2/workspaces', () => ({ orgSlug: org.slug })],
    ['collections', () => '/v1/collections', () => ({ slug: undefined })],
  ])('has at most so many %s, also by requests at the same time', async (things, path, body) => {
    const create = () => {
      const slug = newSlug();
      const sent = { ...(things !== 'access tokens' && { slug }), name: slug, ...body() };
      return app.request('POST', path(), { token: org.owner.token, body: sent });
    };
    const answers = await Promise.all(Array.from({ length: 2 * MOST }, create));
    const refused = answers.filter(({ status }) => status >= 300);
    expect(refused.map(({ status, body: { error } }) => [status, error])).toEqual(
      Array(MOST).fill([409, 'Conflict']),
    );
    expect(refused[0]?.body.message).toContain(`${MOST} ${things}`);
    expect((await create()).status).toBe(409);
  });
});
