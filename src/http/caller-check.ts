import { Injectable } from '@nestjs/common';
import type { Principal } from '../kernel/principal.js';
import type { PlatformRequest } from './platform-request.js';

type Check = (request: PlatformRequest) => Promise<Principal>;

/** Asks again who makes a request that is answered for longer than a credential is believed. */
@Injectable()
export class CallerCheck {
  private check: Check | undefined;

  /** Called once, by whoever knows credentials. */
  by(check: Check): void {
    this.check = check;
  }

  /** The caller as it is now. Throws 401 when its credential no longer counts. */
  again(request: PlatformRequest): Promise<Principal> {
    if (this.check === undefined) throw new Error('nobody checks callers');
    return this.check(request);
  }
}
