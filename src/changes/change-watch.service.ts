import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import type { Collection } from '../collections/collection.entity.js';
import { comparePlaces, type Place } from '../storage/change-place.js';
import { newestStatement } from '../storage/changes.js';
import { isStale } from '../storage/stale.js';

/** Between two looks: the shorter after one that found something, the longer when nothing happens for a while. */
const SHORTEST_MS = 200;
const LONGEST_MS = 1_000;
const START: Place = { xid: 0, seq: 0 };

type Watched = Pick<Collection, 'id' | 'orgId' | 'version'>;

/** Somebody who waits for a collection to be in another version, or to have a change behind a place. */
interface Waiter {
  readonly collection: Watched;
  readonly after: Place;
  readonly wake: () => void;
}

interface NewestRow {
  readonly id: string;
  readonly version: number;
  readonly xid: number | null;
  readonly seq: number;
}

/**
 * Tells all who follow collections on this instance that there is something to read: one statement for each organization
 * that is followed, as long as somebody waits. Writers tell nobody, so they never wait for those who listen.
 */
@Injectable()
export class ChangeWatch implements BeforeApplicationShutdown {
  private readonly logger = new Logger(ChangeWatch.name);
  private readonly waiters = new Set<Waiter>();
  private timer: NodeJS.Timeout | undefined;
  private wait = SHORTEST_MS;
  private stopped = false;

  constructor(@InjectDataSource() private readonly source: DataSource) {}

  /** Resolves true when there is something to read or the collection has changed; false after `ms`, or when `gone`. */
  changed(collection: Watched, after: Place, ms: number, gone: AbortSignal): Promise<boolean> {
    return new Promise(resolve => {
      const end = (found: boolean) => {
        clearTimeout(patience);
        gone.removeEventListener('abort', leave);
        this.waiters.delete(waiter);
        resolve(found);
      };
      const waiter = { collection, after, wake: () => end(true) };
      const leave = () => end(false);
      const patience = setTimeout(leave, ms);
      gone.addEventListener('abort', leave);
      this.waiters.add(waiter);
      this.schedule();
    });
  }

  beforeApplicationShutdown(): void {
    this.stopped = true;
    clearTimeout(this.timer);
    for (const { wake } of this.waiters) wake();
  }

  private schedule(): void {
    if (this.timer !== undefined || this.stopped || this.waiters.size === 0) return;
    this.timer = setTimeout(() => {
      this.look()
        .catch(error => this.logger.warn(`looking for changes failed: ${(error as Error).message}`))
        .finally(() => {
          this.timer = undefined;
          this.schedule();
        });
    }, this.wait).unref();
  }

  private async look(): Promise<void> {
    this.wait = Math.min(this.wait * 1.25, LONGEST_MS);
    const orgs = new Set([...this.waiters].map(({ collection }) => collection.orgId));
    for (const orgId of orgs) {
      const waiters = [...this.waiters].filter(({ collection }) => collection.orgId === orgId);
      const { text, values } = newestStatement(orgId, [
        ...new Set(waiters.map(({ collection }) => collection.id)),
      ]);
      const rows: NewestRow[] = await this.source.query(text, values).catch(nothingIfGone);
      const newest = new Map(rows.map(row => [row.id, row]));
      for (const waiter of waiters) {
        if (!isNews(waiter, newest.get(waiter.collection.id))) continue;
        this.wait = SHORTEST_MS;
        waiter.wake();
      }
    }
  }
}

/** An organization that has gone took its collections along. */
function nothingIfGone(error: unknown): never[] {
  if (isStale(error)) return [];
  throw error;
}

function isNews({ collection, after }: Waiter, row: NewestRow | undefined): boolean {
  if (row === undefined || row.version !== collection.version) return true;
  return comparePlaces(row.xid === null ? START : { xid: row.xid, seq: row.seq }, after) > 0;
}
