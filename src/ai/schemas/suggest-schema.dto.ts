import { ApiProperty } from '@nestjs/swagger';
import { ColumnView, IndexView } from '../../collections/collections.dto.js';
import { JsonField, TextField } from '../../http/field.decorators.js';
import { isJsonObject } from '../../kernel/json.js';
import type { Sample } from '../schema-suggester.js';

const MAX_SAMPLES = 1_000;

export class SuggestSchemaBody {
  @TextField({
    max: 4000,
    description: 'What the records are about and what is kept of each, in English or French.',
    example: 'Customers with name, email, annual revenue in EUR and signup date',
  })
  description: string;

  @JsonField({
    optional: true,
    description: 'Records as they will be: the columns are then those that hold all of them.',
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
}

class SuggestedSchemaView {
  @ApiProperty({ description: 'A name for the collection.', example: 'customers' }) name: string;
  @ApiProperty({
    type: 'object',
    additionalProperties: { $ref: '#/components/schemas/ColumnView' },
    description: 'Columns, as createCollection takes them.',
  })
  properties: Record<string, ColumnView>;
  @ApiProperty({ type: [IndexView], description: 'Columns that no two records seem to share.' })
  uniques: IndexView[];
  @ApiProperty({ description: 'Who suggests: `builtin`, or a language model.', example: 'builtin' })
  model: string;
}

export class SuggestionView {
  @ApiProperty({ type: SuggestedSchemaView }) data: SuggestedSchemaView;
}
