import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Settings } from './settings.js';

/**
 * The master keys of this process. Outside production a missing SECRETS_MASTER_KEYS is made up once and kept in
 * DATA_DIR, so that the first start needs no setting and the second can still read what the first encrypted.
 */
export function masterKeys(settings: Settings): readonly string[] {
  if (settings.SECRETS_MASTER_KEYS.length > 0) return settings.SECRETS_MASTER_KEYS;
  const file = join(settings.DATA_DIR, 'master-key');
  mkdirSync(settings.DATA_DIR, { recursive: true });
  try {
    // wx: of two first starts at once, one writes and both read the same key.
    writeFileSync(file, `development:${randomBytes(32).toString('base64')}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return [readFileSync(file, 'utf8').trim()];
}
