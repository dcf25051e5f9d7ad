import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Transactions } from '../database/transactions.js';
import { AuditCheckpoints, type SignedCheckpoint } from './audit-checkpoints.service.js';
import {
  type AuditLogName,
  CANONICAL,
  CLOCK_BEHIND_MS,
  chainTable,
  eventsTable,
  genesis,
  linkHash,
} from './audit-logs.service.js';
import { firstId } from './audit-trail.service.js';

const ROWS_AT_ONCE = 2_000;

/** The first inconsistency that was found in a log. */
export interface Break {
  readonly what: 'altered' | 'removed' | 'inserted' | 'forged checkpoint';
  /** Number of the link, if it is known. */
  readonly seq: number | undefined;
  /** Id of the event, if it is known. */
  readonly eventId: string | undefined;
}

export interface Verification {
  readonly events: number;
  readonly checkpoints: number;
  /** Events that the job has not linked yet. */
  readonly waiting: number;
  readonly broken: Break | undefined;
}

interface LinkRow {
  readonly seq: number;
  readonly eventId: string;
  readonly hash: Buffer;
  readonly settledUntil: Date;
  readonly canonical: string | null;
}

/** Verifies a log against its chain and its checkpoints. Reads them in parts from one snapshot. */
@Injectable()
export class AuditVerification {
  constructor(
    private readonly transactions: Transactions,
    private readonly checkpoints: AuditCheckpoints,
  ) {}

  verify(log: AuditLogName): Promise<Verification> {
    return this.transactions.run({ snapshot: true, statementTimeoutMs: 0 }, async manager => {
      const walk = new ChainWalk(log, await this.checkpoints.all(log, manager));
      const forged = await this.forged(log, walk.checkpoints);
      const broken = forged ?? (await this.walk(manager, log, walk)) ?? walk.missing();
      const outside = await this.unlinked(manager, log, walk.settledUntil);
      return {
        events: walk.events,
        checkpoints: walk.checkpoints.length,
        waiting: outside.waiting,
        broken: broken ?? outside.inserted,
      };
    });
  }

  private async forged(log: AuditLogName, all: readonly SignedCheckpoint[]): Promise<Break | undefined> {
    for (const checkpoint of [...all].reverse()) {
      if (await this.checkpoints.isGenuine(log, checkpoint)) continue;
      return { what: 'forged checkpoint', seq: checkpoint.seq, eventId: undefined };
    }
    return undefined;
  }

  private async walk(manager: EntityManager, log: AuditLogName, walk: ChainWalk): Promise<Break | undefined> {
    await manager.query(`DECLARE links NO SCROLL CURSOR FOR
      SELECT c.seq::float8, c.event_id AS "eventId", c.hash, c.settled_until AS "settledUntil",
        CASE WHEN e.id IS NOT NULL THEN ${CANONICAL} END AS canonical
      FROM ${chainTable(log)} c LEFT JOIN ${eventsTable(log)} e ON e.id = c.event_id ORDER BY c.seq`);
    for (;;) {
      const rows: LinkRow[] = await manager.query(`FETCH ${ROWS_AT_ONCE} FROM links`);
      for (const row of rows) {
        const broken = walk.take(row);
        if (broken !== undefined) return broken;
      }
      if (rows.length < ROWS_AT_ONCE) return undefined;
    }
  }

  /** Events without a link: how many the job has still to link, and the first that is too old for the job to link. */
  private async unlinked(
    manager: EntityManager,
    log: AuditLogName,
    settledUntil: Date | undefined,
  ): Promise<{ waiting: number; inserted: Break | undefined }> {
    const from = settledUntil === undefined ? null : firstId(settledUntil, -CLOCK_BEHIND_MS);
    const [{ waiting, inserted }] = await manager.query(
      `SELECT count(*) FILTER (WHERE $1::uuid IS NULL OR e.id > $1)::int AS waiting,
         min(e.id::text) FILTER (WHERE e.id <= $1) AS inserted
       FROM ${eventsTable(log)} e WHERE NOT EXISTS (SELECT FROM ${chainTable(log)} c WHERE c.event_id = e.id)`,
      [from],
    );
    return {
      waiting,
      inserted: inserted === null ? undefined : { what: 'inserted', seq: undefined, eventId: inserted },
    };
  }
}

/** Verifies the links in order, beginning with the first one that was not pruned. */
class ChainWalk {
  events = 0;
  settledUntil: Date | undefined;
  private previous: Buffer;
  private seq = 0;
  private readonly prunedSeq: number;
  private readonly hashes: ReadonlyMap<number, Buffer>;

  constructor(
    log: AuditLogName,
    readonly checkpoints: readonly SignedCheckpoint[],
  ) {
    this.previous = genesis(log);
    this.prunedSeq = Math.max(0, ...checkpoints.map(({ prunedSeq }) => prunedSeq));
    this.hashes = new Map(checkpoints.map(({ seq, hash }) => [seq, hash]));
  }

  take({ seq, eventId, hash, settledUntil, canonical }: LinkRow): Break | undefined {
    const first = this.seq === 0 && seq <= this.prunedSeq;
    if (!first && seq !== this.seq + 1) return { what: 'removed', seq: this.seq + 1, eventId: undefined };
    if (canonical === null) {
      if (seq > this.prunedSeq) return { what: 'removed', seq, eventId };
    } else {
      if (!linkHash(this.previous, canonical).equals(hash)) return { what: 'altered', seq, eventId };
      this.events += 1;
    }
    if (!(this.hashes.get(seq)?.equals(hash) ?? true)) return { what: 'altered', seq, eventId };
    this.previous = hash;
    this.seq = seq;
    this.settledUntil = settledUntil;
    return undefined;
  }

  /** A break when a checkpoint has a higher number than the last link: links were removed from the end of the chain. */
  missing(): Break | undefined {
    const last = Math.max(0, ...this.checkpoints.map(({ seq }) => seq));
    return last > this.seq ? { what: 'removed', seq: this.seq + 1, eventId: undefined } : undefined;
  }
}
