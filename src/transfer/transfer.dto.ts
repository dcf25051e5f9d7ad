import { ApiProperty } from '@nestjs/swagger';
import { ChoiceField, FlagField, JsonField, TextField } from '../http/field.decorators.js';

export class ImportRecordsQuery {
  @ChoiceField(['append', 'upsert'], {
    optional: true,
    default: 'append',
    description: 'Add all records, or update those whose `upsert_key` exists.',
  })
  mode: 'append' | 'upsert' = 'append';

  @TextField({
    optional: true,
    max: 63,
    description: 'With mode=upsert: a column with a unique constraint of its own.',
  })
  upsert_key?: string;

  @ChoiceField(['abort', 'skip'], {
    optional: true,
    default: 'abort',
    description: 'A row that cannot be imported: nothing is written, or all but such rows.',
  })
  on_error: 'abort' | 'skip' = 'abort';

  @FlagField({ optional: true, default: false, description: 'Tell what would happen and write nothing.' })
  dry_run: boolean = false;
}

export class ExportRecordsQuery {
  @ChoiceField(['csv', 'ndjson'], {
    optional: true,
    description: 'Default: what `Accept` prefers, else csv.',
    example: 'csv',
  })
  format?: 'csv' | 'ndjson';

  @JsonField({
    optional: true,
    description: 'MongoDB-style filter, as JSON text.',
    example: { age: { $gte: 18 } },
    schema: { type: 'object', additionalProperties: true },
  })
  filter?: unknown;

  @JsonField({
    optional: true,
    description: 'Sort, as JSON text. Default: insertion order.',
    example: { age: -1 },
    schema: { type: 'object', additionalProperties: { type: 'integer', enum: [1, -1] } },
  })
  sort?: unknown;

  @JsonField({
    optional: true,
    description: 'Projection, as JSON text. Of CSV it also gives the order of the columns.',
    example: { email: 1, age: 1 },
    schema: {
      oneOf: [
        { type: 'object', additionalProperties: { type: 'integer', enum: [0, 1] } },
        { type: 'array', items: { type: 'string' } },
      ],
    } as object,
  })
  fields?: unknown;
}

export class ImportErrorView {
  @ApiProperty({ type: 'integer', description: 'From 1; the header of a CSV file is not counted.' })
  row: number;
  @ApiProperty({ type: String, nullable: true, description: 'Null: the row as a whole.' }) column:
    | string
    | null;
  @ApiProperty({ example: 'expects an integer within ±(2^53−1)' }) problem: string;
}

/** The last line of the answer to an import. */
export class ImportSummaryView {
  @ApiProperty({ example: true, description: 'False in the lines of progress before.' }) done: boolean;
  @ApiProperty({ description: 'False: nothing was written, `error` and `message` say why.' }) ok: boolean;
  @ApiProperty({ required: false, example: 'BatchRejected' }) error?: string;
  @ApiProperty({ required: false }) message?: string;
  @ApiProperty({ enum: ['append', 'upsert'] }) mode: string;
  @ApiProperty() dry_run: boolean;
  @ApiProperty({ type: 'integer', description: 'Rows read.' }) rows: number;
  @ApiProperty({ type: 'integer', description: 'New records.' }) inserted: number;
  @ApiProperty({ type: 'integer', description: 'Records there were before.' }) updated: number;
  @ApiProperty({ type: 'integer', description: 'Rows left out, with on_error=skip.' }) skipped: number;
  @ApiProperty({ type: [ImportErrorView], description: 'The first 100.' }) errors: ImportErrorView[];
}
