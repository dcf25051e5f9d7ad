import { Injectable } from '@nestjs/common';
import { type Access, CollectionAccess } from '../collections/collection-access.js';
import { AuthenticationStep } from '../http/access/access-step.js';
import type { PlatformRequest } from '../http/platform-request.js';

/** How often a transfer asks whether its caller may still make it. */
const CHECK_EVERY_MS = 2_000;

/** The access of a caller whose request may take hours. */
export interface LastingAccess {
  /** Decides again when the last decision is some seconds old. Throws 401, 403 or 404 for a caller who may no longer. */
  renewed(): Promise<void>;
  /** Decides again now. */
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
    return { renewed, decided };
  }
}
