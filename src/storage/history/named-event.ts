import { execute, type Queryable } from '../../database/queryable.js';
import { literal, NOTHING, param, type Sql, sql } from '../../sql/index.js';
import type { CollectionShape } from '../collection-shape.js';

/** The setting by which the triggers of `versions.ts` know the audit event of a write. */
export const EVENT = literal('platform.event');

/** SQL that is true. From here on, versions that the transaction replaces name this audit event. */
export function namesEvent(eventId: string): Sql {
  return sql`set_config(${EVENT}, ${param(eventId, 'text')}, true) IS NOT NULL`;
}

/** Does the same for a transaction of several statements. */
export async function nameEvent(
  transaction: Queryable,
  { historySince }: Pick<CollectionShape, 'historySince'>,
  eventId: string,
): Promise<void> {
  if (historySince) await execute(transaction, sql`SELECT ${namesEvent(eventId)}`);
}

/** SQL that adds to a condition: what the statement replaces names this event in the history of the collection. */
export function namingEvent({ historySince }: CollectionShape, eventId: string | undefined): Sql {
  return historySince && eventId !== undefined ? sql` AND ${namesEvent(eventId)}` : NOTHING;
}
