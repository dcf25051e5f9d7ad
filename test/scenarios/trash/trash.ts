import type { TestApp, TestResponse } from '../../harness/app.js';
import type { Caller, TestCollection } from '../../harness/collection.js';

const TRASH = '/v1/trash/collections';

/** Moves a collection to the trash as its owner. Throws if the service refuses it. */
export async function trash(app: TestApp, { path, owner }: TestCollection): Promise<void> {
  const { status, text } = await app.request('DELETE', path, owner);
  if (status !== 200) throw new Error(`not deleted: ${status} ${text}`);
}

/** Restores a collection, by id unless the options name it otherwise. */
export function restore(
  app: TestApp,
  { id, owner }: TestCollection,
  { caller = owner, as = id, body = {} }: { caller?: Caller; as?: string; body?: object } = {},
): Promise<TestResponse> {
  return app.request('POST', `${TRASH}/${as}/restore`, { ...caller, body });
}

export function listTrash(app: TestApp, caller: Caller, query = ''): Promise<TestResponse> {
  return app.request('GET', `${TRASH}${query}`, caller);
}

/** The names of the collections in a list. */
export const namesIn = ({ body }: TestResponse): string[] =>
  body.items.map(({ name }: { name: string }) => name);

/** The name of the table of a collection in the trash. */
export function trashedTable({ table }: TestCollection): string {
  return table.replace('.c_', '.trash_');
}

/** Moves the deletion of a collection into the past. */
export async function age(app: TestApp, { id }: TestCollection, days: number): Promise<void> {
  await app.sql(`UPDATE collections SET deleted_at = deleted_at - make_interval(days => $2) WHERE id = $1`, [
    id,
    days,
  ]);
}

/** The tables of a collection that exist, and the rows of its counters. */
export async function leftovers(app: TestApp, collection: TestCollection): Promise<string[]> {
  const schema = collection.table.split('.')[0];
  const found: string[] = [];
  for (const table of [collection.table, trashedTable(collection)]) {
    const [{ is }] = await app.sql('SELECT to_regclass($1) IS NOT NULL AS is', [table]);
    if (is) found.push(table);
  }
  const counters = ['record_quotas', 'quota_leases', 'quota_returns'].map(name => `${schema}.${name}`);
  for (const table of [...counters, 'collection_bindings', 'collection_views', 'webhooks']) {
    const rows = await app.sql(`SELECT FROM ${table} WHERE collection_id = $1`, [collection.id]);
    if (rows.length > 0) found.push(table);
  }
  return found;
}
