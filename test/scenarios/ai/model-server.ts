import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One exchange as the server recorded it. */
interface Received {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests assert on it
  readonly body: any;
}

type Answer = (response: ServerResponse, received: Received) => void;

/** A local endpoint with the protocol of an OpenAI-compatible API. */
export interface ModelServer {
  readonly port: number;
  readonly url: string;
  readonly received: Received[];
  /** The next replies in order. The last one repeats. */
  answers(...next: Answer[]): void;
  close(): Promise<void>;
}

export async function startModelServer(): Promise<ModelServer> {
  const received: Received[] = [];
  let queue: Answer[] = [];
  const server = createServer(async (request, response) => {
    const seen = await readRequest(request);
    received.push(seen);
    const answer = queue.length > 1 ? queue.shift() : queue[0];
    if (answer === undefined) response.writeHead(500).end();
    else answer(response, seen);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}/v1`,
    received,
    answers(...next) {
      queue = next;
      received.length = 0;
    },
    close: () => closed(server),
  };
}

/** A completion with this JSON or text as content. */
export function says(content: unknown, more: object = {}): Answer {
  return response =>
    send(response, 200, {
      id: 'chatcmpl-1',
      object: 'chat.completion',
      created: 1,
      model: 'test-model',
      choices: [
        {
          index: 0,
          finish_reason: 'stop',
          message: {
            role: 'assistant',
            refusal: null,
            content: typeof content === 'string' ? content : JSON.stringify(content),
          },
        },
      ],
      usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 },
      ...more,
    });
}

/** An error in the format of such endpoints. */
export function fails(status: number, headers: Record<string, string> = {}): Answer {
  return response => send(response, status, { error: { message: 'no', type: 'error', code: null } }, headers);
}

/** A reply of exactly these bytes. */
export function sends(text: string, contentType = 'application/json'): Answer {
  return response => {
    response.writeHead(200, { 'content-type': contentType }).end(text);
  };
}

/** A reply that never comes. */
export const hangs: Answer = () => {};

/** A plan in the format of the reply: fields that are not given are null. */
export function planned(plan: object): object {
  return {
    ...{ operation: 'refuse', refusal: null, filter: null, sort: null, fields: null, limit: null },
    ...{ field: null, steps: null, group_by: null, having: null },
    ...plan,
  };
}

function send(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

async function readRequest(request: IncomingMessage): Promise<Received> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('utf8');
  return { path: request.url as string, headers: request.headers, text, body: JSON.parse(text) };
}

function closed(server: Server): Promise<void> {
  return new Promise(resolve => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
