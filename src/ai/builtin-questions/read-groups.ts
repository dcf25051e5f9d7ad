import { chosen, hasKind } from './choose.js';
import { isField, isRole } from './cursor.js';
import type { Figure, Filter } from './draft.js';
import type { Field } from './fields.js';
import { readFigure } from './read-figure.js';
import { numberTest } from './read-tests.js';
import { isName, isPlural, isRecords, type Reading } from './reading.js';
import { refuseEachOrAll, refuseMissing, refusePurpose } from './refusal.js';

const RANKING = ['number', 'day', 'instant'] as const;

/** `by country and city`, `per department`, `each customer`; after a ranking, what is ranked by. */
export function readGroups(reading: Reading): true | undefined {
  const { cursor, draft, ground } = reading;
  if (!cursor.accept('group', 'each')) return undefined;
  cursor.accept('each', 'all');
  const figure = readFigure(reading);
  if (figure !== undefined) return rankedBy(reading, figure);
  const mark = cursor.peek();
  const averaged = draft.figures.length > 0 && draft.figures.every(({ type }) => type === 'avg');
  if (mark.entity && averaged) {
    // "the average cost per incident"
    reading.takeRecords();
    return true;
  }
  if (!isName(mark)) return undefined;
  if (draft.rank !== undefined && draft.rank.by === undefined && hasKind(mark, RANKING)) {
    return rankedBy(reading, chosen(cursor.take(), RANKING, ground));
  }
  do {
    const { text } = cursor.peek();
    const field = chosen(cursor.take(), undefined, ground);
    // "the average cost per unit" is no average by how many units there are.
    if (field.kind === 'number' && isPlural(field.name) && !isPlural(text)) refusePurpose(`per ${text}`);
    draft.groups.push(field);
  } while (cursor.attempt(() => reading.nextInList()));
  return true;
}

function rankedBy({ cursor, draft }: Reading, by: Field | Figure): true {
  if (draft.rank === undefined || draft.rank.by !== undefined) refusePurpose(cursor.last.text);
  draft.rank.by = by;
  return true;
}

/** `with more than 5 orders`, `with an average salary above 50000`. */
export function readHaving(reading: Reading): true | undefined {
  const { cursor, draft } = reading;
  const subject = draft.head ?? (draft.entity && draft.having.length === 0 ? undefined : draft.shown[0]);
  if (subject === undefined && draft.groups.length === 0) return undefined;
  cursor.accept('with', 'in');
  if (draft.entity && cursor.peek().total) {
    // "customers with more than 20 orders and a total above 1000"
    if (draft.having.length > 0 && subject !== undefined)
      refuseEachOrAll(cursor.peek().text, subject.field.name);
    return undefined;
  }
  const counted = numberTest(cursor, false);
  if (counted !== undefined) {
    if (!counted.explicit || counted.measure !== undefined || !isRecords(cursor.peek())) return undefined;
    draft.having.push({ figure: reading.takeRecords(), test: counted.test as Filter });
    return true;
  }
  const figure = readFigure(reading);
  const test = figure && numberTest(cursor, false);
  if (figure === undefined || !test?.explicit || typeof test.test === 'number') return undefined;
  draft.having.push({ figure, test: test.test });
  return true;
}

/** `sorted by salary descending`; a direction alone is that of the one figure. */
export function readSort(reading: Reading): true | undefined {
  const { cursor, draft, ground } = reading;
  const direction = cursor.accept('ascending', 'descending');
  if (direction !== undefined) {
    const [figure, ...others] = draft.figures;
    if (draft.sort.length === 0 && figure !== undefined && others.length === 0) {
      draft.sort.push({ field: figure, direction: 1 });
    }
    const last = draft.sort.at(-1) ?? refuseMissing(direction.text, ground.fields);
    last.direction = isRole(direction, 'ascending') ? 1 : -1;
    return true;
  }
  if (!cursor.accept('sort')) return undefined;
  const figure = cursor.peek().total ? undefined : readFigure(reading);
  if (figure === undefined && !isField(cursor.peek())) refuseMissing(cursor.last.text, ground.fields);
  draft.sort.push({ field: figure ?? chosen(cursor.take(), undefined, ground), direction: 1 });
  return true;
}
