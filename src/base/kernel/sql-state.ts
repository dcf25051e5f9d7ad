import { PlatformError } from './errors.js';

/** SQLSTATE of an error from PostgreSQL, through TypeORM or node-postgres; undefined for anything else. */
export function sqlState(error: unknown): string | undefined {
  const source = (error as { driverError?: unknown } | null)?.driverError ?? error;
  const code = (source as { code?: unknown } | null)?.code;
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : undefined;
}

/**
 * Name of the constraint that an error is about, if any. Errors that Citus passes on from another node name it only in
 * the message.
 */
export function constraintOf(error: unknown): string | undefined {
  const source = ((error as { driverError?: unknown } | null)?.driverError ?? error) as {
    constraint?: string;
    message?: string;
  } | null;
  return source?.constraint ?? /"([^"]+)"$/.exec(source?.message ?? '')?.[1];
}

/** True for 23505, optionally of one constraint. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  return sqlState(error) === '23505' && (constraint === undefined || constraintOf(error) === constraint);
}

/** The result of `work`. Throws 409 with the message when it breaks a unique constraint, or this one. */
export async function unlessTaken<T>(work: Promise<T>, message: string, constraint?: string): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw isUniqueViolation(error, constraint) ? new PlatformError('AlreadyExists', message) : error;
  }
}

const CONNECTION_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);
/** Messages of node-postgres, and of TypeORM when a connection broke between two statements of a transaction. */
const BROKEN_TEXT =
  /^timeout expired$|connection terminated|connection ended|not queryable|client was closed|already released/i;
/** Messages of the pool, and of Citus while the metadata of a node is not synchronized yet. */
const BUSY_TEXT = /timeout exceeded when trying to connect|is a metadata node, but is out of sync/i;

/** True when a connection broke or could not be opened. Only reads may be repeated on another connection then. */
export function isConnectionLost(error: unknown): boolean {
  const source = driverError(error);
  if (CONNECTION_CODES.has(source?.code ?? '') || isLeftByPooler(source)) return true;
  const state = sqlState(error);
  return state === undefined ? BROKEN_TEXT.test(source?.message ?? '') : /^(08(?!P01)|57P0[123])/.test(state);
}

/** Runs a read, and repeats it once on another connection when its connection is lost. */
export async function rereadWhenLost<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!isConnectionLost(error)) throw error;
    return read();
  }
}

interface DriverError {
  readonly code?: string;
  readonly severity?: string;
  readonly message?: string;
}

function driverError(error: unknown): DriverError | null | undefined {
  return ((error as { driverError?: unknown } | null)?.driverError ?? error) as
    | DriverError
    | null
    | undefined;
}

/**
 * True for the error with which PgBouncer closes a client that it has no server connection for: 08P01 with severity
 * FATAL. PostgreSQL uses 08P01 (protocol violation) for single statements.
 */
function isLeftByPooler(error: DriverError | null | undefined): boolean {
  return error?.code === '08P01' && error.severity === 'FATAL';
}

/** With these codes and messages no statement was sent, because there was no connection. */
const NOT_SENT_CODES = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN']);
const NOT_SENT_TEXT =
  /^timeout exceeded when trying to connect|^timeout expired$|^Connection terminated due to connection timeout|not queryable/i;

const OUT_OF_TIME =
  'A statement took longer than the database allows (DATABASE_STATEMENT_TIMEOUT_MS) and was ended. Nothing was written. Retry in a few seconds, with fewer records at once.';
const OUT_OF_REACH =
  'The database cannot be reached or is too busy right now. Nothing was written. Retry in a few seconds.';
const IN_DOUBT =
  'The connection to the database was lost. It is not known whether the write happened. Send it again with the same Idempotency-Key, or read before you retry.';

/** The database cannot do the work now: 503. */
export class DatabaseUnavailable extends PlatformError {
  constructor(
    /** False when it is not known whether a write was done. */
    readonly wroteNothing: boolean,
    override readonly cause: unknown,
  ) {
    super('Unavailable', wroteNothing ? reasonOf(cause) : IN_DOUBT);
  }
}

function reasonOf(cause: unknown): string {
  return sqlState(cause) === '57014' ? OUT_OF_TIME : OUT_OF_REACH;
}

/** The connection was lost during a statement that only reads. */
export class ReadFailed extends Error {
  constructor(readonly driverError: unknown) {
    super((driverError as Error).message, { cause: driverError });
  }
}

/**
 * 503 for a database that is unreachable, full, shutting down, or too busy to respond in time (a lock or statement
 * timeout for which the caller has no better message); undefined for all other errors. `readsOnly`: the request writes
 * nothing.
 */
export function unavailable(error: unknown, readsOnly = false): DatabaseUnavailable | undefined {
  const isBusy =
    /^(53|57P|57014|55P03|58|25006)/.test(sqlState(error) ?? '') ||
    BUSY_TEXT.test(driverError(error)?.message ?? '');
  return isBusy || isConnectionLost(error)
    ? new DatabaseUnavailable(readsOnly || isNotDone(error), error)
    : undefined;
}

/**
 * True when nothing was written: the server refused the statement and rolled the transaction back, or received nothing.
 */
function isNotDone(error: unknown): boolean {
  const { code = '', message = '' } = driverError(error) ?? {};
  if (error instanceof ReadFailed || NOT_SENT_CODES.has(code) || NOT_SENT_TEXT.test(message)) return true;
  if (CONNECTION_CODES.has(code) || code.startsWith('08')) return false;
  return sqlState(error) !== undefined;
}

/** True when a statement named a table or a schema that does not exist. It may have been dropped. */
export function isGone(error: unknown): boolean {
  const state = sqlState(error);
  return state === '42P01' || state === '3F000';
}

const LOCK_NOT_AVAILABLE = '55P03';

/** True when a statement failed because it waited too long for a lock. Nothing of its transaction was written. */
export function isLockTimeout(error: unknown): boolean {
  return sqlState(error) === LOCK_NOT_AVAILABLE;
}

/**
 * True when the lock is that of a table. The error has a context (`while updating tuple (0,1) in relation …`) for a
 * row, an index entry or a lock taken in a function, but none for a table, which is locked before the statement begins.
 */
export function isTableLockTimeout(error: unknown): boolean {
  if (!isLockTimeout(error)) return false;
  const source = (error as { driverError?: unknown }).driverError ?? error;
  return (source as { where?: string }).where === undefined;
}
