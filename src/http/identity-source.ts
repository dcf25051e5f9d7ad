import type { Principal } from '../kernel/principal.js';

/** Carries the signed identity of a caller from the gateway to a service behind it. */
export const IDENTITY_HEADER = 'x-platform-identity';

/** Signs the identity of a caller for one service that is called for them. Provided by the module with the signing keys. */
export abstract class IdentitySource {
  abstract of(caller: Principal, audience: string): Promise<string>;
}
