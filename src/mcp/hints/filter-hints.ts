import { COLUMN_TYPES, type Comparison } from '../../columns/index.js';
import { isJsonObject, type JsonValue } from '../../kernel/json.js';
import { nearest } from '../../kernel/nearest.js';
import { type CollectionShape, SYSTEM_FIELDS } from '../../storage/collection-shape.js';

/** Conditions that are looked at, and hints that are given. */
const MAX_CONDITIONS = 50;
const MAX_HINTS = 5;
/** Characters of a value or a name in a hint. */
const SHOWN = 60;

const COMPARISONS: Readonly<Record<string, Comparison>> = {
  ...{ $eq: 'eq', $in: 'eq', $gt: 'gt', $gte: 'gte', $lt: 'lt', $lte: 'lte' },
};

/** Names of operators without their `$`: a value that looks like `{"gt": 3}`. */
const BARE = new Set('eq ne gt gte lt lte in nin exists regex not all size elemMatch'.split(' '));

interface Condition {
  readonly field: string;
  readonly value: unknown;
  /** Undefined where values are not compared. */
  readonly comparison: Comparison | undefined;
}

/**
 * Why a filter may have matched nothing: a field that neither a column nor a record has, an operator without its `$`, a
 * value that cannot equal any value of its column. `stored` are fields that records have besides the columns. The filter
 * has been parsed before, so it is not deeper than that allows.
 */
export function filterHints(
  filter: unknown,
  fields: readonly string[],
  { columns }: Pick<CollectionShape, 'columns'>,
  stored: readonly string[],
): string[] {
  const conditions: Condition[] = fields.map(field => ({ field, value: null, comparison: undefined }));
  collect(filter, conditions);
  const known = [...Object.keys(columns), ...stored, ...SYSTEM_FIELDS];
  const hints = conditions.map(condition => hintOf(condition, columns, known));
  return [...new Set(hints.filter(hint => hint !== undefined))].slice(0, MAX_HINTS);
}

function collect(filter: unknown, found: Condition[]): void {
  if (!isJsonObject(filter)) return;
  for (const [name, value] of Object.entries(filter)) {
    if (found.length >= MAX_CONDITIONS) return;
    if (!name.startsWith('$')) collectAt(name, value, found);
    else if (Array.isArray(value)) for (const each of value) collect(each, found);
  }
}

function collectAt(field: string, value: unknown, found: Condition[]): void {
  if (!isJsonObject(value) || !Object.keys(value).some(key => key.startsWith('$'))) {
    found.push({ field, value, comparison: 'eq' });
    return;
  }
  for (const [operator, operand] of Object.entries(value)) {
    if (found.length >= MAX_CONDITIONS) return;
    if (operator === '$not') collectAt(field, operand, found);
    else {
      const first = operator === '$in' && Array.isArray(operand) ? operand[0] : operand;
      found.push({ field, value: first, comparison: COMPARISONS[operator] });
    }
  }
}

function hintOf(
  { field, value, comparison }: Condition,
  columns: CollectionShape['columns'],
  known: readonly string[],
): string | undefined {
  const [root = field] = field.split('.');
  if (!known.includes(root)) return unknownField(root, known);
  const bare = comparison === 'eq' ? bareOperator(value) : undefined;
  if (bare !== undefined) {
    return `${quoted(field)} is compared with an object as a whole. Operators begin with $: {${quoted(field)}: {"$${bare}": …}}.`;
  }
  const column = Object.hasOwn(columns, field) ? columns[field] : undefined;
  if (column === undefined || comparison === undefined || value === null || value === undefined) return;
  const type = COLUMN_TYPES[column.type];
  if (type.family !== 'scalar' || isComparable(type, value as JsonValue, comparison)) return;
  return `${quoted(field)} is a column of type ${type.name}, and ${quoted(value)} is not such a value: values of different types never match.`;
}

/** The first operator of a value that looks like operators without their `$` and nothing else. */
function bareOperator(value: unknown): string | undefined {
  const keys = isJsonObject(value) ? Object.keys(value) : [];
  return keys.every(key => BARE.has(key)) ? keys[0] : undefined;
}

function isComparable(
  type: (typeof COLUMN_TYPES)[keyof typeof COLUMN_TYPES],
  value: JsonValue,
  comparison: Comparison,
): boolean {
  try {
    return type.operand(value, comparison) !== undefined;
  } catch {
    return false;
  }
}

function unknownField(name: string, known: readonly string[]): string {
  const meant = nearest(name, known);
  const question = meant === undefined ? '' : ` Did you mean ${quoted(meant)}?`;
  return `${quoted(name)} is not a column, and none of the latest records has this field.${question}`;
}

function quoted(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length <= SHOWN ? text : `${text.slice(0, SHOWN).toWellFormed()}…`;
}
