import { BoundedMap } from '../../../base/kernel/bounds/bounded-map.js';
import { joined, literal, param, type Sql, sql } from '../../../base/sql/index.js';
import { anyTrue } from '../../filter/index.js';
import { includes, unwritable, writesAll } from '../../rules/field-names.js';
import type { Grant, Restrictions, Rule } from '../../rules/grant.js';
import type { CollectionShape, Restricted, WriteRules } from '../collection-shape.js';
import { tableOf } from '../table-sql.js';
import { fieldForbidden } from './refusals.js';
import { ruleHolds, seenBy } from './seen.js';

/*
 * What a restricted caller writes. A statement that changes or deletes records finds them among those that the caller
 * sees and whose rule holds; one that inserts or changes records checks what it has written, and fails if a rule does
 * not hold. For a caller without restrictions, all functions return the collection as it is.
 */

/** A grant that shows everything, in place of no restriction. */
const ALL: Grant = {
  readKey: '',
  read: true,
  create: false,
  update: false,
  becomes: false,
  delete: false,
  shows: undefined,
  writes: undefined,
};

/**
 * The collection for the statements of a caller with restrictions: those that read get the records and fields that it sees;
 * those that write must keep its rules, or are refused.
 */
export function underRules<Shape extends CollectionShape>(
  whole: Shape,
  restrictions: Restrictions | undefined,
  isRead: boolean,
): Shape {
  if (restrictions === undefined) return whole;
  const { reading, writing } = restrictions;
  if (isRead) return reading === undefined ? whole : seenBy(whole, reading);
  return { ...whole, restricted: { whole, reading, writing } };
}

/** The collection for a write that reads: a count of the records that the write would change. */
export function targetsOf<Shape extends CollectionShape>(shape: Shape): Shape {
  return (shape.writing?.targets ?? shape) as Shape;
}

/** The collection as a caller sees it who may write it, for the reads of a write. */
export function seenForWrite<Shape extends CollectionShape>(shape: Shape): Shape {
  const { restricted } = shape;
  if (restricted === undefined) return shape;
  const { whole, reading } = restricted;
  return (reading === undefined ? whole : seenBy(whole, reading)) as Shape;
}

/** The names of the fields of each record of an insert. */
type SentFields = readonly (readonly string[])[];

/** Throws 403 `FieldForbidden` for fields of an insert that no grant allows to write. */
export function refuseUnwritableFields({ restricted }: CollectionShape, sent: SentFields): void {
  if (restricted?.writing !== undefined) refuseUnwritable(restricted.writing, new Set(sent.flat()));
}

/** The collection for an insert of records with these ids. Throws as `refuseUnwritableFields`. */
export function forInsert<Shape extends CollectionShape>(
  shape: Shape,
  sent: SentFields,
  ids: readonly string[],
): Shape {
  const { restricted } = shape;
  if (restricted?.writing === undefined) return shape;
  refuseUnwritableFields(shape, sent);
  const grants = restricted.writing;
  const { whole } = restricted;
  const rules = (allowed: Sql): WriteRules => ({
    targets: whole,
    isTarget: () => sql`false`,
    held: undefined,
    allowed: () => allowed,
  });
  const allowing = sent.map(names => grants.filter(grant => writesAll(grant, names)));
  const keys = new Set(allowing.map(each => each.map(grant => grants.indexOf(grant)).join()));
  const [first = []] = allowing;
  if (keys.size <= 1) {
    const creates = () => anyTrue(first.map(({ create }) => ruleHolds(create, whole)));
    return remembered(shape, `create ${[...keys].join()}`, () => rules(creates()));
  }
  // Records with different fields may be allowed by different grants.
  const ofGrants = grants.map(grant => {
    const allowed = ids.filter((_, position) => allowing[position]?.includes(grant));
    return sql`(t._id = ANY(${param(allowed, 'uuid[]')}) AND ${ruleHolds(grant.create, whole)})`;
  });
  return { ...shape, writing: rules(anyTrue(ofGrants)) };
}

/**
 * The collection for an update of these top-level fields: both names of a rename. Throws 403 `FieldForbidden` for fields
 * that no grant allows to write, or no single one together. `expires`: for an update that also sets when the record expires,
 * which needs the rule of deletes too.
 */
