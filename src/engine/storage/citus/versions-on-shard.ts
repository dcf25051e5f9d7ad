import { identifier, sql } from '../../../base/sql/index.js';
import { historyTable, orgSchema } from '../../../platform/database/org-schema.js';
import { execute, type Queryable } from '../../../platform/database/queryable.js';
import type { VersionsTarget } from '../history/history-table.js';
import type { Table } from '../table-sql.js';
import { shardsOf } from './shards.js';

/**
 * How triggers on the nodes store versions. A trigger runs on the node and can write to the shard of a table, but not to
 * the table. A shard keeps its name when the organization moves to another node. The coordinator has set the time of the
 * write, and its clock may differ from the node's.
 */
export async function versionsOnShard(transaction: Queryable, { id, orgId }: Table): Promise<VersionsTarget> {
  await execute(transaction, sql`SET LOCAL citus.enable_unsafe_triggers = on`);
  const name = historyTable(id);
  const shard = (await shardsOf(transaction, orgId, [name])).get(name);
  if (shard === undefined) throw new Error('Citus has no shard of the table of versions');
  return { versions: identifier(orgSchema(orgId), shard), endsByRow: true };
}
