import { PlatformError } from './errors.js';
import type { Principal } from './principal.js';

/**
 * How long a decision about rights holds. With the age that a remembered credential may have, it stays below the 5 s in
 * which changes of rights count (contract).
 */
const HOLDS_MS = 500;

/**
 * Decides again who calls and what the caller may do. `exact` means from the database and not from memory, and that any
 * change of what was decided before is refused. Throws 401, 403 or 404 when the right is gone.
 */
type Decide = (exact: boolean) => Promise<Principal | undefined>;

/** Rights that a write renews after it has waited. */
export interface Renewable {
  /** True when they were decided too long ago; `now` by `performance.now()`. */
  areOld(now: number): boolean;
  /** Rejects with 401, 403 or 404 when they were withdrawn. */
  renew(): Promise<unknown>;
}

/** What the caller of one request may do: when that was decided, and how to decide it again. */
export class DecidedRights implements Renewable {
  /** True once they were found to be withdrawn: then the caller learns nothing more. */
  areWithdrawn = false;
  /**
   * Set for writes that hold a place of the admission of platform writes. To decide within a transaction takes a second
   * connection; the places leave enough of them.
   */
  isAdmitted = false;
  private isDeciding = false;

  constructor(
    private decidedAt: number,
    private readonly decide: Decide,
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

  /** Within the transaction of an admitted write, after its locks: renews old rights by what the database says now. */
  async confirm(): Promise<void> {
    const isDue = this.isAdmitted && !this.isDeciding && this.areOld(performance.now());
    if (isDue) await this.decideAgain(true);
  }

  /** Rights that also need what `judge` decides of the caller. */
  and(judge: (principal: Principal) => Promise<unknown>): DecidedRights {
    return new DecidedRights(this.decidedAt, async exact => {
      const principal = await this.decideAgain(exact);
      if (principal !== undefined) await judge(principal);
      return principal;
    });
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
