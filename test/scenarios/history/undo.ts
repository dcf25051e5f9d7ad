import type { TestApp, TestResponse } from '../../harness/app.js';
import { type Caller, type Home, newCollection, type TestCollection } from '../../harness/collection.js';
import { succeed } from '../../harness/collection-requests.js';
import { schemaOf } from '../../harness/tables.js';

/** Sends an undo. */
export function undo(
  app: TestApp,
  { path, owner }: TestCollection,
  body: object,
  caller: Caller = owner,
  more: object = {},
): Promise<TestResponse> {
  return app.request('POST', `${path}/undo`, { ...caller, ...more, body });
}

/** Sends an undo that must succeed. */
export function undone(
  app: TestApp,
  collection: TestCollection,
  body: object,
  caller: Caller = collection.owner,
): Promise<TestResponse['body']> {
  return succeed(app, { ...collection, owner: caller }, 'POST', '/undo', body);
}

/** The id of the newest audit event of the collection. */
export async function newestEvent(
  app: TestApp,
  { id, orgId }: Pick<TestCollection, 'id' | 'orgId'>,
): Promise<string> {
  const [event] = await app.sql(
    `SELECT id FROM ${schemaOf(orgId)}.audit_events WHERE target->>'id' = $1 ORDER BY id DESC LIMIT 1`,
    [id],
  );
  return event.id;
}

/** Creates a collection with the columns `key` and `n`. */
export function newThings(app: TestApp, home: Home, wanted: object = {}): Promise<TestCollection> {
  const properties = { key: { type: 'text' }, n: { type: 'integer' } };
  return newCollection(app, home, { properties, ...wanted });
}

/** Writes by HTTP and returns the id of the audit event. */
export async function writing(
  app: TestApp,
  collection: TestCollection,
  method: string,
  below: string,
  body?: unknown,
  caller: Caller = collection.owner,
): Promise<string> {
  await succeed(app, { ...collection, owner: caller }, method, below, body);
  return newestEvent(app, collection);
}

/** Changes fields of a record by HTTP, and returns the id of the audit event. */
export function setFields(
  app: TestApp,
  collection: TestCollection,
  id: string,
  fields: object,
): Promise<string> {
  return writing(app, collection, 'PATCH', `/data/${id}`, { $set: fields });
}

/** All records, by id, without the time of their last write. */
export async function state(app: TestApp, { data, owner }: TestCollection): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  for (let cursor = ''; ; ) {
    const { body } = await app.request('POST', `${data}/query`, {
      ...owner,
      body: { sort: { _id: 1 }, limit: 1_000, cursor },
    });
    for (const { updated_at, ...record } of body.records) found[record._id] = record;
    if (!body.next_cursor) return found;
    cursor = body.next_cursor;
  }
}
