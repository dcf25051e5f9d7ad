import { randomUUID } from 'node:crypto';
import { ORG_SLUG } from '../../../base/kernel/names.js';

const UUID_LENGTH = 36;
const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Prefix of the secrets: `iak` of API keys, `sas` of service accounts. */
type SecretKind = 'iak' | 'sas';

/** A new secret, `iak_{orgSlug}_{uuid v4}` (spec 2.5). */
export function newKeyText(orgSlug: string, kind: SecretKind = 'iak'): string {
  return `${kind}_${orgSlug}_${randomUUID()}`;
}

/**
 * The organization's slug in a key; undefined for text that is not a key. It is read from the end, because a slug may
 * contain `_`. Capitals are refused, so that a key has only one spelling.
 */
export function orgSlugOf(rawKey: string, kind: SecretKind = 'iak'): string | undefined {
  const uuid = rawKey.slice(-UUID_LENGTH);
  const start = rawKey.slice(0, -UUID_LENGTH);
  if (!UUID_V4.test(uuid) || !start.startsWith(`${kind}_`) || !start.endsWith('_')) return undefined;
  const slug = start.slice(kind.length + 1, -1);
  return ORG_SLUG.test(slug) ? slug : undefined;
}

/** The part of a key that may be shown: `iak_acme_…1f3c`. */
export function keyPrefix(rawKey: string): string {
  return `${rawKey.slice(0, -UUID_LENGTH)}…${rawKey.slice(-4)}`;
}
