import { ApiProperty, ApiPropertyOptional, type ApiPropertyOptions } from '@nestjs/swagger';
import { COLUMN_TYPES } from '../../../engine/columns/index.js';
import {
  type ColumnDefinition,
  declaredColumn,
  type IndexSet,
} from '../../../engine/storage/collection-shape.js';
import { FlagField, JsonField } from '../../../platform/http/field.decorators.js';
import type { Collection } from '../collection.entity.js';
import { ColumnView, IndexView } from '../collection-view.js';

const COLUMNS_SCHEMA: ApiPropertyOptions = {
  type: 'object',
  additionalProperties: {
    type: 'object',
    properties: {
      type: { type: 'string', enum: Object.keys(COLUMN_TYPES) },
      nullable: { type: 'boolean' },
    },
  },
};

const INDEXES_SCHEMA: ApiPropertyOptions = {
  type: 'array',
  items: {
    type: 'object',
    properties: { properties: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 16 } },
    required: ['properties'],
  },
  maxItems: 32,
};

const KINDS_SCHEMA: ApiPropertyOptions = {
  ...INDEXES_SCHEMA,
  items: {
    type: 'object',
    properties: {
      properties: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 16 },
      kind: { type: 'string', enum: ['ordered', 'search'], default: 'ordered' },
    },
    required: ['properties'],
  },
};

const DRY_RUN = {
  optional: true,
  default: false,
  description: 'true: reports what would change, and changes nothing.',
} as const;

export const ALLOW_UNKNOWN = {
  optional: true,
  default: false,
  description:
    'true: `indexes` may name flexible fields that no record has yet. Otherwise such a name is refused with 400, because it is probably misspelt.',
} as const;

export class UpdateSchemaBody {
  @JsonField({
    description:
      'Columns to add or change. All other columns stay. A new column takes over the values that records already have under its name. For an existing column you can send only `type` or only `nullable`.',
    example: { email: { type: 'text', nullable: false }, age: { type: 'integer' } },
    schema: COLUMNS_SCHEMA,
  })
  properties: unknown;

  @FlagField(DRY_RUN)
  dry_run?: boolean;
}

export class ApplyIndexesBody {
  @JsonField({
    optional: true,
    description:
      'The complete list of indexes. Others are dropped; absent: all are dropped. `properties` are columns, system fields (`created_at`, `updated_at`, `_created_by`, `_updated_by`), flexible fields and dotted paths such as `address.city`. The kind `ordered`, the default, serves equality, ranges and sorts; `search` serves `$search` on texts.',
    example: [
      { properties: ['age'] },
      { properties: ['email', 'city'] },
      { properties: ['email'], kind: 'search' },
    ],
    schema: KINDS_SCHEMA,
  })
  indexes?: unknown;

  @JsonField({
    optional: true,
    description:
      'The complete list of unique constraints over columns and `_created_by`. Others are dropped; absent: all are dropped. Null values are never equal to each other.',
    example: [{ properties: ['email'] }],
    schema: INDEXES_SCHEMA,
  })
  uniques?: unknown;

  @FlagField(ALLOW_UNKNOWN)
  allow_unknown?: boolean;

  @FlagField(DRY_RUN)
  dry_run?: boolean;
}

const COLUMN_REF = { $ref: '#/components/schemas/ColumnView' };

export class ColumnChangeView {
  @ApiProperty() column: string;
  @ApiProperty({
    type: ColumnView,
    nullable: true,
    description: 'The column before the change; null for a new column.',
  })
  before: ColumnView | null;
  @ApiProperty({ type: ColumnView }) after: ColumnView;
}

export class SchemaView {
  @ApiProperty({ format: 'uuid' }) collection_id: string;
  @ApiProperty({ type: 'object', additionalProperties: COLUMN_REF }) schema: Record<string, ColumnView>;
  @ApiProperty({ type: [IndexView] }) indexes: IndexView[];
  @ApiProperty({ type: [IndexView] }) uniques: IndexView[];
  @ApiPropertyOptional({
    enum: ['building'],
    description: 'Only with status 202: the change is still running, and `schema` is the one from before it.',
  })
  status?: 'building';
  @ApiPropertyOptional({ description: 'true if this was a dry run: nothing was changed.' }) dry_run?: true;
  @ApiPropertyOptional({
    type: [ColumnChangeView],
    description: 'Only in a dry run: columns that would change.',
  })
  changes?: ColumnChangeView[];
  @ApiPropertyOptional({
    type: 'integer',
    description: 'Only in a dry run: number of records whose values would move into another column.',
  })
  affected_count?: number;
}

export class AbandonedChangeView {
  @ApiProperty({ example: true, description: 'Always true: the collection stays as it was.' })
  abandoned: true;
}

export class IndexSetView {
  @ApiProperty({ type: [IndexView] }) indexes: IndexView[];
  @ApiProperty({ type: [IndexView] }) uniques: IndexView[];
}

export class AppliedIndexesView extends IndexSetView {
  @ApiProperty({ description: 'false only in a dry run.' }) applied: boolean;
  @ApiProperty({ format: 'uuid' }) collection_id: string;
  @ApiPropertyOptional({ description: 'true if this was a dry run: nothing was changed.' }) dry_run?: true;
  @ApiPropertyOptional({ type: IndexSetView, description: 'Only in a dry run: what would be built.' })
  created?: IndexSetView;
  @ApiPropertyOptional({ type: IndexSetView, description: 'Only in a dry run: what would be dropped.' })
  dropped?: IndexSetView;
}

/** Schema, indexes and unique constraints of a collection in responses. */
export function schemaView(collection: Collection): SchemaView {
  const columns = Object.entries(collection.columns);
  return {
    collection_id: collection.id,
    schema: Object.fromEntries(columns.map(([name, column]) => [name, columnView(column)])),
    ...indexSetView(collection),
  };
}

/** The parts of an index set that responses contain. */
export function indexSetView({ indexes, uniques }: IndexSet): IndexSetView {
  const view = (definitions: IndexSet['indexes']) =>
    definitions.map(({ properties, kind }) => ({ properties: [...properties], ...(kind && { kind }) }));
  return { indexes: view(indexes), uniques: view(uniques) };
}

/** The columns that differ, in the order of the changed schema. */
export function columnChanges(before: Collection, after: Collection): ColumnChangeView[] {
  return Object.entries(after.columns).flatMap(([column, definition]) => {
    const known = declaredColumn(before.columns, column);
    if (known?.type === definition.type && known.nullable === definition.nullable) return [];
    return [{ column, before: known ? columnView(known) : null, after: columnView(definition) }];
  });
}

function columnView({ type, nullable }: ColumnDefinition): ColumnView {
  return { type, nullable };
}
