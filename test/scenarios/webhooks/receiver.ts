import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { SeenChange } from '../changes/feed.js';

/** A message as received. */
export interface Arrived {
  readonly id: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly type: string;
  readonly changes: SeenChange[];
}

/** An endpoint on this machine. */
export interface Receiver {
  readonly url: string;
  readonly arrived: Arrived[];
  /** The status of the answers from now on; `hold` delays them. */
  answer: number | 'hold';
  /** The header `Retry-After` of the answers from now on. */
  retryAfter: string | undefined;
  /** The messages whose answer is delayed and whose sender still waits for it. */
  held(): Arrived[];
  /** Sends the delayed answers. */
  release(status: number): void;
  close(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const arrived: Arrived[] = [];
  const held: { message: Arrived; response: ServerResponse }[] = [];
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', piece => pieces.push(piece));
    request.on('end', () => {
      const body = Buffer.concat(pieces).toString();
      const { type, data } = JSON.parse(body);
      const id = request.headers['webhook-id'] as string;
      const message = { id, headers: request.headers, body, type, changes: data.changes ?? [] };
      arrived.push(message);
      if (receiver.answer === 'hold') held.push({ message, response });
      else response.writeHead(receiver.answer, waiting(receiver)).end();
    });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    arrived,
    answer: 204,
    retryAfter: undefined,
    held: () => held.filter(({ response }) => !response.destroyed).map(({ message }) => message),
    release: status => {
      for (const { response } of held.splice(0)) response.writeHead(status).end();
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
  return receiver;
}

function waiting({ retryAfter }: Receiver): Record<string, string> {
  return retryAfter === undefined ? {} : { 'retry-after': retryAfter };
}

/** The expected signature, computed as the Standard Webhooks specification describes. */
export function signatureOf({ headers, body }: Arrived, secret: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const signed = [headers['webhook-id'], headers['webhook-timestamp'], body].join('.');
  return `v1,${createHmac('sha256', key).update(signed, 'utf8').digest('base64')}`;
}
