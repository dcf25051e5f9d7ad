import { invalid, PlatformError } from '../kernel/errors.js';
import { sqlState } from '../kernel/sql-state.js';

/** What PostgreSQL refused of a statement on records, in the client's words; any other error is passed on. */
export function queryRefusal(error: unknown): unknown {
  switch (sqlState(error)) {
    case '57014':
      return new PlatformError(
        'QueryTimeout',
        'The query took too long and was stopped. Narrow it, index its columns, or simplify a $regex.',
      );
    case '54000':
      return new PlatformError(
        'ValueTooLong',
        'A value is too long for an index on its column; nothing was written.',
      );
    case '2201B':
      return invalid('$regex: the pattern is no valid regular expression');
    case '22003':
      return invalid('A number went out of the range of doubles.');
    case '54001':
      return invalid('The query is too complex.');
    default:
      return error;
  }
}

/** For an answer whose rows were cut off. `wayOut`: what the caller can do besides asking for less. */
export function resultTooLarge(wayOut: string): PlatformError {
  return new PlatformError(
    'ResultTooLarge',
    `The answer would be larger than the limit of RESPONSE_LIMIT_BYTES: ${wayOut}, ask for fewer fields, or narrow the filter.`,
  );
}
