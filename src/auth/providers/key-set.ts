import type { JWK } from 'jose';

/** Algorithms that prove who signed: a shared secret would let everyone who knows it sign (RFC 8725, 3.1). */
export const ASYMMETRIC = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];

/** The public members of each key type (RFC 7518, 6; RFC 8037, 2). Others, symmetric ones above all, are no keys here. */
const MEMBERS: Readonly<Record<string, readonly string[]>> = {
  RSA: ['n', 'e'],
  EC: ['crv', 'x', 'y'],
  OKP: ['crv', 'x'],
};

const MAX_KEYS = 100;
const MAX_KID_LENGTH = 256;

export type KeySet = ReadonlyMap<string, JWK>;

/**
 * The signing keys of a JWK Set by `kid`; undefined when it is no set. A `kid` that two keys claim names neither:
 * which of them a token means would be the sender's choice.
 */
export function readKeySet({ keys }: Readonly<Record<string, unknown>>): KeySet | undefined {
  if (!Array.isArray(keys) || keys.length > MAX_KEYS) return undefined;
  const found = new Map<string, JWK>();
  const twice = new Set<string>();
  for (const key of keys.flatMap(signingKey)) {
    if (found.has(key.kid)) twice.add(key.kid);
    found.set(key.kid, key);
  }
  for (const kid of twice) found.delete(kid);
  return found;
}

function signingKey(key: unknown): (JWK & { kid: string })[] {
  const {
    kid,
    kty,
    use = 'sig',
    key_ops = ['verify'],
    alg,
    ...rest
  } = (key ?? {}) as Record<string, unknown>;
  const members = typeof kty === 'string' && Object.hasOwn(MEMBERS, kty) ? MEMBERS[kty] : undefined;
  const named = typeof kid === 'string' && kid !== '' && kid.length <= MAX_KID_LENGTH;
  const verifies = use === 'sig' && Array.isArray(key_ops) && key_ops.includes('verify');
  if (members === undefined || !named || !verifies) return [];
  if (members.some(name => typeof rest[name] !== 'string')) return [];
  const values = Object.fromEntries(members.map(name => [name, rest[name]]));
  return [{ kty, kid, ...(typeof alg === 'string' && { alg }), ...values } as JWK & { kid: string }];
}
