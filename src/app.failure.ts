import { SettingsError } from './config/load-settings.js';
import { PlatformError } from './kernel/errors.js';
import { sqlState, unavailable } from './kernel/sql-state.js';

const CHECK = 'Check DATABASE_URL, and DATABASE_LISTEN_URL if it is set.';

/**
 * The text for the terminal about an error that ended the program. A plain Error was thrown on purpose and says what to
 * do; only unexpected errors need their stack trace.
 */
export function failureText(thrown: unknown): string {
  const error = thrown as NodeJS.ErrnoException;
  const reason = databaseReason(error);
  if (reason !== undefined) return reason;
  const foreseen =
    error.constructor === Error || error instanceof SettingsError || error instanceof PlatformError;
  return foreseen ? error.message : (error.stack ?? String(thrown));
}

/** Node reports a name with several addresses as an error that only has a code. */
function databaseReason(error: NodeJS.ErrnoException): string | undefined {
  const reason = error.message || error.code;
  if (unavailable(error)) return `The database cannot be reached (${reason}). ${CHECK}`;
  // Class 28: the user is refused. 3D000: the database does not exist. 42501: the user lacks a privilege.
  return /^(28|3D000|42501)/.test(sqlState(error) ?? '')
    ? `The database refused the connection: ${reason}. ${CHECK}`
    : undefined;
}
