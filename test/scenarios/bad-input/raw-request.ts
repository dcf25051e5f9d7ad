import { connect } from 'node:net';

/** The response on a connection that carried arbitrary bytes. */
export interface RawAnswer {
  /** The statuses of all answers on the connection. */
  readonly statuses: number[];
  /** True when the other side has closed the connection. */
  readonly isClosed: boolean;
  readonly text: string;
}

/** Sends bytes unchanged and reads until the other side closes, or until `patience` ms pass without data. */
export function sendRaw(
  url: string,
  parts: readonly (string | Buffer)[],
  patience = 20_000,
): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    const received: Buffer[] = [];
    const done = (isClosed: boolean) => {
      socket.destroy();
      const text = Buffer.concat(received).toString('latin1');
      const statuses = [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(match => Number(match[1]));
      resolve({ statuses, text, isClosed });
    };
    socket.setTimeout(patience, () => done(false));
    socket.on('data', chunk => received.push(chunk));
    socket.on('close', () => done(true));
    // The service may close the connection while the test still sends. An answer before that counts.
    socket.on('error', error => (received.length > 0 ? done(true) : reject(error)));
    for (const part of parts) socket.write(part);
  });
}
