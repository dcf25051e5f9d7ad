import { Injectable } from '@nestjs/common';
import { eventsCte } from '../audit/event-cte.js';
import type { Collection } from '../collections/collection.entity.js';
import { sqlState, unavailable } from '../kernel/sql-state.js';
import { insertStatement } from '../storage/insert.js';
import type { Row } from '../storage/record-layout.js';
import { RecordStore } from '../storage/record-store.js';
import { inOrderOf } from './record-batch.js';
import { type RecordAct, recordEntry } from './record-event.js';

/** Statements of one collection under way before others wait to go together. */
const AT_ONCE = 2;
const MOST_TOGETHER = 64;
/** Nobody waits longer for a statement of others, which may be waiting for a lock. */
const PATIENCE_MS = 50;
/** Those who go together wait no longer for what only one of them needs: a key that somebody else is writing. */
const PATIENCE_TOGETHER_MS = 500;
const KEPT_WAITING = '55P03';

/** An insert of one small record that never expires. */
export interface OneInsert {
  readonly row: Row;
  /** The row as JSON. */
  readonly json: string;
  /** In whose name its slot was taken. */
  readonly epoch: number;
  readonly act: RecordAct;
}

/** What `RecordStore.write` resolves to. */
type Counts = readonly number[] | undefined;

interface Waiting {
  readonly insert: OneInsert;
  readonly resolve: (counts: Counts | Promise<Counts>) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Inserts of one record each. While a few of a collection are under way, those that come go together with the next: one
 * statement, one transaction, an event for each. Nobody waits for company: alone, an insert goes at once. Where they fail
 * together, each is done by itself, so that one client's record never spoils another's.
 */
@Injectable()
export class SharedInserts {
  private readonly lines = new WeakMap<Collection, Line>();

  constructor(private readonly store: RecordStore) {}

  /** As `RecordStore.write`. */
  write(collection: Collection, insert: OneInsert): Promise<Counts> {
    let line = this.lines.get(collection);
    if (line === undefined) {
      line = new Line(async inserts => this.store.write(statementOf(collection, inserts)));
      this.lines.set(collection, line);
    }
    return line.write(insert);
  }
}

class Line {
  private running = 0;
  private waiting: Waiting[] = [];
  private patience: NodeJS.Timeout | undefined;

  constructor(private readonly run: (inserts: readonly OneInsert[]) => Promise<Counts>) {}

  write(insert: OneInsert): Promise<Counts> {
    if (this.running < AT_ONCE) return this.start([insert]);
    return new Promise((resolve, reject) => {
      this.waiting.push({ insert, resolve, reject });
      this.patience ??= setTimeout(() => this.release(), PATIENCE_MS);
      if (this.waiting.length === MOST_TOGETHER) this.release();
    });
  }

  private async start(inserts: readonly OneInsert[]): Promise<Counts> {
    this.running += 1;
    try {
      return await this.run(inserts);
    } finally {
      this.running -= 1;
      if (this.running < AT_ONCE) this.release();
    }
  }

  private release(): void {
    clearTimeout(this.patience);
    this.patience = undefined;
    const waiting = this.waiting;
    this.waiting = [];
    const epochs = new Set(waiting.map(({ insert }) => insert.epoch));
    for (const epoch of epochs) this.together(waiting.filter(({ insert }) => insert.epoch === epoch));
  }

  private together(group: readonly Waiting[]): void {
    this.start(group.map(({ insert }) => insert)).then(
      counts => {
        for (const { resolve } of group) resolve(counts);
      },
      error => {
        const isOver = group.length === 1 || !isRefused(error);
        for (const { insert, resolve, reject } of group) isOver ? reject(error) : resolve(this.run([insert]));
      },
    );
  }
}

/** False for a connection that was lost, in whatever words: nobody knows what it has done, and it must not be done again. */
function isRefused(error: unknown): boolean {
  const state = sqlState(error);
  return state === KEPT_WAITING || (state !== undefined && unavailable(error) === undefined);
}

/** In the order of their keys, so that two such statements never wait for each other in a circle. */
function statementOf(collection: Collection, inserts: readonly OneInsert[]) {
  const [{ epoch }] = inserts as [OneInsert];
  const texts = new Map(inserts.map(({ row, json }) => [row, json]));
  const rows = inOrderOf(collection, [...texts.keys()], collection.uniques[0]?.properties ?? []);
  const json = `[${rows.map(row => texts.get(row)).join()}]`;
  const batch = { json, expiresAt: null, ...(inserts.length > 1 && { patienceMs: PATIENCE_TOGETHER_MS }) };
  const events = inserts.map(({ row, act }) => ({
    call: act.call,
    entry: { ...recordEntry(collection, act), count: 1, recordIds: [row._id as string] },
  }));
  return insertStatement(collection, batch, epoch, {
    event: (written, add) => eventsCte(collection.orgId, events, written, add),
  });
}
