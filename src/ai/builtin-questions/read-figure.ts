import { chosen, hasKind } from './choose.js';
import { isField } from './cursor.js';
import type { Figure } from './draft.js';
import { FIGURES, isRecords, kindsOf, type Reading } from './reading.js';

/** One figure: `average salary`, `number of orders`, `total amount`. Takes nothing when there is none. */
export function readFigure(reading: Reading): Figure | undefined {
  const { cursor, ground } = reading;
  return cursor.attempt(() => {
    if (cursor.accept('count')) return countOf(reading);
    const { total } = cursor.peek();
    const role = total ? 'sum' : (cursor.accept(...FIGURES)?.role as Figure['type'] | undefined);
    if (role !== undefined && !total) skipRecords(reading);
    const mark = cursor.peek();
    if (role === undefined || !isField(mark) || !hasKind(mark, kindsOf(role))) return undefined;
    cursor.take();
    return { type: role, field: chosen(mark, kindsOf(role), ground) };
  });
}

/** "number of orders", or "count" alone. */
function countOf(reading: Reading): Figure | undefined {
  const next = reading.cursor.peek();
  if (isRecords(next)) return reading.takeRecords();
  return isField(next) ? undefined : { type: 'count' };
}

/** "average order amount" is the average amount. */
export function skipRecords(reading: Reading): void {
  const { cursor } = reading;
  if (cursor.peek().entity && hasKind(cursor.peek(1), ['number'])) reading.takeRecords();
}
