import { randomUUID } from 'node:crypto';
import type { TestApp, TestResponse } from '../../app/app.js';
import { type Caller, eventsOf, type TestCollection } from '../../builders/collection.js';

/** One request as it is sent again and again. */
export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly caller: Caller;
}

export function newRetryKey(): string {
  return randomUUID();
}

/** Sends a request with an Idempotency-Key. */
export function sendWith(
  app: TestApp,
  key: string,
  { method, path, body, caller }: Sent,
): Promise<TestResponse> {
  return app.request(method, path, { ...caller, body, headers: { 'idempotency-key': key } });
}

/** What a client can tell of an answer: status, text, and whether it is the answer of an earlier request. */
export function told({ status, text, headers }: TestResponse): [number, string, string | null] {
  return [status, text, headers.get('idempotency-replayed')];
}

/** Every event in the collection's organization, oldest first, by type. */
export async function eventTypes(app: TestApp, collection: TestCollection): Promise<string[]> {
  return (await eventsOf(app, collection)).map(({ type }) => type);
}

/** Rows that an organization keeps for retries. */
export function keptRows(app: TestApp, orgId: string) {
  return app.sql(
    `SELECT caller, key, status, answer, sealed FROM org_${orgId.replaceAll('-', '')}.idempotency_keys ORDER BY created_at`,
  );
}
