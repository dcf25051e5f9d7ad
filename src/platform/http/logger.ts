import type { LoggerService } from '@nestjs/common';
import { type DestinationStream, type Logger, pino } from 'pino';

/** Keys whose values are never logged, at up to three levels of a logged object. */
const SECRET_KEYS = [
  'authorization',
  'cookie',
  'password',
  'secret',
  'token',
  'ticket',
  'apiKey',
  'clientSecret',
  'subject_token',
  'client_secret',
  '["x-platform-api-key"]',
  '["set-cookie"]',
];
const REDACTED = SECRET_KEYS.flatMap(key =>
  ['', '*', '*.*'].map(prefix =>
    key.startsWith('[') ? `${prefix}${key}` : `${prefix}${prefix && '.'}${key}`,
  ),
).filter(path => path !== '');

/** Credentials inside a text, for example in an error message that quotes a header. */
const CREDENTIAL = /(?:iak_[A-Za-z0-9_-]+_|wak_|inv_(?=[\w-]{43})|sas_[A-Za-z0-9_-]+_|at(?::|%3A))[\w.-]+/g;

/**
 * A JWT, or another text that begins like one, for which the group is undefined. It is found as a whole, too: otherwise the search
 * would begin again at each of its characters.
 */
const JWT = /eyJ[\w-]*(\.eyJ[\w.-]*)?/g;

/** A password in a connection string, or another text behind a host and a colon, which does not end with `@`. */
const PASSWORD = /(:\/\/[^:/\s]*:)[^@\s]+(@?)/g;

/** Lines are written in batches, by size or by time, because each write wakes a thread. */
const BATCH_LENGTH = 32 * 1024;
const BATCH_MS = 100;

/** Lines wait as one text. pino's destination would count or copy each line, which takes a third of its time. */
function stdout(): DestinationStream {
  const destination = pino.destination({ dest: 1, sync: false });
  let lines = '';
  let timer: NodeJS.Timeout | undefined;
  const send = () => {
    clearTimeout(timer);
    timer = undefined;
    destination.write(lines);
    lines = '';
  };
  process.once('exit', () => {
    if (lines === '') return;
    send();
    destination.flushSync();
  });
  return {
    write: line => {
      lines += line;
      if (lines.length >= BATCH_LENGTH) send();
      else timer ??= setTimeout(send, BATCH_MS);
    },
  };
}

/** The process's logger: JSON lines on stdout, written asynchronously, secrets redacted. */
export function createLogger(level: string, destination: DestinationStream = stdout()): Logger {
  return pino(
    {
      level,
      base: null,
      redact: { paths: REDACTED, censor: '[redacted]' },
      formatters: { level: label => ({ level: label }) },
      timestamp: isoTimes(),
      serializers: { error: serializeError },
    },
    destination,
  );
}

/** The time as a field of a line. Its text is kept for a millisecond, because it costs as much as the rest of the line. */
export function isoTimes(): () => string {
  let [madeAt, text] = [Number.NaN, ''];
  return () => {
    const now = Date.now();
    if (now !== madeAt) [madeAt, text] = [now, `,"time":"${new Date(now).toISOString()}"`];
    return text;
  };
}

/** Removes anything that looks like a credential from a text, in a time that grows with its length. */
export function withoutCredentials(text: string): string {
  let clean = text.replace(CREDENTIAL, '[redacted]');
  // This runs for the path of every request. Most paths contain neither.
  if (clean.includes('eyJ'))
    clean = clean.replace(JWT, (found, claims?: string) => (claims === undefined ? found : '[redacted]'));
  if (clean.includes('://'))
    clean = clean.replace(PASSWORD, (found, user: string, at: string) =>
      at === '' ? found : `${user}[redacted]@`,
    );
  return clean;
}

function serializeError(error: Error & { code?: unknown }): object {
  return {
    name: error.name,
    code: error.code,
    message: withoutCredentials(error.message),
    stack: withoutCredentials(error.stack ?? ''),
  };
}

/** Passes Nest's own messages to the same logger. */
export class NestLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown, context?: string): void {
    this.logger.debug({ context }, String(message));
  }
  error(message: unknown, ...rest: unknown[]): void {
    if (isFields(message)) {
      this.logger.error(...fieldsOf(message, rest.at(-1)));
      return;
    }
    const error = message instanceof Error ? message : undefined;
    this.logger.error(
      { context: rest.at(-1), error },
      error ? undefined : withoutCredentials(String(message)),
    );
  }
  warn(message: unknown, context?: string): void {
    if (isFields(message)) this.logger.warn(...fieldsOf(message, context));
    else this.logger.warn({ context }, withoutCredentials(String(message)));
  }
  debug(message: unknown, context?: string): void {
    this.logger.trace({ context }, String(message));
  }
}

/** A log line with fields; `message` is its text. */
interface Fields {
  readonly message: string;
  readonly [name: string]: unknown;
}

function isFields(message: unknown): message is Fields {
  return typeof message === 'object' && message !== null && !(message instanceof Error);
}

function fieldsOf({ message, ...fields }: Fields, context: unknown): [fields: object, text: string] {
  const clean = Object.entries(fields).map(([name, value]) => [
    name,
    typeof value === 'string' ? withoutCredentials(value) : value,
  ]);
  return [{ context, ...Object.fromEntries(clean) }, message];
}
