import { inSlices } from '../../../base/kernel/bounds/slices.js';
import { type JsonText, jsonList } from '../../../base/kernel/json.js';
import type { Projection } from '../../../engine/filter/index.js';
import { projector, type ShownRecords } from '../../../engine/storage/records/projection.js';
import { END } from './page-request.js';

/** A page in the order in which it was read. */
interface PagePlace {
  /** The cursor that was sent. */
  readonly cursor: string | undefined;
  readonly count: number;
  /** True when the list goes on in the direction of reading. */
  readonly more: boolean;
  /** True when the page begins `at` a value that records precede. */
  readonly hasBefore: boolean;
  readonly isBackward: boolean;
  /** The cursor at a record of the page. */
  cursorAt(index: number, backward: boolean): string;
}

/**
 * The members `next_cursor` and `prev_cursor` of a page. Behind the page, in the direction of reading, the last record
 * tells whether the list goes on. On the other side is the page that the cursor came from; if this page is empty, there is
 * no record to go back from, so its cursor is that of the end or the beginning of the list.
 */
export function pageCursors(page: PagePlace): string {
  const { count, more, isBackward, cursorAt } = page;
  const ahead = more ? cursorAt(count - 1, isBackward) : null;
  const back = cursorOfOrigin(page, !isBackward);
  const [next, previous] = isBackward ? [back, ahead] : [ahead, back];
  return `,"next_cursor":${JSON.stringify(next)},"prev_cursor":${JSON.stringify(previous)}`;
}

function cursorOfOrigin({ cursor, count, hasBefore, cursorAt }: PagePlace, backward: boolean): string | null {
  if (cursor === END || (!cursor && !hasBefore)) return null;
  if (count === 0) return backward ? END : '';
  return cursorAt(0, backward);
}

/** The response text of a page. `cursors`: its further members. `total` is undefined when it was not requested. */
export function pageText(records: readonly string[], cursors: string, total: number | undefined): JsonText {
  const totalMember = total === undefined ? '' : `,"total":${total}`;
  return jsonList(`{"count":${records.length}${totalMember}${cursors},"records":`, records, '}');
}

/** Cutting nested paths from long records can take long, so other requests run in between. */
export function projected(
  records: readonly string[],
  projection: Projection | undefined,
  shown: ShownRecords,
): readonly string[] | Promise<string[]> {
  if (projection === undefined) return records;
  const project = projector(projection, shown);
  const texts: string[] = [];
  const rest = inSlices(records.length, index => {
    texts.push(project(records[index] as string));
  });
  return rest === undefined ? texts : rest.then(() => texts);
}

/** The number of texts from the start of the list that fit into `maxBytes`. The first one always counts. */
export function countWithin(texts: readonly string[], maxBytes: number): number {
  let bytes = 0;
  const over = texts.findIndex(text => {
    bytes += Buffer.byteLength(text) + 1;
    return bytes > maxBytes;
  });
  return over < 0 ? texts.length : Math.max(over, 1);
}
