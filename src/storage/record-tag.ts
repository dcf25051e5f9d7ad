import { type CollectionShape, columnsOf } from './collection-shape.js';

/**
 * SQL of the opaque part of a record's entity tag; the table is `t`. `xmin` is another one after every transaction that
 * wrote the row, also within a millisecond; the instant tells apart what a restored backup numbers again; and the
 * highest number of a column grows with every change of the schema that shows in records.
 */
export function recordTag(shape: CollectionShape): string {
  const schema = Math.max(0, ...columnsOf(shape).map(([, , { number }]) => number));
  return `(t.xmin::text || '-' || (date_part('epoch', t.updated_at) * 1000)::bigint::text || '-${schema}')`;
}
