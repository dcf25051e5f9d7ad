import { BoundedMap } from '../kernel/bounded-map.js';
import { identifier, type Sql } from '../sql/index.js';

/** Schema that holds an organization's records, audit log and counters; made by `create_org_schema`. */
export function orgSchema(orgId: string): string {
  return `org_${compact(orgId)}`;
}

const MAX_KNOWN = 10_000;
/** Every statement of a record names some of these. */
const known = new BoundedMap<string, Sql>(MAX_KNOWN);

/** A table or function in an organization's schema. */
export function orgTable(orgId: string, name: string): Sql {
  const key = orgId + name;
  let table = known.get(key);
  if (table === undefined) {
    table = identifier(orgSchema(orgId), name);
    known.set(key, table);
  }
  return table;
}

/** A collection's table in its organization's schema. Ids only: the user's text never becomes a name. */
export function collectionTable(collectionId: string): string {
  return `c_${compact(collectionId)}`;
}

function compact(id: string): string {
  const hex = id.replaceAll('-', '').toLowerCase();
  if (!/^[0-9a-f]{32}$/.test(hex)) throw new Error('expects a uuid');
  return hex;
}
