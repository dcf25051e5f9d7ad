import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { connect } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** A request that an upstream has received. */
interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  /** Names as received, including repeated ones. */
  readonly names: readonly string[];
  readonly body: string;
}

export interface Upstream {
  readonly origin: string;
  readonly server: Server;
  readonly received: Received[];
  close(): Promise<void>;
}

/** A server behind the gateway. Without a listener it echoes the request. */
export async function startUpstream(listener?: RequestListener): Promise<Upstream> {
  const received: Received[] = [];
  const echo: RequestListener = async (request, response) => {
    const { method = '', url = '', headers, rawHeaders } = request;
    const names = rawHeaders.filter((_, index) => index % 2 === 0).map(name => name.toLowerCase());
    const body = (await buffer(request)).toString('utf8');
    received.push({ method, url, headers, names, body });
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(received.at(-1)));
  };
  const server = createServer(listener ?? echo);
  const connections = new Set<Socket>();
  server.on('connection', socket => connections.add(socket));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    for (const socket of connections) socket.destroy();
    await new Promise(resolve => server.close(resolve));
  };
  return { origin: `http://127.0.0.1:${port}`, server, received, close };
}

/** A connection on which a test writes raw bytes. */
export async function dial(address: string): Promise<Socket> {
  const { hostname, port } = new URL(address);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  return socket;
}

/** Sends one request exactly as given, and returns everything received until the connection ends. */
export async function sendRaw(address: string, lines: readonly string[], body = ''): Promise<string> {
  const socket = await dial(address);
  socket.write(`${lines.join('\r\n')}\r\nConnection: close\r\n\r\n${body}`);
  return (await buffer(socket)).toString('latin1');
}
