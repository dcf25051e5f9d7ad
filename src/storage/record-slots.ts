import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource, EntityManager } from 'typeorm';
import { orgSchema } from '../database/org-schema.js';
import { PlatformError } from '../kernel/errors.js';
import { sqlState } from '../kernel/sql-state.js';
import { ALIVE, type CollectionShape, tableOf } from './collection-shape.js';
import { insertsLockStatement } from './inserts-lock.js';
import { isStale } from './stale.js';

/** Slots an instance takes in advance while there is plenty of room. */
const SPARE = 1_000;
/** Near the limit an instance takes at most this share of what is free beyond its need. */
const SHARE = 1 / 16;

interface Grant {
  readonly version: number;
  readonly epoch: number;
  left: number;
}

/**
 * Keeps `max_records` exact without making writers wait for each other. An instance is granted slots in advance, in
 * the name of an epoch; every insert names its epoch, and holds a shared lock while it runs. When grants run out,
 * one instance takes that lock alone (so no insert is under way), begins a new epoch, counts the living records and
 * grants from there. Grants of earlier epochs, lost ones of killed instances too, are then worth nothing.
 */
@Injectable()
export class RecordSlots {
  private readonly grants = new Map<string, Grant>();
  private readonly refills = new Map<string, Promise<boolean>>();

  constructor(@InjectDataSource() private readonly source: DataSource) {}

  /**
   * Takes `count` slots and returns their epoch; undefined when the collection is gone. Throws 422 `CollectionFull`.
   * Awaits the database only now and then.
   */
  async take(shape: CollectionShape, max: number, count: number): Promise<number | undefined> {
    for (;;) {
      const grant = this.grants.get(shape.id);
      if (grant !== undefined && grant.version === shape.version && grant.left >= count) {
        grant.left -= count;
        return grant.epoch;
      }
      if (!(await this.refill(shape, max, count))) return undefined;
    }
  }

  /** Returns slots that were taken and not used. */
  giveBack(shape: CollectionShape, epoch: number, count: number): void {
    const grant = this.grants.get(shape.id);
    if (grant?.epoch === epoch) grant.left += count;
  }

  /** Forgets what was granted in an epoch, after a statement found that it no longer holds. */
  forget(shape: CollectionShape, epoch: number): void {
    if (this.grants.get(shape.id)?.epoch === epoch) this.grants.delete(shape.id);
  }

  /** One refill at a time for a collection; who waited looks again. False when the collection is gone. */
  private async refill(shape: CollectionShape, max: number, count: number): Promise<boolean> {
    const running = this.refills.get(shape.id);
    if (running !== undefined) return running.catch(() => true);
    const refill = this.more(shape, max, count).finally(() => this.refills.delete(shape.id));
    this.refills.set(shape.id, refill);
    return refill;
  }

  /** With slots to spare while there is room; then one by one, so that no epoch ends early; then by counting. */
  private async more(shape: CollectionShape, max: number, count: number): Promise<boolean> {
    try {
      return (
        (await this.grant(shape, max, count + SPARE)) ||
        (await this.grant(shape, max, count)) ||
        (await this.recount(shape, max, count))
      );
    } catch (error) {
      if (isStale(error)) return false;
      // Whoever removes the organization locks its tables in whatever order.
      if (sqlState(error) === '40P01') return true;
      throw error;
    }
  }

  private async grant(shape: CollectionShape, max: number, added: number): Promise<boolean> {
    const held = this.grants.get(shape.id);
    const [rows]: [{ epoch: string }[], number] = await this.source.query(
      `UPDATE ${orgSchema(shape.orgId)}.record_slots SET granted = granted + $2
       WHERE collection_id = $1 AND counted + granted + $2 <= $3 RETURNING epoch`,
      [shape.id, added, max],
    );
    if (rows[0] === undefined) return false;
    const epoch = Number(rows[0].epoch);
    const left = held?.epoch === epoch && held.version === shape.version ? held.left : 0;
    this.grants.set(shape.id, { version: shape.version, epoch, left: left + added });
    return true;
  }

  private recount(shape: CollectionShape, max: number, count: number): Promise<boolean> {
    const slots = `${orgSchema(shape.orgId)}.record_slots`;
    return this.source.transaction(async manager => {
      // As inserts do: first the table, then their lock. Else whoever drops the table could come between them.
      await manager.query(`SELECT FROM ${tableOf(shape)} WHERE false`);
      // A statement of its own: the count's snapshot must be younger than the lock.
      const lock = insertsLockStatement(shape);
      await manager.query(lock.text, lock.values);
      const [rows]: [{ epoch: string }[], number] = await manager.query(
        `UPDATE ${slots} SET epoch = epoch + 1 WHERE collection_id = $1 RETURNING epoch`,
        [shape.id],
      );
      if (rows[0] === undefined) return false;
      const counted = await living(manager, shape);
      const free = Math.max(0, max - counted);
      if (free < count) throw full(counted, max, count);
      const granted = Math.min(free, count + Math.min(SPARE, Math.floor(free * SHARE)));
      await manager.query(`UPDATE ${slots} SET counted = $2, granted = $3 WHERE collection_id = $1`, [
        shape.id,
        counted,
        granted,
      ]);
      this.grants.set(shape.id, { version: shape.version, epoch: Number(rows[0].epoch), left: granted });
      return true;
    });
  }
}

async function living(manager: EntityManager, shape: CollectionShape): Promise<number> {
  const [row] = await manager.query(`SELECT count(*) AS n FROM ${tableOf(shape)} t WHERE ${ALIVE}`);
  return Number(row.n);
}

function full(counted: number, max: number, count: number): PlatformError {
  return new PlatformError(
    'CollectionFull',
    `The collection holds ${counted} records of at most ${max}, so ${count} more do not fit. Delete records or raise settings.max_records.`,
    { max_records: max, records: counted, requested: count },
  );
}
