import type { TestApp, TestResponse } from '../../harness/app.js';
import type { Caller, TestCollection } from '../../harness/collection.js';

/** Sends a batch. */
export function batch(
  app: TestApp,
  { data, owner }: TestCollection,
  operations: unknown,
  more: object = {},
  caller: Caller = owner,
): Promise<TestResponse> {
  return app.request('POST', `${data}/batch`, { ...caller, body: { operations, ...more } });
}

/** The `ETag` of a record. */
export async function tagOf(app: TestApp, { data, owner }: TestCollection, id: string): Promise<string> {
  return (await app.request('GET', `${data}/${id}`, owner)).headers.get('etag') as string;
}
