import { randomBytes } from 'node:crypto';
import { newOrg, type TestOrg } from '../scenarios/orgs/org.js';
import type { TestApp, TestRequest, TestResponse } from './app.js';
import { schemaOf, tableOf } from './tables.js';

/** The credential of a caller; without one the caller is anonymous. */
export type Caller = Pick<TestRequest, 'token' | 'key'>;

/** A collection, and how its owner calls it. */
export interface TestCollection {
  readonly id: string;
  readonly name: string;
  readonly orgId: string;
  readonly orgSlug: string;
  readonly owner: Caller;
  /** `/v1/collections/{id}` */
  readonly path: string;
  /** `/v1/collections/{id}/data` */
  readonly data: string;
  /** The name of its table, for checks of data that no client can read. */
  readonly table: string;
}

/** Where a test creates collections: an organization and one of its members. */
export interface Home {
  readonly org: TestOrg;
  readonly owner: Caller;
}

/** Creates an organization and the person who owns it. */
export async function newHome(app: TestApp): Promise<Home> {
  const org = await newOrg(app);
  return { org, owner: { token: org.owner.token } };
}

/** One column of each type. */
export const EVERY_TYPE = {
  title: { type: 'text' },
  year: { type: 'integer' },
  price: { type: 'double' },
  lent: { type: 'boolean' },
  printed: { type: 'date' },
  read_at: { type: 'datetime' },
  details: { type: 'json' },
  tags: { type: 'array' },
} as const;

/** A record with a value in every column of EVERY_TYPE and two flexible fields. */
export const EMMA = {
  title: 'Emma',
  year: 1815,
  price: 12.5,
  lent: false,
  printed: '1815-12-23',
  read_at: '2026-01-31T09:30:00.250Z',
  details: { publisher: { name: 'Murray', city: 'London' }, pages: [120, 340] },
  tags: ['novel', 'england'],
  shelf: 7,
  notes: { first: 'dry', places: [{ town: 'Highbury' }, { town: 'London' }] },
} as const;

export function newName(): string {
  return `c-${randomBytes(6).toString('hex')}`;
}

/** Creates a collection, flexible unless `wanted` states otherwise. Throws if the service refuses it. */
export async function newCollection(
  app: TestApp,
  { org, owner }: Home,
  wanted: object = {},
): Promise<TestCollection> {
  const body = { name: newName(), ...wanted };
  const answer = await app.request('POST', '/v1/collections', { ...owner, body });
  if (answer.status !== 200) throw new Error(`no collection was made: ${answer.status} ${answer.text}`);
  const id: string = answer.body.collection_id;
  const path = `/v1/collections/${id}`;
  const table = tableOf(org.id, id);
  return { id, name: body.name, orgId: org.id, orgSlug: org.slug, owner, path, data: `${path}/data`, table };
}

/** Creates a collection with a column of every type. */
export function newTypedCollection(app: TestApp, home: Home, wanted: object = {}): Promise<TestCollection> {
  return newCollection(app, home, { properties: EVERY_TYPE, ...wanted });
}

/** Inserts records as the owner and returns their ids in order. Throws if the service refuses them. */
export async function insert(
  app: TestApp,
  { data, owner }: TestCollection,
  ...records: object[]
): Promise<string[]> {
  const answer = await app.request('POST', data, { ...owner, body: { records } });
  if (answer.status !== 200) throw new Error(`nothing was inserted: ${answer.status} ${answer.text}`);
  return answer.body.ids;
}

/** Searches as the owner and returns the records found. */
export async function search(app: TestApp, { data, owner }: TestCollection, body: object = {}) {
  return (await app.request('POST', `${data}/query`, { ...owner, body })).body;
}

/** The first 100 records, as the owner reads them. */
export async function everyRecord(
  app: TestApp,
  collection: TestCollection,
): Promise<Record<string, unknown>[]> {
  return (await search(app, collection, { limit: 100 })).records;
}

/** Reads one record as the owner. */
export async function read(app: TestApp, { data, owner }: TestCollection, id: string) {
  return (await app.request('GET', `${data}/${id}`, owner)).body.record;
}

/** Moves the expiry of records into the past. */
export async function expire(app: TestApp, { id, table }: TestCollection, ...ids: string[]): Promise<void> {
  await app.sql('UPDATE collections SET may_expire = true, version = version + 1 WHERE id = $1', [id]);
  await app.sql(`UPDATE ${table} SET expires_at = now() - interval '1 second' WHERE _id = ANY($1)`, [ids]);
}

export interface CollectionEvent {
  readonly type: string;
  readonly actor: { type: string; id: string; via: string };
  readonly target: { type: string; id: string; name: string };
  readonly count: number | null;
  readonly record_ids: string[] | null;
  // biome-ignore lint/suspicious/noExplicitAny: the fields depend on the event
  readonly changes: any;
  readonly correlation_id: string;
}

/** The names of the triggers on the table of a collection that begin with `prefix`. */
export async function triggersOf(
  app: TestApp,
  { table }: Pick<TestCollection, 'table'>,
  prefix: 'follow' | 'keep' | '' = '',
): Promise<string[]> {
  const found = await app.sql(
    'SELECT tgname AS name FROM pg_trigger WHERE tgrelid = $1::regclass AND starts_with(tgname, $2) ORDER BY tgname',
    [table, prefix],
  );
  return found.map(({ name }) => name);
}

/** The audit events about a collection and its records, oldest first. */
export function eventsOf(
  app: TestApp,
  { id, orgId }: Pick<TestCollection, 'id' | 'orgId'>,
): Promise<CollectionEvent[]> {
  return app.sql(
    `SELECT type, actor, target, count, record_ids, changes, correlation_id FROM ${schemaOf(orgId)}.audit_events
     WHERE target->>'id' = $1 ORDER BY id`,
    [id],
  );
}

/** Rows in the table and events in the log, which a refused request must not change. */
export async function written(
  app: TestApp,
  collection: TestCollection,
): Promise<[rows: number, events: number]> {
  const [{ rows }] = await app.sql(`SELECT count(*)::int AS rows FROM ${collection.table}`);
  return [rows, (await eventsOf(app, collection)).length];
}

/**
 * Status and error code of an answer, to compare both at once. The code is undefined unless the request was
 * refused.
 */
export function outcome({ status, body }: TestResponse): [number, string | undefined] {
  // MCP reports the same refusal in a JSON-RPC error.
  return [status, body?.error?.data?.error ?? body?.error];
}
