import { ApiProperty } from '@nestjs/swagger';
import { isJsonObject } from '../../base/kernel/json.js';
import {
  ChoiceField,
  DateTimeField,
  FlagField,
  IntegerField,
  JsonField,
  TextField,
} from '../../platform/http/field.decorators.js';
import { AS_OF, FIELDS, FILTER, SORT } from '../../platform/http/query.fields.js';
import { DATE_ORDERS, DECIMALS } from './import/local-values.js';

export class ImportRecordsQuery {
  @ChoiceField(['append', 'upsert'], {
    optional: true,
    default: 'append',
    description: '`append` adds all records; `upsert` updates the records whose `upsert_key` exists.',
  })
  mode: 'append' | 'upsert' = 'append';

  @TextField({
    optional: true,
    max: 63,
    description: 'Required with mode=upsert: a column that has its own unique constraint.',
  })
  upsert_key?: string;

  @ChoiceField(['abort', 'skip'], {
    optional: true,
    default: 'abort',
    description: 'What to do if a row cannot be imported: `abort` writes nothing; `skip` leaves out the row.',
  })
  on_error: 'abort' | 'skip' = 'abort';

  @FlagField({
    optional: true,
    default: false,
    description: 'true: report what would be imported, and write nothing.',
  })
  dry_run: boolean = false;

  @ChoiceField(['all'], {
    optional: true,
    description:
      '`all`: the answer has a line `{"refused": {"row", "column", "problem", "line"}}` for each refused row. `line` is the text ' +
      'of the row as it is in the file, of an element of a JSON array in one line, to be corrected and imported again; null if it is longer than 65,536 characters.',
  })
  refused?: 'all';

  @JsonField({
    optional: true,
    description:
      'The column that each header of CSV or field of JSON belongs to, as JSON text; null leaves it out. Those that are not named keep their names. The second of two equal headers `price` is `price (2)` here.',
    schema: { type: 'object', additionalProperties: { type: 'string', nullable: true } },
    expects: 'an object of headers, each with the name of a column or null',
    check: value =>
      isJsonObject(value) && Object.values(value).every(each => each === null || typeof each === 'string'),
  })
  columns?: Readonly<Record<string, string | null>>;

  @FlagField({
    optional: true,
    default: false,
    description: 'true: `columns` may also name fields that are not columns of the collection.',
  })
  allow_unknown: boolean = false;

  @IntegerField({
    optional: true,
    min: 0,
    max: 1000,
    description:
      'For CSV: how many lines come before the header, for example a title. 0 says that a header of one field is one.',
  })
  skip_lines?: number;

  @TextField({
    optional: true,
    max: 40,
    description:
      'How the file writes characters: a name of the [WHATWG Encoding Standard](https://encoding.spec.whatwg.org/#names-and-labels), such as `utf-16le` or `iso-8859-1`. Default: utf-8.',
  })
  encoding?: string;

  @TextField({
    optional: true,
    min: 1,
    max: 1,
    pattern: /^[^"\r\n]$/,
    hint: 'any sign but a quote and line ends',
    description:
      'For CSV: the character between fields. Default: as the header or a first line such as `sep=;` shows.',
  })
  delimiter?: string;

  @ChoiceField(DECIMALS, {
    optional: true,
    description:
      'For CSV: the sign before the decimals of numbers. Groups of three digits may be separated by the other sign, a space or an apostrophe: `1.234,5` with `,`. Default: `1234.5`, without groups. With this parameter, `dates` or `zone`, columns of the type boolean also take `yes`, `no`, `oui`, `non`, `ja`, `nein`, `1` and `0`.',
  })
  decimal?: (typeof DECIMALS)[number];

  @ChoiceField(DATE_ORDERS, {
    optional: true,
    description:
      'For CSV: the order of day, month and year in dates such as `31.01.2026`, `31/1/2026` or `01/31/2026 2:30 PM`. Dates that begin with the year are always read. Default: ymd.',
  })
  dates?: (typeof DATE_ORDERS)[number];

  @TextField({
    optional: true,
    max: 100,
    description:
      'For CSV: IANA time zone of times without an offset, in columns of the type datetime; a day alone is its beginning. Without it such times are refused.',
  })
  zone?: string;
}

abstract class ExportedFile {
  @ChoiceField(['csv', 'ndjson', 'json'], {
    optional: true,
    description:
      'File format; `json` is one array. Default: csv or ndjson, which the `Accept` header prefers, else csv.',
    example: 'csv',
  })
  format?: 'csv' | 'ndjson' | 'json';

