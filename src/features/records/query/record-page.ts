import { inSlices } from '../../../base/kernel/bounds/slices.js';
import { type JsonText, jsonList } from '../../../base/kernel/json.js';
import type { Projection } from '../../../engine/filter/index.js';
import { projector } from '../../../engine/storage/records/projection.js';
import type { Rows } from '../../../platform/database/statements.js';
import { END } from './record-cursors.js';

/** A page of rows in the order of the list, and what its cursors depend on. */
interface PagePlace {
  /** True when the list goes on in the direction of reading. */
  readonly more: boolean;
  /** True when the page begins `at` a value that records precede. */
  readonly hasBefore: boolean;
  readonly isBackward: boolean;
  cursorOf(row: Rows[number] | undefined, backward: boolean): string;
}

/**
 * The members `next_cursor` and `prev_cursor` of a page. Behind the page, in the direction of reading, the last row tells
 * whether the list goes on. On the other side is the page that the cursor came from; if this page is empty, there is no
 * row to go back from, so its cursor is that of the end or the beginning of the list.
 */
export function pageCursors(
  { cursor }: { readonly cursor?: string },
  page: Rows,
  { more, hasBefore, isBackward, cursorOf }: PagePlace,
): string {
  const [ahead, back] = isBackward
    ? [cursorOfMore(page[0], true), cursorOfOrigin(page.at(-1), false)]
    : [cursorOfMore(page.at(-1), false), cursorOfOrigin(page[0], true)];
  const [next, previous] = isBackward ? [back, ahead] : [ahead, back];
  return `,"next_cursor":${JSON.stringify(next)},"prev_cursor":${JSON.stringify(previous)}`;

  function cursorOfMore(row: Rows[number] | undefined, backward: boolean): string | null {
    return more ? cursorOf(row, backward) : null;
  }

  function cursorOfOrigin(row: Rows[number] | undefined, backward: boolean): string | null {
    if (cursor === END || (!cursor && !hasBefore)) return null;
    if (row === undefined) return backward ? END : '';
    return cursorOf(row, backward);
  }
}

/** The response text of a page. `cursors`: its further members. `total` is undefined when it was not requested. */
export function pageText(records: readonly string[], cursors: string, total: number | undefined): JsonText {
  const totalMember = total === undefined ? '' : `,"total":${total}`;
  return jsonList(`{"count":${records.length}${totalMember}${cursors},"records":`, records, '}');
}

/** Cutting nested paths from long records can take long, so other requests run in between. */
export function recordTexts(
  rows: Rows,
  projection: Projection | undefined,
  isPreview: boolean,
): string[] | Promise<string[]> {
  if (projection === undefined) return rows.map(([record]) => record as string);
  const project = projector(projection, isPreview);
  const texts: string[] = [];
  const rest = inSlices(rows.length, index => {
    texts.push(project(rows[index]?.[0] as string));
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
