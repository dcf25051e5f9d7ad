import { identifier, joined, literal, NOTHING, param, type Sql, sql } from '../../../base/sql/index.js';
import type { TagCondition } from '../../../platform/http/entity-tags.js';
import { COLUMN_TYPES } from '../../columns/index.js';
import { ANSWER_FIELDS, authorFields, type CollectionShape } from '../collection-shape.js';
import { schemaNumber } from '../retired-columns.js';
import { columnsOf, flexibleOf } from '../table-sql.js';

/** The top-level fields to show: `only` these, or all `without` these. All are without the authors unless `authors` is set. */
export type TopLevelFields =
  | { readonly only: ReadonlySet<string> }
  | { readonly without: ReadonlySet<string>; readonly authors?: boolean };

/** A record as SQL: its JSON text, and the join that the text needs. */
export interface RowJson {
  readonly text: Sql;
  readonly join: Sql;
}

/** Whole records are requested most often, so their SQL is kept. */
const wholeRows = new WeakMap<CollectionShape, RowJson>();

/**
 * A record as JSON built by PostgreSQL, so that rows need not be decoded and encoded. Expects the table as `t`. It is a
 * lateral join because the planner flattens it; a subquery would run for every row.
 */
export function rowJson(shape: CollectionShape, fields?: TopLevelFields): RowJson {
  if (fields !== undefined) return madeRow(shape, fields);
  const whole = wholeRows.get(shape) ?? madeRow(shape, undefined);
  wholeRows.set(shape, whole);
  return whole;
}

function madeRow(shape: CollectionShape, fields: TopLevelFields | undefined): RowJson {
  const typed = selectList(shape, fields);
  const rest = otherFields(shape, fields);
  if (typed.length === 0) return { text: sql`(${rest})::text`, join: NOTHING };
  // {"a":1} and {"b":2} become {"a":1,"b":2}.
  const both = sql`left(row_to_json(r)::text, -1) || ',' || substr((${rest})::text, 2)`;
  return {
    text: sql`CASE WHEN ${rest} = '{}' THEN row_to_json(r)::text ELSE ${both} END`,
    join: sql`CROSS JOIN LATERAL (SELECT ${joined(typed)}) r`,
  };
}

const LONG_TYPES = new Set(['text', 'json', 'array']);

/** SQL that is true for jsonb values that may be long. */
const mayBeLong = (json: Sql) => sql`jsonb_typeof(${json}) IN ('string', 'object', 'array')`;

/**
 * Like `rowJson`, but texts and JSON of more than `longest` characters are cut to their beginning, as text. `_cut` lists
 * the fields that were cut, if there are any. Each long value is read once (`OFFSET 0` keeps the planner from merging
 * the subqueries), so the rows should be limited before.
 */
