import { createHash } from 'node:crypto';
import type { Settings } from './config/settings.js';

/** Settings whose values are secret, or may hold a secret. */
const SECRET = /KEY|SECRET|TOKEN|PASSWORD|URL|HEADERS/;

/** Tells apart instances that were started with other settings, without their secrets. */
export function settingsDigest(settings: Settings): string {
  const shown = Object.entries(settings).filter(([name]) => !SECRET.test(name));
  const text = JSON.stringify(shown.sort(([a], [b]) => (a < b ? -1 : 1)));
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
