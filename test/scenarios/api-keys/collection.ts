import type { TestApp, TestResponse } from '../../harness/app.js';
import { newOrg, newSlug, type TestOrg } from '../orgs/org.js';

/** A collection with one record in a new organization; the owner of the organization owns it. */
export interface TestCollection {
  readonly org: TestOrg;
  readonly id: string;
  /** `/v1/collections/{collection_id}` */
  readonly path: string;
}

export async function newCollection(app: TestApp, org?: TestOrg, token?: string): Promise<TestCollection> {
  const home = org ?? (await newOrg(app));
  const caller = { token: token ?? home.owner.token };
  const made = await app.request('POST', '/v1/collections', { ...caller, body: { name: newSlug() } });
  const path = `/v1/collections/${made.body.collection_id}`;
  await app.request('POST', `${path}/data`, { ...caller, body: { records: { title: 'first' } } });
  return { org: home, id: made.body.collection_id, path };
}

/** Creates a key as the owner. */
export function mintKey(
  app: TestApp,
  { org, path }: TestCollection,
  key: object = {},
): Promise<TestResponse> {
  return app.request('POST', `${path}/api-keys`, {
    token: org.owner.token,
    body: { slug: newSlug(), name: 'Dashboard', ...key },
  });
}
