import type { Principal } from '../../base/kernel/principal.js';

/** Header with the signed identity of the caller, which the gateway sends to a service behind it. */
export const IDENTITY_HEADER = 'x-platform-identity';

/** Signs the identity of a caller for one service. Provided by the module with the signing keys. */
export abstract class IdentitySource {
  abstract of(caller: Principal, audience: string): Promise<string>;
}
