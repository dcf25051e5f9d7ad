import { randomUUID } from 'node:crypto';
import type { TestApp, TestResponse } from '../../harness/app.js';
import { type Caller, eventsOf, type TestCollection } from '../../harness/collection.js';
import { schemaOf } from '../../harness/tables.js';

/** A request that tests send repeatedly. */
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

/** The parts of an answer that a client can observe: status, text, and whether it is a stored response. */
export function observed({ status, text, headers }: TestResponse): [number, string, string | null] {
  return [status, text, headers.get('idempotency-replayed')];
}

/** Every event in the collection's organization, oldest first, by type. */
export async function eventTypes(app: TestApp, collection: TestCollection): Promise<string[]> {
  return (await eventsOf(app, collection)).map(({ type }) => type);
}

/** Stored responses of an organization. */
export function storedResponses(app: TestApp, orgId: string) {
  return app.sql(
    `SELECT caller, key, status, answer, sealed FROM ${schemaOf(orgId)}.idempotency_keys ORDER BY created_at`,
  );
}
