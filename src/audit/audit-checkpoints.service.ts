import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import type { Queryable } from '../database/queryable.js';
import { Clock } from '../kernel/clock.js';
import { AuditCheckpointView } from './audit.dto.js';
import { AuditChains, type ChainHead } from './audit-chains.service.js';
import { AuditKeys } from './audit-keys.service.js';
import { type AuditLogName, AuditLogs, checkpointsTable } from './audit-logs.service.js';

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
