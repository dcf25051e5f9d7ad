import type { JsonValue } from '../../base/kernel/json.js';
import { joined, literal, type Param, param, type Sql, sql } from '../../base/sql/index.js';
import { foldedUnicode } from './case-folding.js';
import { type FieldPath, routes } from './field-path.js';
import type { Test, TestOf } from './tree.js';

/**
 * What indexes on a path contain (decision 39). A record is regular at a path when no array is on the path or at its end,
 * so that it has one value there, and when the code of this value is short.
 */
export interface PathKey {
  /** SQL of the code of the value (`codeOf` in sort.ts): NULL for null and absent, `IRREGULAR` for other records. */
  readonly code: Sql;
  /** SQL of the hashes of all values that a filter sees at the path. */
  readonly hashes: Sql;
  /** True where the statement has the conditions on the key already. */
  readonly isGiven?: true;
}

/** The code of a record that is not regular. It comes after all others. */
export const IRREGULAR = literal('6');
/** Bytes of the code of a regular value. Sixteen codes of this length fit into one entry of an index. */
const MAX_CODE_BYTES = 150;

/** What an index on a path inside a jsonb value contains. */
export function pathKey(root: Sql, path: FieldPath): PathKey {
  return {
    code: sql`(public.path_code(${root}, ARRAY[${joined(path.map(part => literal(part)))}]) COLLATE "C")`,
    hashes: sql`public.path_hashes(${root}, ${jsonPaths(path, route => [route, `${route}[*]`])})`,
  };
}

/** SQL of a text with all strings at a path, folded as by `foldedCase`. Small letters are folded as the text is. */
export function pathText(root: Sql, path: FieldPath): Sql {
  const text = sql`public.path_text(${root}, ${jsonPaths(path, route => [`${route}[*]`])})`;
  return sql`(${foldedUnicode(text)})`;
}

/** The functions wrap the value as `v`, because a path may begin with a position of an array. */
function jsonPaths(path: FieldPath, each: (route: string) => readonly string[]): Sql {
  const found = routes(['v', ...path]).flatMap(each);
  return sql`ARRAY[${joined(found.map(route => sql`${literal(route)}::jsonpath`))}]`;
}

/** What every record satisfies that passes a test. */
export interface CodeCondition {
  readonly regular: Sql;
  /** Undefined when any irregular record may pass the test. */
  readonly irregular: Sql | undefined;
}

/** The condition on the key of a path that follows from a test; undefined when there is none. */
export function codeCondition(test: Test, key: PathKey): CodeCondition | undefined {
  switch (test.kind) {
    case 'eq':
      return equality(test.value, key);
    case 'in':
      return membership(test.values, key);
    case 'order':
      return { regular: range(test, key), irregular: undefined };
    case 'every':
      return both(test.tests.flatMap(each => codeCondition(each, key) ?? []));
    default:
      return undefined;
  }
}

/** The conjunction of conditions; undefined when there are none. */
export function both(conditions: readonly CodeCondition[]): CodeCondition | undefined {
  if (conditions.length === 0) return undefined;
  const irregular = conditions.flatMap(each => each.irregular ?? []);
  return {
    regular: joined(
      conditions.map(each => each.regular),
      ' AND ',
    ),
    irregular: irregular.length === 0 ? undefined : joined(irregular, ' AND '),
  };
}

/** SQL of a condition for all records, regular or not. */
export function ofAnyRecord(condition: CodeCondition, key: PathKey): Sql {
  return sql`((${condition.regular}) OR ${ofIrregular(condition, key)})`;
}

/** SQL that is true only for records that are not regular. */
export function ofIrregular(condition: CodeCondition | undefined, { code }: PathKey): Sql {
  return condition?.irregular === undefined
    ? sql`${code} = ${IRREGULAR}`
    : sql`(${code} = ${IRREGULAR} AND ${condition.irregular})`;
}

function equality(value: JsonValue, { code, hashes }: PathKey): CodeCondition {
  if (value === null) return { regular: sql`${code} IS NULL`, irregular: undefined };
  return {
    regular:
      typeof value === 'object' ? anyOfType('3', code) : sql`${code} = ${param(codeOfScalar(value), 'text')}`,
    // Immutable, so the planner knows how many records have the value.
    irregular: sql`${hashes} && ARRAY[jsonb_hash_extended(${param(JSON.stringify(value), 'jsonb')}, 0)]`,
  };
}

function membership(values: readonly JsonValue[], { code, hashes }: PathKey): CodeCondition {
  const present = values.filter(value => value !== null);
  const regular = [
    sql`${code} = ANY(${codesAmong(present)})`,
    ...(present.some(value => typeof value === 'object') ? [anyOfType('3', code)] : []),
    ...(present.length < values.length ? [sql`${code} IS NULL`] : []),
  ];
  const list = param(JSON.stringify(present), 'jsonb');
  return {
    regular: regular.length === 1 ? regular[0]! : sql`(${joined(regular, ' OR ')})`,
    irregular:
      present.length < values.length
        ? undefined
        : sql`${hashes} && ARRAY(SELECT jsonb_hash_extended(v, 0) FROM jsonb_array_elements(${list}) AS each(v))`,
  };
}

/** A parameter with the codes of the values that a regular record can have. */
export function codesAmong(values: readonly JsonValue[]): Param {
  const codes = values.flatMap(value =>
    value === null || typeof value === 'object' ? [] : (codeOfScalar(value) ?? []),
  );
  return param(codes, 'text[]');
}

type Scalar = TestOf<'order'>['value'];

/** The first character of the code. */
const TYPES = { number: '1', string: '2', boolean: '5' } as const;

/** Numbers beyond the precision of doubles have equal codes, so the bound is part of the range. */
function range({ comparison, value }: TestOf<'order'>, { code }: PathKey): Sql {
  const type = TYPES[typeof value as keyof typeof TYPES];
  const bound = param(codeOf(value), 'text');
  return comparison.startsWith('g')
    ? sql`${code} >= ${bound} AND ${code} < ${literal(after(type))}`
    : sql`${code} >= ${literal(type)} AND ${code} <= ${bound}`;
}

function anyOfType(type: string, code: Sql): Sql {
  return sql`(${code} >= ${literal(type)} AND ${code} < ${literal(after(type))})`;
}

function after(type: string): string {
  return String(Number(type) + 1);
}

/** Null for a value that no regular record has. */
function codeOfScalar(value: Scalar): string | null {
  const code = codeOf(value);
  return Buffer.byteLength(code) <= MAX_CODE_BYTES ? code : null;
}

const bits = new DataView(new ArrayBuffer(8));

/** As `path_code` in the database. */
function codeOf(value: Scalar): string {
  if (typeof value === 'boolean') return `5${value}`;
  if (typeof value === 'string') return `2${value}`;
  bits.setFloat64(0, value + 0);
  const raw = bits.getBigUint64(0);
  const ordered = raw >> 63n === 1n ? ~raw & 0xffffffffffffffffn : raw | 0x8000000000000000n;
  return `1${ordered.toString(16).padStart(16, '0')}`;
}
