import { createServer } from 'node:net';

/** `preferred` if nothing listens there on 127.0.0.1, else a port that the operating system says is free. */
export async function freePort(preferred: number): Promise<number> {
  return (await tryPort(preferred)) ?? (await tryPort(0)) ?? Promise.reject(new Error('No free port.'));
}

function tryPort(port: number): Promise<number | undefined> {
  return new Promise(resolve => {
    const probe = createServer();
    probe.once('error', () => resolve(undefined));
    probe.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      const address = probe.address();
      const bound = address && typeof address === 'object' ? address.port : undefined;
      probe.close(() => resolve(bound));
    });
  });
}
