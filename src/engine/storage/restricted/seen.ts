import { identifier, joined, NOTHING, param, type Sql, sql } from '../../../base/sql/index.js';
import { anyTrue, compileFilter, type TableShape } from '../../filter/index.js';
import { includes } from '../../rules/field-names.js';
import type { FieldNames, Grant, Rule } from '../../rules/grant.js';
import {
  ANSWER_FIELDS,
  AUTHOR_FIELDS,
  authorFields,
  type CollectionShape,
  declaredColumn,
  type IndexDefinition,
  SYSTEM_FIELDS,
} from '../collection-shape.js';
import { columnsOf, flexibleOf, type TableColumn, tableOf, tableShape } from '../table-sql.js';
import { fieldForbidden } from './refusals.js';

/** Fields that every caller sees of every record that it sees. */
const ALWAYS_SEEN: ReadonlySet<string> = new Set([...SYSTEM_FIELDS, ...ANSWER_FIELDS]);

/** Which records the view is made from. */
interface Among {
  /** SQL of rows in place of the table. */
  readonly rows?: Sql;
  /** SQL of a further condition on the record `t`, with all its fields. */
  readonly condition?: Sql;
}

/**
 * The collection as a restricted caller sees it, for every statement that only reads. Its table is a view of the records
 * for which the read rule of a grant holds. A field that no such grant shows is absent from them, and its name is refused.
 */
export function seenBy<Shape extends CollectionShape>(
  shape: Shape,
  grants: readonly Grant[],
  among: Among = {},
): Shape {
  const isSeen = (name: string) => grants.some(grant => shows(grant, name));
  const isSeenAlways = (name: string) => grants.every(grant => shows(grant, name));
  const columns = columnsOf(shape).filter(({ name }) => isSeen(name));
  const partly = columns.filter(({ name }) => !isSeenAlways(name));
  const authors = authorFields(shape).filter(([name]) => isSeen(name));
  const named = [...columns.map(({ name }) => name), ...authors.map(([name]) => name)];
  const present = new Map(
    named
      .filter(name => !isSeenAlways(name))
      .map(name => [name, seenIn(grants, grant => shows(grant, name), 't')]),
  );
  const flexible = seenMembers(flexibleOf(shape), grants);
  const isWhole = flexible === undefined;
  return {
    ...shape,
    columns: Object.fromEntries(columns.map(({ name, definition }) => [name, definition])),
    leftovers: [],
    indexes: shape.indexes?.filter(index => serves(index, shape, isSeenAlways, isWhole)),
    seen: {
      whole: shape,
      grants,
      records: seenRecords(shape, grants, { columns, flexible, partly: new Set(partly) }, among),
      present,
      sees: isSeen,
      admit: names => {
        const hidden = [...names].filter(name => !ALWAYS_SEEN.has(name) && !isSeen(name));
        if (hidden.length > 0) throw fieldForbidden(hidden);
      },
    },
  };
}

export function shows({ shows: list }: Grant, name: string): boolean {
  return ALWAYS_SEEN.has(name) || includes(list, name);
}

/** SQL that is true for the records for which a rule holds, and false or null for others. */
function ruleFinds(rule: Rule, table: TableShape): Sql {
  if (typeof rule === 'boolean') return rule ? sql`true` : sql`false`;
  return sql`(${compileFilter(rule, table)})`;
}

/** As `ruleFinds`, but never null. No index serves it. The table is `t`. */
export function ruleHolds(rule: Rule, shape: CollectionShape): Sql {
  return holdsFor(rule, tableShape(shape));
}

function holdsFor(rule: Rule, table: TableShape): Sql {
  const found = ruleFinds(rule, table);
  return typeof rule === 'boolean' ? found : sql`coalesce(${found}, false)`;
}

/** What the view shows of a record. */
interface SeenFields {
  readonly columns: readonly TableColumn[];
  /** Columns that the caller sees only in some records. */
  readonly partly: ReadonlySet<TableColumn>;
  /** SQL of the flexible fields; undefined for all. */
  readonly flexible: Sql | undefined;
}

