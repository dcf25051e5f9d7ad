import { Slices } from '../../../base/kernel/bounds/slices.js';
import { MAX_COLUMNS, MAX_INDEXES } from '../../../base/kernel/limits.js';
import { COLUMN_TYPES, type ColumnTypeName } from '../../../engine/columns/index.js';
import { isSystemField } from '../../../engine/storage/collection-shape.js';
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
      samples.length > 0 ? await inferredColumns(samples, described.name.split('_')) : described.fields;
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
/** Different names that are replaced; the rest are left out. Replacing a name takes microseconds. */
const MAX_REPLACED = 10_000;
/** Values of a column up to which those of replaced names are looked at: 10 for each of the 1,000 possible samples. */
const MAX_SHARED = 10_000;
/** Length of the beginning of a name that is replaced. Records cannot have longer names. */
const MAX_NAME_LENGTH = 255;

/**
 * Columns that hold every sample unchanged: each has the narrowest type that accepts all values of the field, and is not
 * nullable if every sample has a value. Names that a column cannot have are replaced by similar ones. There are limits
 * for them, because many names can have the same replacement. For many values, other requests run in between.
 *
 * @param thing the words for what the records are about.
 */
export async function inferredColumns(
  samples: readonly Sample[],
  thing: readonly string[],
): Promise<readonly DescribedField[]> {
  const slices = new Slices();
  const fields = new Map<string, ColumnValues>();
  const replaced = new Map<string, string | undefined>();
  for (const [number, sample] of samples.entries()) {
    collect(sample, number, fields, replaced);
    await slices.pause();
  }
  const columns: DescribedField[] = [];
  for (const [name, values] of fields) {
    columns.push(columnOf(name, values, { samples: samples.length, thing }));
    await slices.pause();
  }
  return columns;
}

/** The values of a column in the samples. Several names of a sample can have the same column. */
class ColumnValues {
  readonly values: unknown[] = [];
  /** The number of samples with a value. */
  samples = 0;
  /** The number of the last one of them. */
  private last: number | undefined;

  add(value: unknown, sample: number): void {
    if (value === null || value === undefined) return;
    this.values.push(value);
    if (sample !== this.last) this.samples += 1;
    this.last = sample;
  }
}

/** Adds the values of a sample to `fields`, by column. `number`: of the sample. `replaced`: the columns of replaced names so far. */
function collect(
  sample: Sample,
  number: number,
  fields: Map<string, ColumnValues>,
  replaced: Map<string, string | undefined>,
): void {
  for (const name of Object.keys(sample)) {
    const isColumn = COLUMN_NAME.test(name) && name !== '__proto__';
    const column = isColumn ? name : replacement(name, replaced);
    if (column === undefined || isSystemField(column)) continue;
    let values = fields.get(column);
    if (values === undefined) {
      if (fields.size >= MAX_COLUMNS) continue;
      values = new ColumnValues();
      fields.set(column, values);
    }
    if (isColumn || values.values.length < MAX_SHARED) values.add(sample[name], number);
  }
}

/** The column for a name that a column cannot have; undefined if there is none, or too many names were replaced. */
function replacement(name: string, replaced: Map<string, string | undefined>): string | undefined {
  if (!replaced.has(name) && replaced.size < MAX_REPLACED)
    replaced.set(name, columnName(wordsOf(name.slice(0, MAX_NAME_LENGTH))));
  return replaced.get(name);
}

interface Context {
  readonly samples: number;
  readonly thing: readonly string[];
}

function columnOf(name: string, present: ColumnValues, { samples, thing }: Context): DescribedField {
  const always = present.samples === samples && samples >= ENOUGH;
  const type = narrowest(name, present.values);
  const words = wordsOf(name).join('_');
  const named = LIKELY_IDENTITIES.test(words) || isIdentity(words, thing);
  return { name, type, nullable: !always, unique: always && named && tellApart(type, present.values) };
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
