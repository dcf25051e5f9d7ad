import { invalid } from '../kernel/errors.js';
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
