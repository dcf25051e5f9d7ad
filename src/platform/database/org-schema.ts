import { BoundedMap } from '../../base/kernel/bounds/bounded-map.js';
import { identifier, type Sql } from '../../base/sql/index.js';
import type { Queryable } from './queryable.js';

/** Schema with an organization's records, audit log and counters. The function `create_org_schema` creates it. */
export function orgSchema(orgId: string): string {
  return `org_${compact(orgId)}`;
}

/** Matches the schemas of organizations (a regular expression of PostgreSQL). */
export const ORG_SCHEMA = '^org_[0-9a-f]{32}$';
/** Tables of records, also of collections in the trash, and of their versions. They are not made by migrations. */
export const USERS_TABLE = /^(c|h|trash)_[0-9a-f]{32}$/;

/** SQL of the name of an organization's schema, by SQL of the organization's id. */
export function orgSchemaOf(id: string): string {
  return `('org_' || replace(${id}::text, '-', ''))`;
}

/** SQL of the deleted organizations whose schema is still there, with its name. */
export const DELETED_ORGS = `SELECT o.id::text, n.nspname AS schema
  FROM public.orgs o JOIN pg_namespace n ON n.nspname = ${orgSchemaOf('o.id')} WHERE o.deleted_at IS NOT NULL`;

/** Creates the schemas of organizations on the server of the platform's tables. */
export class OrgSchemas {
  async create(transaction: Queryable, orgId: string): Promise<void> {
    await transaction.query('SELECT create_org_schema($1)', [orgId]);
  }
}

const MAX_KNOWN = 10_000;
/** Cached, because every statement on records uses these names. */
const tables = new BoundedMap<string, Sql>(MAX_KNOWN);

/** A table or function in an organization's schema. */
export function orgTable(orgId: string, name: string): Sql {
  const key = orgId + name;
  let table = tables.get(key);
  if (table === undefined) {
    table = identifier(orgSchema(orgId), name);
    tables.set(key, table);
  }
  return table;
}

/** A collection's table in its organization's schema. The name contains only ids, never text of a user. */
export function collectionTable(collectionId: string): string {
  return `c_${compact(collectionId)}`;
}

/** The table of the versions of a collection's records. It keeps its name while the collection is in the trash. */
export function historyTable(collectionId: string): string {
  return `h_${compact(collectionId)}`;
}

/** The table of a collection in the trash. Statements made for the collection do not find it. */
export function trashedTable(collectionId: string): string {
  return `trash_${compact(collectionId)}`;
}

function compact(id: string): string {
  const hex = id.replaceAll('-', '').toLowerCase();
  if (!/^[0-9a-f]{32}$/.test(hex)) throw new Error('expects a uuid');
  return hex;
}
