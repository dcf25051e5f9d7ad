import { createHmac, timingSafeEqual } from 'node:crypto';

/** Proof that a form came from our page: only for this interaction, and this sign-in. */
export function csrfToken(key: Buffer, uid: string, sessionId: string): string {
  return createHmac('sha256', key).update(`${uid} ${sessionId}`).digest('base64url');
}

export function isCsrfToken(sent: unknown, expected: string): boolean {
  if (typeof sent !== 'string' || sent.length !== expected.length) return false;
  return timingSafeEqual(
    Buffer.from(sent.padEnd(expected.length)).subarray(0, expected.length),
    Buffer.from(expected),
  );
}
