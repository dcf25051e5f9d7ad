import { literal, NOTHING, Param, param, type Sql, sql } from '../../../base/sql/index.js';
import { execute, type Queryable } from '../../../platform/database/queryable.js';
import type { CollectionShape } from '../collection-shape.js';

/** The setting from which the triggers of `versions.ts` read the audit event of a write. */
export const EVENT = literal('platform.event');

/** The audit event of what a statement replaces. Neither field is set for a statement that replaces nothing. */
export interface NamedEvent {
  /** The id of the event of all records. */
  readonly eventId?: string | undefined;
  /** For a statement with an event for each record: JSON text of an object with their ids, by the ids of the records. */
  eventIds?(): string;
}

/** SQL that is true. From here on, versions that the transaction replaces name this audit event, or these. */
function namesEvent(event: string): Sql {
  return sql`set_config(${EVENT}, ${param(event, 'text')}, true) IS NOT NULL`;
}

/** Does the same for a transaction of several statements. */
export async function nameEvent(transaction: Queryable, eventId: string): Promise<void> {
  await execute(transaction, sql`SELECT ${namesEvent(eventId)}`);
}

/** The text that SQL with `namesEvent` in it sets; undefined when it names no event. */
export function eventNamedIn({ parts }: Sql): string | undefined {
  const [setting, text] = parts;
  if (setting === EVENT && text instanceof Param) return text.value as string;
  for (const part of parts) {
    const named = eventNamedIn(part);
    if (named !== undefined) return named;
  }
  return undefined;
}

/** SQL that adds to a condition: what the statement replaces names this event in the history of the collection. */
export function namingEvent({ historySince }: CollectionShape, event: NamedEvent): Sql {
  if (!historySince) return NOTHING;
  const named = event.eventIds?.() ?? event.eventId;
  return named === undefined ? NOTHING : sql` AND ${namesEvent(named)}`;
}
