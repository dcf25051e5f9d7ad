import type { JsonValue } from '../../../base/kernel/json.js';
import { identifier, joined, literal, NOTHING, param, type Sql, sql } from '../../../base/sql/index.js';
import {
  anchorHolds,
  anyTrue,
  dividedAt,
  type Filter,
  isAnchor,
  keyOf,
  orderBy,
  type Part,
  type Position,
  type Projection,
  partsOf,
  positionOf,
  rangesAfter,
  reversed,
  type Sort,
  type SortKey,
  sortKeys,
} from '../../filter/index.js';
import { alive, type CollectionShape } from '../collection-shape.js';
import { type Read, versionCheck } from '../statement.js';
import { tableOf, tableShape } from '../table-sql.js';
import { type PageRows, pageColumns } from './page-columns.js';
import { topLevel } from './projection.js';
import { filtering, from, selecting } from './read.js';
import { previewJson, recordTag, rowJson } from './row-json.js';

/** The records of a collection to read, their order, and the fields to show. */
export interface RecordQuery {
  readonly filter: Filter | undefined;
  readonly sort: Sort;
  readonly projection: Projection | undefined;
  /** Maximum of records. It is part of the text, because the planner must know it. */
  readonly limit: number;
  readonly offset: number;
  /** Only records after this position (keyset pagination). */
  readonly after: Position | undefined;
  /** Only records whose value of the first sort field is not before this one. */
  readonly at?: JsonValue | undefined;
  /** True when an index begins with the first sort field. Then a page that needs two ranges of it reads both. */
  readonly isIndexed?: boolean;
  /** True: the last records come first, in the opposite order, and `after` means before. */
  readonly isBackward?: boolean;
  readonly withPosition: boolean;
  readonly withTotal: boolean;
  /** Adds each record's entity tag, in quotes, as `_etag`. */
  readonly withTags?: boolean | undefined;
  /** Adds the authors of each record. */
  readonly withAuthors?: boolean | undefined;
  /** Cuts texts and JSON of more than so many characters (`previewJson`). */
  readonly preview?: number | undefined;
}

/**
 * A page that skips at least this many records selects the ids of its records first, often from an index alone, and then
 * reads only these records. For a page that skips fewer, the second step costs more than it saves.
 */
const DEEP = 1_000;

/** Reads a page; the texts of the records are limited (`unlessLong`). */
export function pageStatement(shape: CollectionShape, query: RecordQuery): Read<PageRows> {
  const check = versionCheck(shape);
  const sorted = sortKeys(query.sort, tableShape(shape));
  const keys = query.isBackward ? reversed(sorted) : sorted;
  const condition = selecting(shape, query.filter);
  const divided = dividedRecords(shape, query, keys);
  const ranges = rangesOf(shape, query, keys, divided);
  const offset = query.offset === 0 ? NOTHING : sql` OFFSET ${param(query.offset, 'bigint')}`;
  const position = query.withPosition ? sql`, ${positionOf(keys)}::text AS position` : NOTHING;
  // The caller has checked that the limit is a number. As a parameter it would be unknown to the planner.
  const limit = literal(Math.trunc(query.limit));
  const page = sql` ORDER BY ${orderBy(keys)} LIMIT ${limit}${offset}`;
  const parts = pageParts(shape, query, sorted, ranges);
  const rows = recordTexts(shape, query, position, join => {
    if (parts !== undefined) {
      const order = orderBy(keysOfIds(sorted, query));
      return sql`FROM (${idsOfPage(shape, query, parts)}) ids ${recordsOfIds(shape)} ${join} ORDER BY ${order}`;
    }
    const within = ranges === undefined ? condition : sql`${condition} AND ${anyTrue(ranges)}`;
    return sql`${from(shape, within, join)}${page}`;
  });
  const anchor = query.after !== undefined && isAnchor(query.after) ? query.after : undefined;
  const { ofPage, ofRecord, longest, decode } = pageColumns({
    keys,
    withPosition: query.withPosition,
    anchorHolds: anchor && anchorHolds(keys, anchor, tableOf(shape)),
    hasBefore:
      divided && sql`EXISTS (SELECT ${from(shape, sql`${condition} AND ${divided.before}`, NOTHING)})`,
    total: query.withTotal ? sql`(SELECT count(*)::float8 ${from(shape, condition, NOTHING)})` : undefined,
  });
  const text = sql`
    SELECT ${ofPage} FROM (${check}) f LEFT JOIN LATERAL (
      SELECT ${ofRecord} FROM (
        ${rows}) r) p ON true`;
  return { query: text, longest, decode };
}

/** Selects the JSON text of each record of a page. Values are cut only in the records that the page shows. */
function recordTexts(
  shape: CollectionShape,
  { projection, preview, withPosition, withTags, withAuthors }: RecordQuery,
  position: Sql,
  page: (join: Sql) => Sql,
): Sql {
  const fields = topLevel(projection, withAuthors);
  const record = preview === undefined ? rowJson(shape, fields) : previewJson(shape, fields, preview);
  const isTagged = withTags && shape.pastRecords === undefined;
  const text = isTagged ? taggedText(shape, record.text) : record.text;
  if (preview === undefined) return sql`SELECT ${text} AS record${position} ${page(record.join)}`;
  // `t.*` does not contain system columns, except those of a view.
  const transaction = isTagged && shape.seen === undefined ? sql`, t.xmin` : NOTHING;
  return sql`SELECT ${text} AS record${withPosition ? sql`, t.position` : NOTHING} FROM (
        SELECT t.*${transaction}${position} ${page(NOTHING)}) t
        ${record.join}`;
}

