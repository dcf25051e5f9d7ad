import { nameFlaw } from '../columns/index.js';
import { parseFilter } from '../filter/index.js';
import { canonical, type Update } from '../filter/update/index.js';
import { invalid, type PlatformError } from '../kernel/errors.js';
import type { JsonValue } from '../kernel/json.js';
import type { IndexDefinition } from '../storage/collection-shape.js';
import type { Misfit } from '../storage/record-layout.js';
import type { Selection } from '../storage/selection.js';

const MAX_FIELDS = 10;

/** By what an upsert finds its record. */
export interface MatchKey {
  readonly selection: Extract<Selection, { oldest: true }>;
  /** The same for the same key. */
  readonly text: string;
  /** True when one of these uniques lets a record of this key exist only once; nulls differ from each other. */
  guards(uniques: readonly IndexDefinition[]): boolean;
}

/** The names of `match_fields`. Throws 400 unless they are 1 to 10 different top-level fields. */
export function matchFields(fields: unknown): readonly string[] {
  const isList = Array.isArray(fields) && fields.length >= 1 && fields.length <= MAX_FIELDS;
  if (!isList || !fields.every(field => typeof field === 'string'))
    throw invalid(`match_fields: expects 1 to ${MAX_FIELDS} names of columns`);
  for (const field of fields) {
    const flaw = nameFlaw(field);
    if (flaw !== undefined) throw invalid(`match_fields: ${flaw}`);
  }
  if (new Set(fields).size < fields.length) throw invalid('match_fields: a column is listed twice');
  return fields;
}

/** The key that the data of an upsert holds, by `$set` or `$setOnInsert`. Throws 400 where a field of it is missing. */
export function matchKey(data: Update, fields: readonly string[]): MatchKey {
  const values = fields.map((field): [string, JsonValue] => [field, valueFor(field, data)]);
  const present = new Set(values.filter(([, value]) => value !== null).map(([field]) => field));
  const filter = Object.fromEntries(values.map(([field, value]) => [field, { $eq: value }]));
  return {
    selection: { filter: parseFilter(filter), oldest: true },
    text: canonical(Object.fromEntries(values)),
    guards: uniques => uniques.some(({ properties }) => properties.every(property => present.has(property))),
  };
}

function valueFor(field: string, { operations }: Update): JsonValue {
  for (const operation of operations) {
    const sets = operation.kind === 'set' || operation.kind === 'setOnInsert';
    if (sets && operation.path.length === 1 && operation.path[0] === field) return operation.value;
  }
  throw invalid(`match_fields: the data sets no value for ${JSON.stringify(field.slice(0, 100))}`);
}

/** 400 for data that fits no new record: column and expected type. */
export function refuseData([first, ...others]: readonly Misfit[]): PlatformError {
  return invalid(`data.${first?.column}: ${first?.problem}`, [first, ...others]);
}
