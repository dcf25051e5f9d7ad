import { createServer, type IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type Express } from 'express';
import { pino } from 'pino';
import { afterEach, describe, expect, it } from 'vitest';
import { destinationOf, expressMessages } from './private-api.js';
import { FixedHeaders } from './server/fixed-headers.js';

const FIXED = new FixedHeaders(
  { 'X-Frame-Options': 'SAMEORIGIN', 'Referrer-Policy': 'no-referrer', Vary: 'Origin' },
  { name: 'X-Url', valueFor: request => request.url },
);

it('the head of a response is built by a method of Node that gets the status line', () => {
  const { _storeHeader } = ServerResponse.prototype as unknown as { _storeHeader(...given: never[]): void };
  expect(_storeHeader.length).toBe(2);
});

it('the destination of a logger gets its lines', () => {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const logger = pino({}, destination);
  expect(destinationOf(logger)).toBe(destination);
  logger.info('a line');
  expect(lines).toHaveLength(1);
});

describe('messages made for an Express application', () => {
  let server: Server;
  afterEach(() => void server.close());

  async function ask(
    app: Express,
    first: (request: IncomingMessage, response: ServerResponse) => void = () => {},
  ) {
    server = createServer(
      expressMessages(app, () => FIXED),
      (request, response) => {
        first(request, response);
        app(request, response);
      },
    );
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    return fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/some/path?a=1`);
  }

  it('have the prototype that Express sets before Express gets them', async () => {
    const app = express();
    const prototypes: unknown[] = [];
    await ask(app, (...messages) => prototypes.push(...messages.map(Object.getPrototypeOf)));
    expect(prototypes).toEqual([app.request, app.response]);
    expect(prototypes[0]).toBe(app.request);
    expect(prototypes[1]).toBe(app.response);
  });

  it('work in handlers of Express', async () => {
    const app = express();
    app.get('/some/path', (request, response) => {
      response.status(201).json({ path: request.path, query: request.query, same: request.app === app });
    });
    const answer = await ask(app);
    expect(answer.status).toBe(201);
    expect(await answer.json()).toEqual({ path: '/some/path', query: { a: '1' }, same: true });
  });

  it('have the fixed headers in every response', async () => {
    const app = express();
    app.get('/some/path', (_request, response) => void response.writeHead(204).end());
    const { headers } = await ask(app);
    expect(headers.get('x-frame-options')).toBe('SAMEORIGIN');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
  });

  it('have the header that differs between them', async () => {
    const app = express();
    app.get('/some/path', (_request, response) => void response.setHeader('x-other', '1').end());
    const { headers } = await ask(app);
    expect([headers.get('x-url'), headers.get('x-other')]).toEqual(['/some/path?a=1', '1']);
  });

  it('have the header of the response in place of the fixed one of the same name', async () => {
    const app = express();
    app.get('/some/path', (_request, response) => {
      response.setHeader('x-frame-options', 'DENY');
      response.writeHead(200, { 'REFERRER-POLICY': 'same-origin' }).end();
    });
    const { headers } = await ask(app);
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('referrer-policy')).toBe('same-origin');
  });

  it.each([
    ['an object', { 'x-frame-options': 'DENY', 'X-URL': 'own' }],
    ['a list', ['x-frame-options', 'DENY', 'X-URL', 'own']],
    [
      'a list of pairs',
      [
        ['x-frame-options', 'DENY'],
        ['X-URL', 'own'],
      ],
    ],
  ])('have no second header of the same name if the response passes its own in %s', async (_, own) => {
    // Without the header of Express, nothing was set before `writeHead`: Node then passes its argument on.
    const app = express().disable('x-powered-by');
    app.get('/some/path', (_request, response) => void response.writeHead(200, own as string[]).end());
    const { headers } = await ask(app);
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('x-url')).toBe('own');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
  });

  it('have their own Vary besides the fixed one', async () => {
    const app = express();
    app.get('/some/path', (_request, response) => void response.vary('Accept').end());
    expect((await ask(app)).headers.get('vary')).toBe('Origin, Accept');
  });
});
