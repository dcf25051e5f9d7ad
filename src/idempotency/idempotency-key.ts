import { invalid } from '../kernel/errors.js';
import type { Principal } from '../kernel/principal.js';

const KEY = /^[\x21-\x7e]{1,255}$/;

/** The value of the header. Throws 400 unless it was sent once and is 1 to 255 visible ASCII characters. */
export function idempotencyKey(header: string | string[]): string {
  if (typeof header !== 'string' || !KEY.test(header)) {
    throw invalid('Idempotency-Key: expects 1 to 255 visible ASCII characters, without spaces');
  }
  return header;
}

/**
 * The caller that a key belongs to: the principal, whichever credential it used. A narrowed credential, and a
 * user who acts for an agent, is a caller of its own, because it must not see responses that a stronger credential of
 * the same principal received.
 */
export function retryCaller({ type, id, narrowedTo, credentialId, actingUserId }: Principal): string {
  const own = narrowedTo === undefined ? actingUserId : credentialId;
  return own === undefined ? `${type}:${id}` : `${type}:${id}:${own}`;
}
