import { identifier, joined, NOTHING, type Sql, sql } from '../../../base/sql/index.js';
import type { Filter } from '../../filter/index.js';
import { AUTHOR_FIELDS, type CollectionShape, type SeenRecords } from '../collection-shape.js';
import { grantsHold, seenIn, seenMembers, shows } from '../restricted/seen.js';
import { changeShape, changesFilter } from './change-shape.js';
import { IS_ERASED } from './erase-changes.js';
import { recordBefore } from './replaced-values.js';

/** Which changes a follower gets. */
interface Selection {
  readonly filter: Filter | undefined;
  readonly left?: boolean | undefined;
}

/** SQL of what a follower gets of a change `c`. */
interface SelectedChanges {
  /** What the others need. */
  readonly join: Sql;
  /** True when the follower gets the change; never null. */
  readonly matches: Sql;
  /** True when it no longer gets the record; never null. */
  readonly hasLeft: Sql;
  /** JSON text of the record. */
  readonly record: Sql;
}

/**
 * A follower gets a change when its rules and its filter match the record after the change; of a deleted or expired record,
 * its last version. A restricted caller, and one that asks for it, also gets a change when they matched the record before.
 * Where it is not known what an update replaced, they did not.
 *
 * The change of an erased record has only its id: everybody gets it, because the record may have matched before.
 */
export function selectedChanges(shape: CollectionShape, selection: Selection): SelectedChanges {
  const { filter, left } = selection;
  const { seen } = shape;
  if (seen !== undefined || (left && filter !== undefined)) return ofVersions(shape, filter, seen);
  const matches =
    filter === undefined
      ? sql`true`
      : sql`(${IS_ERASED} OR coalesce((${changesFilter(shape, filter)}), false))`;
  // OFFSET 0: the record is parsed once, and not again for each condition.
  const join =
    filter === undefined
      ? NOTHING
      : sql`CROSS JOIN LATERAL (SELECT c.record::jsonb AS record, c.created_by, c.updated_by OFFSET 0) d`;
  return { join, matches, hasLeft: sql`false`, record: sql`c.record` };
}

/**
 * The first version that matches: `v` has both, `g` which grants hold for each, `d` what the caller sees of it, and `w` is
 * the one that is selected.
 */
function ofVersions(
  shape: CollectionShape,
  filter: Filter | undefined,
  seen: SeenRecords | undefined,
): SelectedChanges {
  const matches = filter === undefined ? [] : [sql`(${changesFilter(shape, filter)})`];
  const members = seen && seenMembers(sql`v.record`, seen.grants);
  const isSeen = seen && [seen.grants.length === 0 ? sql`false` : seenIn(seen.grants, () => true, 'g')];
  const conditions = [...(isSeen ?? []), ...matches];
  const join = sql`
            LEFT JOIN LATERAL (
              SELECT v.is_after, d.record
              FROM (
                SELECT true AS is_after, c.record::jsonb AS record, c.created_by, c.updated_by
                UNION ALL SELECT false, b.record, b.created_by, b.updated_by FROM (${recordBefore()}) b) v
              ${seen ? grantsHold(seen.grants, changeShape(seen.whole, sql`v`)) : NOTHING}
              CROSS JOIN LATERAL (SELECT ${members ?? sql`v.record`} AS record${authors(seen)} OFFSET 0) d
              WHERE ${joined(conditions, ' AND ')}
              ORDER BY v.is_after DESC LIMIT 1) w ON true`;
  const isBefore = sql`NOT coalesce(w.is_after, false)`;
  return {
    join,
    matches: sql`(${IS_ERASED} OR w.is_after IS NOT NULL)`,
    hasLeft: seen ? sql`(${IS_ERASED} OR ${isBefore})` : sql`(NOT ${IS_ERASED} AND ${isBefore})`,
    record: members === undefined ? sql`c.record` : sql`w.record::text`,
  };
}

/** The authors of `v` that the caller sees, each with a comma before it. */
function authors(seen: SeenRecords | undefined): Sql {
  const values = AUTHOR_FIELDS.map(([name, column]) => {
    const by = identifier(column);
    const grants = seen?.grants ?? [];
    const isCounted = (grant: (typeof grants)[number]) => shows(grant, name);
    if (grants.every(isCounted)) return sql`, v.${by}`;
    if (!grants.some(isCounted)) return sql`, NULL::uuid AS ${by}`;
    return sql`, CASE WHEN ${seenIn(grants, isCounted, 'g')} THEN v.${by} END AS ${by}`;
  });
  return joined(values, '');
}