export function forUpdate<Shape extends CollectionShape>(
  shape: Shape,
  names: readonly string[],
  { expires }: { readonly expires: boolean },
): Shape {
  const { restricted } = shape;
  if (restricted?.writing === undefined) return shape;
  const grants = restricted.writing;
  refuseUnwritable(grants, names);
  const allowing = grants.filter(grant => writesAll(grant, names));
  if (allowing.length === 0) throw fieldForbidden(names);
  const seen = partlySeen(restricted, names);
  const key = JSON.stringify(['update', allowing.map(grant => grants.indexOf(grant)), seen, expires]);
  const { whole } = restricted;
  return remembered(shape, key, () => {
    const isSeen = seen.map(name => seenField(restricted, name));
    const needed = [anyRule(allowing, 'update', whole), ...isSeen];
    if (expires) needed.push(anyRule(grants, 'delete', whole));
    const condition = joined(needed, ' AND ');
    const held = sql`ARRAY[${joined(allowing.map(({ update }) => ruleHolds(update, whole)))}]`;
    const isOne = allowing.length === 1;
    return {
      ...targets(restricted, condition),
      held: isOne ? undefined : held,
      allowed: allowing.every(({ becomes }) => becomes === true)
        ? undefined
        : of =>
            anyTrue(
              allowing.map(({ becomes }, at) => {
                const holds = ruleHolds(becomes, whole);
                return isOne ? holds : sql`(${of}[${literal(at + 1)}] AND ${holds})`;
              }),
            ),
    };
  });
}

/** The collection for a delete. */
export function forDelete<Shape extends CollectionShape>(shape: Shape): Shape {
  const { restricted } = shape;
  if (restricted?.writing === undefined) return shape;
  const { writing, whole } = restricted;
  return remembered(shape, 'delete', () => ({
    ...targets(restricted, anyRule(writing, 'delete', whole)),
    held: undefined,
    allowed: undefined,
  }));
}

function targets(
  { whole, reading = [ALL] }: Restricted,
  condition: Sql,
): Pick<WriteRules, 'targets' | 'isTarget'> {
  // The innermost `t` is the record of the statement.
  const ofRow = seenBy(whole, reading, { condition, rows: sql`(SELECT t.*, t.xmin)` });
  return {
    targets: seenBy(whole, reading, { condition }),
    isTarget: selects => sql`EXISTS (SELECT FROM ${tableOf(ofRow)} t WHERE ${selects(ofRow)})`,
  };
}

function anyRule(grants: readonly Grant[], action: 'update' | 'delete', whole: CollectionShape): Sql {
  return anyTrue(grants.map(grant => ruleHolds(grant[action] as Rule, whole)));
}

/** Those of the fields that the caller sees in some records only. */
function partlySeen({ reading = [] }: Restricted, names: readonly string[]): string[] {
  return [...new Set(names)].filter(name => reading.some(({ shows }) => !includes(shows, name))).sort();
}

/** SQL that is true for the records `t` in which the caller sees the field. */
function seenField({ reading = [], whole }: Restricted, name: string): Sql {
  return anyTrue(
    reading.filter(({ shows }) => includes(shows, name)).map(({ read }) => ruleHolds(read, whole)),
  );
}

function refuseUnwritable(grants: readonly Grant[], names: Iterable<string>): void {
  const forbidden = unwritable(grants, names);
  if (forbidden.length > 0) throw fieldForbidden(forbidden);
}

/** Different kinds of writes of one caller that are remembered. Clients choose which fields they write. */
const MAX_KINDS = 100;
const kinds = new WeakMap<Restricted, BoundedMap<string, CollectionShape>>();

/** The same collection for equal writes of a caller, so that they share statements and what is made for them. */
function remembered<Shape extends CollectionShape>(
  shape: Shape,
  key: string,
  rules: () => WriteRules,
): Shape {
  const restricted = shape.restricted as Restricted;
  const known = kinds.get(restricted) ?? new BoundedMap<string, CollectionShape>(MAX_KINDS);
  kinds.set(restricted, known);
  let made = known.get(key);
  if (made === undefined) {
    made = { ...shape, writing: rules() };
    known.set(key, made);
  }
  return made as Shape;
}