export function previewJson(
  shape: CollectionShape,
  fields: TopLevelFields | undefined,
  longest: number,
): RowJson {
  const most = param(longest, 'integer');
  const isCut = (text: Sql) => sql`char_length(${text}) > ${most}`;
  /** One more character than is shown tells that the value is longer. */
  const start = (text: Sql) => sql`left(${text}, ${most} + 1)`;
  const firstCharacters = (text: Sql) => sql`left(${text}, ${most})`;
  const startOfJson = (json: Sql) =>
    sql`CASE WHEN ${mayBeLong(json)} THEN ${start(sql`${json} #>> '{}'`)} END`;
  const long = columnsOf(shape)
    .filter(({ name, definition: { type } }) => LONG_TYPES.has(type) && isAlwaysShown(shape, name, fields))
    .map(({ name, column, definition: { type } }) => {
      const [value, text] = [sql`t.${column}`, sql`s.${column}`];
      const isText = type === 'text';
      return {
        name,
        start: sql`${isText ? start(value) : startOfJson(value)} AS ${column}`,
        shown: isText
          ? firstCharacters(text)
          : sql`CASE WHEN ${isCut(text)} THEN to_jsonb(${firstCharacters(text)}) ELSE ${value} END`,
        nameIfCut: sql`CASE WHEN ${isCut(text)} THEN ${literal(name)} END`,
      };
    });
  const typed = selectList(shape, fields, new Map(long.map(({ name, shown }) => [name, shown])));
  const joins = sql`CROSS JOIN LATERAL (SELECT ${joined([sql`1`, ...long.map(each => each.start)])} OFFSET 0) s
        CROSS JOIN LATERAL (
          SELECT coalesce(jsonb_object_agg(e.key, CASE WHEN ${isCut(sql`l.head`)} THEN to_jsonb(${firstCharacters(sql`l.head`)}) ELSE e.value END), '{}') AS fields,
            coalesce(jsonb_agg(e.key) FILTER (WHERE ${isCut(sql`l.head`)}), '[]') AS cut
          FROM jsonb_each((${otherFields(shape, fields)}) - ${RESERVED_NAMES}::text[]) e
          CROSS JOIN LATERAL (SELECT ${startOfJson(sql`e.value`)} AS head OFFSET 0) l) x
        CROSS JOIN LATERAL (
          SELECT to_jsonb(array_remove(ARRAY[${joined(long.map(each => each.nameIfCut))}]::text[], NULL)) || x.cut AS names OFFSET 0) c`;
  if (typed.length === 0) {
    const cut = sql`CASE WHEN c.names = '[]' THEN '{}' ELSE jsonb_build_object('_cut', c.names) END`;
    return { text: sql`(x.fields || ${cut})::text`, join: joins };
  }
  const rest = sql`CASE WHEN x.fields = '{}' THEN '' ELSE ',' || left(substr(x.fields::text, 2), -1) END`;
  const cut = sql`CASE WHEN c.names = '[]' THEN '' ELSE ',"_cut":' || c.names::text END`;
  return {
    text: sql`left(row_to_json(r)::text, -1) || ${rest} || ${cut} || '}'`,
    join: sql`${joins}
        CROSS JOIN LATERAL (SELECT ${joined(typed)}) r`,
  };
}

/** Records from before these names were reserved may have such fields, which are not those of the answer. */
const RESERVED_NAMES = literal(`{${ANSWER_FIELDS.join()}}`);

/**
 * SQL of the bytes that the long values of a record take in the table. It is known without reading the values. They are
 * stored compressed, so the text may be some hundred times as long.
 */
export function storedBytes(shape: CollectionShape): Sql {
  const long = columnsOf(shape).filter(({ definition: { type } }) => LONG_TYPES.has(type));
  const stored = [sql`x`, ...long.map(({ column }) => column)];
  return joined(
    stored.map(column => sql`coalesce(pg_column_size(t.${column}), 0)`),
    ' + ',
  );
}

const { datetime } = COLUMN_TYPES;
const SYSTEM_VALUES: readonly [string, Sql][] = [
  ['_id', sql`t._id`],
  ['created_at', datetime.toJson(sql`t.created_at`)],
  ['updated_at', datetime.toJson(sql`t.updated_at`)],
];

/** `cut`: what to show of some columns, by name; the others are shown whole. */
function selectList(
  shape: CollectionShape,
  fields: TopLevelFields | undefined,
  cut?: ReadonlyMap<string, Sql>,
): Sql[] {
  if (fields !== undefined && 'only' in fields) shape.seen?.admit(fields.only);
  const declared = columnsOf(shape).filter(({ name }) => isAlwaysShown(shape, name, fields));
  return [
    ...SYSTEM_VALUES.filter(([name]) => isShown(name, fields)),
    ...shownAuthors(shape, fields)
      .filter(([name]) => isAlwaysShown(shape, name, fields))
      .map(([name, column]): [string, Sql] => [name, sql`t.${identifier(column)}`]),
    ...declared.map(({ name, column, definition: { type } }): [string, Sql] => [
      name,
      asThen(shape, name, cut?.get(name) ?? COLUMN_TYPES[type].toJson(sql`t.${column}`)),
    ]),
  ].map(([name, value]) => sql`${value} AS ${identifier(name)}`);
}

/** A value of a read of the past: one that does not fit the present column is shown unchanged. */
function asThen({ pastRecords }: CollectionShape, name: string, value: Sql): Sql {
  return pastRecords === undefined ? value : sql`coalesce(to_jsonb(${value}), t.was -> ${literal(name)})`;
}

