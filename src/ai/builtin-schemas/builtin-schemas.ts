import { type Sample, SchemaSuggester, type SuggestedSchema } from '../schema-suggester.js';
import { describedSchema } from './described-schema.js';
import { inferredColumns } from './inferred-columns.js';

const MAX_UNIQUES = 32;

/** Schemas by rules: no model, no network, the same words give the same schema. */
export class BuiltinSchemas extends SchemaSuggester {
  async suggest(description: string, samples: readonly Sample[]): Promise<SuggestedSchema> {
    const described = describedSchema(description);
    // Samples are what the records are; words about them would only add guesses.
    const fields =
      samples.length > 0 ? inferredColumns(samples, described.name.split('_')) : described.fields;
    return {
      name: described.name,
      properties: Object.fromEntries(fields.map(({ name, type, nullable }) => [name, { type, nullable }])),
      uniques: fields
        .filter(({ unique }) => unique)
        .slice(0, MAX_UNIQUES)
        .map(({ name }) => ({ properties: [name] })),
      model: 'builtin',
    };
  }
}
