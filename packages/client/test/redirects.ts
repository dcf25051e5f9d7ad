import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** An address that redirects every request to another origin. */
export interface Redirects {
  readonly url: string;
  /** Requests that have reached the other origin. */
  readonly followed: number;
}

/** Opens both servers. They are closed after the test. */
export async function openRedirects(): Promise<Redirects> {
  let followed = 0;
  const other = await listening(
    createServer((_, response) => {
      followed += 1;
      response.end('{}');
    }),
  );
  const url = await listening(
    createServer((request, response) => {
      request.resume();
      response.writeHead(307, { location: `${other}${request.url}` }).end();
    }),
  );
  return {
    url,
    get followed() {
      return followed;
    },
  };
}

async function listening(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