/** The author fields to show. */
function shownAuthors(shape: CollectionShape, fields: TopLevelFields | undefined) {
  const isNamed = fields !== undefined && ('only' in fields || fields.authors === true);
  if (!isNamed) return [];
  const { seen } = shape;
  return authorFields(shape).filter(([name]) => isShown(name, fields) && (seen?.sees(name) ?? true));
}

function isShown(name: string, fields: TopLevelFields | undefined): boolean {
  if (fields === undefined) return true;
  return 'only' in fields ? fields.only.has(name) : !fields.without.has(name);
}

/** True for a field to show that is in every record: the caller sees it in all of them. */
function isAlwaysShown({ seen }: CollectionShape, name: string, fields: TopLevelFields | undefined): boolean {
  return isShown(name, fields) && !seen?.present.has(name);
}

function fieldIf(present: Sql, name: string, value: Sql): Sql {
  return sql`CASE WHEN ${present} THEN jsonb_build_object(${literal(name)}, ${value}) ELSE '{}' END`;
}

/** SQL of a JSON object of the fields to show that some records do not have: flexible ones, and columns seen only there. */
function otherFields(shape: CollectionShape, fields: TopLevelFields | undefined): Sql {
  const flexible = flexibleJson(shape, fields);
  const columns = columnsOf(shape).flatMap(({ name, column, definition: { type } }) => {
    const present = shape.seen?.present.get(name);
    if (present === undefined || !isShown(name, fields)) return [];
    const value = asThen(shape, name, COLUMN_TYPES[type].toJson(sql`t.${column}`));
    return [fieldIf(present, name, value)];
  });
  const authors = shownAuthors(shape, fields).flatMap(([name, column]) => {
    const present = shape.seen?.present.get(name);
    return present === undefined ? [] : [fieldIf(present, name, sql`t.${identifier(column)}`)];
  });
  const partly = [...columns, ...authors];
  return partly.length === 0 ? flexible : sql`(${joined([flexible, ...partly], ' || ')})`;
}

/**
 * SQL of the flexible fields to show, as a JSON object. Their names are parameters. A field that was stored before the name
 * was that of an author is not shown in its place.
 */
export function flexibleJson(shape: CollectionShape, fields: TopLevelFields | undefined): Sql {
  const all = flexibleOf(shape);
  if (fields === undefined) return all;
  const authors = new Set<string>(shownAuthors(shape, fields).map(([name]) => name));
  if ('without' in fields) return sql`${all} - ${param([...fields.without, ...authors], 'text[]')}`;
  const names = param(
    [...fields.only].filter(name => !authors.has(name)),
    'text[]',
  );
  return sql`(SELECT coalesce(jsonb_object_agg(e.key, e.value), '{}') FROM jsonb_each(${all}) e WHERE e.key = ANY(${names}))`;
}

/**
 * SQL of the opaque part of a record's entity tag; the table is `t`. `xmin` changes with every transaction that writes
 * the row, even within a millisecond. The instant distinguishes rows after a restore from a backup, which may reuse an
 * `xmin`. The number of the schema (`schemaNumber`) changes what records look like.
 */
export function recordTag(shape: CollectionShape): Sql {
  let tag = tags.get(shape);
  if (tag === undefined) {
    tag = sql`(t.xmin::text || '-' || (date_part('epoch', t.updated_at) * 1000)::bigint::text || ${literal(`-${schemaNumber(shape.seen?.whole ?? shape)}`)})`;
    tags.set(shape, tag);
  }
  return tag;
}

/** SQL that is true when the entity tag of a record satisfies the condition. */
export function tagSatisfies(shape: CollectionShape, { tags, not }: TagCondition): Sql {
  const listed = param(tags, 'text[]');
  return not ? sql`${recordTag(shape)} <> ALL(${listed})` : sql`${recordTag(shape)} = ANY(${listed})`;
}

/** The tag is made once for each version of a collection. */
const tags = new WeakMap<CollectionShape, Sql>();
