import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A connection path to PostgreSQL that a test can interrupt. */
export interface ListenProxy {
  readonly url: string;
  /** `swallow`: drops notifications only, as a transaction pooler does; `refuse`: accepts no connection. */
  mode: 'pass' | 'swallow' | 'refuse';
  /** Closes all connections. */
  cut(): void;
  close(): Promise<void>;
}

/** Length of the head of a message: its type and its length without the type (PostgreSQL manual, "Message Formats"). */
const HEAD = 5;

export async function listenProxy(databaseUrl: string): Promise<ListenProxy> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  const server = createServer(client => {
    if (proxy.mode === 'refuse') return client.destroy();
    const database = connect(Number(target.port), target.hostname);
    for (const [socket, other] of [
      [client, database],
      [database, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    client.on('data', chunk => database.write(chunk));
    let rest: Buffer = Buffer.alloc(0);
    database.on('data', chunk => {
      rest = Buffer.concat([rest, chunk]);
      for (let end = endOfFirst(rest); end <= rest.length; end = endOfFirst(rest)) {
        const isNotification = rest[0] === 'A'.charCodeAt(0);
        if (!(isNotification && proxy.mode === 'swallow')) client.write(rest.subarray(0, end));
        rest = rest.subarray(end);
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  const proxy: ListenProxy = {
    url: url.href,
    mode: 'pass',
    cut: () => {
      for (const socket of sockets) socket.destroy();
    },
    close: async () => {
      proxy.cut();
      server.close();
      await once(server, 'close');
    },
  };
  return proxy;
}

function endOfFirst(bytes: Buffer): number {
  return bytes.length < HEAD ? Number.POSITIVE_INFINITY : bytes.readUInt32BE(1) + 1;
}
