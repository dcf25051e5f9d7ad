import { connect } from 'node:net';

/** What came back on a connection that was not asked to say HTTP properly. */
export interface RawAnswer {
  /** Statuses of all answers on the connection. */
  readonly statuses: number[];
  readonly text: string;
}

/** Sends bytes as they are and reads until the other side closes, or `patience` ms pass without a word. */
export function sendRaw(
  url: string,
  parts: readonly (string | Buffer)[],
  patience = 20_000,
): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    const received: Buffer[] = [];
    const done = () => {
      socket.destroy();
      const text = Buffer.concat(received).toString('latin1');
      const statuses = [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(match => Number(match[1]));
      resolve({ statuses, text });
    };
    socket.setTimeout(patience, done);
    socket.on('data', chunk => received.push(chunk));
    socket.on('close', done);
    // The service may close while we are still sending: what it answered before that counts.
    socket.on('error', error => (received.length > 0 ? done() : reject(error)));
    for (const part of parts) socket.write(part);
  });
}
