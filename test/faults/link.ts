import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** The way from one instance to the database, which can be interrupted. */
export interface Link {
  /** The database's address, by this way. */
  readonly url: string;
  /** Nothing passes any more, and new connections get no answer; what is held back passes when it is mended. */
  freeze(): void;
  /** Connections are reset and new ones refused. */
  cut(): Promise<void>;
  mend(): Promise<void>;
}

/** Opens a way to the database of `url`; closed after the test. */
export async function openLink(url: string): Promise<Link> {
  const sockets = new Set<Socket>();
  let frozen = false;
  const keep = (socket: Socket) => {
    sockets.add(socket.on('error', () => undefined).once('close', () => sockets.delete(socket)));
    if (frozen) socket.pause();
  };
  const server = createServer(from => {
    const to = connect(Number(new URL(url).port), '127.0.0.1');
    for (const [one, other] of [
      [from, to],
      [to, from],
    ] as const) {
      keep(one);
      one.on('data', chunk => other.write(chunk));
      one.once('close', () => other.destroy());
    }
  });
  const port = await listen(server, 0);
  const drop = () => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  onTestFinished(() => {
    drop();
    server.close();
  });
  return {
    url: Object.assign(new URL(url), { port }).href,
    freeze() {
      frozen = true;
      for (const socket of sockets) socket.pause();
    },
    async cut() {
      const closed = once(server, 'close');
      server.close();
      drop();
      await closed;
    },
    async mend() {
      frozen = false;
      for (const socket of sockets) socket.resume();
      if (!server.listening) await listen(server, port);
    },
  };
}

async function listen(server: Server, port: number): Promise<number> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}
