import type { ChangePositions } from './change-positions.js';
import type { Change } from './change-reader.service.js';

/** The changes of a feed by their positions, each as JSON text; the record in it is PostgreSQL's own text. */
export function positioned(
  positions: ChangePositions,
  collectionId: string,
  feed: string,
  changes: readonly Change[],
): (readonly [position: string, json: string])[] {
  return changes.map(({ type, recordId, changedAt, record, ...place }) => {
    const position = positions.seal(collectionId, { feed, ...place });
    const json = `{"id":"${position}","type":"${type}","record_id":"${recordId}","changed_at":"${changedAt}","record":${record}}`;
    return [position, json];
  });
}
