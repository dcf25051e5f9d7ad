import { Injectable } from '@nestjs/common';
import {
  type AdmissionLimits,
  AdmissionQueue,
} from '../../../base/kernel/bounds/admission/admission-queue.js';
import { Settings } from '../../config/settings.js';

/** Maximum of waiting statements on records. */
const WAITING_PER_ORG = 1_000;
const WAITING_PER_COLLECTION = 750;
const WAITING_PER_CALLER = 500;
const WAITING = {
  waitingPerOrg: WAITING_PER_ORG,
  waitingPerKey: WAITING_PER_COLLECTION,
  waitingPerCaller: WAITING_PER_CALLER,
  waitMs: 5_000,
};
/** Said when work waited for a lock on a table or on records for as long as it may. */
export const STAYED_LOCKED =
  'The collection stayed locked by another change, for example of its schema. Nothing was written. Retry later.';
/** For work that takes seconds or minutes. */
const FEW_WAITING = { waitingPerOrg: 50, waitingPerKey: 20, waitMs: 10_000 };

/** Schema changes that run at once on an instance, each on a connection of the pool. */
const SCHEMA_CHANGES = 3;
/** Pieces of work of jobs that run at once, each on a connection of the pool. */
const JOB_PLACES = 3;
const JOBS_WAITING = { waitingPerOrg: 50, waitingPerKey: 50, waitMs: 3_600_000 };
/** Index builds that an instance runs at once; each takes two connections beyond the pool. */
const INDEX_BUILDS = 3;

/**
 * Admission of all database work that may take long, with one queue for each resource. An organization can never take
 * all of a queue, and some connections of the pool are left for authentication.
 */
@Injectable()
export class Admission {
  /** Statements on records, on connections of the pool. Keys are collections, whose callers take turns. */
  readonly records: AdmissionQueue;
  /** Writes of the platform's own data, on connections of the pool. The key is the organization. */
  readonly platform: AdmissionQueue;
  /** Changes of schemas and their previews, on connections of the pool. Keys are collections. */
  readonly schema: AdmissionQueue;
  /** Index builds. Keys are collections. */
  readonly builds: AdmissionQueue;
  /** Imports and exports. Keys are callers. */
  readonly transfers: AdmissionQueue;
  /** Work of jobs on all organizations, on connections of the pool. Both organization and key are the job's name. */
  readonly jobs: AdmissionQueue;

  constructor(settings: Settings) {
    this.records = new AdmissionQueue(recordLimits(settings));
    this.platform = new AdmissionQueue(platformLimits(settings));
    this.schema = new AdmissionQueue({
      maxRunning: SCHEMA_CHANGES,
      perOrg: SCHEMA_CHANGES - 1,
      perKey: 1,
      ...FEW_WAITING,
      refusal: 'Too many schema changes are running. Nothing was changed. Retry later.',
    });
    this.builds = new AdmissionQueue({
      maxRunning: INDEX_BUILDS,
      perOrg: INDEX_BUILDS - 1,
      perKey: INDEX_BUILDS - 1,
      ...FEW_WAITING,
      refusal: 'Too many index builds are running. Nothing was changed. Retry later.',
    });
    this.transfers = new AdmissionQueue({
      maxRunning: settings.TRANSFER_PLACES,
      perOrg: Math.min(settings.TRANSFER_PLACES, settings.TRANSFER_PLACES_PER_ORG),
      perKey: Math.min(settings.TRANSFER_PLACES, settings.TRANSFER_PLACES_PER_CALLER),
      ...FEW_WAITING,
      refusal: 'Too many imports and exports are running. Wait until one of yours has ended, then retry.',
    });
    this.jobs = new AdmissionQueue({
      maxRunning: JOB_PLACES,
      perOrg: JOB_PLACES - 1,
      perKey: JOB_PLACES - 1,
      ...JOBS_WAITING,
      refusal: 'Too many jobs are running.',
    });
  }

  /** The queues by their names in the metrics. */
  get queues(): Readonly<Record<string, AdmissionQueue>> {
    const { records, platform, schema, builds, transfers, jobs } = this;
    return { records, platform, schema, builds, transfers, jobs };
  }
}

/**
 * A fifth of the pool is left for other work; one organization has at most half of the pool. A collection has three
 * quarters of that, and one caller three quarters of the collection's places, so that others never wait only for it.
 */
function recordLimits({ DATABASE_POOL_SIZE: size }: Settings): AdmissionLimits {
  const maxRunning = size - Math.max(2, Math.floor(size / 5));
  const perOrg = Math.min(Math.ceil(size / 2), maxRunning);
  const perKey = Math.ceil((perOrg * 3) / 4);
  return {
    maxRunning,
    perOrg,
    perKey,
    perCaller: Math.max(1, Math.floor((perKey * 3) / 4)),
    ...WAITING,
    refusal:
      'Too many requests of this organization are waiting. Nothing was written. Retry later; narrow slow queries or index their columns.',
    lockRefusal: STAYED_LOCKED,
  };
}

/** Half of the pool. One organization has a quarter of it, so that its locks do not delay others. */
function platformLimits({ DATABASE_POOL_SIZE: size }: Settings): AdmissionLimits {
  const perOrg = Math.min(Math.max(3, Math.ceil(size / 4)), size - 1);
  return {
    maxRunning: Math.max(perOrg, Math.floor(size / 2)),
    perOrg,
    perKey: perOrg,
    ...WAITING,
    refusal: 'Too many changes of this organization are waiting. Nothing was written. Retry later.',
  };
}
