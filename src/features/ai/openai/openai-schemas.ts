import { PlatformError } from '../../../base/kernel/errors.js';
import { isJsonObject, type JsonObject } from '../../../base/kernel/json.js';
import { MAX_COLUMNS, MAX_INDEXES } from '../../../base/kernel/limits.js';
import { COLUMN_TYPES } from '../../../engine/columns/index.js';
import { parseColumns } from '../../collections/schema/parse-schema.js';
import {
  type Sample,
  SchemaSuggester,
  type SuggestedSchema,
  type SuggestionRequest,
} from '../schema-suggester.js';
import type { LanguageModel, Message, ReplyFormat } from './language-model.js';
import { ModelRefusal } from './language-model.js';
import { quoted, shortened } from './untrusted-data.js';

const SHOWN_SAMPLES = 5;
const COLLECTION_NAME = /^[A-Za-z0-9_-]{1,64}$/;

const TASK = `You suggest a schema for a collection of records from a description of them. Reply with a short name for the collection (lower case, letters, digits, _) and its columns. Column names are lower case with _, 1 to 63 letters, digits, _, not beginning with a digit; a unit of measure ends the name ("annual_revenue_eur"). Types: text, integer, double, boolean, date (a day), datetime (an instant), json (anything nested), array (of texts). A column is nullable unless every record must have it, unique only if it identifies a record. _id, created_at and updated_at are there already: leave them out.`;

const FORMAT: ReplyFormat = {
  name: 'schema',
  schema: {
    type: 'object',
    properties: {
      name: { type: 'string' },
      columns: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            name: { type: 'string' },
            type: { type: 'string', enum: Object.keys(COLUMN_TYPES) },
            nullable: { type: 'boolean' },
            unique: { type: 'boolean' },
          },
          required: ['name', 'type', 'nullable', 'unique'],
          additionalProperties: false,
        },
      },
    },
    required: ['name', 'columns'],
    additionalProperties: false,
  },
};

/**
 * Schemas by a language model. Columns inferred from samples are kept. Without a usable reply the rules decide alone.
 */
export class OpenAiSchemas extends SchemaSuggester {
  constructor(
    private readonly model: LanguageModel,
    private readonly rules: SchemaSuggester,
  ) {
    super();
  }

  async suggest(
    description: string,
    samples: readonly Sample[],
    request: SuggestionRequest,
  ): Promise<SuggestedSchema> {
    const ruled = await this.rules.suggest(description, samples, request);
    const messages = promptOf(description, samples);
    const said =
      (await this.said(request, messages)) ?? (await this.said(request, [...messages, SECOND_TRY]));
    if (said === undefined) return ruled;
    return samples.length === 0 ? said : { ...said, ...shownBy(ruled, said) };
  }

  /** Undefined when createCollection would refuse the suggestion, or the model gives none. */
  private async said(
    { orgId, caller }: SuggestionRequest,
    messages: readonly Message[],
  ): Promise<SuggestedSchema | undefined> {
    try {
      return suggestionIn(await this.model.reply(orgId, messages, FORMAT, caller), this.model.name);
    } catch (error) {
      if (error instanceof ModelRefusal) return undefined;
      throw error;
    }
  }
}

/** The columns inferred from samples, then those that the model adds. */
function shownBy(
  ruled: SuggestedSchema,
  said: SuggestedSchema,
): Pick<SuggestedSchema, 'properties' | 'uniques'> {
  const columns = Object.entries({ ...ruled.properties, ...said.properties, ...ruled.properties });
  return { properties: Object.fromEntries(columns.slice(0, MAX_COLUMNS)), uniques: ruled.uniques };
}

const SECOND_TRY: Message = {
  role: 'user',
  content: 'The last suggestion broke the rules for names or types. Suggest another one.',
};

function promptOf(description: string, samples: readonly Sample[]): Message[] {
  const { text, rule } = quoted({
    description,
    samples: samples.slice(0, SHOWN_SAMPLES).map(sample => shortened(sample)),
  });
  return [
    { role: 'system', content: `${TASK}\n\n${rule}` },
    { role: 'user', content: text },
  ];
}

/** The suggestion in a reply; undefined when createCollection would refuse it. */
function suggestionIn(said: unknown, model: string): SuggestedSchema | undefined {
  if (!isJsonObject(said) || !Array.isArray(said.columns) || !COLLECTION_NAME.test(String(said.name))) {
    return undefined;
  }
  const columns = said.columns.filter(isJsonObject);
  try {
    const properties = parseColumns(
      Object.fromEntries(
        columns.map(({ name, type, nullable }) => [String(name), { type, nullable }] as const),
      ) as JsonObject,
    );
    return {
      name: said.name as string,
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, { type, nullable }]) => [name, { type, nullable }]),
      ),
      uniques: columns
        .filter(({ unique, type }) => unique === true && (type === 'text' || type === 'integer'))
        .slice(0, MAX_INDEXES)
        .map(({ name }) => ({ properties: [String(name)] })),
      model,
    };
  } catch (error) {
    if (error instanceof PlatformError) return undefined;
    throw error;
  }
}
