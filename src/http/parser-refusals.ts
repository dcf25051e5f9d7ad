import { type Server, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { ERROR_STATUS, type ErrorCode } from '../kernel/errors.js';
import { newId } from '../kernel/id.js';

type Refusal = readonly [ErrorCode, string];

const MALFORMED: Refusal = ['InvalidArguments', 'The request is not valid HTTP/1.1.'];
const REFUSALS: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: ['HeadersTooLarge', 'The request line and headers are larger than 16 KiB.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ['PayloadTooLarge', 'The chunk extensions are larger than 16 KiB.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['RequestTimeout', 'The request did not come in time.'],
};

/** The answer that a connection is given before it closes, as text: there is no request to answer. */
function refusalText([error, message]: Refusal): string {
  const status = ERROR_STATUS[error];
  const body = JSON.stringify({ error, message });
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `x-correlation-id: ${newId()}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}

/** Answers what Node's parser refuses with the body of every other refusal, and closes the connection. */
export function answerParserRefusals(server: Server): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    // An answer that was begun on this connection must not be continued with another one: Node looks here, too.
    const { _httpMessage: current } = socket as { _httpMessage?: { headersSent: boolean } | null };
    if (error.code === 'ECONNRESET' || !socket.writable || current?.headersSent) {
      socket.destroy();
      return;
    }
    socket.end(refusalText(REFUSALS[error.code ?? ''] ?? MALFORMED), () => socket.destroy());
  });
}
