import { createHash } from 'node:crypto';
import { invalid } from '../kernel/errors.js';
import { isJsonObject } from '../kernel/json.js';
import type { Principal } from '../kernel/principal.js';

const KEY = /^[\x21-\x7e]{1,255}$/;

/** The header's value, as it was sent. Throws 400 unless it is 1 to 255 visible ASCII characters, sent once. */
export function idempotencyKey(header: string | string[]): string {
  if (typeof header !== 'string' || !KEY.test(header)) {
    throw invalid('Idempotency-Key: expects 1 to 255 visible ASCII characters, without spaces');
  }
  return header;
}

/**
 * Whose keys these are: a principal's, whatever it called with. A narrowed credential, and a user who acts for an agent,
 * is a caller of its own: it may not learn what a stronger one of the same principal was answered.
 */
export function retryCaller({ type, id, narrowedTo, credentialId, actingUserId }: Principal): string {
  const own = narrowedTo === undefined ? actingUserId : credentialId;
  return own === undefined ? `${type}:${id}` : `${type}:${id}:${own}`;
}

/** SHA-256 of a request. Two bodies are the same when they are the same JSON, whatever the order of their fields. */
export function requestDigest(method: string, url: string, body: unknown): Buffer {
  return createHash('sha256').update(`${method} ${url}\n`).update(canonical(body)).digest();
}

function canonical(body: unknown): string {
  try {
    return JSON.stringify(body, (_, value) => (isJsonObject(value) ? sorted(value) : value));
  } catch {
    throw invalid('The body is nested too deeply.');
  }
}

function sorted(object: object): object {
  return Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)));
}
