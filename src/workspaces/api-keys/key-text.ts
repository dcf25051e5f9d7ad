import { randomBytes } from 'node:crypto';

const KEY = /^wak_[A-Za-z0-9_-]{43}$/;
const SHOWN = 8;

/** A new key: `wak_` and 256 random bits. */
export function newKeyText(): string {
  return `wak_${randomBytes(32).toString('base64url')}`;
}

/** True for what has the form of a key. */
export function isKeyText(text: string): boolean {
  return KEY.test(text);
}

/** What may be shown of a key. */
export function keyPrefix(rawKey: string): string {
  return rawKey.slice(0, SHOWN);
}
