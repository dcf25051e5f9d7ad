import { createHash } from 'node:crypto';
import { COLUMN_TYPES } from '../columns/index.js';
import { orgSchema } from '../database/org-schema.js';
import type { Queryable } from '../database/queryable.js';
import {
  type CollectionShape,
  type ColumnDefinition,
  columnsOf,
  type IndexDefinition,
  physicalColumn,
  tableOf,
} from './collection-shape.js';

/**
 * Creates a collection's table with its indexes in the caller's transaction. Typed columns for the declared
 * schema, `x` for the flexible fields. System columns first: they are in every record.
 */
export async function createTable(
  transaction: Queryable,
  shape: CollectionShape,
  indexes: readonly IndexDefinition[],
  uniques: readonly IndexDefinition[],
): Promise<void> {
  const columns = columnsOf(shape).map(
    ([, physical, { type, nullable }]) =>
      `, ${physical} ${COLUMN_TYPES[type].sqlType}${nullable ? '' : ' NOT NULL'}`,
  );
  await transaction.query(`
    CREATE TABLE ${tableOf(shape)} (
      _id uuid PRIMARY KEY,
      created_at timestamptz NOT NULL,
      updated_at timestamptz NOT NULL,
      expires_at timestamptz,
      x jsonb NOT NULL DEFAULT '{}'${columns.join('')}
    )`);
  await transaction.query(
    `INSERT INTO ${orgSchema(shape.orgId)}.record_slots (collection_id, counted) VALUES ($1, 0)`,
    [shape.id],
  );
  const expiry = `e_${shape.id.replaceAll('-', '')}`;
  await transaction.query(
    `CREATE INDEX ${expiry} ON ${tableOf(shape)} (expires_at) WHERE expires_at IS NOT NULL`,
  );
  for (const index of indexes) await transaction.query(indexDdl(shape, index, false));
  for (const unique of uniques) await transaction.query(indexDdl(shape, unique, true));
}

/** Drops the table with all its records, in the caller's transaction. */
export async function dropTable(transaction: Queryable, shape: CollectionShape): Promise<void> {
  await transaction.query(`DELETE FROM ${orgSchema(shape.orgId)}.record_slots WHERE collection_id = $1`, [
    shape.id,
  ]);
  await transaction.query(`DROP TABLE IF EXISTS ${tableOf(shape)}`);
}

/**
 * Name of the index of a definition: the same definition has the same name, within PostgreSQL's 63 bytes, so an
 * error that names the constraint can be told in the user's words.
 */
function indexName(shape: CollectionShape, index: IndexDefinition, unique: boolean): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([shape.id, index.properties, unique]))
    .digest('hex');
  return `${unique ? 'u' : 'i'}_${digest.slice(0, 40)}`;
}

/** The unique constraint behind the name that PostgreSQL gives in an error. */
export function uniqueNamed(
  shape: CollectionShape,
  uniques: readonly IndexDefinition[],
  name: string,
): IndexDefinition | undefined {
  return uniques.find(unique => indexName(shape, unique, true) === name);
}

/**
 * Nulls first ascending is MongoDB's order; `_id` last makes the index serve pages in that order both ways.
 * A single document column gets an inverted index, which serves what is searched inside documents.
 */
function indexDdl(shape: CollectionShape, index: IndexDefinition, unique: boolean): string {
  const columns = index.properties.map(property => shape.columns[property] as ColumnDefinition);
  const head = `CREATE ${unique ? 'UNIQUE ' : ''}INDEX ${indexName(shape, index, unique)} ON ${tableOf(shape)}`;
  const [first, ...others] = columns;
  if (
    !unique &&
    first !== undefined &&
    others.length === 0 &&
    COLUMN_TYPES[first.type].family === 'document'
  ) {
    return `${head} USING gin (${physicalColumn(first)} jsonb_path_ops)`;
  }
  const keys = columns.map(column => `${physicalColumn(column)} NULLS FIRST`);
  return `${head} (${[...keys, ...(unique ? [] : ['_id'])].join(', ')})`;
}
