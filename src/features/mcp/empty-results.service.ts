import { Injectable } from '@nestjs/common';
import { isJsonObject, type JsonValue } from '../../base/kernel/json.js';
import { nearest } from '../../base/kernel/text.js';
import { COLUMN_TYPES, type Comparison } from '../../engine/columns/index.js';
import { AUTHOR_FIELDS, type CollectionShape, SYSTEM_FIELDS } from '../../engine/storage/collection-shape.js';
import { type Access, CollectionAccess } from '../collections/collection-access.js';
import { ShownParts } from '../collections/seen-fields.js';
import { QueryRecords } from '../records/query/query-records.service.js';

/** Hints of an answer without records, so that a model does not take a mistyped name for the absence of data. */
interface EmptyResult {
  /** Is appended to the summary of the answer. */
  readonly sentence: string;
  readonly data: { readonly hints?: string[] };
}

const NOTHING_TO_EXPLAIN: EmptyResult = { sentence: '', data: {} };

/** Looks for likely mistakes in a filter that matched no record. */
@Injectable()
export class EmptyResults {
  constructor(
    private readonly accesses: CollectionAccess,
    private readonly reader: QueryRecords,
  ) {}

  /**
   * Returns no hints unless `isEmpty`. `fields` are those that the request names besides the filter. Reads the field
   * names of a few records.
   */
  async explain(
    isEmpty: boolean,
    access: Access,
    filter: unknown,
    fields: readonly string[] = [],
  ): Promise<EmptyResult> {
    if (!isEmpty || (filter === undefined && fields.length === 0)) return NOTHING_TO_EXPLAIN;
    const current = await this.accesses.current(access);
    const shown = new ShownParts(current);
    const columns = Object.fromEntries(
      Object.entries(current.collection.columns).filter(([name]) => shown.field(name)),
    );
    // Without hints for the columns alone there are none with more fields either, so no record is read.
    if (filterHints(filter, fields, { columns }, []).length === 0) return NOTHING_TO_EXPLAIN;
    const stored = (await this.reader.fieldNames(access)).filter(name => shown.field(name));
    const hints = filterHints(filter, fields, { columns }, stored);
    return hints.length === 0
      ? NOTHING_TO_EXPLAIN
      : { sentence: ' Read the hints: something may be misspelt.', data: { hints } };
  }
}

/** Limits of the conditions that are checked and of the hints in an answer. */
const MAX_CONDITIONS = 50;
const MAX_HINTS = 5;
/** Maximum length of a value or a name in a hint, in characters. */
const SHOWN = 60;

const COMPARISONS: Readonly<Record<string, Comparison>> = {
  ...{ $eq: 'eq', $in: 'eq', $gt: 'gt', $gte: 'gte', $lt: 'lt', $lte: 'lte' },
};

/** Names of operators without `$`, to recognise a value such as `{"gt": 3}`. */
const BARE = new Set('eq ne gt gte lt lte in nin exists regex not all size elemMatch'.split(' '));

interface Condition {
  readonly field: string;
  readonly value: unknown;
  /** Undefined for operators that do not compare values. */
  readonly comparison: Comparison | undefined;
}

/**
 * Why a filter may have matched nothing: a field that is neither a column nor in a record, an operator without `$`, or
 * a value that cannot equal any value of the column. `stored` are fields of records that are not columns. The filter
 * must have been parsed before, which limits its depth.
 */
export function filterHints(
  filter: unknown,
  fields: readonly string[],
  { columns }: Pick<CollectionShape, 'columns'>,
  stored: readonly string[],
): string[] {
  const conditions: Condition[] = fields.map(field => ({ field, value: null, comparison: undefined }));
  collect(filter, conditions);
  const system = [...SYSTEM_FIELDS, ...AUTHOR_FIELDS.map(([name]) => name)];
  const known = new Set([...Object.keys(columns), ...stored, ...system]);
  const hints = new Set<string>();
  const unknown = new Set<string>();
  for (const condition of conditions) {
    const root = rootOf(condition.field);
    if (unknown.has(root)) continue;
    if (!known.has(root)) unknown.add(root);
    const hint = hintOf(condition, columns, known);
    if (hint !== undefined) hints.add(hint);
    // Unknown fields are counted too, because the hints of two long names may be equal. The search for the nearest name
    // blocks other requests.
    if (hints.size === MAX_HINTS || unknown.size === MAX_HINTS) break;
  }
  return [...hints];
}

function rootOf(field: string): string {
  const [root = field] = field.split('.');
  return root;
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
  known: ReadonlySet<string>,
): string | undefined {
  const root = rootOf(field);
  if (!known.has(root)) return unknownField(root, known);
  const bare = comparison === 'eq' ? bareOperator(value) : undefined;
  if (bare !== undefined) {
    return `${quoted(field)} is compared with a whole object. Operators begin with $: {${quoted(field)}: {"$${bare}": …}}.`;
  }
  const column = Object.hasOwn(columns, field) ? columns[field] : undefined;
  if (column === undefined || comparison === undefined || value === null || value === undefined) return;
  const type = COLUMN_TYPES[column.type];
  if (type.family !== 'scalar' || isComparable(type, value as JsonValue, comparison)) return;
  return `${quoted(field)} is a column of type ${type.name}, and ${quoted(value)} is not of this type. Values of different types never match.`;
}

/** The first operator name of a value whose keys are all operator names without `$`. */
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

function unknownField(name: string, known: ReadonlySet<string>): string {
  const meant = nearest(name, known);
  const question = meant === undefined ? '' : ` Did you mean ${quoted(meant)}?`;
  return `${quoted(name)} is not a column, and none of the latest records has this field.${question}`;
}

function quoted(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length <= SHOWN ? text : `${text.slice(0, SHOWN).toWellFormed()}…`;
}
