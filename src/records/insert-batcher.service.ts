import { Injectable } from '@nestjs/common';
import { eventsSql } from '../audit/audit-log.js';
import type { Collection } from '../collections/collection.entity.js';
import type { Deadline } from '../kernel/bounds/deadline.js';
import type { Renewable } from '../kernel/decided-rights.js';
import { PlatformError } from '../kernel/errors.js';
import { sqlState, unavailable } from '../kernel/sql-state.js';
import type { Quota } from '../storage/quota/quota.js';
import { RecordStore } from '../storage/record-store.js';
import { insertStatement } from '../storage/records/insert.js';
import type { Row } from '../storage/records/record-layout.js';
import { isStale } from '../storage/stale.js';
import { inOrderOf } from './record-batch.js';
import { type RecordAct, recordEntry } from './record-writes.js';

/** Maximum number of running statements of one collection. Further inserts wait for the next batch. */
const AT_ONCE = 2;
const MAX_BATCH = 64;
/** Maximum number of waiting inserts of one collection. Further inserts are refused. */
const MAX_WAITING = 256;
/**
 * Maximum time that an insert waits for running statements, which may be waiting for a row lock. It is longer while the
 * table is locked.
 */
const MAX_DELAY_MS = 50;
/** Lock timeout of a batch. Another transaction may be writing a key that only one insert of the batch needs. */
const BATCH_LOCK_TIMEOUT_MS = 500;
const LOCK_TIMEOUT = '55P03';

/** An insert of one small record that never expires. */
export interface OneInsert {
  readonly row: Row;
  /** The row as JSON. */
  readonly json: string;
  /** How this insert respects `max_records`. */
  readonly quota: Quota;
  readonly act: RecordAct;
  /** The request stops retrying the insert at this time. */
  readonly until: Deadline;
}

type Counts = readonly number[];

interface Waiting {
  readonly insert: OneInsert;
  /** The deadline on the clock of `performance.now()`. */
  readonly until: number;
  readonly resolve: (counts: Counts | Promise<Counts>) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Group commit of single-record inserts. While some statements of a collection are running, further inserts wait and
 * form a batch: one statement, one transaction, an audit event for each insert. An insert is never delayed to fill a
 * batch. When a batch fails, its inserts are written one by one, so that an invalid record does not affect the inserts
 * of other clients.
 */
@Injectable()
export class InsertBatcher {
  private readonly batchers = new WeakMap<Collection, Batcher>();

  constructor(private readonly store: RecordStore) {}

  /** Like `RecordStore.write`. */
  write(collection: Collection, insert: OneInsert): Promise<Counts> {
    let batcher = this.batchers.get(collection);
    if (batcher === undefined) {
      batcher = new Batcher(this.store, collection);
      this.batchers.set(collection, batcher);
    }
    return batcher.write(insert);
  }
}

class Batcher {
  private running = 0;
  private waiting: Waiting[] = [];
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly store: RecordStore,
    private readonly collection: Collection,
  ) {}

  write(insert: OneInsert): Promise<Counts> {
    if (this.running < AT_ONCE) return this.start([insert], insert.until);
    if (this.waiting.length >= MAX_WAITING) return Promise.reject(tooManyWaiting());
    return new Promise((resolve, reject) => {
      this.waiting.push({ insert, until: Math.min(insert.until, this.store.deadline()), resolve, reject });
      this.timer ??= setTimeout(() => this.startWaiting(), MAX_DELAY_MS);
      if (this.waiting.length % MAX_BATCH === 0) this.startWaiting();
    });
  }

  private async start(inserts: readonly OneInsert[], until: Deadline): Promise<Counts> {
    this.running += 1;
    try {
      return await this.run(inserts, until);
    } finally {
      this.running -= 1;
      if (this.running < AT_ONCE) this.release();
    }
  }

  private async run(inserts: readonly OneInsert[], until: Deadline): Promise<Counts> {
    const [{ act }] = inserts as [OneInsert];
    const isAlone = inserts.length === 1;
    const rights = isAlone ? act.call.rights : new BatchRights(inserts);
    const retry = { until, rights, forRows: isAlone };
    return this.store.write(this.collection, statementOf(this.collection, inserts), retry);
  }

