import { joined, param, type Sql, sql } from '../../../base/sql/index.js';
import { execute, type Queryable } from '../../../platform/database/queryable.js';
import { includes, unwritable, writesAll } from '../../rules/field-names.js';
import type { Grant } from '../../rules/grant.js';
import { ALIVE, type CollectionShape, columnOf, type Restricted } from '../collection-shape.js';
import { type Read, versionCheck } from '../statement.js';
import { tableOf } from '../table-sql.js';
import { fieldForbidden, type RuledAction } from './refusals.js';
import { ruleHolds } from './seen.js';

/*
 * What the rules of a restricted caller say about single records, for writes that consist of several statements. Such a
 * write locks its records, asks for their rules before and after it has written them, and decides with `RecordRules`.
 */

/** Which rules hold for a record: a list for each action, with a value for each grant. */
export interface HeldRules extends Readonly<Record<'create' | 'update' | 'becomes' | 'delete', boolean[]>> {
  readonly id: string;
  readonly read: boolean[];
}

/** The rules of records, by their ids, without those that do not exist or have expired. */
export async function heldRules(
  transaction: Queryable,
  restricted: Restricted,
  ids: readonly string[],
): Promise<ReadonlyMap<string, HeldRules>> {
  const rows: HeldRules[] =
    ids.length === 0 ? [] : await execute(transaction, heldRulesStatement(restricted, ids));
  return new Map(rows.map(row => [row.id, row]));
}

/** Reads the rules of one record; undefined when it does not exist. */
export function heldRulesRead(restricted: Restricted, id: string): Read<HeldRules | undefined> {
  const check = versionCheck(restricted.whole);
  const query = sql`SELECT row_to_json(h)::text FROM (${check}) f
    LEFT JOIN LATERAL (${heldRulesStatement(restricted, [id])}) h ON true`;
  return { query, decode: ([row]) => JSON.parse((row?.[0] as string | null) ?? 'null') ?? undefined };
}

/** SQL of the rules of records. Rows: `HeldRules`, without records that do not exist or have expired. */
function heldRulesStatement({ whole, reading, writing = [] }: Restricted, ids: readonly string[]): Sql {
  const list = (grants: readonly Grant[], action: 'read' | RuledAction) =>
    sql`ARRAY[${joined(grants.map(grant => ruleHolds(grant[action], whole)))}]::boolean[] AS ${ACTIONS[action]}`;
  const lists = [
    list(reading ?? [], 'read'),
    ...(['create', 'update', 'becomes', 'delete'] as const).map(action => list(writing, action)),
  ];
  return sql`SELECT t._id::text AS id, ${joined(lists)} FROM ${tableOf(whole)} t
    WHERE ${ALIVE} AND t._id = ANY(${param(ids, 'uuid[]')})`;
}

const ACTIONS: Record<'read' | RuledAction, Sql> = {
  read: sql`read`,
  create: sql`"create"`,
  update: sql`"update"`,
  becomes: sql`becomes`,
  delete: sql`"delete"`,
};

/** What a caller may do with one record, as `HeldRules` tells. */
export class RecordRules {
  private readonly reading: readonly Grant[] | undefined;
  private readonly writing: readonly Grant[];

  constructor({ reading, writing = [] }: Restricted) {
    this.reading = reading;
    this.writing = writing;
  }

  /** Throws 403 `FieldForbidden` for fields that no grant allows to write. */
  refuseUnwritable(names: Iterable<string>): void {
    const forbidden = unwritable(this.writing, names);
    if (forbidden.length > 0) throw fieldForbidden(forbidden);
  }

  sees({ read }: HeldRules): boolean {
    return this.reading === undefined || read.some(Boolean);
  }

  /** The fields of these names that the caller does not see in the record. */
  hidden({ read }: HeldRules, names: readonly string[]): string[] {
    const { reading } = this;
    if (reading === undefined) return [];
    return names.filter(name => !reading.some(({ shows }, at) => read[at] && includes(shows, name)));
  }

  mayDelete(held: HeldRules): boolean {
    return held.delete.some(Boolean);
  }

  /** True if one grant allows to write these fields of the record, as it is before. */
  mayUpdate({ update }: HeldRules, names: readonly string[]): boolean {
    return this.writing.some((grant, at) => update[at] && writesAll(grant, names));
  }

  /** True if one grant has allowed the update, and allows what it has made of the record. */
  mayBecome(before: HeldRules, after: HeldRules, names: readonly string[]): boolean {
    return this.writing.some(
      (grant, at) => before.update[at] && after.becomes[at] && writesAll(grant, names),
    );
  }

  /** True if one grant allows to insert the record with these fields. */
  mayCreate({ create }: HeldRules, names: readonly string[]): boolean {
    return this.writing.some((grant, at) => create[at] && writesAll(grant, names));
  }
}

/** The collection for the statements of a write that asks for the rules of its records before and after. */
export function forTransaction<Shape extends CollectionShape>(shape: Shape): Shape {
  const { restricted } = shape;
  if (restricted === undefined) return shape;
  const writing = {
    targets: restricted.whole,
    isTarget: () => sql`false`,
    held: undefined,
    allowed: undefined,
  };
  return { ...shape, writing };
}

/** A row of an upsert, and the record that has its key. */
export interface MatchedRow {
  /** The id that the row would have as a new record. */
  readonly row: string;
  readonly id: string;
}

/**
 * SQL of the records that have the keys of rows, which it locks in the order of ids. `rows`: SQL of the rows `r`, with
 * `_id` and the column of the key. Rows: `MatchedRow`.
 */
export function matchedRowsStatement(shape: CollectionShape, rows: Sql, keyName: string): Sql {
  const key = columnOf(shape, keyName);
  return sql`SELECT r._id::text AS row, t._id::text AS id FROM ${rows}, ${tableOf(shape)} t
    WHERE t.${key} = r.${key} AND ${ALIVE} ORDER BY t._id FOR NO KEY UPDATE OF t`;
}