/** The view. It has the columns of the table that statements which only read use, and `g0`, `g1`, …: which grants hold. */
function seenRecords(
  shape: CollectionShape,
  grants: readonly Grant[],
  { columns, partly, flexible = flexibleOf(shape) }: SeenFields,
  { rows = tableOf(shape), condition }: Among,
): Sql {
  const isDivided = !haveEqualFields(grants);
  const values = columns.map(column => {
    if (!partly.has(column)) return sql`, t.${column.column}`;
    const isShown = seenIn(grants, grant => shows(grant, column.name), 'g');
    return sql`, CASE WHEN ${isShown} THEN t.${column.column} END AS ${column.column}`;
  });
  // The condition stays as it is for the indexes.
  const join = isDivided ? grantsHold(grants, tableShape(shape)) : NOTHING;
  const held = isDivided ? grants.map((_, at) => sql`, g.${holdsName(at)}`) : [];
  const more = shape.pastRecords === undefined ? sql`t.xmin, t.version` : sql`t.was`;
  const authors = AUTHOR_FIELDS.map(([name, column]) => {
    const by = identifier(column);
    const counted = grants.filter(grant => shows(grant, name));
    if (counted.length === grants.length) return sql`, t.${by}`;
    if (counted.length === 0) return sql`, NULL::uuid AS ${by}`;
    return sql`, CASE WHEN ${seenIn(grants, grant => shows(grant, name), 'g')} THEN t.${by} END AS ${by}`;
  });
  const isSeen = anyTrue(grants.map(({ read }) => ruleFinds(read, tableShape(shape))));
  return sql`(
    SELECT t._id, t.created_at, t.updated_at, t.expires_at${joined(authors, '')}, ${more}, ${flexible} AS x${joined(values, '')}${joined(held, '')}
    FROM ${rows} t${join} WHERE ${isSeen}${condition === undefined ? NOTHING : sql` AND ${condition}`})`;
}

/** SQL of a join with `g`, which has `g0`, `g1`, …: whether the read rule of each grant holds. Each rule is evaluated once. */
export function grantsHold(grants: readonly Grant[], table: TableShape): Sql {
  const each = grants.map((grant, at) => sql`${holdsFor(grant.read, table)} AS ${holdsName(at)}`);
  return sql` CROSS JOIN LATERAL (SELECT ${joined(each)} OFFSET 0) g`;
}

function holdsName(at: number): Sql {
  return identifier(`g${at}`);
}

/** SQL that is true for the records for which one of some grants holds; `alias`: of what has `g0`, `g1`, …. */
export function seenIn(
  grants: readonly Grant[],
  isCounted: (grant: Grant) => boolean,
  alias: 't' | 'g',
): Sql {
  const counted = grants.flatMap((grant, at) =>
    isCounted(grant) ? [sql`${identifier(alias)}.${holdsName(at)}`] : [],
  );
  return sql`(${joined(counted, ' OR ')})`;
}

/** True if all grants show the same fields: then it does not matter which of them holds. */
function haveEqualFields(grants: readonly Grant[]): boolean {
  return new Set(grants.map(({ shows: list }) => keyOf(list))).size <= 1;
}

function keyOf(list: FieldNames | undefined): string {
  if (list === undefined) return '';
  return JSON.stringify('only' in list ? [1, ...[...list.only].sort()] : [0, ...[...list.without].sort()]);
}

/**
 * SQL of those fields of a JSON object that the caller sees; undefined when it sees all. `g` has which grants hold
 * (`grantsHold`).
 */
export function seenMembers(all: Sql, grants: readonly Grant[]): Sql | undefined {
  const lists = grants.map(({ shows: list }) => list);
  if (haveEqualFields(grants)) {
    const [list] = lists;
    if (list === undefined) return undefined;
    if ('without' in list) return sql`(${all} - ${param([...list.without], 'text[]')})`;
    return flexibleWhere(all, sql`e.key = ANY(${param([...list.only], 'text[]')})`);
  }
  const conditions = lists.map((list, at) => {
    const holds = sql`g.${holdsName(at)}`;
    if (list === undefined) return holds;
    return 'only' in list
      ? sql`${holds} AND e.key = ANY(${param([...list.only], 'text[]')})`
      : sql`${holds} AND e.key <> ALL(${param([...list.without], 'text[]')})`;
  });
  return flexibleWhere(
    all,
    joined(
      conditions.map(each => sql`(${each})`),
      ' OR ',
    ),
  );
}

function flexibleWhere(all: Sql, condition: Sql): Sql {
  return sql`(SELECT coalesce(jsonb_object_agg(e.key, e.value), '{}') FROM jsonb_each(${all}) e WHERE ${condition})`;
}

/** True for an index that reads of the view can use. */
function serves(
  { properties }: IndexDefinition,
  shape: CollectionShape,
  isSeenAlways: (name: string) => boolean,
  isWhole: boolean,
): boolean {
  return properties.every(property => {
    const name = property.split('.', 1)[0] as string;
    return isSeenAlways(name) && (isWhole || declaredColumn(shape.columns, name) !== undefined);
  });
}