  /**
   * Further statements on a locked table would only wait too. So while it is locked, only inserts past their deadline
   * start.
   */
  private startWaiting(): void {
    if (!this.store.isLocked(this.collection)) {
      this.release();
      return;
    }
    clearTimeout(this.timer);
    const [over, others] = byDeadline(this.waiting);
    this.waiting = others;
    if (others.length > 0) this.timer = setTimeout(() => this.startWaiting(), MAX_DELAY_MS);
    this.startAll(over);
  }

  private release(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    const waiting = this.waiting;
    this.waiting = [];
    this.startAll(waiting);
  }

  private startAll(waiting: readonly Waiting[]): void {
    const generations = new Set(waiting.map(({ insert }) => insert.quota.generation));
    for (const generation of generations) {
      const group = waiting.filter(({ insert }) => insert.quota.generation === generation);
      for (let at = 0; at < group.length; at += MAX_BATCH) this.writeBatch(group.slice(at, at + MAX_BATCH));
    }
  }

  private writeBatch(group: readonly Waiting[]): void {
    const until = Math.min(...group.map(each => each.until));
    this.start(
      group.map(({ insert }) => insert),
      until,
    ).then(
      counts => {
        for (const { resolve } of group) resolve(counts);
      },
      error => this.failed(group, error),
    );
  }

  private failed(group: readonly Waiting[], error: unknown): void {
    const isNotAdmitted = error instanceof PlatformError && error.code === 'Unavailable';
    const [over, others] = isNotAdmitted ? byDeadline(group) : [[], []];
    if (over.length > 0 && others.length > 0) {
      // Nothing was written. Only the inserts past their deadline fail; the others are tried again.
      for (const { reject } of over) reject(error);
      this.writeBatch(others);
      return;
    }
    // Without a lease, the quota may be too small for the whole batch, but suffice for some of its inserts.
    const isOver = group.length === 1 || (isStale(error) ? isLeased(group) : !isRefused(error));
    for (const { insert, until, resolve, reject } of group)
      isOver ? reject(error) : resolve(this.run([insert], until));
  }
}

/** Separates the inserts past their deadline from the others. */
function byDeadline(waiting: readonly Waiting[]): [over: Waiting[], others: Waiting[]] {
  const now = performance.now();
  return [waiting.filter(({ until }) => until <= now), waiting.filter(({ until }) => until > now)];
}

/** The rights of all callers in a batch. */
class BatchRights implements Renewable {
  constructor(private readonly inserts: readonly OneInsert[]) {}

  areOld(now: number): boolean {
    return this.inserts.some(({ act }) => act.call.rights?.areOld(now));
  }

  async renew(): Promise<void> {
    const now = performance.now();
    const old = this.inserts.filter(({ act }) => act.call.rights?.areOld(now));
    await Promise.all(old.map(({ act }) => act.call.rights?.renew()));
  }
}

function tooManyWaiting(): PlatformError {
  return new PlatformError(
    'Unavailable',
    'Too many inserts into this collection are waiting. Nothing was written. Retry later.',
  );
}

function isLeased(group: readonly Waiting[]): boolean {
  return group[0]?.insert.quota.generation !== undefined;
}

/**
 * True when the database or a check refused the batch. False when the connection was lost: the statement may have been
 * committed, so it must not be repeated.
 */
function isRefused(error: unknown): boolean {
  // For example, a caller has lost its rights.
  if (error instanceof PlatformError) return error.code !== 'Unavailable';
  const state = sqlState(error);
  return state === LOCK_TIMEOUT || (state !== undefined && unavailable(error) === undefined);
}

/** Sorts the rows by their keys, so that two batches cannot deadlock. */
function statementOf(collection: Collection, inserts: readonly OneInsert[]) {
  const [{ quota }] = inserts as [OneInsert];
  const ofAll = quota.generation === undefined ? { ...quota, records: inserts.length } : quota;
  const texts = new Map(inserts.map(({ row, json }) => [row, json]));
  const rows = inOrderOf(collection, [...texts.keys()], collection.uniques[0]?.properties ?? []);
  const json = `[${rows.map(row => texts.get(row)).join()}]`;
  const batch = {
    json,
    expiresAt: null,
    ...(inserts.length > 1 && { lockTimeoutMs: BATCH_LOCK_TIMEOUT_MS }),
  };
  const events = inserts.map(({ row, act }) => ({
    call: act.call,
    entry: { ...recordEntry(collection, act), count: 1, recordIds: [row._id as string] },
  }));
  return insertStatement(collection, batch, ofAll, {
    event: written => eventsSql(collection.orgId, events, written),
  });
}
