import { COLUMN_TYPES, type ColumnTypeName } from '../../columns/index.js';
import { SYSTEM_FIELDS } from '../../storage/collection-shape.js';
import type { Sample } from '../schema-suggester.js';
import { type DescribedField, typeOf } from './described-field.js';
import { isIdentity } from './described-schema.js';
import { LIKELY_IDENTITIES } from './vocabulary.js';
import { columnName, wordsOf } from './words.js';

/** From the narrowest type to the one that takes anything. */
const NARROWEST_FIRST: readonly ColumnTypeName[] = [
  'boolean',
  'integer',
  'double',
  'date',
  'datetime',
  'text',
  'array',
  'json',
];
const COLUMN_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,62}$/;
/** One record tells nothing of what all records have. */
const ENOUGH = 2;
const MAX_COLUMNS = 500;
/** What an index of PostgreSQL takes of a text, with room to spare. */
const MAX_KEY_LENGTH = 500;

/**
 * Columns that hold every sample as it is: the narrowest type that accepts all of a field's values, not nullable where
 * every sample has one. A name that no column can have becomes one that can.
 *
 * @param thing the words for what the records are about.
 */
export function inferredColumns(
  samples: readonly Sample[],
  thing: readonly string[],
): readonly DescribedField[] {
  const fields = new Map<string, unknown[]>();
  for (const sample of samples) {
    for (const [name, value] of Object.entries(sample)) {
      const column = COLUMN_NAME.test(name) && name !== '__proto__' ? name : columnName(wordsOf(name));
      if (column === undefined || (SYSTEM_FIELDS as readonly string[]).includes(column)) continue;
      fields.set(column, [...(fields.get(column) ?? []), value]);
    }
  }
  return [...fields]
    .slice(0, MAX_COLUMNS)
    .map(([name, values]) => columnOf(name, values, { samples: samples.length, thing }));
}

interface Context {
  readonly samples: number;
  readonly thing: readonly string[];
}

function columnOf(name: string, values: readonly unknown[], { samples, thing }: Context): DescribedField {
  const present = values.filter(value => value !== null && value !== undefined);
  const always = present.length === samples && samples >= ENOUGH;
  const type = narrowest(name, present);
  const words = wordsOf(name).join('_');
  const named = LIKELY_IDENTITIES.test(words) || isIdentity(words, thing);
  return { name, type, nullable: !always, unique: always && named && tellApart(type, present) };
}

function narrowest(name: string, values: readonly unknown[]): ColumnTypeName {
  if (values.length === 0) return typeOf(wordsOf(name).join(' '));
  const type = NARROWEST_FIRST.find(each =>
    values.every(value => COLUMN_TYPES[each].accept(value) !== undefined),
  );
  // Prices that happen to be whole: the next one may not be.
  if (type === 'integer' && typeOf(wordsOf(name).join(' ')) === 'double') return 'double';
  return type ?? 'json';
}

function tellApart(type: ColumnTypeName, values: readonly unknown[]): boolean {
  return (
    (type === 'text' || type === 'integer') &&
    new Set(values).size === values.length &&
    values.every(value => String(value).length <= MAX_KEY_LENGTH)
  );
}
