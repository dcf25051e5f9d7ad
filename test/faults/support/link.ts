import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** The directions in which bytes may be discarded. */
export const DIRECTIONS = ['both ways', 'to the client', 'to the server'] as const;

export type Direction = (typeof DIRECTIONS)[number];

/** The application name of the connections that carry reads by id. */
export const PIPELINE = 'typed-collections pipeline';

/**
 * How long a silent connection may take to be replaced: the promised time, plus a margin for a slow machine. The
 * operating system would take a quarter of an hour.
 */
export const REPLACED_WITHIN_MS = 5_000 + 5_000;

/** A connection path from one instance to the database that tests can interrupt. */
export interface Link {
  /** The address of the database through this link. */
  readonly url: string;
  /** Stops all traffic; new connections get no answer. Restoring the link delivers the traffic held back. */
  freeze(): void;
  /** Resets connections and refuses new ones. */
  cut(): Promise<void>;
  mend(): Promise<void>;
  /**
   * Discards for good everything that the open connections with this application name send, including their end.
   * New connections pass. Of several, picks the most recently used ones. Returns how many there were, at most
   * `most`.
   */
  swallow(application: string, direction: Direction, most: number): number;
  /** Number of silenced connections that neither side has closed. */
  readonly swallowed: number;
}

/** One connection through the link. */
interface Pair {
  readonly from: Socket;
  readonly to: Socket;
  application: string | undefined;
  usedAt: number;
  swallows: Direction | undefined;
}

/** Opens a link to the database of `url`. It is closed after the test. */
export async function openLink(url: string): Promise<Link> {
  const sockets = new Set<Socket>();
  const pairs = new Set<Pair>();
  let frozen = false;
  const keep = (socket: Socket) => {
    sockets.add(socket.on('error', () => undefined).once('close', () => sockets.delete(socket)));
    if (frozen) socket.pause();
  };
  const server = createServer(from => {
    const to = connect(Number(new URL(url).port), '127.0.0.1');
    const pair: Pair = { from, to, application: undefined, usedAt: 0, swallows: undefined };
    pairs.add(pair);
    keep(from);
    keep(to);
    from.on('data', chunk => {
      pair.application ??= applicationOf(chunk);
      pair.usedAt = performance.now();
      if (pair.swallows !== 'both ways' && pair.swallows !== 'to the server') to.write(chunk);
    });
    to.on('data', chunk => {
      if (pair.swallows !== 'both ways' && pair.swallows !== 'to the client') from.write(chunk);
    });
    from.once('close', () => {
      pairs.delete(pair);
      if (pair.swallows === undefined) to.destroy();
    });
    to.once('close', () => pair.swallows === undefined && from.destroy());
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
    swallow(application, direction, most) {
      const found = [...pairs]
        .filter(pair => pair.application === application && pair.swallows === undefined)
        .sort((a, b) => b.usedAt - a.usedAt)
        .slice(0, most);
      for (const pair of found) pair.swallows = direction;
      return found.length;
    },
    get swallowed() {
      return [...pairs].filter(({ swallows }) => swallows !== undefined).length;
    },
  };
}

/** The application name in the start-up message. Undefined for a request for encryption, which precedes it. */
function applicationOf(startup: Buffer): string | undefined {
  return /\0application_name\0([^\0]*)\0/.exec(startup.toString('latin1'))?.[1];
}

async function listen(server: Server, port: number): Promise<number> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}
