import type { IncomingHttpHeaders } from 'node:http';
import { request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { TestApp } from '../../harness/app.js';

/** Sends a path as it is, and returns the body as it is: `fetch` normalises the one and decompresses the other. */
export function rawRequest(
  { settings }: TestApp,
  path: string,
  headers: Record<string, string>,
  method = 'GET',
): Promise<{ status: number; headers: IncomingHttpHeaders; body: Buffer }> {
  return new Promise((resolve, reject) => {
    const { HOST, PORT } = settings;
    const sent = request({ host: HOST, port: PORT, path, method, headers }, async response => {
      resolve({
        status: response.statusCode ?? 0,
        headers: response.headers,
        body: await buffer(response),
      });
    });
    sent.once('error', reject).end();
  });
}
