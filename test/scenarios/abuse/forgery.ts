import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  type JsonWebKey,
  type KeyObject,
  sign,
} from 'node:crypto';
import { decodeJwt } from 'jose';
import { SigningKeys } from '../../../src/features/auth/keys/signing-keys.service.js';
import { Secrets } from '../../../src/platform/config/secrets.js';
import type { TestApp } from '../../harness/app.js';

/** The public part of the active signing key, as an outsider sees it. */
export interface StolenKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  readonly publicJwk: JsonWebKey;
}

export async function stealKey({ nest }: Pick<TestApp, 'nest'>): Promise<StolenKey> {
  const active = (await nest.get(SigningKeys).all()).find(({ state }) => state === 'active');
  if (active === undefined) throw new Error('no key is active');
  const { kid, algorithm, sealedPrivateJwk, publicJwk } = active;
  const jwk = JSON.parse(nest.get(Secrets).decrypt(sealedPrivateJwk, `${kid}.${algorithm}`));
  const privateKey = createPrivateKey({ key: jwk, format: 'jwk' });
  return { kid, privateKey, publicKey: createPublicKey(privateKey), publicJwk: publicJwk as JsonWebKey };
}

/** Encodes a part of a token. A string is used unchanged, so that it need not be valid JSON. */
export function part(value: unknown): string {
  return Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
}

/** The method by which a token is signed: RSA with a key, or HMAC with bytes that an attacker knows. */
export type Signer = (input: string) => Buffer;

export const rsa =
  (key: KeyObject, hash = 'sha256'): Signer =>
  input =>
    sign(hash, Buffer.from(input), key);

export const pss =
  (key: KeyObject, hash = 'sha256'): Signer =>
  input =>
    sign(hash, Buffer.from(input), { key, padding: 6, saltLength: -1 });

export const hmac =
  (secret: string | Buffer, hash = 'sha256'): Signer =>
  input =>
    createHmac(hash, secret).update(input).digest();

/** Makes a token of any header and payload. */
export function forge(header: unknown, payload: unknown, signer: Signer): string {
  const input = `${part(header)}.${part(payload)}`;
  return `${input}.${signer(input).toString('base64url')}`;
}

/** Makes tokens that differ from a valid one only in the given parts, signed with the real key. */
export function nearMisses(token: string, { kid, privateKey }: StolenKey) {
  const header = { typ: 'at+jwt', alg: 'RS256', kid };
  const claims = decodeJwt(token);
  return {
    header,
    claims,
    /** `undefined` removes a claim. */
    withClaims: (changes: object) => forge(header, { ...claims, ...changes }, rsa(privateKey)),
    withHeader: (changes: object) => forge({ ...header, ...changes }, claims, rsa(privateKey)),
  };
}
