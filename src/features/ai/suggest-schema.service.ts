import { Injectable } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { Presence } from '../../base/kernel/bounds/deadline.js';
import { isJsonObject } from '../../base/kernel/json.js';
import type { Membership } from '../../base/kernel/principal.js';
import { ChoiceField, JsonField, TextField } from '../../platform/http/field.decorators.js';
import { ColumnView, IndexView } from '../collections/collection-view.js';
import { csvSamples } from './csv-samples.js';
import { type Sample, SchemaSuggester, type SuggestedSchema } from './schema-suggester.js';

const MAX_SAMPLES = 1_000;

export class SuggestSchemaBody {
  @TextField({
    max: 4000,
    description: 'What the records are about and which values each has, in English or French.',
    example: 'Customers with name, email, annual revenue in EUR and signup date',
  })
  description: string;

  @JsonField({
    optional: true,
    description: 'Sample records. The suggested columns can store all of them.',
    example: [{ name: 'Ada', email: 'ada@example.com', annual_revenue_eur: 12.5, signup_date: '2026-01-31' }],
    schema: {
      type: 'array',
      items: { type: 'object', additionalProperties: true },
      maxItems: MAX_SAMPLES,
    },
    expects: `a list of at most ${MAX_SAMPLES} records`,
    check: value => Array.isArray(value) && value.length <= MAX_SAMPLES && value.every(isJsonObject),
  })
  samples?: Sample[];

  @ChoiceField(['records', 'csv'], {
    optional: true,
    default: 'records',
    description:
      '`csv`: the samples are rows of a CSV file, by header. Texts are read as numbers, booleans and dates where every text of a header can be read so.',
  })
  samples_from: 'records' | 'csv' = 'records';
}

class SuggestedSchemaView {
  @ApiProperty({ description: 'A name for the collection.', example: 'customers' }) name: string;
  @ApiProperty({
    type: 'object',
    additionalProperties: { $ref: '#/components/schemas/ColumnView' },
    description: 'Columns, in the form that createCollection accepts.',
  })
  properties: Record<string, ColumnView>;
  @ApiProperty({ type: [IndexView], description: 'Columns whose values seem to be unique.' })
  uniques: IndexView[];
  @ApiProperty({
    description: 'What made the suggestion: `builtin`, or the name of a language model.',
    example: 'builtin',
  })
  model: string;
  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: { type: 'string', nullable: true },
    example: { 'Order no.': 'order_no', Customer: 'Customer' },
    description:
      'With `samples_from: "csv"`: the column of each header, to send as `columns` of the import; null for a header without a column.',
  })
  columns?: Record<string, string | null>;
}

export class SuggestionView {
  @ApiProperty({ type: SuggestedSchemaView }) data: SuggestedSchemaView;
}

/** Suggests schemas to the members of an organization. Does not read or write their data. */
@Injectable()
export class SuggestSchema {
  constructor(private readonly suggester: SchemaSuggester) {}

  /**
   * Throws 429 when the organization's budget is spent, 503 when the language model fails, and CallerGone when the caller
   * disconnects while the model works.
   */
  async suggest(
    { orgId }: Membership,
    caller: Presence,
    { description, samples = [], samples_from }: SuggestSchemaBody,
  ): Promise<{ data: SuggestedSchema & Pick<SuggestedSchemaView, 'columns'> }> {
    const request = { orgId, caller };
    if (samples_from !== 'csv') return { data: await this.suggester.suggest(description, samples, request) };
    const read = csvSamples(samples);
    const data = await this.suggester.suggest(description, read.samples, request);
    const properties = withDecimals(data.properties, read.decimals);
    const known = (column: string | null) => column !== null && Object.hasOwn(properties, column);
    const columns = Object.entries(read.columns).map(([header, column]) => [
      header,
      known(column) ? column : null,
    ]);
    return { data: { ...data, properties, columns: Object.fromEntries(columns) } };
  }
}

/** As numbers, `5.0` and `5` are equal, but an import accepts only the latter in a column of integers. */
function withDecimals(
  properties: SuggestedSchema['properties'],
  decimals: ReadonlySet<string>,
): SuggestedSchema['properties'] {
  return Object.fromEntries(
    Object.entries(properties).map(([name, column]) => [
      name,
      column.type === 'integer' && decimals.has(name) ? { ...column, type: 'double' as const } : column,
    ]),
  );
}
