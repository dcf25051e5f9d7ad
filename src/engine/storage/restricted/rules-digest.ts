import { createHash } from 'node:crypto';
import type { CollectionShape, SeenRecords } from '../collection-shape.js';

/** The digest of a caller who is not restricted. */
export const NO_RULES = '';

const digests = new WeakMap<SeenRecords, string>();

/**
 * Identifies what a caller sees of a collection: equal while its grants have the same read rules and fields and their
 * variables the same values, except for the time. 32 hexadecimal digits; `NO_RULES` for a caller that sees everything.
 */
export function rulesDigest({ seen }: CollectionShape): string {
  if (seen === undefined) return NO_RULES;
  let digest = digests.get(seen);
  if (digest === undefined) {
    const keys = [...new Set(seen.grants.map(({ readKey }) => readKey))].sort();
    digest = createHash('sha256').update(JSON.stringify(keys)).digest('hex').slice(0, 32);
    digests.set(seen, digest);
  }
  return digest;
}
