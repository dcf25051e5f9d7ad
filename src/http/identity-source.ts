import { Injectable } from '@nestjs/common';
import type { Principal } from '../kernel/principal.js';

/** Carries the signed identity of a caller from the gateway to a service behind it. */
export const IDENTITY_HEADER = 'x-platform-identity';

type Sign = (caller: Principal, audience: string) => Promise<string>;

/** Says in a signed text who calls, to one service that is asked on the caller's behalf. */
@Injectable()
export class IdentitySource {
  private sign: Sign | undefined;

  /** Called once, by whoever holds the signing keys. */
  by(sign: Sign): void {
    this.sign = sign;
  }

  of(caller: Principal, audience: string): Promise<string> {
    if (this.sign === undefined) throw new Error('nobody signs identities');
    return this.sign(caller, audience);
  }
}