/**
 * Joins the records of `ids` as `t`. A record of the past is looked up for each id (`OFFSET 0` keeps PostgreSQL from
 * merging the subquery), because a join would decode all versions of that time.
 */
function recordsOfIds(shape: CollectionShape): Sql {
  const table = tableOf(shape);
  return shape.pastRecords === undefined
    ? sql`JOIN ${table} t ON t._id = ids._id`
    : sql`CROSS JOIN LATERAL (SELECT p.* FROM ${table} p WHERE p._id = ids._id OFFSET 0) t`;
}

/**
 * The parts of a page whose ids are read first, which is faster where an index has each part in order, and for records of
 * the past, whose values are decoded. Undefined when the page is read at once.
 */
function pageParts(
  shape: CollectionShape,
  query: RecordQuery,
  keys: readonly SortKey[],
  ranges: readonly Sql[] | undefined,
): readonly Part[] | undefined {
  const whole = [{ condition: filtering(shape, query.filter), keys }];
  if (shape.pastRecords !== undefined) return whole;
  const parts = partsOf(query.filter, query.sort, tableShape(shape));
  const isUnion = ranges !== undefined && ranges.length > 1 && query.isIndexed === true;
  const isDeep = ranges === undefined && query.offset >= DEEP;
  return parts === undefined && (isUnion || isDeep) ? whole : parts;
}

/** Ranges of the page in the order of an index; undefined for all records. */
function rangesOf(
  shape: CollectionShape,
  query: RecordQuery,
  keys: readonly SortKey[],
  divided = dividedRecords(shape, query, keys),
): readonly Sql[] | undefined {
  if (divided !== undefined) return divided.fromHere;
  return query.after && rangesAfter(keys, query.after, tableOf(shape));
}

/** Divides the records at the value with which the page begins; undefined without one. */
function dividedRecords(shape: CollectionShape, { at, sort }: RecordQuery, keys: readonly SortKey[]) {
  if (at === undefined) return undefined;
  const value = keyOf(sort[0] as Sort[number], at, tableShape(shape));
  return dividedAt(keys[0] as SortKey, value);
}

/**
 * SQL of the ids and keys of a page. Each part, and each range of a part, is read in the order of an index as far as the
 * page reaches into it. Then they are merged.
 */
function idsOfPage(shape: CollectionShape, query: RecordQuery, parts: readonly Part[]): Sql {
  const limit = literal(Math.trunc(query.limit));
  const offset = query.offset === 0 ? undefined : param(query.offset, 'bigint');
  const reach = offset === undefined ? limit : sql`${limit} + ${offset}`;
  const selections = parts.flatMap(part => {
    const keys = query.isBackward ? reversed(part.keys) : part.keys;
    const values = keys.slice(0, -1).map(({ value }, at) => sql`, ${value} AS ${keyName(at)}`);
    const select = (condition: Sql) => {
      const within = sql`${alive(shape)} AND ${part.condition} AND ${condition}`;
      return sql`SELECT t._id${joined(values, '')} ${from(shape, within, NOTHING)} ORDER BY ${orderBy(keys)} LIMIT ${reach}`;
    };
    const ranges = rangesOf(shape, query, keys) ?? [sql`true`];
    // No index has the records of the past in order, so all ranges are read at once.
    return (shape.pastRecords === undefined ? ranges : [anyTrue(ranges)]).map(range => {
      if (part.listed === undefined) return select(range);
      const { values, equals } = part.listed;
      return sql`SELECT found.* FROM (SELECT DISTINCT v FROM unnest(${values}) AS listed(v)) each
          CROSS JOIN LATERAL (${select(sql`${range} AND ${equals(sql`each.v`)}`)}) found`;
    });
  });
  const order = orderBy(keysOfIds(parts[0]!.keys, query));
  return sql`SELECT ids.* FROM (${joined(
    selections.map(selection => sql`(${selection})`),
    ' UNION ALL ',
  )}) ids ORDER BY ${order} LIMIT ${limit}${offset === undefined ? NOTHING : sql` OFFSET ${offset}`}`;
}

function keyName(at: number): Sql {
  return identifier(`k${at}`);
}

/** The keys as `idsOfPage` selects them; its alias is `ids`. */
function keysOfIds(keys: readonly SortKey[], { isBackward }: RecordQuery): readonly SortKey[] {
  const last = keys.length - 1;
  const selected = keys.map((key, at) => ({
    ...key,
    value: at === last ? sql`ids._id` : sql`ids.${keyName(at)}`,
  }));
  return isBackward ? reversed(selected) : selected;
}

/** The text of a record with its entity tag. `OFFSET 0` keeps PostgreSQL from building the text twice. */
function taggedText(shape: CollectionShape, text: Sql): Sql {
  return sql`(SELECT left(w.text, -1) || CASE WHEN w.text = '{}' THEN '' ELSE ',' END || '"_etag":"\\"' || ${recordTag(shape)} || '\\""}'
    FROM (SELECT ${text} AS text OFFSET 0) w)`;
}
