import { expect } from 'vitest';
import type { TestApp, TestResponse } from './app.js';
import type { TestCollection } from './collection.js';

/** Sends a request to a path below a collection, as its owner. */
export function send(
  app: TestApp,
  { path, owner }: TestCollection,
  method: string,
  below: string,
  body?: unknown,
): Promise<TestResponse> {
  return app.request(method, `${path}${below}`, { ...owner, ...(body !== undefined && { body }) });
}

/** Sends a request that must succeed. Returns the body of the answer. */
export async function succeed(
  app: TestApp,
  collection: TestCollection,
  method: string,
  below: string,
  body?: unknown,
): Promise<TestResponse['body']> {
  const { status, body: answer } = await send(app, collection, method, below, body);
  expect([status, method, below, answer]).toEqual([
    expect.toSatisfy(code => code < 300),
    method,
    below,
    answer,
  ]);
  return answer;
}

/** A query string. Values that are not text are written as JSON. */
export function query(parts: Readonly<Record<string, unknown>>): URLSearchParams {
  return new URLSearchParams(
    Object.entries(parts).map(([name, part]): [string, string] => [
      name,
      typeof part === 'string' ? part : JSON.stringify(part),
    ]),
  );
}
