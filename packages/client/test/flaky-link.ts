import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A path from the client to the service whose connections break when the test wants it. */
export interface FlakyLink {
  readonly url: string;
  /** Connections opened so far. */
  readonly connections: number;
  /** Bytes that reached the client. */
  readonly bytes: number;
  /**
   * Breaks the connections of the next responses, after so many bytes of each. The service has done the work by then,
   * because it responds after the commit.
   */
  loseResponses(count: number, afterBytes?: number): void;
  /** Breaks all open connections. */
  cut(): void;
}

/** Opens a path to the service at `url`. It is closed after the test. */
export async function openFlakyLink(url: string): Promise<FlakyLink> {
  const sockets = new Set<Socket>();
  let [connections, bytes, lost, allowed] = [0, 0, 0, 0];
  const keep = (socket: Socket) => {
    sockets.add(socket.on('error', () => undefined).once('close', () => sockets.delete(socket)));
  };
  const server = createServer(client => {
    connections += 1;
    const service = connect(Number(new URL(url).port), '127.0.0.1');
    keep(client);
    keep(service);
    client.pipe(service);
    service.on('data', chunk => {
      if (lost > 0) {
        lost -= 1;
        client.write(chunk.subarray(0, allowed), () => client.destroy());
        return;
      }
      bytes += chunk.length;
      if (client.write(chunk)) return;
      service.pause();
      client.once('drain', () => service.resume());
    });
    service.once('close', () => client.destroy());
    client.once('close', () => service.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  onTestFinished(() => {
    server.close();
    cut();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get connections() {
      return connections;
    },
    get bytes() {
      return bytes;
    },
    loseResponses(count, afterBytes = 0) {
      [lost, allowed] = [count, afterBytes];
    },
    cut,
  };
}
