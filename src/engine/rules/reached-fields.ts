import { ALWAYS_SHOWN, includes } from './field-names.js';
import type { FieldNames, Grant, Restrictions } from './grant.js';

/** The fields that a caller reaches in some record; undefined: all. */
export interface ReachedFields {
  readonly read: FieldNames | undefined;
  readonly write: FieldNames | undefined;
}

/** The fields that a caller sees or writes in a record, whichever it is. A grant whose rule is false reaches none. */
export function reachedFields({ reading, writing }: Restrictions): ReachedFields {
  return {
    read: reading && union(reading.filter(({ read }) => read !== false).map(({ shows }) => shows)),
    write: writing && union(writing.filter(writesSome).map(({ writes }) => writes)),
  };
}

/** True when the caller sees or writes the field. */
export function reaches({ read, write }: ReachedFields, name: string): boolean {
  return includes(read, name) || includes(write, name);
}

/** The names of reached fields, columns first; null: all. Fields that every caller sees are not listed. */
export function listedFields(names: FieldNames | undefined, columns: readonly string[]): string[] | null {
  if (names === undefined) return null;
  const declared = columns.filter(name => includes(names, name));
  const others = 'only' in names ? [...names.only].filter(name => !columns.includes(name)) : [];
  const system = new Set<string>(ALWAYS_SHOWN);
  return [...declared, ...others.sort().filter(name => !system.has(name))];
}

function writesSome({ create, update, becomes }: Grant): boolean {
  return create !== false || (update !== false && becomes !== false);
}

function union(all: readonly (FieldNames | undefined)[]): FieldNames | undefined {
  return all.reduce<FieldNames | undefined>(either, { only: new Set() });
}

function either(a: FieldNames | undefined, b: FieldNames | undefined): FieldNames | undefined {
  if (a === undefined || b === undefined) return undefined;
  if ('only' in a && 'only' in b) return { only: new Set([...a.only, ...b.only]) };
  const hidden = 'without' in a ? a.without : (b as { without: ReadonlySet<string> }).without;
  const other = 'without' in a ? b : a;
  const left = [...hidden].filter(name => !includes(other, name));
  return left.length === 0 ? undefined : { without: new Set(left) };
}
