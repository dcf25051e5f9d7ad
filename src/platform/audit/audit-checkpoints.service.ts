import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type JsonWebKey,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Clock } from '../../base/kernel/clock.js';
import { Secrets } from '../config/secrets.js';
import type { Queryable } from '../database/queryable.js';
import { AuditCheckpointView } from './audit.dto.js';
import { AuditChains, type ChainHead } from './audit-chains.service.js';
import { type AuditLogName, AuditLogs, checkpointsTable } from './audit-logs.service.js';

interface KeyRow {
  readonly kid: string;
  readonly sealed: string;
}

/** The public half of a key (RFC 8037). */
export type AuditJwk = JsonWebKey & { readonly kid: string };

/**
 * Ed25519 keys that sign checkpoints. They are not the keys that sign JWTs: those are removed after some weeks, but a
 * checkpoint must be verifiable for years. Private keys are sealed with a master key, so a key that can be opened is
 * genuine.
 */
@Injectable()
export class AuditKeys {
  // biome-ignore lint/plugin/bounded-maps: keys that signed checkpoints, of which there are few
  private readonly opened = new Map<string, KeyObject>();

  constructor(
    @InjectDataSource() private readonly source: DataSource,
    private readonly secrets: Secrets,
  ) {}

  /** Signs with the newest key; creates a key when there is none. */
  async sign(message: string): Promise<{ kid: string; signature: Buffer }> {
    const [row]: KeyRow[] = await this.source.query(
      'SELECT kid, sealed_private_jwk AS sealed FROM audit_keys ORDER BY created_at DESC LIMIT 1',
    );
    const kid = row === undefined ? await this.make() : row.kid;
    return { kid, signature: sign(null, Buffer.from(message), await this.open(kid)) };
  }

  /** Also false when the key is gone or was not sealed with a master key. */
  async verifies(kid: string, message: string, signature: Buffer): Promise<boolean> {
    const key = await this.open(kid).catch(() => undefined);
    return key !== undefined && verify(null, Buffer.from(message), createPublicKey(key), signature);
  }

  /** The public key that clients verify a checkpoint with. */
  async publicJwk(kid: string): Promise<AuditJwk> {
    const { kty, crv, x } = createPublicKey(await this.open(kid)).export({ format: 'jwk' });
    return { kty, crv, x, alg: 'EdDSA', use: 'sig', kid };
  }

  private async make(): Promise<string> {
    const { privateKey } = generateKeyPairSync('ed25519');
    const jwk = privateKey.export({ format: 'jwk' });
    const kid = createHash('sha256').update(String(jwk.x)).digest('base64url');
    await this.source.query('INSERT INTO audit_keys (kid, sealed_private_jwk) VALUES ($1, $2)', [
      kid,
      this.secrets.encrypt(JSON.stringify(jwk), `audit-key.${kid}`),
    ]);
    return kid;
  }

  private async open(kid: string): Promise<KeyObject> {
    const known = this.opened.get(kid);
    if (known !== undefined) return known;
    const [row]: KeyRow[] = await this.source.query(
      'SELECT kid, sealed_private_jwk AS sealed FROM audit_keys WHERE kid = $1',
      [kid],
    );
    if (row === undefined) throw new Error(`there is no key ${kid}`);
    const jwk: JsonWebKey = JSON.parse(this.secrets.decrypt(row.sealed, `audit-key.${kid}`));
    const key = createPrivateKey({ key: jwk, format: 'jwk' });
    this.opened.set(kid, key);
    return key;
  }
}

/**
 * The content of a checkpoint: the head of a chain at one time, and the link up to which events may have been pruned.
 */
interface Checkpoint {
  readonly createdAt: Date;
  readonly seq: number;
  readonly hash: Buffer;
  /** Events up to this link have exceeded the retention period and were removed, or are about to be removed. */
  readonly prunedSeq: number;
}

