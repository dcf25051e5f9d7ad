import { type IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** The connection of a request to go on with another protocol, and what came on it after the request. */
export interface Switching {
  readonly socket: Socket;
  readonly head: Buffer;
}

type Serve = (request: IncomingMessage & { switching?: Switching }, response: ServerResponse) => void;

/** Headers of an offer; `Connection` names them too (RFC 9113, 3.1). */
const OFFER = ['upgrade', 'http2-settings'];

/**
 * Serves requests for WebSockets like any other: they pass all guards, and are refused with the same answers. Offers of
 * other protocols are passed over (RFC 9110, 7.8). Without this, Node passes over all of them.
 */
export function serveUpgrades(server: Server, serve: Serve): void {
  const switched = new Set<Duplex>();
  server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    if (request.headers.upgrade?.toLowerCase() !== 'websocket') {
      serveWithoutOffer(server, request, socket, head);
      return;
    }
    switched.add(socket);
    socket.once('close', () => switched.delete(socket));
    socket.on('error', () => socket.destroy());
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    response.once('finish', () => socket.end());
    serve(Object.assign(request, { switching: { socket, head } }), response);
  });
  server.on('cut', () => {
    for (const socket of switched) socket.destroy();
  });
}

/** Node has left the connection already: it begins anew, with the same request without the offer. */
function serveWithoutOffer(server: Server, request: IncomingMessage, socket: Socket, head: Buffer): void {
  const { method, url, httpVersion, rawHeaders } = request;
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const [name, value] = [rawHeaders[index] as string, rawHeaders[index + 1] as string];
    const kept = name.toLowerCase() === 'connection' ? withoutOffer(value) : value;
    if (!OFFER.includes(name.toLowerCase())) lines.push(`${name}: ${kept}`);
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  server.emit('connection', socket);
}

function withoutOffer(connection: string): string {
  const options = connection.split(',').map(option => option.trim());
  return options.filter(option => !OFFER.includes(option.toLowerCase())).join(', ');
}
