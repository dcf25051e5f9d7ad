import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A connection path to a database that a test can interrupt and restore. */
export interface DatabaseLink {
  readonly url: string;
  /** Resets every connection and refuses new ones. */
  cut(): Promise<void>;
  /** Keeps connections open and passes no data. */
  silence(): void;
  restore(): Promise<void>;
  /**
   * From now on, on connections with this application name, the answer to data that contains `text` waits for
   * `until`. When that promise rejects, the connection is closed. The server receives everything.
   */
  holdAnswers(application: string, text: string, until: () => Promise<unknown>): void;
}

/** A relay in front of the database of `url`, on loopback. It is closed after the test. */
export async function linkTo(url: string): Promise<DatabaseLink> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  let silent = false;
  let held: { application: string; text: string; until: () => Promise<unknown> } | undefined;
  const relay = createServer(client => {
    const server = connect(Number(target.port), target.hostname);
    let startup: Buffer | undefined;
    client.on('data', bytes => {
      startup ??= bytes;
      if (held === undefined || !bytes.includes(held.text)) return;
      if (!startup.includes(`application_name\0${held.application}\0`)) return;
      server.pause();
      held.until().then(
        () => server.resume(),
        () => client.destroy(),
      );
    });
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      sockets.add(from);
      from.on('data', bytes => silent || to.write(bytes));
      from.on('error', () => undefined);
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  });
  relay.listen(0, '127.0.0.1');
  await once(relay, 'listening');
  const { port } = relay.address() as AddressInfo;
  const drop = () => {
    for (const socket of sockets) socket.destroy();
  };
  onTestFinished(() => {
    drop();
    relay.close();
  });
  return {
    url: Object.assign(new URL(url), { hostname: '127.0.0.1', port: String(port) }).href,
    cut: async () => {
      const closed = once(relay, 'close');
      relay.close();
      drop();
      await closed;
    },
    holdAnswers: (application, text, until) => {
      held = { application, text, until };
    },
    silence: () => {
      silent = true;
    },
    restore: async () => {
      silent = false;
      drop();
      if (relay.listening) return;
      relay.listen(port, '127.0.0.1');
      await once(relay, 'listening');
    },
  };
}
