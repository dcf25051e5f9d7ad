import type { Renewable } from '../../base/kernel/decided-rights.js';
import type { RecordAct } from './record-writes.js';

/** The rights of all callers in a batch. */
export class BatchRights implements Renewable {
  constructor(private readonly acts: readonly RecordAct[]) {}

  areOld(now: number): boolean {
    return this.acts.some(({ call }) => call.rights?.areOld(now));
  }

  async renew(): Promise<void> {
    const now = performance.now();
    const old = this.acts.filter(({ call }) => call.rights?.areOld(now));
    await Promise.all(old.map(({ call }) => call.rights?.renew()));
  }
}
