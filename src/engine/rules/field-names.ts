import { invalid } from '../../base/kernel/errors.js';
import { isJsonObject } from '../../base/kernel/json.js';
import { nameFlaw } from '../columns/index.js';
import type { FieldNames, Grant } from './grant.js';

const MAX_NAMES = 500;

/** Every caller that sees a record sees these fields. */
export const ALWAYS_SHOWN = ['_id', 'created_at', 'updated_at'] as const;

/** Parses a projection of top-level names: all 1 or all 0. Throws 400; `where` is for the message. */
export function parseFieldNames(json: unknown, where: string): FieldNames {
  const entries = isJsonObject(json) ? Object.entries(json) : [];
  if (entries.length === 0)
    throw invalid(`${where}: expects an object with names of fields, such as {"title": 1} or {"margin": 0}`);
  if (entries.length > MAX_NAMES) throw invalid(`${where}: takes at most ${MAX_NAMES} names`);
  const [[, first]] = entries as [[string, unknown]];
  for (const [name, value] of entries) {
    const shown = JSON.stringify(name.slice(0, 60));
    const flaw = name.includes('.') ? 'use the name of a top-level field' : nameFlaw(name);
    if (flaw !== undefined) throw invalid(`${where}: ${shown}: ${flaw}`);
    if (value !== 0 && value !== 1) throw invalid(`${where}: ${shown} must be 1 or 0`);
    if (value !== first)
      throw invalid(`${where}: use 1 for all names (only these fields) or 0 for all (all but these)`);
  }
  const names = new Set(entries.map(([name]) => name));
  return first === 1 ? { only: names } : { without: names };
}

/** The fields that a grant shows. */
export function shownFields(read: FieldNames | undefined): FieldNames | undefined {
  if (read === undefined) return undefined;
  if ('only' in read) return { only: new Set([...ALWAYS_SHOWN, ...read.only]) };
  const hidden = new Set(read.without);
  for (const name of ALWAYS_SHOWN) hidden.delete(name);
  return hidden.size === 0 ? undefined : { without: hidden };
}

/** The fields that a grant lets its holder write: none of those that it does not show. */
export function writtenFields(
  shown: FieldNames | undefined,
  write: FieldNames | undefined,
): FieldNames | undefined {
  if (shown === undefined || write === undefined) return shown ?? write;
  if ('only' in write) return { only: new Set([...write.only].filter(name => includes(shown, name))) };
  if ('only' in shown) return { only: new Set([...shown.only].filter(name => includes(write, name))) };
  return { without: new Set([...shown.without, ...write.without]) };
}

export function includes(names: FieldNames | undefined, name: string): boolean {
  if (names === undefined) return true;
  return 'only' in names ? names.only.has(name) : !names.without.has(name);
}

/** True if the grant lets its holder write all of these fields. */
export function writesAll({ writes }: Pick<Grant, 'writes'>, names: readonly string[]): boolean {
  return names.every(name => includes(writes, name));
}

/** The fields that none of the grants lets its holder write. */
export function unwritable(grants: readonly Pick<Grant, 'writes'>[], names: Iterable<string>): string[] {
  return [...names].filter(name => !grants.some(({ writes }) => includes(writes, name)));
}
