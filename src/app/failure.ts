import { PlatformError } from '../base/kernel/errors.js';
import { sqlState, unavailable } from '../base/kernel/sql-state.js';
import { SettingsError } from '../platform/config/load-settings.js';

const CHECK = 'Check DATABASE_URL, and DATABASE_LISTEN_URL if it is set.';

/** Errors of OpenSSL about the certificate of a server. */
const CERTIFICATE = /CERT|^UNABLE_TO_/;

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
  const state = sqlState(error) ?? '';
  if (state === '53200' && /shared memory/.test(error.message))
    return `PostgreSQL has no room for so many locks (${reason}). Raise max_locks_per_transaction and start it again.`;
  if (state === '42501')
    return `The user of DATABASE_URL lacks a right (${reason}). Let it own the database: ALTER DATABASE … OWNER TO ….`;
  if (CERTIFICATE.test(error.code ?? ''))
    return `The certificate of the database is not trusted (${reason}). Add sslrootcert=<file of its authority> to DATABASE_URL.`;
  if (unavailable(error)) return `The database cannot be reached (${reason}). ${CHECK}`;
  // Class 28: the user is refused. 3D000: the database does not exist.
  return /^(28|3D000)/.test(state) ? `The database refused the connection: ${reason}. ${CHECK}` : undefined;
}