export interface SignedCheckpoint extends Checkpoint {
  readonly kid: string;
  readonly signature: Buffer;
}

const COLUMNS =
  'created_at AS "createdAt", seq::float8, hash, pruned_seq::float8 AS "prunedSeq", kid, signature';

/** Signed statements about the heads of the chains. They are kept after their events are pruned. */
@Injectable()
export class AuditCheckpoints {
  constructor(
    @InjectDataSource() private readonly source: DataSource,
    private readonly logs: AuditLogs,
    private readonly chains: AuditChains,
    private readonly keys: AuditKeys,
    private readonly clock: Clock,
  ) {}

  /** Signs one checkpoint for each log whose chain has grown since its last checkpoint. */
  async signAll(signal: AbortSignal): Promise<{ signed: number }> {
    let signed = 0;
    await this.logs.each('sign-audit-checkpoints', signal, async log => {
      const head = await this.chains.head(log);
      const newest = await this.newest(log);
      if (head === undefined || head.seq === newest?.seq) return;
      await this.sign(log, head, newest?.prunedSeq ?? 0);
      signed += 1;
    });
    return { signed };
  }

  /** All checkpoints of a log, newest first, as seen by `snapshot`. */
  all(log: AuditLogName, snapshot: Queryable = this.source): Promise<SignedCheckpoint[]> {
    return snapshot.query(`SELECT ${COLUMNS} FROM ${checkpointsTable(log)} ORDER BY created_at DESC`);
  }

  /** All checkpoints with what clients need to verify them, newest first. */
  async views(log: AuditLogName): Promise<AuditCheckpointView[]> {
    const signed = await this.all(log);
    return Promise.all(
      signed.map(async checkpoint => ({
        createdAt: checkpoint.createdAt.toISOString(),
        seq: checkpoint.seq,
        hash: checkpoint.hash.toString('hex'),
        prunedSeq: checkpoint.prunedSeq,
        statement: statement(log, checkpoint),
        signature: checkpoint.signature.toString('base64url'),
        key: await this.keys.publicJwk(checkpoint.kid),
      })),
    );
  }

  /** The newest checkpoint made at `time` or before. */
  async newest(log: AuditLogName, time = this.clock.now()): Promise<SignedCheckpoint | undefined> {
    const [found] = await this.source.query(
      `SELECT ${COLUMNS} FROM ${checkpointsTable(log)} WHERE created_at <= $1 ORDER BY created_at DESC LIMIT 1`,
      [time],
    );
    return found;
  }

  /** Signs a checkpoint that says that events up to this link may be gone from now on. */
  async allowPruning(log: AuditLogName, prunedSeq: number): Promise<void> {
    const head = await this.chains.head(log);
    if (head !== undefined) await this.sign(log, head, prunedSeq);
  }

  isGenuine(log: AuditLogName, checkpoint: SignedCheckpoint): Promise<boolean> {
    return this.keys.verifies(checkpoint.kid, statement(log, checkpoint), checkpoint.signature);
  }

  private async sign(log: AuditLogName, { seq, hash }: ChainHead, prunedSeq: number): Promise<void> {
    const checkpoint: Checkpoint = { createdAt: this.clock.now(), seq, hash, prunedSeq };
    const { kid, signature } = await this.keys.sign(statement(log, checkpoint));
    await this.source.query(
      `INSERT INTO ${checkpointsTable(log)} (created_at, seq, hash, pruned_seq, kid, signature)
       VALUES ($1, $2, $3, $4, $5, $6)`,
      [checkpoint.createdAt, seq, hash, prunedSeq, kid, signature],
    );
  }
}

/** The text that is signed. */
function statement({ orgId }: AuditLogName, { createdAt, seq, hash, prunedSeq }: Checkpoint): string {
  return [
    'typed-collections audit checkpoint',
    orgId ?? 'platform',
    createdAt.toISOString(),
    seq,
    hash.toString('hex'),
    prunedSeq,
  ].join('\n');
}
