import { sqlState } from '../../base/kernel/sql-state.js';
import { literal, type Sql, sql } from '../../base/sql/index.js';

/** SQLSTATEs by which statements refuse values, each for one reason. */
const STATES = {
  /** A record that is larger than a record may be, or has more values, or may be so: only its content shows it. */
  size: 'TC002',
  /** PostgreSQL's own: a number is beyond the range of its column. */
  number: '22003',
  /** No rule of the caller's access allows a record as it was written. */
  rule: 'TC003',
} as const;

type Reason = keyof typeof STATES;

/** SQL that fails the statement. `value`: of the record, because PostgreSQL would evaluate a constant in advance. */
export function refused(value: Sql, reason: Reason): Sql {
  return sql`public.refuse(${value}, ${literal(STATES[reason])})`;
}

/** True for the error of a statement that has refused a value for this reason. */
export function isRefusedFor(error: unknown, reason: Reason): boolean {
  return sqlState(error) === STATES[reason];
}

/** The ids in the detail of an error by which `public.refuse_records` has failed a statement; at most 100. */
export function refusedRecords(error: unknown): readonly string[] {
  const source = (error as { driverError?: unknown } | null)?.driverError ?? error;
  const { detail } = source as { detail?: unknown };
  return typeof detail === 'string' ? detail.split(',') : [];
}
