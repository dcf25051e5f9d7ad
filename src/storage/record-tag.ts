import { literal, type Sql, sql } from '../sql/index.js';
import { type CollectionShape, columnsOf } from './collection-shape.js';

/**
 * SQL of the opaque part of a record's entity tag; the table is `t`. `xmin` is another one after every transaction that
 * wrote the row, also within a millisecond; the instant tells apart what a restored backup numbers again; and the
 * highest number of a column grows with every change of the schema that shows in records.
 */
export function recordTag(shape: CollectionShape): Sql {
  let tag = tags.get(shape);
  if (tag === undefined) {
    const schema = Math.max(0, ...columnsOf(shape).map(({ definition: { number } }) => number));
    tag = sql`(t.xmin::text || '-' || (date_part('epoch', t.updated_at) * 1000)::bigint::text || ${literal(`-${schema}`)})`;
    tags.set(shape, tag);
  }
  return tag;
}

/** Made once for each version of a collection. */
const tags = new WeakMap<CollectionShape, Sql>();
