import { describe, expect, it } from 'vitest';
import { readKeySet } from './provider-documents.service.js';

const RSA = { kty: 'RSA', kid: 'a', n: 'n', e: 'AQAB' };
const EC = { kty: 'EC', kid: 'b', crv: 'P-256', x: 'x', y: 'y' };
const OKP = { kty: 'OKP', kid: 'c', crv: 'Ed25519', x: 'x' };

const kids = (...keys: unknown[]) => [...(readKeySet({ keys })?.keys() ?? [])];

describe('a JWK Set', () => {
  it('yields its signing keys with their public members only', () => {
    const set = readKeySet({
      keys: [{ ...RSA, alg: 'RS256', use: 'sig', d: 'private', x5u: 'https://x' }, EC, OKP],
    });
    expect([...(set?.values() ?? [])]).toEqual([{ ...RSA, alg: 'RS256' }, EC, OKP]);
  });

  it.each([
    ['symmetric', { kty: 'oct', kid: 'a', k: 'secret' }],
    ['for encryption', { ...RSA, use: 'enc' }],
    ['for signing only', { ...RSA, key_ops: ['sign'] }],
    ['without a kid', { ...RSA, kid: undefined }],
    ['with an empty kid', { ...RSA, kid: '' }],
    ['with a kid that is not a string', { ...RSA, kid: 1 }],
    ['with a huge kid', { ...RSA, kid: 'k'.repeat(257) }],
    ['incomplete', { ...RSA, n: undefined }],
    ['of a type nobody knows', { ...RSA, kty: 'toString' }],
    ['no object', 'key'],
    ['null', null],
  ])('leaves out a key that is %s', (_, key) => {
    expect(kids(key, EC)).toEqual(['b']);
  });

  it('leaves out both of two keys with the same kid', () => {
    expect(kids(RSA, EC, { ...RSA, n: 'other' })).toEqual(['b']);
    expect(kids(RSA, RSA, RSA)).toEqual([]);
  });

  it('keeps a signing key when an encryption key has the same kid', () => {
    expect(kids(RSA, { ...RSA, use: 'enc' })).toEqual(['a']);
  });

  it.each([{}, { keys: null }, { keys: {} }, { keys: Array(101).fill(RSA) }])(
    'is refused when it is malformed: case %#',
    set => {
      expect(readKeySet(set)).toBeUndefined();
    },
  );
});
