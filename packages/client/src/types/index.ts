export type {
  Aggregate,
  AggregateRow,
  AggregateStep,
  Distinct,
  GroupBy,
  GroupEntry,
  Period,
} from './aggregate.js';
export type { Change, LeftRecord } from './change.js';
export type {
  AnyCollection,
  AnySchema,
  CollectionShape,
  Column,
  Columns,
  ColumnType,
  FieldName,
  Loose,
  Schema,
  SchemaOf,
} from './columns.js';
export type { Filter } from './filter.js';
export type { Grant, Rule, RuleFilter } from './grant.js';
export type {
  Authors,
  Direction,
  Insert,
  Projected,
  Projection,
  Row,
  Sort,
  SystemFields,
  Value,
} from './row.js';
export type { SetFields, Update, UpdateOperators, UpsertData } from './update.js';
