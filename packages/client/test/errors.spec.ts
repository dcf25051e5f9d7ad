import { readFileSync } from 'node:fs';
import * as client from '@typed-collections/client';
import { expect, it } from 'vitest';
import { failureOf } from './library.js';

const page = readFileSync('docs/errors.md', 'utf8');
const documented = [...page.matchAll(/^\| `(\w+)` \| (\d+) \|/gm)].map(
  ([, code, status]) => [code, Number(status)] as [string, number],
);

/** The error for a response with this body. */
function errorFor(error: string, status: number) {
  const fetch = async () => Response.json({ error, message: 'x' }, { status });
  const { transport } = client.createClient({ url: 'http://tc.example', fetch, retry: { attempts: 1 } });
  return failureOf(transport.request({ method: 'GET', path: '/' }));
}

it('every code of docs/errors.md has a class', async () => {
  expect(documented.length).toBeGreaterThan(30);
  for (const [code, status] of documented) {
    const error = await errorFor(code, status);
    expect([error.code, error.status, error.name]).toEqual([code, status, `${code}Error`]);
    expect(error, code).toBeInstanceOf((client as Record<string, unknown>)[`${code}Error`]);
  }
});

it('an error that is told inside a stream has the status that docs/errors.md states', async () => {
  for (const [code, status] of documented) {
    const last = JSON.stringify({ done: true, ok: false, error: code, message: 'x', errors: [] });
    const fetch = async () => new Response(last);
    const books = client.createClient({ url: 'http://tc.example', fetch }).collection('books');
    expect((await failureOf(books.import('title\n'))).status, code).toBe(status);
  }
});

it('an unknown code is a TcError with the status of the response', async () => {
  const error = await errorFor('SomethingNew', 409);
  expect([error.constructor, error.status]).toEqual([client.TcError, 409]);
});
