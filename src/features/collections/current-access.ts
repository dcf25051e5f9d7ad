import type { Outcome } from '../../base/kernel/bounds/attempts.js';
import type { Deadline } from '../../base/kernel/bounds/deadline.js';
import { PlatformError } from '../../base/kernel/errors.js';
import { isStale } from '../../engine/storage/stale.js';
import { keepsChanging } from './collection-refusals.js';

/** Number of reloads without a pause before the retry. Later retries pause, because changes come in bursts. */
const RELOADS_WITHOUT_PAUSE = 5;

interface ToCollection {
  readonly collection: { readonly id: string; readonly version: number };
}

/** Decides an access again. */
interface Accesses<Access> {
  again(access: Access): Promise<Access>;
  current(access: Access): Promise<Access>;
}

/** The access with which a request is attempted. It is decided again when the collection has changed. */
export class CurrentAccess<Access extends ToCollection = ToCollection> {
  current: Access;

  constructor(
    private readonly accesses: Accesses<Access>,
    private readonly asked: Access,
    readonly until: Deadline,
  ) {
    this.current = asked;
  }

  /** Loads the collection again, by name if the caller named it, and decides the access again. */
  async reload(): Promise<void> {
    this.current = await this.accesses.again(this.asked);
  }

  /** Throws the refusal, unless the collection has changed since it was used: then another attempt may succeed. */
  async refuse(refusal: PlatformError): Promise<void> {
    const { id, version } = this.current.collection;
    this.current = await this.accesses.current(this.current);
    const { collection } = this.current;
    if (collection.version === version && collection.id === id) throw refusal.proven();
  }
}

/** The collection has changed since the statement was made. */
export const STALE: Outcome<CurrentAccess> = {
  is: isStale,
  withoutPause: RELOADS_WITHOUT_PAUSE,
  prepare: (_, access) => access.reload(),
  late: keepsChanging,
};

/** The request is refused. This counts only for the collection as it is now. */
export const REFUSED: Outcome<CurrentAccess> = {
  is: isUnproven,
  withoutPause: RELOADS_WITHOUT_PAUSE,
  prepare: (error, access) => access.refuse(error as PlatformError),
  late: keepsChanging,
};

/** True for a refusal that may not hold for the collection as it is now. */
export function isUnproven(error: unknown): error is PlatformError {
  // When the service is overloaded, loading the collection again would add to the load.
  return error instanceof PlatformError && !error.isProven && error.code !== 'Unavailable';
}
