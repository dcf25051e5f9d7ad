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

/** Reads records and events from the database, and the changes as a client does. */
export async function stored(cluster: Cluster, service: Service, target: Target): Promise<Stored> {
  const [{ org_id: orgId }] = await cluster.sql('SELECT org_id FROM collections WHERE id = $1', [target.id]);
  const schema = `org_${orgId.replaceAll('-', '')}`;
  const records = await cluster.sql(
    `SELECT c1 AS log, c2 AS mark FROM ${schema}.c_${target.id.replaceAll('-', '')}`,
  );
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
