import { sqlState } from '../../base/kernel/sql-state.js';
import { literal, type Sql, sql } from '../../base/sql/index.js';

/** SQLSTATEs by which statements refuse values, each for one reason. */
const STATES = {
  /** A record that is larger than a record may be, or has more values, or may be so: only its content shows it. */
  size: 'TC002',
  /** PostgreSQL's own: a number is beyond the range of its column. */
  number: '22003',
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
