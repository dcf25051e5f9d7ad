import { Injectable } from '@nestjs/common';
import { PlatformError } from '../../base/kernel/errors.js';
import { AuthenticationStep } from '../../platform/http/access/access-step.js';
import type { PlatformRequest } from '../../platform/http/platform-request.js';
import { type Access, CollectionAccess } from '../collections/collection-access.js';

/** Time after which a transfer checks the rights of its caller again. */
const CHECK_EVERY_MS = 2_000;

/** The rights of a caller during a request that may take hours. */
export interface LastingAccess {
  /** Checks the rights again when the last check is older than two seconds. Throws 401, 403 or 404. */
  renewed(): Promise<void>;
  /**
   * Checks the rights every two seconds, also while the client takes nothing, and calls `end` when they are gone. What lies
   * in buffers of the connection must not be sent then. Returns a function that stops the checks.
   */
  watch(end: () => void): () => void;
  /** Checks the rights again now. */
  decided(): Promise<Access>;
}

@Injectable()
export class LastingAccesses {
  constructor(
    private readonly authentication: AuthenticationStep,
    private readonly accesses: CollectionAccess,
  ) {}

  of(request: PlatformRequest, { collection, right }: Access): LastingAccess {
    let decidedAt = request.startedAt;
    const decided = async () => {
      decidedAt = performance.now();
      return this.accesses.fresh(await this.authentication.again(request), collection.id, right);
    };
    const renewed = async () => {
      if (performance.now() - decidedAt > CHECK_EVERY_MS) await decided();
    };
    const watch = (end: () => void) => {
      const timer = setInterval(() => {
        decided().catch(error => {
          // A caller who cannot be checked, because the database is away, goes on.
          if (error instanceof PlatformError && error.status < 500) end();
        });
      }, CHECK_EVERY_MS);
      return () => clearInterval(timer);
    };
    return { renewed, decided, watch };
  }
}
