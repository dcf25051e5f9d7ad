import { execute, type Queryable } from '../../database/queryable.js';
import { literal, NOTHING, Param, param, type Sql, sql } from '../../sql/index.js';
import type { CollectionShape } from '../collection-shape.js';

/** The setting from which the triggers of `versions.ts` read the audit event of a write. */
export const EVENT = literal('platform.event');

/** The audit event of what a statement replaces: one for all records, or one for each, by the record's id. */
export type NamedEvent = string | Readonly<Record<string, string>>;

/** SQL that is true. From here on, versions that the transaction replaces name this audit event. */
function namesEvent(event: NamedEvent): Sql {
  const text = typeof event === 'string' ? event : JSON.stringify(event);
  return sql`set_config(${EVENT}, ${param(text, 'text')}, true) IS NOT NULL`;
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
export function namingEvent({ historySince }: CollectionShape, event: NamedEvent | undefined): Sql {
  return historySince && event !== undefined ? sql` AND ${namesEvent(event)}` : NOTHING;
}
