import { appendFileSync } from 'node:fs';
import type { Server, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { type DestinationStream, pino } from 'pino';
import type { PlatformRequest } from '../../src/platform/http/platform-request.js';
import { markOf, secretsSent, secretsShown, secretsTold } from './secrets-in-use.js';

/** Longer answers contain records, not secrets. */
const MOST = 64 * 1024;

const noted = new Set<string>();
const answered = new Set<string>();

/**
 * Records for the search after the run the secrets that a server issues or accepts, and the bodies of its
 * refusals.
 */
export function watchSecrets(server: Server, directory: string): void {
  const note = (secret: string, where: string) => {
    const mark = markOf(secret);
    if (mark === undefined || noted.has(mark)) return;
    noted.add(mark);
    appendFileSync(join(directory, `secrets-${process.pid}`), `${mark} ${where}\n`, { mode: 0o600 });
  };
  server.prependListener('request', (request: PlatformRequest, response: ServerResponse) => {
    const answer = answerOf(response);
    response.once('close', () => {
      const where = `${request.method} ${request.originalUrl?.replace(/\?.*/, '')}`;
      // Only an accepted credential is a secret. Refused ones are guesses made by tests.
      if (request.principal !== undefined) {
        for (const secret of secretsSent(request.headers)) note(secret, `credential of ${where}`);
      }
      if (response.statusCode >= 400) return keepError(directory, answer());
      const cookie = String(response.getHeader('set-cookie') ?? '');
      const location = String(response.getHeader('location') ?? '');
      for (const secret of secretsShown(answer(), cookie, location)) note(secret, `answer to ${where}`);
      // Records may contain any text under any name.
      if (!where.includes('/v1/'))
        for (const secret of secretsTold(request.body)) note(secret, `body of ${where}`);
    });
  });
}

/** Bytes of a log that wait for each other. A write for each line would be a sixteenth of the time of a worker. */
const BUFFERED = 16_000;
const FLUSH_EVERY_MS = 100;

let log: ReturnType<typeof pino.destination> | undefined;

/** The log file of the instances of a worker. */
export function logFile(directory: string): DestinationStream {
  if (log !== undefined) return log;
  const dest = join(directory, `log-${process.pid}`);
  const file = pino.destination({ dest, append: true, sync: true, minLength: BUFFERED });
  // Not flushSync, which also calls fsync: a tenth of the time of a worker.
  setInterval(() => file.flush(), FLUSH_EVERY_MS).unref();
  // vitest ends a worker with this signal, which without a listener would end it at once.
  process.once('SIGTERM', () => {
    file.flushSync();
    process.kill(process.pid, 'SIGTERM');
  });
  log = file;
  return file;
}

/** The text of an answer if it is sent in one piece. */
function answerOf(response: ServerResponse): () => string {
  let text = '';
  const end = response.end.bind(response) as (...values: unknown[]) => ServerResponse;
  response.end = ((...values: unknown[]) => {
    const [chunk] = values;
    if ((typeof chunk === 'string' || chunk instanceof Uint8Array) && chunk.length <= MOST) {
      text = Buffer.from(chunk as string).toString('utf8');
    }
    return end(...values);
  }) as typeof response.end;
  return () => text;
}

function keepError(directory: string, text: string): void {
  if (text === '' || answered.has(text)) return;
  answered.add(text);
  appendFileSync(join(directory, `errors-${process.pid}`), `${text}\n`);
}
