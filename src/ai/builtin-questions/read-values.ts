import { type Cursor, isRole } from './cursor.js';
import type { Filter } from './draft.js';
import type { Field } from './fields.js';
import type { ValueMatch } from './known-values.js';

interface ReadValues {
  /** Fields that all of the values belong to. */
  readonly fields: readonly Field[];
  readonly test: unknown;
  /** Several values of a field that holds only one, joined by "and". */
  readonly both: boolean;
}

/**
 * One value or several of one field: `open`, `Paris, Lyon or Nice`. A record of a list field may hold several, so
 * there "and" asks for all of them; of another field it can only mean one of them.
 */
export function readValues(
  cursor: Cursor,
  within: readonly Field[] | undefined,
  not: boolean,
): ReadValues | undefined {
  const first = valuesAt(cursor, within);
  if (first === undefined) return undefined;
  cursor.take();
  const items: ValueMatch[][] = [first];
  let fields = first.map(({ field }) => field);
  let all = false;
  for (;;) {
    const item = cursor.attempt(() => nextItem(cursor, fields, not));
    if (item === undefined) break;
    all ||= item.and;
    fields = item.matches.map(({ field }) => field);
    items.push(item.matches);
  }
  const field = fields[0]!;
  const lists = items.map(matches => matches.find(match => match.field === field)!.values);
  if (all && field.kind === 'list' && !not) return { fields, test: allOf(lists), both: false };
  return { fields, test: valueTest(lists.flat(), not), both: all && !not && field.kind !== 'list' };
}

interface Item {
  readonly matches: ValueMatch[];
  readonly and: boolean;
}

function nextItem(cursor: Cursor, fields: readonly Field[], not: boolean): Item | undefined {
  let [joined, and] = [false, false];
  while (cursor.is('and', 'or') || cursor.peek().comma || (not && joined && cursor.is('not'))) {
    and ||= isRole(cursor.peek(), 'and');
    joined = true;
    cursor.take();
  }
  if (not) cursor.accept('not');
  cursor.attempt(() => cursor.accept('in', 'from', 'eq') && valuesAt(cursor, fields));
  const matches = joined ? valuesAt(cursor, fields) : undefined;
  if (matches === undefined) return undefined;
  cursor.take();
  return { matches, and };
}

/** What the next mark says of these fields. A number can be the value of a text field that is named. */
function valuesAt(cursor: Cursor, within: readonly Field[] | undefined): ValueMatch[] | undefined {
  const { values } = cursor.peek();
  const fitting = values?.filter(({ field }) => within === undefined || within.includes(field)) ?? [];
  return fitting.length === 0 ? undefined : [...fitting];
}

/** Equality to one of some values, or to none of them. */
export function valueTest(values: readonly string[], not: boolean): unknown {
  if (values.length === 1) return not ? { $ne: values[0] } : values[0];
  return not ? { $nin: values } : { $in: values };
}

function allOf(lists: readonly (readonly string[])[]): Filter {
  return { $all: lists.map(values => values[0]) };
}
