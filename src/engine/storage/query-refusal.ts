import { invalid, PlatformError } from '../../base/kernel/errors.js';
import { isConnectionLost, ReadFailed, sqlState } from '../../base/kernel/sql-state.js';

/** Program limit exceeded: an index entry of more than a third of a page, or a value of more than 1 GB. */
export const PROGRAM_LIMIT = '54000';

/** The error for a failed statement that only reads records: a client error if there is one, else the same error. */
export function queryRefusal(error: unknown): unknown {
  if (isConnectionLost(error)) return new ReadFailed(error);
  if (sqlState(error) === PROGRAM_LIMIT)
    return invalid('The result is too large for the database. Narrow the filter, or request fewer fields.');
  return refused(error);
}

/** As `queryRefusal`, for a statement that writes. */
export function writeRefusal(error: unknown): unknown {
  if (sqlState(error) === PROGRAM_LIMIT)
    return new PlatformError(
      'ValueTooLong',
      'A value is too long for an index on its column; nothing was written.',
    );
  return refused(error);
}

function refused(error: unknown): unknown {
  switch (sqlState(error)) {
    case '57014':
      return new PlatformError(
        'QueryTimeout',
        'The query took too long and was stopped. Narrow its filter, index its columns, or simplify $regex.',
      );
    case '2201B':
      return invalid('$regex: the pattern is not a valid regular expression');
    case '22003':
      return invalid('The result of a computation is out of the range of doubles.');
    case '54001':
      return invalid('The query is too complex for the database. Use fewer conditions, or split it.');
    case '22023':
      if (!/^time zone /.test((error as Error).message)) return error;
      return invalid(
        "group_by: the database does not know this 'zone'. Take another name of it, such as UTC.",
      );
    default:
      return error;
  }
}

/** The error for a response whose rows were cut off. `wayOut`: what the caller can do besides asking for less. */
export function resultTooLarge(wayOut: string): PlatformError {
  return new PlatformError(
    'ResultTooLarge',
    `The response would be larger than the limit RESPONSE_LIMIT_BYTES: ${wayOut}, request fewer fields, or narrow the filter.`,
  );
}
