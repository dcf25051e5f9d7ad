import type { RecordChange } from '../feed/ports.js';

/** What is read of an event of the log. */
export interface LoggedWrite {
  readonly createdAt: string;
  readonly actor: { readonly type: string; readonly id: string };
  readonly record_ids: readonly string[] | null;
}

/**
 * Who made a change: the actor of the event that names its record and is nearest to it in time. Undefined if the log does
 * not say, for example for a large import, whose event names its first records only.
 */
export function actorOf(
  change: RecordChange,
  events: readonly LoggedWrite[],
): LoggedWrite['actor'] | undefined {
  const at = Date.parse(change.changed_at);
  const distance = ({ createdAt }: LoggedWrite) => Math.abs(Date.parse(createdAt) - at);
  const naming = events.filter(({ record_ids: ids }) => ids?.includes(change.record_id));
  return naming.sort((a, b) => distance(a) - distance(b))[0]?.actor;
}
