import { invalid } from '../../base/kernel/errors.js';
import type { JsonValue } from '../../base/kernel/json.js';
import { MAX_MEMBERS, MAX_RECORD_LEVELS, MAX_VALUES } from '../../base/kernel/limits.js';
import { sql } from '../../base/sql/index.js';
import type { DeclarableType } from './column-type.js';

/** Any JSON value. `checkDocument` checks names, depth and strings, as in every record. */
export const json: DeclarableType = {
  name: 'json',
  sqlType: sql`jsonb`,
  castType: 'jsonb',
  expects: 'any JSON value',
  family: 'document',
  instant: false,
  accept: value => value as JsonValue,
  operand: () => undefined,
  toJson: value => value,
  sent: 'json',
  fromJson: json => json,
};

/** An array of strings, stored as jsonb so that filters treat it as any other array. */
export const array: DeclarableType = {
  name: 'array',
  sqlType: sql`jsonb`,
  castType: 'jsonb',
  expects: 'an array of strings',
  family: 'document',
  instant: false,
  accept: value =>
    Array.isArray(value) && value.every(item => typeof item === 'string') ? (value as string[]) : undefined,
  operand: () => undefined,
  toJson: value => value,
  sent: 'json',
  fromJson: json =>
    sql`CASE WHEN jsonb_typeof(${json}) = 'array' AND NOT ${json} @? 'strict $[*] ? (@.type() != "string")' THEN ${json} END`,
};

const MAX_NAME_LENGTH = 255;

/** What is wrong and the path to it, innermost step first. */
interface Flaw {
  readonly reason: string;
  readonly path: string[];
}

/** Values that the document being checked may still have. */
let left = 0;

/**
 * Refuses what no record may contain at any depth: invalid field names, NUL and lone surrogates, numbers beyond the doubles
 * (`JSON.parse` reads 1e999 as Infinity), more than 100 levels, more than 250,000 values. Throws `invalid()` naming the
 * place after `where`. It runs on every record of a bulk insert, so it allocates nothing unless it finds a flaw.
 */
export function checkDocument(value: unknown, where: string): void {
  left = MAX_VALUES;
  const flaw = findFlaw(value, 1);
  if (left < 0) throw invalid(`${where}: more than ${MAX_VALUES} values`);
  if (flaw !== undefined) throw invalid(`${[where, ...flaw.path.reverse()].join('.')}: ${flaw.reason}`);
}

/** Why PostgreSQL cannot store a text (NUL or half of a surrogate pair), or undefined. */
export function textFlaw(text: string): string | undefined {
  if (text.includes('\0')) return 'a NUL character is not allowed';
  return text.isWellFormed() ? undefined : 'the text is not well-formed Unicode (a lone surrogate)';
}

/** Why a text cannot be a field name at any depth (wire contract, Objects), or undefined. */
export function nameFlaw(name: string): string | undefined {
  if (name === '') return 'a field name must not be empty';
  if (name.length > MAX_NAME_LENGTH && [...name].length > MAX_NAME_LENGTH) {
    return `a field name is at most ${MAX_NAME_LENGTH} characters long`;
  }
  if (name.startsWith('$')) return 'a field name must not begin with $';
  if (name.includes('.')) return "a field name must not contain '.'";
  if (name === '__proto__') return '__proto__ is not allowed as a field name';
  return textFlaw(name);
}

function findFlaw(value: unknown, level: number): Flaw | undefined {
  if (--left < 0) return { reason: 'too many values', path: [] };
  if (typeof value === 'string') return asFlaw(textFlaw(value));
  if (typeof value === 'number')
    return Number.isFinite(value) ? undefined : asFlaw('the number is out of range');
  if (typeof value !== 'object' || value === null) return undefined;
  if (level > MAX_RECORD_LEVELS) return asFlaw(`more than ${MAX_RECORD_LEVELS} levels`);
  return Array.isArray(value) ? itemFlaw(value, level) : memberFlaw(value as Record<string, unknown>, level);
}

function itemFlaw(items: readonly unknown[], level: number): Flaw | undefined {
  for (let index = 0; index < items.length; index++) {
    const flaw = findFlaw(items[index], level + 1);
    if (flaw !== undefined) return under(String(index), flaw);
  }
  return undefined;
}

function memberFlaw(members: Record<string, unknown>, level: number): Flaw | undefined {
  let count = 0;
  for (const name in members) {
    if (++count > MAX_MEMBERS) return asFlaw(`more than ${MAX_MEMBERS} fields in one object`);
    const flaw = asFlaw(nameFlaw(name)) ?? findFlaw(members[name], level + 1);
    if (flaw !== undefined) return under(name, flaw);
  }
  return undefined;
}

function asFlaw(reason: string | undefined): Flaw | undefined {
  return reason === undefined ? undefined : { reason, path: [] };
}

/** A name can be megabytes long or contain control characters, so only its beginning is shown, escaped. */
function under(name: string, flaw: Flaw): Flaw {
  flaw.path.push(JSON.stringify(name.slice(0, 60)).slice(1, -1));
  return flaw;
}
