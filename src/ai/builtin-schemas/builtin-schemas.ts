import { COLUMN_TYPES, type ColumnTypeName } from '../../columns/index.js';
import { MAX_COLUMNS, MAX_INDEXES } from '../../kernel/limits.js';
import { isSystemField } from '../../storage/collection-shape.js';
import { type Sample, SchemaSuggester, type SuggestedSchema } from '../schema-suggester.js';
import {
  columnName,
  type DescribedField,
  describedSchema,
  isIdentity,
  typeOf,
  wordsOf,
} from './described-schema.js';
import { LIKELY_IDENTITIES } from './vocabulary.js';

/** Schemas by rules, without a model or the network: equal requests get equal schemas. */
export class BuiltinSchemas extends SchemaSuggester {
  async suggest(description: string, samples: readonly Sample[]): Promise<SuggestedSchema> {
    const described = describedSchema(description);
    // Samples show the real columns; the description could only add guesses.
    const fields =
      samples.length > 0 ? inferredColumns(samples, described.name.split('_')) : described.fields;
    return {
      name: described.name,
      properties: Object.fromEntries(fields.map(({ name, type, nullable }) => [name, { type, nullable }])),
      uniques: fields
        .filter(({ unique }) => unique)
        .slice(0, MAX_INDEXES)
        .map(({ name }) => ({ properties: [name] })),
      model: 'builtin',
    };
  }
}

/** From the narrowest type to the one that accepts any value. */
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
/** Minimum number of samples from which `nullable: false` and unique constraints are inferred. */
const ENOUGH = 2;
/** Well below the maximum length of a text in an index of PostgreSQL. */
const MAX_KEY_LENGTH = 500;

/**
 * Columns that hold every sample unchanged: each has the narrowest type that accepts all values of the field, and is not
 * nullable if every sample has a value. Names that a column cannot have are replaced by similar ones.
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
      if (column === undefined || isSystemField(column)) continue;
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
  // Whole prices, for example: the next price may not be whole.
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
