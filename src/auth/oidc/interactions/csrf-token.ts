import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** Proof that a form came from our page: only for this interaction, and this sign-in. */
export function csrfToken(key: Buffer, uid: string, sessionId: string): string {
  return createHmac('sha256', key).update(`${uid} ${sessionId}`).digest('base64url');
}

/** Compares in a time that tells nothing of where the two differ. */
export function isCsrfToken(sent: unknown, expected: string): boolean {
  return typeof sent === 'string' && timingSafeEqual(digest(sent), digest(expected));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
