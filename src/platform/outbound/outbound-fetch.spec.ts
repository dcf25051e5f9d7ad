import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, LookupFunction } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { OutboundError } from './guarded-connect.js';
import { publicOnly } from './guarded-connect.js';
import { OutboundFetch } from './outbound-fetch.js';

let seen: string[];
let server: Server;
let port: number;
let answer: (request: IncomingMessage, response: ServerResponse) => void;
const opened: OutboundFetch[] = [];

beforeEach(async () => {
  seen = [];
  answer = (_, response) => response.end('hello');
  server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    answer(request, response);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});

afterEach(async () => {
  await Promise.all(opened.splice(0).map(each => each.onApplicationShutdown()));
  server.closeAllConnections();
  await new Promise(resolve => server.close(resolve));
});

function outbound(insecureHosts: readonly string[] = [], lookup?: LookupFunction): OutboundFetch {
  const made = new OutboundFetch(insecureHosts, lookup);
  opened.push(made);
  return made;
}

/** A resolver that gives each name the addresses listed, one list per question, the last again and again. */
function resolver(...answers: string[][]): LookupFunction & { asked: string[] } {
  const asked: string[] = [];
  const lookup: LookupFunction = (hostname, options, callback) => {
    const addresses = answers[Math.min(asked.length, answers.length - 1)] as string[];
    asked.push(hostname);
    const found = addresses.map(address => ({ address, family: address.includes(':') ? 6 : 4 }));
    if (options.all) callback(null, found);
    else callback(null, found[0]?.address as string, found[0]?.family);
  };
  return Object.assign(lookup, { asked });
}

const reasonOf = (request: Promise<unknown>) =>
  request.then(
    () => 'an answer',
    (error: OutboundError) => error.reason,
  );

describe('the target of an outbound request', () => {
  test.each([
    'https://127.0.0.1',
    'https://2130706433',
    'https://0x7f000001',
    'https://0177.0.0.1',
    'https://127.1',
    'https://127.0.0.1.',
    'https://0.0.0.0',
    'https://169.254.169.254',
    'https://[::1]',
    'https://[::]',
    'https://[::ffff:127.0.0.1]',
    'https://[::ffff:7f00:1]',
    'https://[64:ff9b::7f00:1]',
    'https://[fd00:ec2::254]',
  ])('%s is refused in every spelling', async base => {
    expect(await reasonOf(outbound().fetch(`${base}:${port}/`))).toBe('refused');
    expect(seen).toEqual([]);
  });

  test('a name is refused if one of its addresses is not public', async () => {
    const metadata = resolver(['169.254.169.254']);
    const url = `https://metadata.google.internal:${port}/`;
    expect(await reasonOf(outbound([], metadata).fetch(url))).toBe('refused');
    const mixed = resolver(['93.184.216.34', '127.0.0.1']);
    expect(await reasonOf(outbound([], mixed).fetch(`https://mixed.test:${port}/`))).toBe('refused');
    expect([...metadata.asked, ...mixed.asked]).toEqual(['metadata.google.internal', 'mixed.test']);
    expect(seen).toEqual([]);
  });

  test('a name is resolved once, and the checked address is called', async () => {
    const rebinding = resolver(['127.0.0.1'], ['93.184.216.34']);
    expect(await reasonOf(outbound([], rebinding).fetch(`https://rebind.test:${port}/`))).toBe('refused');
    expect(rebinding.asked).toEqual(['rebind.test']);
    // Public when it is judged, private when it is asked again, which nobody does: the socket gets what was judged.
    const turned = resolver(['93.184.216.34'], ['127.0.0.1']);
    const given = await new Promise(resolve =>
      publicOnly(turned)('rebind.test', { all: true }, (_, addresses) => resolve(addresses)),
    );
    expect(given).toEqual([{ address: '93.184.216.34', family: 4 }]);
    expect(turned.asked).toEqual(['rebind.test']);
    expect(seen).toEqual([]);
  });

  test.each([
    ['http://example.com/', 'expects an https URL'],
    ['ftp://example.com/', 'expects an https URL'],
    ['file:///etc/passwd', 'expects an https URL'],
    ['https://ada:secret@example.com/', 'must not contain credentials'],
    ['/relative', 'expects an absolute URL'],
    ['https://192.168.0.1/', 'must not be a private address'],
    ['https://[::ffff:10.0.0.1]:8443/', 'must not be a private address'],
  ])('%s is refused before anything is resolved', async (address, objection) => {
    const lookup = resolver(['93.184.216.34']);
    expect(outbound([], lookup).objection(address)).toBe(objection);
    expect(await reasonOf(outbound([], lookup).fetch(address))).toBe('refused');
    expect(lookup.asked).toEqual([]);
  });

  test('the error does not contain the address of a name', async () => {
    const request = outbound([], resolver(['10.11.12.13'])).fetch('https://inside.test/');
    await expect(request).rejects.toThrow('inside.test is or resolves to an address that is not public');
    await expect(request).rejects.not.toThrow('10.11.12.13');
  });

  test('an exception applies to its host and port only', async () => {
    const allowed = outbound([`127.0.0.1:${port}`, 'named.test'], resolver(['127.0.0.1']));
    expect(await (await allowed.fetch(`http://127.0.0.1:${port}/`)).text()).toBe('hello');
    expect(await (await allowed.fetch(`http://named.test:${port}/`)).text()).toBe('hello');
    expect(await reasonOf(allowed.fetch(`http://127.0.0.1:${port + 1}/`))).toBe('refused');
    expect(await reasonOf(allowed.fetch(`http://sub.named.test:${port}/`))).toBe('refused');
    expect(await reasonOf(allowed.fetch(`https://[::ffff:127.0.0.1]:${port}/`))).toBe('refused');
  });
});

