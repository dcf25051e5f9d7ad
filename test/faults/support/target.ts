import { schemaOf, tableOf } from '../../harness/tables.js';
import type { Cluster } from './cluster.js';
import type { Instance } from './instance.js';
import type { Stored } from './ledger.js';
import type { Service } from './service.js';

/** A collection with a change feed, on which the load runs. */
export interface Target {
  readonly id: string;
  /** `/v1/collections/{id}` */
  readonly path: string;
  /** Position at which its change feed begins. */
  readonly since: string;
}

/** Creates the collection and starts its change feed. */
export async function newTarget({ call, instances: [first] }: Service, name = 'load'): Promise<Target> {
  const made = await call(first, 'POST', '/v1/collections', {
    body: {
      name,
      properties: { log: { type: 'array' }, mark: { type: 'text' }, op: { type: 'text' } },
      indexes: [{ properties: ['mark'] }],
      settings: { max_records: 10_000_000 },
    },
  });
  if (made.status !== 200) throw new Error(made.text);
  const id: string = made.body.collection_id;
  const path = `/v1/collections/${id}`;
  const feed = await call(first, 'GET', `${path}/changes`);
  if (feed.status !== 200) throw new Error(feed.text);
  return { id, path, since: feed.body.next_since };
}

/** Names of tables in the database. */
export interface Tables {
  /** The schema of the organization. */
  readonly schema: string;
  /** The table with the records of a collection. */
  readonly table: string;
}

/** The tables of a collection. */
export async function tablesOf(cluster: Cluster, collectionId: string): Promise<Tables> {
  const sql = 'SELECT org_id FROM collections WHERE id = $1';
  const [{ org_id: orgId }] = await cluster.sql(sql, [collectionId]);
  return { schema: schemaOf(orgId), table: tableOf(orgId, collectionId) };
}

/** Reads records and events from the database, and the changes as a client does. */
export async function stored(cluster: Cluster, service: Service, target: Target): Promise<Stored> {
  const { schema, table } = await tablesOf(cluster, target.id);
  const records = await cluster.sql(`SELECT c1 AS log, c2 AS mark FROM ${table}`);
  const events = await cluster.sql(
    `SELECT correlation_id AS op, count FROM ${schema}.audit_events
     WHERE target->>'id' = $1 AND type LIKE 'collections.records.%'`,
    [target.id],
  );
  return { records, events, changes: await changes(service, target) };
}

async function changes({ call, instances }: Service, { path, since }: Target): Promise<Stored['changes']> {
  const instance = instances.find(each => each.alive()) as Instance;
  const found: { mark: string; op: string }[] = [];
  for (let from = since; ; ) {
    const query = new URLSearchParams({ since: from, limit: '1000' });
    const { status, body, text } = await call(instance, 'GET', `${path}/changes?${query}`);
    if (status !== 200) throw new Error(text);
    for (const { record } of body.changes) found.push({ mark: record.mark, op: record.op });
    from = body.next_since;
    if (!body.has_more) return found;
  }
}
