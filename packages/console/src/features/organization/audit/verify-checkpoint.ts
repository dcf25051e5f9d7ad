import type { Checkpoint } from '../lists.js';

/** `unsupported`: this browser cannot verify Ed25519 signatures, or the page was not loaded over https. */
export type Verdict = 'genuine' | 'forged' | 'unsupported';

const HEADING = 'typed-collections audit checkpoint';

/** Verifies that the key of a checkpoint signed its statement, and that the statement says what the checkpoint says. */
export async function verifyCheckpoint(checkpoint: Checkpoint, organizationId: string): Promise<Verdict> {
  const { subtle } = crypto;
  if (subtle === undefined) return 'unsupported';
  const { createdAt, seq, hash, prunedSeq, statement, signature, key } = checkpoint;
  const said = [HEADING, organizationId, createdAt, seq, hash, prunedSeq].join('\n');
  if (said !== statement) return 'forged';
  const { kty, crv, x } = key as JsonWebKey;
  try {
    const imported = await subtle.importKey('jwk', { kty, crv, x } as JsonWebKey, 'Ed25519', false, [
      'verify',
    ]);
    const text = new TextEncoder().encode(statement);
    return (await subtle.verify('Ed25519', imported, bytesOf(signature), text)) ? 'genuine' : 'forged';
  } catch (error) {
    return error instanceof DOMException && error.name === 'NotSupportedError' ? 'unsupported' : 'forged';
  }
}

function bytesOf(base64url: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64url.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(text, character => character.charCodeAt(0));
}