  @FlagField({
    optional: true,
    default: false,
    description:
      'For CSV: true puts an apostrophe before texts that a spreadsheet would run as a formula, which begin with `=`, `+`, `-`, `@`, a tab or a line end. Numbers stay as they are.',
  })
  safe: boolean = false;

  @DateTimeField(AS_OF)
  as_of?: string;
}

export class ExportRecordsQuery extends ExportedFile {
  @JsonField({ ...FILTER, description: 'MongoDB-style filter, as JSON text.' })
  filter?: unknown;

  @JsonField({ ...SORT, description: 'Sort, as JSON text. Default: insertion order.' })
  sort?: unknown;

  @JsonField({
    ...FIELDS,
    description: 'Projection, as JSON text. It also sets the order of the columns of a CSV file.',
  })
  fields?: unknown;
}

export class ExportRecordsBody extends ExportedFile {
  @JsonField(FILTER)
  filter?: unknown;

  @JsonField(SORT)
  sort?: unknown;

  @JsonField({
    ...FIELDS,
    description: `${FIELDS.description} The order of the names is that of the columns of a CSV file.`,
  })
  fields?: unknown;
}

export class ImportErrorView {
  @ApiProperty({
    type: 'integer',
    description: 'Number of the row, from 1. The header of a CSV file is not counted.',
  })
  row: number;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Column with the problem; null: the problem is about the whole row.',
  })
  column: string | null;
  @ApiProperty({ example: 'expects an integer within ±(2^53−1)' }) problem: string;
}

/** The last line of the answer to an import. */
export class ImportSummaryView {
  @ApiProperty({
    example: true,
    description: 'true in the last line; false in the lines of progress before it.',
  })
  done: boolean;
  @ApiProperty({ description: 'false: nothing was written, and `error` and `message` give the reason.' })
  ok: boolean;
  @ApiProperty({ required: false, example: 'BatchRejected' }) error?: string;
  @ApiProperty({ required: false }) message?: string;
  @ApiProperty({ enum: ['append', 'upsert'] }) mode: string;
  @ApiProperty() dry_run: boolean;
  @ApiProperty({ type: 'integer', description: 'Number of rows read.' }) rows: number;
  @ApiProperty({ type: 'integer', description: 'Number of new records.' }) inserted: number;
  @ApiProperty({ type: 'integer', description: 'Number of existing records that were updated.' })
  updated: number;
  @ApiProperty({ type: 'integer', description: 'Number of rows left out, with on_error=skip.' })
  skipped: number;
  @ApiProperty({
    required: false,
    type: [String],
    example: ['created_at', 'updated_at'],
    description:
      'Fields of the file that were not imported, because the service sets them itself; absent if there are none. The ' +
      'parameter `columns` imports them into other columns.',
  })
  ignored?: string[];
  @ApiProperty({
    required: false,
    type: [String],
    example: ['pages'],
    description:
      'For CSV: fields without a column whose values all look like numbers, booleans, lists or objects. They are stored as ' +
      'texts; absent if there are none. Codes such as `007` and whole numbers beyond ±(2^53−1) do not count.',
  })
  as_text?: string[];
  @ApiProperty({
    required: false,
    type: [String],
    example: ['tweet_id'],
    description:
      'The first 100 fields with whole numbers beyond ±(2^53−1) that lost digits, because numbers are doubles; absent if ' +
      'there are none. Send such numbers as texts.',
  })
  rounded?: string[];
  @ApiProperty({ type: [ImportErrorView], description: 'The first 100 problems.' }) errors: ImportErrorView[];
}
