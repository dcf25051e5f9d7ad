import { type IncomingMessage, type Server, ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { ERROR_STATUS, type ErrorCode } from '../../../base/kernel/errors.js';
import { newId } from '../../../base/kernel/id.js';

/** The connection of a request for a WebSocket, and the bytes that came after the request. */
export interface Switching {
  readonly socket: Socket;
  readonly head: Buffer;
}

type Serve = (request: IncomingMessage & { switching?: Switching }, response: ServerResponse) => void;
type Refusal = readonly [ErrorCode, string];

const MALFORMED: Refusal = ['InvalidArguments', 'The request is not valid HTTP/1.1.'];
const PARSER_REFUSALS: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: ['HeadersTooLarge', 'The request line and headers are larger than 16 KiB.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ['PayloadTooLarge', 'The chunk extensions are larger than 16 KiB.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['RequestTimeout', 'The request did not arrive in time.'],
};
const OFFER_WITH_BODY: Refusal = [
  'InvalidArguments',
  'Upgrade: only websocket is supported, and a request that offers another protocol must have no body. Send it without Upgrade.',
];

/** The text of a response after which the connection is closed. Used when there is no request to respond to. */
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

/** Answers requests that Node's parser refuses with the usual error body, and closes the connection. */
export function answerParserRefusals(server: Server): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    // A response that has begun on this connection must not be followed by another: Node reads the same property.
    const { _httpMessage: current } = socket as { _httpMessage?: { headersSent: boolean } | null };
    if (error.code === 'ECONNRESET' || !socket.writable || current?.headersSent) {
      socket.destroy();
      return;
    }
    socket.end(refusalText(PARSER_REFUSALS[error.code ?? ''] ?? MALFORMED), () => socket.destroy());
  });
}

/**
 * Serves requests with `Upgrade` like any other, so that they pass the same checks. A request for a WebSocket gets
 * `switching`. Offers of other protocols are ignored (RFC 9110, 7.8): the request is served, then the connection is closed,
 * because Node does not read from it any more. For the same reason the body of such a request cannot be read.
 * Without this, Node ignores every offer.
 */
export function serveUpgrades(
  server: Server,
  serve: Serve,
  Response = ServerResponse<IncomingMessage>,
): void {
  const sockets = new Set<Duplex>();
  server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    sockets.add(socket);
    // Who takes the connection over sets its own.
    socket.setTimeout(0);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    const { _httpMessage: current } = socket as { _httpMessage?: ServerResponse | null };
    if (current) {
      // Pipelined behind a request without a complete response. A client must repeat it, as after any end.
      whenClosed(current, () => socket.end());
      return;
    }
    const isWebSocket = request.headers.upgrade?.toLowerCase() === 'websocket';
    if (!isWebSocket && announcesBody(request)) {
      socket.end(refusalText(OFFER_WITH_BODY), () => socket.destroy());
      return;
    }
    const response = new Response(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    response.once('finish', () => socket.end());
    serve(isWebSocket ? Object.assign(request, { switching: { socket, head } }) : request, response);
  });
  server.on('cut', () => {
    for (const socket of sockets) socket.destroy();
  });
}

/** Calls `work` once when the response has closed, at once if it has closed already: its `close` event never comes again. */
export function whenClosed(response: ServerResponse, work: () => void): void {
  if (response.closed) work();
  else response.once('close', work);
}

/** The responses of a connection that wait behind an earlier one. */
const queued = new WeakMap<Socket, Set<ServerResponse>>();

/**
 * Closes the response with its connection while it waits behind an earlier response (pipelining). Node closes only the
 * response that it is sending, so the others would hold their memory and their streams for ever.
 */
export function closeWithConnection({ socket }: IncomingMessage, response: ServerResponse): void {
  if (response.socket !== null) return;
  const responses = queued.get(socket) ?? new Set();
  if (!queued.has(socket)) {
    queued.set(socket, responses);
    socket.once('close', () => {
      for (const each of responses) if (each.socket === null) close(each);
    });
  }
  responses.add(response);
  response.once('close', () => responses.delete(response));
}

/** Does what Node does with a response whose connection has closed. */
function close(response: ServerResponse): void {
  Object.assign(response, { destroyed: true, _closed: true });
  response.emit('close');
}

/** How long the service discards the rest of a body after the response. Meanwhile a client that sends can read it. */
const DISCARD_MS = 5_000;

/**
 * Closes the connection when the body of the request is still not complete some time after the response, for example
 * after a refusal. Otherwise Node would read and discard what the client sends, without end.
 */
export function limitDiscarding(request: IncomingMessage, response: ServerResponse): void {
  response.once('finish', () => {
    if (request.complete) return;
    setTimeout(() => {
      if (!request.complete) request.socket.destroy();
    }, DISCARD_MS).unref();
  });
}

/**
 * Closes a connection without any traffic for `milliseconds`, unless a response is in progress of which nothing is left to
 * send: then the client waits for the service, and not the service for the client.
 */
export function closeStalled(server: Server, milliseconds: number): void {
  server.timeout = milliseconds;
  server.on('timeout', (socket: Socket) => {
    const { _httpMessage: current } = socket as { _httpMessage?: ServerResponse | null };
    if (!current || socket.writableLength > 0) socket.destroy();
  });
}

/** A server emits it when it looks for connections to close, because it stops. */
export const LOOK_FOR_IDLE = 'look for idle connections';

/**
 * Closes connections on which nothing has arrived while the server stops. Node closes those whose last request was
 * answered, but takes a new connection for one whose first request has begun.
 *
 * A connection is closed at the second look, because a request may have arrived that is not read yet. So call this before
 * `acceptFirst`, after which connections are not known before they are read.
 */
export function closeUnusedWhenStopping(server: Server): void {
  const connections = new Set<Socket>();
  let unused: readonly Socket[] = [];
  server.on('connection', (socket: Socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  server.on(LOOK_FOR_IDLE, () => {
    for (const socket of unused) if (socket.bytesRead === 0) socket.destroy();
    unused = [...connections].filter(({ bytesRead }) => bytesRead === 0);
  });
}

/** True when the headers announce a body. */
export function announcesBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > 0;
}
