import type { Principal } from '../kernel/principal.js';
import type { PlatformRequest } from './platform-request.js';

/**
 * Asks again who makes a request that takes longer than a credential is believed. Provided by the floor that knows
 * credentials.
 */
export abstract class CallerCheck {
  /** The caller as it is now. Throws 401 when its credential no longer counts. */
  abstract again(request: PlatformRequest): Promise<Principal>;
}
