import { type Param, type Sql, sql } from '../../../base/sql/index.js';
import type { Rows } from '../../../platform/database/statements.js';
import { type Position, type SortKey, shortPosition } from '../../filter/index.js';
import { ResultColumns } from '../result-columns.js';
import { unlessLong } from '../statement.js';

/** A page in the order in which it was read. */
export interface PageRows {
  /** The JSON texts of the records. */
  readonly records: readonly string[];
  /** True when further records were left out because of their size. */
  readonly isCut: boolean;
  /** False when the page begins after an anchor whose record does not have the same keys any more. */
  readonly anchorHolds: boolean;
  /** True when there are records before the value with which the page begins. */
  readonly hasBefore: boolean;
  /** Set if it was requested. */
  readonly total: number | undefined;
  /** The position of a record, if positions were requested. */
  positionOf(index: number): Position;
}

/** SQL of what a page tells beside its records; undefined for what the request does not need. */
interface PageFacts {
  readonly keys: readonly SortKey[];
  readonly withPosition: boolean;
  readonly anchorHolds: Sql | undefined;
  readonly hasBefore: Sql | undefined;
  readonly total: Sql | undefined;
}

interface PageRow {
  /** Null when the page is empty. */
  readonly record: string | null;
  readonly position: string | null | undefined;
  readonly anchorHolds: boolean | null | undefined;
  readonly hasBefore: boolean | undefined;
  readonly total: number | undefined;
}

interface PageColumns {
  /** The select list for the page. Its records are `p`. */
  readonly ofPage: Sql;
  /** The select list for each record, whose text and position are `r.record` and `r.position`. */
  readonly ofRecord: Sql;
  readonly longest: Param;
  decode(rows: Rows): PageRows;
}

const POSITION = sql`r.position`;

/** The select lists of a page, and the meaning of its rows: one for each record, or one without a record. */
export function pageColumns({ keys, withPosition, ...facts }: PageFacts): PageColumns {
  const { shown, longest } = unlessLong(sql`r.record`);
  const position = withPosition ? sql`p.position` : undefined;
  const columns = new ResultColumns<PageRow>({ record: sql`p.record`, position, ...facts });
  const shownPosition = keys.length === 1 ? POSITION : shortPosition(POSITION);
  return {
    ofPage: columns.list,
    ofRecord: withPosition ? sql`${shown} AS record, ${shownPosition} AS position` : sql`${shown} AS record`,
    longest,
    decode(rows) {
      const { record, anchorHolds, hasBefore, total } = columns.object(rows[0]!);
      const at = columns.indexOf('record');
      return {
        records: record === null ? [] : rows.map(row => row[at] as string),
        isCut: rows.isCut === true,
        anchorHolds: facts.anchorHolds === undefined || anchorHolds === true,
        hasBefore: hasBefore === true,
        total,
        positionOf: index => JSON.parse(columns.value(rows[index]!, 'position') as string),
      };
    },
  };
}
