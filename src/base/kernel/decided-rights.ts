import { PlatformError } from './errors.js';
import type { Principal } from './principal.js';

/**
 * Time for which a decision about rights is valid. Together with the maximum age of a cached credential it stays below
 * the 5 s within which changes of rights take effect (contract).
 */
export const HOLDS_MS = 500;

/**
 * Authenticates and authorizes the caller again. `exact` means that the database is read instead of caches, and that
 * any change since the first decision is refused. Throws 401, 403 or 404 when the right is gone.
 */
type Decide = (exact: boolean) => Promise<Principal | undefined>;

/** Rights that a write checks again after it has waited. */
export interface Renewable {
  /** Id of the caller; undefined for rights of several callers. */
  readonly callerId?: string | undefined;
  /** True when they were decided too long before `now` (by `performance.now()`). */
  areOld(now: number): boolean;
  /** Rejects with 401, 403 or 404 when they were withdrawn. */
  renew(): Promise<unknown>;
}

/** The rights of one request's caller: when they were decided, and how to decide them again. */
export class DecidedRights implements Renewable {
  /** True once the rights were found to be withdrawn: then no stored response may be sent to the caller. */
  areWithdrawn = false;
  /**
   * Set for writes that were admitted by the queue of platform writes. A decision within a transaction takes a second
   * connection; that queue leaves enough connections free for it.
   */
  isAdmitted = false;
  private isDeciding = false;

  constructor(
    private decidedAt: number,
    private readonly decide: Decide,
    readonly callerId?: string,
  ) {}

  areOld(now: number): boolean {
    return now - this.decidedAt > HOLDS_MS;
  }

  renew(): Promise<Principal | undefined> {
    return this.decideAgain(false);
  }

  async renewIfOld(): Promise<void> {
    if (this.areOld(performance.now())) await this.renew();
  }

  /**
   * Checks old rights again against the database. Called in the transaction of an admitted write, after it has taken
   * its locks.
   */
  async confirm(): Promise<void> {
    const isDue = this.isAdmitted && !this.isDeciding && this.areOld(performance.now());
    if (isDue) await this.decideAgain(true);
  }

  /** Rights that additionally require that `judge` accepts the caller. */
  and(judge: (principal: Principal) => Promise<unknown>): DecidedRights {
    const decide = async (exact: boolean) => {
      const principal = await this.decideAgain(exact);
      if (principal !== undefined) await judge(principal);
      return principal;
    };
    return new DecidedRights(this.decidedAt, decide, this.callerId);
  }

  private async decideAgain(exact: boolean): Promise<Principal | undefined> {
    const began = performance.now();
    this.isDeciding = true;
    try {
      const principal = await this.decide(exact);
      this.decidedAt = began;
      return principal;
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      this.areWithdrawn = true;
      throw error.proven();
    } finally {
      this.isDeciding = false;
    }
  }
}
