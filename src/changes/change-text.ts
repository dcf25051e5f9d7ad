import type { ChangePositions } from './change-positions.js';
import type { Change } from './change-reader.service.js';

/** A change as JSON text; the record in it is PostgreSQL's own text. */
export function changeText(id: string, { type, recordId, changedAt, record }: Change): string {
  return `{"id":"${id}","type":"${type}","record_id":"${recordId}","changed_at":"${changedAt}","record":${record}}`;
}

/** The changes of a feed by their positions. */
export function positioned(
  positions: ChangePositions,
  collectionId: string,
  feed: string,
  changes: readonly Change[],
): (readonly [position: string, json: string])[] {
  return changes.map(change => {
    const position = positions.seal(collectionId, { feed, ...change });
    return [position, changeText(position, change)];
  });
}
