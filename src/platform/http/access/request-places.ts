import { Injectable } from '@nestjs/common';
import {
  type AdmissionLimits,
  AdmissionQueue,
} from '../../../base/kernel/bounds/admission/admission-queue.js';
import { ByteBudget } from '../../../base/kernel/bounds/byte-budget.js';

/** Requests that wait for a place. Each holds what has arrived with its headers, at most 64 KiB. */
const WAITING_PER_ORG = 750;
const WAITING_PER_CALLER = 500;
/**
 * Memory of a request whose body and response are short: as bytes, as text and as values. Longer ones are counted by their
 * length, in addition.
 */
const REQUEST_BYTES = 256 * 1024;
/** So many requests are served at once even with the smallest budget. */
const LEAST_REQUESTS = 32;

/** As many requests as fit into the memory budget; half of them for one organization, three quarters of that for a caller. */
function requestLimits({ total }: ByteBudget): AdmissionLimits {
  const maxRunning = Math.max(LEAST_REQUESTS, Math.floor(total / REQUEST_BYTES));
  const perOrg = Math.ceil(maxRunning / 2);
  return {
    maxRunning,
    perOrg,
    perKey: Math.ceil((perOrg * 3) / 4),
    waitingPerOrg: WAITING_PER_ORG,
    waitingPerKey: WAITING_PER_CALLER,
    waitMs: 5_000,
    refusal:
      'Too many of your requests are being processed. Nothing was written. Send fewer at once, and retry later.',
  };
}

/** The requests in memory. Keys are callers. */
@Injectable()
export class RequestPlaces extends AdmissionQueue {
  constructor(budget: ByteBudget) {
    super(requestLimits(budget));
  }
}
