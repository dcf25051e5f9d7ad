import { request as httpRequest, type IncomingMessage } from 'node:http';
import type { TestApp, TestResponse } from '../../harness/app.js';
import { type Caller, type Home, newTypedCollection, type TestCollection } from '../../harness/collection.js';

/** The headers and parameters of an upload. */
export interface Sending {
  readonly query?: Readonly<Record<string, string>>;
  readonly type?: string;
  readonly encoding?: string;
  readonly caller?: Caller;
}

/** The last line of an answer, and the lines before it. */
export interface Imported extends TestResponse {
  // biome-ignore lint/suspicious/noExplicitAny: tests assert on it
  readonly lines: any[];
  // biome-ignore lint/suspicious/noExplicitAny: tests assert on it
  readonly last: any;
}

export const NDJSON = 'application/x-ndjson';
export const CSV = 'text/csv';

/** Sends a file as the owner. */
export async function importFile(
  app: TestApp,
  { path, owner }: TestCollection,
  raw: string | Uint8Array,
  { query = {}, type = CSV, encoding, caller = owner }: Sending = {},
): Promise<Imported> {
  const headers = { 'content-type': type, ...(encoding && { 'content-encoding': encoding }) };
  const answer = await app.request('POST', `${path}/import?${new URLSearchParams(query)}`, {
    ...caller,
    raw,
    headers,
  });
  const isLines = answer.headers.get('content-type')?.startsWith(NDJSON) === true;
  const lines = isLines
    ? answer.text
        .trimEnd()
        .split('\n')
        .map(line => JSON.parse(line))
    : [];
  return { ...answer, lines, last: lines.at(-1) };
}

/** The export as the owner receives it. */
export function exportFile(
  app: TestApp,
  { path, owner }: TestCollection,
  query: Readonly<Record<string, string>> = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<TestResponse> {
  return app.request('GET', `${path}/export?${new URLSearchParams(query)}`, { ...owner, headers });
}

/** The records of an NDJSON export. */
export async function exported(
  app: TestApp,
  collection: TestCollection,
  query: Readonly<Record<string, string>> = {},
  // biome-ignore lint/suspicious/noExplicitAny: tests assert on them
): Promise<any[]> {
  const { text } = await exportFile(app, collection, { ...query, format: 'ndjson' });
  return text
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line));
}

/** A collection with a column of every type, and two more: `isbn` and `code`, each with a unique. */
export function newLibrary(app: TestApp, home: Home, wanted: object = {}): Promise<TestCollection> {
  return newTypedCollection(app, home, {
    properties: {
      title: { type: 'text' },
      year: { type: 'integer' },
      isbn: { type: 'text' },
      code: { type: 'integer' },
    },
    uniques: [{ properties: ['isbn'] }, { properties: ['code'] }],
    ...wanted,
  });
}

/** An upload that the test sends piece by piece. */
export interface Upload {
  send(piece: string): Promise<void>;
  /** Ends the file without reading the answer. */
  finish(): void;
  /** Ends the file and reads the answer. */
  end(): Promise<{ status: number; text: string }>;
  /** Closes the connection abruptly. */
  cut(): void;
  /** The part of the answer received so far. */
  readonly answer: Promise<IncomingMessage>;
}

export function upload(
  { path, owner }: TestCollection,
  app: TestApp,
  query: Readonly<Record<string, string>> = {},
  headers: Readonly<Record<string, string>> = {},
): Upload {
  const request = httpRequest(`${app.url}${path}/import?${new URLSearchParams(query)}`, {
    method: 'POST',
    agent: false,
    headers: {
      'content-type': CSV,
      ...(owner.token !== undefined && { authorization: `Bearer ${owner.token}` }),
      ...(owner.key !== undefined && { 'x-platform-api-key': owner.key }),
      ...headers,
    },
  });
  const answer = new Promise<IncomingMessage>((resolve, reject) => {
    request.on('response', resolve);
    request.on('error', reject);
  });
  answer.catch(() => undefined);
  return {
    answer,
    send: piece => new Promise(resolve => request.write(piece, () => resolve())),
    cut: () => void request.destroy(),
    finish: () => void request.end(),
    async end() {
      request.end();
      const response = await answer;
      let text = '';
      for await (const chunk of response) text += chunk;
      return { status: response.statusCode as number, text };
    },
  };
}

/** A CSV file with numbered rows. */
export function numbered(from: number, rows: number, row = (n: number) => `title ${n},${n},i${n}`): string {
  return Array.from({ length: rows }, (_, index) => `${row(from + index)}\r\n`).join('');
}
