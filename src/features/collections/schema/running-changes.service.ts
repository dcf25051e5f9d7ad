import { Injectable } from '@nestjs/common';
import { type EntityManager, In } from 'typeorm';
import type { Call } from '../../../base/kernel/call.js';
import { PlatformError } from '../../../base/kernel/errors.js';
import { retryLockConflicts } from '../../../engine/storage/table-lock.js';
import { Transactions } from '../../../platform/database/transactions.js';
import type { Collection } from '../collection.entity.js';
import { type ChangePhase, SchemaChange } from './schema-change.entity.js';

/** A change that this instance carries out. */
export interface RunningChange {
  readonly id: string;
  readonly call: Call;
  readonly before: Collection;
  readonly after: Collection;
  /** Aborted when another instance may continue the change. */
  readonly lost: AbortSignal;
}

/**
 * Lock timeout of each step. Statements that come after the step wait behind it, so it gives up soon and tries again.
 */
const LOCK_TIMEOUT_MS = 100;
const LOCK_PAUSE_MS = 300;

/** The transactions of running changes. Each one is repeated until it gets its locks in time. */
@Injectable()
export class RunningChanges {
  constructor(private readonly transactions: Transactions) {}

  /** Runs a step while the change is in a phase. Throws 409 when the change was abandoned. */
  async step<T>(
    change: RunningChange,
    phase: ChangePhase,
    work: (manager: EntityManager) => Promise<T>,
  ): Promise<T> {
    const done = await this.during(change, [phase], async manager => ({ value: await work(manager) }));
    if (done === undefined) throw new PlatformError('Conflict', 'The change of the schema was abandoned.');
    return done.value;
  }

  /** Runs `work` while the change is in one of the phases; resolves to undefined when it is in none of them. */
  during<T>(
    { id, lost }: RunningChange,
    phases: readonly ChangePhase[],
    work: (manager: EntityManager, found: SchemaChange) => Promise<T>,
  ): Promise<T | undefined> {
    const options = { lockTimeoutMs: LOCK_TIMEOUT_MS, statementTimeoutMs: 0 };
    const attempt = () =>
      this.transactions.run(options, async manager => {
        lost.throwIfAborted();
        // Writers of records that do not fit list them with a reference to this row. They need not wait for this lock.
        const lock = { mode: 'for_no_key_update' as const };
        const found = await manager.findOne(SchemaChange, { where: { id, phase: In(phases) }, lock });
        return found === null ? undefined : work(manager, found);
      });
    return retryLockConflicts(attempt, endlessPauses());
  }
}

/** Pauses of different lengths, so that two changes do not keep conflicting. */
function* endlessPauses(): Generator<number> {
  for (;;) yield LOCK_PAUSE_MS * (0.5 + Math.random());
}
