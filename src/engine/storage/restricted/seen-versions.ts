import { type Sql, sql } from '../../../base/sql/index.js';
import type { SeenRecords } from '../collection-shape.js';
import { isDeletion, versionsTable } from '../history/history-table.js';
import { versionRow } from '../history/version-content.js';
import { rowJson } from '../records/row-json.js';
import { tableOf } from '../table-sql.js';
import { seenBy } from './seen.js';

/** What a restricted caller sees of the version `v` of a record. The version decides, not the present record. */
export interface SeenVersions {
  /** SQL of the JSON text of the version; null for one without content, and for one that the caller does not see. */
  readonly text: Sql;
  /** SQL that is true for a version that the caller sees, and for a deletion after such a version. */
  readonly isSeen: Sql;
}

export function seenVersions({ whole, grants }: SeenRecords): SeenVersions {
  // `pastRecords` says that the row `t` may have values of other types than the present columns have.
  const then = { ...whole, pastRecords: sql`(${versionRow(whole)})` };
  const seen = seenBy(then, grants, { condition: sql`v.schema IS NOT NULL` });
  const record = rowJson(seen);
  const isContentSeen = sql`EXISTS (SELECT FROM ${tableOf(seen)} t)`;
  const before = sql`SELECT b.* FROM ${versionsTable(whole)} b WHERE b.record_id = v.record_id AND b.version = v.version - 1`;
  return {
    text: sql`(SELECT ${record.text} FROM ${tableOf(seen)} t ${record.join})`,
    isSeen: sql`CASE WHEN ${isDeletion(sql`v`)} THEN EXISTS (SELECT FROM (${before}) v WHERE ${isContentSeen}) ELSE ${isContentSeen} END`,
  };
}
