import { Injectable } from '@nestjs/common';
import { Settings } from '../config/settings.js';
import { AdmissionQueue } from './admission-queue.js';

/** Work of an organization, or of one of its collections, that may wait for a connection of the pool. */
const WAITING_PER_ORG = 200;
const WAITING_PER_COLLECTION = 150;
const WAIT_MS = 5_000;

/**
 * The queues through which all work that may take long comes to the database, one for each resource. Whatever one
 * organization does, it leaves places for the others, and in the pool some connections are left for authentication.
 */
@Injectable()
export class Admission {
  /** Statements on records: connections of the pool. Keys are collections. */
  readonly records: AdmissionQueue;

  constructor({ DATABASE_POOL_SIZE: size }: Settings) {
    const places = size - Math.max(2, Math.floor(size / 5));
    const perOrg = Math.ceil(size / 2);
    this.records = new AdmissionQueue({
      places,
      perOrg: Math.min(perOrg, places),
      perKey: Math.min(Math.ceil((perOrg * 3) / 4), places),
      waitingPerOrg: WAITING_PER_ORG,
      waitingPerKey: WAITING_PER_COLLECTION,
      waitMs: WAIT_MS,
      refusal:
        'Too many requests of this organization are waiting. Retry later; narrow slow queries or index their columns.',
    });
  }
}
