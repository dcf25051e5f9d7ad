import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';

interface MasterKey {
  readonly id: string;
  readonly key: Buffer;
}

/**
 * Encrypts secrets for storage (AES-256-GCM) and makes keyed hashes (HMAC-SHA-256 with a pepper derived by HKDF, RFC
 * 5869). Every result contains the name of its master key, so that keys can be rotated: the first key encrypts and
 * hashes, all keys decrypt and verify.
 */
export class Secrets {
  private readonly keys: readonly [MasterKey, ...MasterKey[]];
  /** By the name of the master key, in the order of the keys. */
  private readonly peppers: Map<string, Buffer>;

  /** @param entries at least one valid `id:base64`, as in SECRETS_MASTER_KEYS. */
  constructor(entries: readonly string[]) {
    const [first, ...rest] = entries.map(entry => {
      const [id = '', key = ''] = entry.split(':');
      return { id, key: Buffer.from(key, 'base64') };
    });
    if (first === undefined) throw new Error('at least one master key is required');
    this.keys = [first, ...rest];
    this.peppers = new Map(this.keys.map(({ id, key }) => [id, derive(key, 'pepper')]));
  }

  /** Names of the configured keys. The first one encrypts. */
  get names(): readonly string[] {
    return this.keys.map(({ id }) => id);
  }

  /** `keyId.iv.tag.ciphertext` in base64url; `associated` must be the same when decrypting. */
  encrypt(plain: string, associated: string): string {
    const [{ id, key }] = this.keys;
    const iv = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', derive(key, 'encryption'), iv).setAAD(
      Buffer.from(associated),
    );
    const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
    return [id, ...[iv, cipher.getAuthTag(), body].map(part => part.toString('base64url'))].join('.');
  }

  /** Throws when the master key is not configured, or when the text or `associated` was changed. */
  decrypt(sealed: string, associated: string): string {
    const [id, iv = '', tag = '', body = ''] = sealed.split('.');
    const master = this.keys.find(key => key.id === id);
    if (master === undefined) throw new Error(`no master key named ${id} is configured`);
    const decipher = createDecipheriv(
      'aes-256-gcm',
      derive(master.key, 'encryption'),
      Buffer.from(iv, 'base64url'),
      {
        authTagLength: 16,
      },
    );
    decipher.setAAD(Buffer.from(associated)).setAuthTag(Buffer.from(tag, 'base64url'));
    return Buffer.concat([decipher.update(Buffer.from(body, 'base64url')), decipher.final()]).toString(
      'utf8',
    );
  }

  /** The hash for storing a new secret: `keyId.hmac`. */
  hash(secret: string): string {
    const [{ id }] = this.keys;
    return hashWith(id, this.pepper(id) as Buffer, secret);
  }

  /** All hashes under which the secret may be stored, newest pepper first. */
  hashes(secret: string): string[] {
    return Array.from(this.peppers, ([id, pepper]) => hashWith(id, pepper, secret));
  }

  /** The pepper of the hashes that name this master key; undefined for an unknown name. */
  pepper(name: string): Buffer | undefined {
    return this.peppers.get(name);
  }

  /** Adds the pepper of a master key that is no longer configured, so that its hashes still verify. */
  recognise(name: string, pepper: Buffer): void {
    this.peppers.set(name, pepper);
  }

  /** Derives a 32-byte key for one purpose. It is the same on all instances with the same first master key. */
  derive(purpose: string): Buffer {
    return derive(this.keys[0].key, purpose);
  }
}

const derived = new WeakMap<Buffer, Map<string, Buffer>>();

function derive(key: Buffer, purpose: string): Buffer {
  const known = derived.get(key) ?? new Map<string, Buffer>();
  derived.set(key, known);
  let result = known.get(purpose);
  if (result === undefined) {
    result = Buffer.from(hkdfSync('sha256', key, '', `typed-collections/${purpose}`, 32));
    known.set(purpose, result);
  }
  return result;
}

function hashWith(id: string, pepper: Buffer, secret: string): string {
  return `${id}.${createHmac('sha256', pepper).update(secret).digest('base64url')}`;
}

/** The name of the master key that encrypted the text. */
export function sealedBy(sealed: string): string {
  return sealed.slice(0, sealed.indexOf('.'));
}
