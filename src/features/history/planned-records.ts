import { PlatformError } from '../../base/kernel/errors.js';
import type { CollectionShape } from '../../engine/storage/collection-shape.js';
import {
  conflictsOfPlan,
  dropSettled,
  fingerprintOfPlan,
  overrideReasons,
  type PlanConflict,
  type PutBackTransaction,
} from '../../engine/storage/history/plan.js';
import { type PutBack, type PutBackWrite, putBack } from '../../engine/storage/history/put-back.js';
import {
  exchangedKeys,
  fillTargets,
  markFollowing,
  markRepeated,
  misfits,
  type PastMisfit,
} from '../../engine/storage/history/put-back-targets.js';
import { endVacated } from '../../engine/storage/history/versions.js';
import { returnStatement, takeCapacity } from '../../engine/storage/quota/quota.js';
import { forgetOwnChangesStatement, vacateStatement } from '../../engine/storage/records/batch.js';
import { markForbidden } from '../../engine/storage/restricted/undo-rules.js';
import { MAX_RECORD_IDS } from '../../platform/audit/audit-log.js';
import { execute } from '../../platform/database/queryable.js';
import type { Collection } from '../collections/collection.entity.js';
import { unavailableHistory } from '../collections/kept-history.js';
import { vacatingOf } from '../records/batch/batch-uniques.js';

/** What to do about records that cannot be put back without losing other writes. */
export type OnConflict = 'stop' | 'skip' | 'force';

/** Conflicts of one answer; the others are only counted. */
const MAX_CONFLICTS = 1_000;
const MAX_MISFITS = 20;

/** The records of a plan that other writes have changed since, or whose unique values other records have. */
export interface Conflicts {
  /** The first of them, those that are overridden included. */
  readonly first: readonly PlanConflict[];
  /** Records that will not be put back. */
  readonly remaining: number;
}

/** Puts back the records of a transaction's plan, whose rows are locked (`engine/storage/history/plan.ts`). */
export class PlannedRecords {
  constructor(
    private readonly within: PutBackTransaction,
    private readonly collection: Collection & Pick<CollectionShape, 'restricted'>,
    private readonly made: PutBackWrite,
    private readonly now: Date,
  ) {}

  /** Throws 400 `HistoryUnavailable`, and 422 `ConstraintViolation` for earlier values that do not fit the present columns. */
  async conflicts(onConflict: OnConflict): Promise<Conflicts> {
    const { collection } = this;
    const { server } = this.within;
    let overridden: readonly PlanConflict[] = [];
    if (onConflict === 'force') {
      overridden = (await conflictsOfPlan(server, MAX_CONFLICTS)).first;
      if (overridden.length > 0) await overrideReasons(server);
    }
    if (!(await dropSettled(server, collection))) throw unavailableHistory(collection, this.now);
    await fillTargets(server, collection);
    const { restricted } = collection;
    if (restricted !== undefined) await markForbidden(server, restricted, this.made.author);
    const unfit = await misfits(server, MAX_MISFITS);
    if (unfit.length > 0) throw misfitRefusal(unfit);
    await this.markRepeated();
    const { count, first } = await conflictsOfPlan(server, MAX_CONFLICTS - overridden.length);
    return { first: [...overridden, ...first], remaining: count };
  }

  /** A record that is not put back keeps its unique values, which may then be those of another one. */
  private async markRepeated(): Promise<void> {
    const { collection } = this;
    const { server } = this.within;
    for (const { properties } of collection.uniques) await markRepeated(server, collection, properties);
    await markFollowing(server, collection, collection.uniques);
  }

  /** Of the records without a conflict. */
  fingerprint(): Promise<string> {
    return fingerprintOfPlan(this.within.server);
  }

  /** Writes the records without a conflict. Throws `QuotaUsed`. */
  async write(): Promise<PutBack> {
    const { collection, made } = this;
    const { transaction, server } = this.within;
    const hasVacated = await this.vacate();
    const written = await putBack(server, collection, made, MAX_RECORD_IDS);
    if (hasVacated) await endVacated(server, collection, made.eventId);
    const added = written.inserted - written.deleted;
    if (added < 0) await execute(transaction, returnStatement(collection, -added));
    if (added > 0) await takeCapacity(transaction, collection, added, collection.settings.max_records);
    return written;
  }

  /** Frees unique values that records of the plan exchange. Followers do not see the temporary values. */
  private async vacate(): Promise<boolean> {
    const { collection } = this;
    const { server } = this.within;
    let hasVacated = false;
    for (const unique of collection.uniques) {
      const ids = await exchangedKeys(server, collection, unique.properties);
      const vacating = vacatingOf(collection, unique, ids);
      if (vacating === undefined) continue;
      hasVacated = true;
      await execute(server, vacateStatement(collection, vacating));
    }
    if (hasVacated) await execute(server, forgetOwnChangesStatement(collection));
    return hasVacated;
  }
}

function misfitRefusal(unfit: readonly PastMisfit[]): PlatformError {
  const [{ column }] = unfit as [PastMisfit];
  return new PlatformError(
    'ConstraintViolation',
    `Nothing was written: ${column}: earlier values do not fit the present column.`,
    unfit,
  );
}
