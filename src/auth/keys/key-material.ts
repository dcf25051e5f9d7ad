import {
  calculateJwkThumbprint,
  exportJWK,
  type GenerateKeyPairAlgorithm,
  generateKeyPair,
  type JWK,
} from 'jose';
import type { Settings } from '../../config/settings.js';

/** A key pair as JWKs; `kid` is the RFC 7638 thumbprint, so that equal keys cannot have two names. */
export interface KeyMaterial {
  readonly kid: string;
  readonly algorithm: string;
  readonly publicJwk: JWK;
  readonly privateJwk: JWK;
}

/** Makes a key pair for JWKS_ALG; JWKS_SIZE counts for RSA only, a curve follows from the algorithm. */
export async function generateKey(settings: Pick<Settings, 'JWKS_ALG' | 'JWKS_SIZE'>): Promise<KeyMaterial> {
  const algorithm = settings.JWKS_ALG;
  const pair = await generateKeyPair(algorithm as GenerateKeyPairAlgorithm, {
    extractable: true,
    ...(/^(RS|PS)/.test(algorithm) && { modulusLength: settings.JWKS_SIZE }),
    ...(algorithm === 'EdDSA' && { crv: 'Ed25519' }),
  });
  const publicJwk = await exportJWK(pair.publicKey);
  const kid = await calculateJwkThumbprint(publicJwk);
  const privateJwk = await exportJWK(pair.privateKey);
  return { kid, algorithm, publicJwk: { ...publicJwk, kid, alg: algorithm, use: 'sig' }, privateJwk };
}
