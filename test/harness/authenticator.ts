import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

/** The options of a ceremony, as the service sends them. */
// biome-ignore lint/suspicious/noExplicitAny: tests read what they need
type Options = any;

type Algorithm = 'ES256' | 'RS256' | 'EdDSA';

/** What a test makes different from an honest browser and authenticator. */
export interface Deviation {
  readonly origin?: string;
  readonly rpId?: string;
  readonly challenge?: string;
  /** Default: true. */
  readonly userVerified?: boolean;
  /** Default: true. */
  readonly userPresent?: boolean;
  readonly crossOrigin?: boolean;
  readonly type?: string;
  readonly counter?: number;
  readonly userHandle?: string | undefined;
}

interface Credential {
  readonly id: string;
  readonly rpId: string;
  readonly userHandle: string;
  readonly privateKey: KeyObject;
  counter: number;
}

const COSE = { ES256: -7, RS256: -257, EdDSA: -8 } as const;
const FLAGS = { present: 0x01, verified: 0x04, attested: 0x40 };

/**
 * An authenticator with discoverable credentials and the browser in front of it (Web Authentication level 2), without
 * attestation. It counts its signatures.
 */
export class Authenticator {
  private readonly credentials: Credential[] = [];

  constructor(
    private readonly origin: string,
    private readonly algorithm: Algorithm = 'ES256',
  ) {}

  /** What `navigator.credentials.create` gives, as JSON. */
  create(options: Options, deviation: Deviation = {}, credentialId = randomBytes(32).toString('base64url')) {
    const { privateKey, publicKey } = keyPair(this.algorithm);
    const rpId = deviation.rpId ?? options.rp.id;
    const id = Buffer.from(credentialId, 'base64url');
    const credential = { id: credentialId, rpId, userHandle: options.user.id, privateKey, counter: 0 };
    this.credentials.push(credential);
    const attested = Buffer.concat([
      Buffer.alloc(16),
      Buffer.from([0, id.length]),
      id,
      cbor(coseKey(publicKey, this.algorithm)),
    ]);
    const authData = authenticatorData(rpId, { ...deviation, counter: deviation.counter ?? 0 }, attested);
    const attestationObject = cbor(
      new Map<string, unknown>([
        ['fmt', 'none'],
        ['attStmt', new Map()],
        ['authData', authData],
      ]),
    );
    return {
      ...this.envelope(credential),
      response: {
        clientDataJSON: this.clientData('webauthn.create', options, deviation),
        attestationObject: attestationObject.toString('base64url'),
        transports: ['internal'],
      },
    };
  }

  /** What `navigator.credentials.get` gives, as JSON, with the credential created last. */
  get(options: Options, deviation: Deviation = {}) {
    const credential = this.credentials.findLast(({ rpId }) => rpId === options.rpId);
    if (credential === undefined) throw new Error('the authenticator has no passkey for this site');
    credential.counter = deviation.counter ?? credential.counter + 1;
    const authData = authenticatorData(deviation.rpId ?? credential.rpId, {
      ...deviation,
      counter: credential.counter,
    });
    const clientDataJSON = this.clientData('webauthn.get', options, deviation);
    const signed = Buffer.concat([authData, sha256(Buffer.from(clientDataJSON, 'base64url'))]);
    const digest = this.algorithm === 'EdDSA' ? null : 'sha256';
    return {
      ...this.envelope(credential),
      response: {
        clientDataJSON,
        authenticatorData: authData.toString('base64url'),
        signature: sign(digest, signed, credential.privateKey).toString('base64url'),
        userHandle: 'userHandle' in deviation ? deviation.userHandle : credential.userHandle,
      },
    };
  }

  private envelope({ id }: Credential) {
    return {
      ...{ id, rawId: id, type: 'public-key', authenticatorAttachment: 'platform' },
      clientExtensionResults: {},
    };
  }

  private clientData(type: string, { challenge }: Options, deviation: Deviation): string {
    const data = {
      type: deviation.type ?? type,
      challenge: deviation.challenge ?? challenge,
      origin: deviation.origin ?? this.origin,
      crossOrigin: deviation.crossOrigin ?? false,
    };
    return Buffer.from(JSON.stringify(data)).toString('base64url');
  }
}

function keyPair(algorithm: Algorithm) {
  if (algorithm === 'RS256') return generateKeyPairSync('rsa', { modulusLength: 2048 });
  if (algorithm === 'EdDSA') return generateKeyPairSync('ed25519');
  return generateKeyPairSync('ec', { namedCurve: 'P-256' });
}

/** A public key as COSE key (RFC 9053). */
function coseKey(publicKey: KeyObject, algorithm: Algorithm): Map<number, unknown> {
  const { x, y, n, e } = publicKey.export({ format: 'jwk' });
  const bytes = (text: string | undefined) => Buffer.from(text ?? '', 'base64url');
  const alg: [number, unknown] = [3, COSE[algorithm]];
  if (algorithm === 'RS256') return new Map<number, unknown>([[1, 3], alg, [-1, bytes(n)], [-2, bytes(e)]]);
  if (algorithm === 'EdDSA') return new Map<number, unknown>([[1, 1], alg, [-1, 6], [-2, bytes(x)]]);
  return new Map<number, unknown>([[1, 2], alg, [-1, 1], [-2, bytes(x)], [-3, bytes(y)]]);
}

function authenticatorData(
  rpId: string,
  { userPresent = true, userVerified = true, counter }: Deviation & { readonly counter: number },
  attested?: Buffer,
): Buffer {
  const flags =
    (userPresent ? FLAGS.present : 0) | (userVerified ? FLAGS.verified : 0) | (attested ? FLAGS.attested : 0);
  const fixed = Buffer.alloc(5);
  fixed.writeUInt8(flags, 0);
  fixed.writeUInt32BE(counter, 1);
  return Buffer.concat([sha256(Buffer.from(rpId)), fixed, attested ?? Buffer.alloc(0)]);
}

function sha256(data: Buffer): Buffer {
  return createHash('sha256').update(data).digest();
}

/** Encodes integers, texts, bytes and maps (RFC 8949). */
function cbor(value: unknown): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === 'string')
    return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  if (value instanceof Map) {
    const members = [...value].flatMap(([name, member]) => [cbor(name), cbor(member)]);
    return Buffer.concat([head(5, value.size), ...members]);
  }
  throw new Error(`cannot encode ${typeof value}`);
}

function head(major: number, argument: number): Buffer {
  const type = major << 5;
  if (argument < 24) return Buffer.from([type | argument]);
  if (argument < 256) return Buffer.from([type | 24, argument]);
  return Buffer.from([type | 25, argument >> 8, argument & 255]);
}