describe('the response', () => {
  const get = (path = '/', ...rest: [RequestInit?, { timeoutMs?: number; maxBytes?: number }?]) =>
    outbound(['127.0.0.1']).fetch(`http://127.0.0.1:${port}${path}`, ...rest);

  test('is a standard Response, and the request is sent unchanged', async () => {
    answer = (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', chunk => chunks.push(chunk));
      request.on('end', () => {
        response.writeHead(201, { 'content-type': 'application/json', 'x-seen': request.headers['x-own'] });
        response.end(JSON.stringify({ got: Buffer.concat(chunks).toString() }));
      });
    };
    const headers = new Headers({ 'x-own': 'yes' });
    const response = await get('/post', { method: 'POST', headers, body: new URLSearchParams({ a: 'b c' }) });
    expect(response).toBeInstanceOf(Response);
    expect([response.status, response.headers.get('x-seen')]).toEqual([201, 'yes']);
    expect(await response.json()).toEqual({ got: 'a=b+c' });
    expect(seen).toEqual(['POST /post']);
  });

  test('may have no body', async () => {
    answer = (_, response) => response.writeHead(204).end();
    expect((await get()).status).toBe(204);
  });

  test('may be a redirect, which is not followed', async () => {
    answer = (_, response) => response.writeHead(302, { location: '/elsewhere' }).end();
    const response = await get('/', { redirect: 'follow' });
    expect([response.status, response.headers.get('location')]).toEqual([302, '/elsewhere']);
    expect(seen).toEqual(['GET /']);
  });

  test.each([
    ['as announced', (response: ServerResponse) => response.end(Buffer.alloc(262_145))],
    [
      'without an end',
      (response: ServerResponse) => {
        const more = () => {
          while (response.write(Buffer.alloc(65_536)));
        };
        response.on('drain', more);
        more();
      },
    ],
    [
      'compressed',
      (response: ServerResponse) =>
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(10_000_000))),
    ],
  ])('with a body over 256 KiB is refused, %s', async (_, send) => {
    answer = (_, response) => void send(response);
    expect(await reasonOf(get())).toBe('too-large');
  });

  test('may have exactly the maximum size, and the caller may set another maximum', async () => {
    answer = (_, response) => response.end(Buffer.alloc(262_144));
    expect((await (await get()).arrayBuffer()).byteLength).toBe(262_144);
    expect(await reasonOf(get('/', {}, { maxBytes: 1000 }))).toBe('too-large');
  });

  test('must arrive completely before the timeout', async () => {
    answer = () => {};
    expect(await reasonOf(get('/', {}, { timeoutMs: 50 }))).toBe('timeout');
    answer = (_, response) => void response.write('half');
    expect(await reasonOf(get('/', {}, { timeoutMs: 50 }))).toBe('timeout');
  });

  test("is aborted by the caller's signal with the caller's reason", async () => {
    answer = () => {};
    const reason = new Error('no longer wanted');
    await expect(get('/', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });

  test('is the error unreachable for a closed port', async () => {
    server.closeAllConnections();
    await new Promise(resolve => server.close(resolve));
    expect(await reasonOf(get())).toBe('unreachable');
  });

  test('does not come through a proxy of the environment', async () => {
    vi.stubEnv('HTTP_PROXY', 'http://127.0.0.1:9');
    expect((await get()).status).toBe(200);
    vi.unstubAllEnvs();
  });
});
