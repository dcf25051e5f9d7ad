import { isIP } from 'node:net';
import type { Settings } from './settings.js';

type PasskeySettings = Pick<Settings, 'PASSKEYS' | 'PUBLIC_URL'>;

/**
 * True when people can use passkeys on this installation: `PASSKEYS` is on, and browsers allow WebAuthn at PUBLIC_URL.
 * They refuse it for IP addresses, and for http unless the host is localhost (Web Authentication, 5.1.3; Secure Contexts,
 * 3.1).
 */
export function passkeysAreOn({ PASSKEYS, PUBLIC_URL }: PasskeySettings): boolean {
  const { protocol, hostname } = new URL(PUBLIC_URL);
  if (PASSKEYS === 'off' || isIP(hostname.replace(/^\[|\]$/g, '')) !== 0) return false;
  return protocol === 'https:' || hostname === 'localhost' || hostname.endsWith('.localhost');
}

/** The RP ID and the only accepted origin of WebAuthn ceremonies. */
export function relyingPartyOf({ PUBLIC_URL }: Pick<PasskeySettings, 'PUBLIC_URL'>): {
  readonly id: string;
  readonly origin: string;
} {
  const { hostname, origin } = new URL(PUBLIC_URL);
  return { id: hostname, origin };
}
