import { ApiProperty } from '@nestjs/swagger';
import { isJsonObject, isStorable } from '../../base/kernel/json.js';
import { MAX_COLUMNS, MAX_RECORD_LEVELS } from '../../base/kernel/limits.js';
import { ChoiceField, JsonField, TextField } from '../../platform/http/field.decorators.js';
import type { SavedView } from './view.entity.js';

const OBJECT = { type: 'object' as const, additionalProperties: true };

const COLUMNS = {
  type: 'array' as const,
  items: { oneOf: [{ type: 'string' as const }, OBJECT] },
  maxItems: MAX_COLUMNS,
};

const FIELDS = { oneOf: [OBJECT, { type: 'array', items: { type: 'string' } }] } as object;

/** Who sees a view: its creator, or everybody who can read the collection. */
const AUDIENCES = ['me', 'all'] as const;
type Audience = (typeof AUDIENCES)[number];

export class SavedViewBody {
  @TextField({ max: 100, description: 'Name shown to people.', example: 'Adults by age' })
  name: string;

  @JsonField({
    optional: true,
    default: {},
    description: 'Filter of the records to show.',
    example: { age: { $gte: 18 } },
    schema: OBJECT,
  })
  filter?: unknown;

  @JsonField({
    optional: true,
    default: {},
    description: 'Sort of the records to show.',
    example: { age: -1 },
    schema: OBJECT,
  })
  sort?: unknown;

  @JsonField({
    optional: true,
    nullable: true,
    description: 'Projection of the records to show, as in a query.',
    example: ['email', 'age'],
    schema: FIELDS,
  })
  fields?: unknown;

  @JsonField({
    optional: true,
    nullable: true,
    description:
      'Columns in the order to show them: names, or objects for the program that shows them. Stored unchanged.',
    example: [{ name: 'email', width: 240 }, 'age'],
    schema: COLUMNS,
    expects: `a list of at most ${MAX_COLUMNS} names or objects, without NUL`,
    check: value =>
      Array.isArray(value) &&
      value.length <= MAX_COLUMNS &&
      value.every(each => typeof each === 'string' || isJsonObject(each)) &&
      isStorable(value, MAX_RECORD_LEVELS),
  })
  columns?: object | null;

  @ChoiceField(AUDIENCES, {
    optional: true,
    default: 'me',
    description:
      '`me`: only you see the view. `all`: everybody who can read the collection; needs the right `write`.',
    example: 'all',
  })
  for: Audience = 'me';
}

export class SavedViewView {
  @ApiProperty({ format: 'uuid' }) id: string;
  @ApiProperty() name: string;
  @ApiProperty({ ...OBJECT, description: 'Filter of the records to show.' }) filter: object;
  @ApiProperty({ ...OBJECT, description: 'Sort of the records to show.' }) sort: object;
  @ApiProperty({ ...FIELDS, nullable: true, description: 'Projection of the records to show.' })
  fields: object | null;
  @ApiProperty({ ...COLUMNS, nullable: true, description: 'Columns in the order to show them.' })
  columns: object | null;
  @ApiProperty({ enum: AUDIENCES, description: '`me`: only you see the view; `all`: everybody.' })
  for: Audience;
  @ApiProperty({ format: 'date-time' }) created_at: string;
  @ApiProperty({ format: 'date-time' }) updated_at: string;

  static of(row: SavedView): SavedViewView {
    const { id, name, filter, sort, fields, columns } = row;
    return {
      id,
      name,
      filter,
      sort,
      fields,
      columns,
      for: row.owner === null ? 'all' : 'me',
      created_at: row.createdAt.toISOString(),
      updated_at: row.updatedAt.toISOString(),
    };
  }
}

export class SavedViewListView {
  @ApiProperty({ type: [SavedViewView] }) items: SavedViewView[];
  @ApiProperty({ type: 'integer' }) total: number;
}
