import type { Logger } from 'pino';
import { isoTimes, withoutCredentials } from './logger.js';
import type { PlatformRequest } from './platform-request.js';
import { destinationOf } from './private-api.js';
import type { FirstStep } from './server/platform-adapter.js';

/** Called after the response to each request. The status is 499 when the client disconnected earlier. */
export type Answered = (request: PlatformRequest, status: number, milliseconds: number) => void;

/** The hashed files of the web console. */
const CONSOLE_FILES = '/console/assets/';

/** Logs one line per request after the response: method, path without query, status, milliseconds. */
export function requestLog(logger: Logger, answered?: Answered): FirstStep {
  const destination = destinationOf(logger);
  const time = isoTimes();
  return (request, response) => {
    response.on('close', () => {
      const milliseconds = performance.now() - request.startedAt;
      const status = response.writableFinished || response.statusCode === 101 ? response.statusCode : 499;
      answered?.(request, status, milliseconds);
      // A page of the console has a dozen files: they would hide the other requests.
      const level = status < 400 && request.url.startsWith(CONSOLE_FILES) ? 'debug' : 'info';
      if (logger.isLevelEnabled(level))
        destination.write(lineOf(level, time(), request, status, milliseconds));
    });
  };
}

/**
 * A line as pino would write it, in a third of the time. The texts that are not quoted by JSON.stringify have no
 * characters that need it: the method is one of those that Node accepts, and `correlationId` checks its id.
 * @param time a field that begins with a comma
 */
function lineOf(
  level: string,
  time: string,
  { correlationId, method, url, principal }: PlatformRequest,
  status: number,
  milliseconds: number,
): string {
  const caller = principal === undefined ? '' : `,"principal":${JSON.stringify(principal.id)}`;
  return (
    `{"level":"${level}"${time},"correlationId":"${correlationId}","method":"${method}"` +
    `,"path":${JSON.stringify(loggedPath(url))}` +
    `,"status":${status},"ms":${Math.round(milliseconds * 10) / 10}${caller}}\n`
  );
}

/** More than the path of any route has. */
const MAX_PATH = 1_000;

/** The path of a target, without credentials, whatever a client has sent. */
function loggedPath(url: string): string {
  const end = url.search(/[?#]/);
  const path = end < 0 ? url : url.slice(0, end);
  const clean = withoutEncodedCredentials(path) ?? withoutCredentials(path);
  return clean.length <= MAX_PATH ? clean : `${clean.slice(0, MAX_PATH)}…`;
}

/** By mistake, clients and proxies encode a path that is encoded already. */
const MAX_ENCODINGS = 3;

/** Undefined when the path has none. The router decodes a path, so it also accepts credentials that are encoded. */
function withoutEncodedCredentials(path: string): string | undefined {
  let decoded = path;
  for (let times = 0; times < MAX_ENCODINGS && decoded.includes('%'); times++)
    decoded = decoded.replace(/(?:%[0-9a-f]{2})+/gi, decodedIfValid);
  if (decoded === path) return undefined;
  const clean = withoutCredentials(decoded);
  return clean === decoded ? undefined : clean;
}

function decodedIfValid(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}
