import { beforeAll, describe, expect, it } from 'vitest';
import type { Checkpoint } from '../lists.js';
import { verifyCheckpoint } from './verify-checkpoint.js';

const ORGANIZATION = '0199f3a2-7c41-7b1e-9d2a-3f5b8c6d7e01';
const FACTS = { createdAt: '2026-01-31T09:30:00.000Z', seq: 42, hash: 'ab'.repeat(32), prunedSeq: 7 };
const STATEMENT = ['typed-collections audit checkpoint', ORGANIZATION, ...Object.values(FACTS)].join('\n');

async function newKeys(): Promise<CryptoKeyPair> {
  return (await crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify'])) as CryptoKeyPair;
}

const jwkOf = async ({ publicKey }: CryptoKeyPair) => ({
  ...(await crypto.subtle.exportKey('jwk', publicKey)),
});

let genuine: Checkpoint;
let anotherKey: Checkpoint['key'];
beforeAll(async () => {
  const keys = await newKeys();
  const bytes = await crypto.subtle.sign('Ed25519', keys.privateKey, new TextEncoder().encode(STATEMENT));
  const signature = btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');
  genuine = {
    ...FACTS,
    statement: STATEMENT,
    signature,
    key: { ...(await jwkOf(keys)), alg: 'EdDSA', kid: 'k' },
  };
  anotherKey = await jwkOf(await newKeys());
});

describe('a checkpoint of the audit log', () => {
  it('is genuine if its key signed what it says', async () => {
    expect(await verifyCheckpoint(genuine, ORGANIZATION)).toBe('genuine');
  });

  it.each([
    ['another number', () => ({ seq: 43 })],
    ['another statement', () => ({ seq: 43, statement: STATEMENT.replace('\n42\n', '\n43\n') })],
    ['another key', () => ({ key: anotherKey })],
    ['a broken signature', () => ({ signature: 'AAAA' })],
    ['a key that is not one', () => ({ key: {} })],
  ])('is forged with %s', async (_, changed: () => Partial<Checkpoint>) => {
    expect(await verifyCheckpoint({ ...genuine, ...changed() }, ORGANIZATION)).toBe('forged');
  });

  it('is forged if it is of another organization', async () => {
    expect(await verifyCheckpoint(genuine, 'another')).toBe('forged');
  });
});
