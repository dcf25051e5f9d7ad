import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DecidedRights } from './decided-rights.js';
import { PlatformError } from './errors.js';
import type { Principal } from './principal.js';

const principal = { id: 'u' } as Principal;
const forbidden = () => new PlatformError('Forbidden', 'This needs another role.');

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function decided(decide: (exact: boolean) => Promise<Principal | undefined> = async () => principal) {
  const asked = vi.fn(decide);
  return { asked, rights: new DecidedRights(performance.now(), asked) };
}

describe('decided rights', () => {
  it('are decided again, once, if they are older than half a second', async () => {
    const { asked, rights } = decided();
    vi.advanceTimersByTime(500);
    await rights.renewIfOld();
    expect(asked).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    await rights.renewIfOld();
    await rights.renewIfOld();
    expect(asked.mock.calls).toEqual([[false]]);
  });

  it('are confirmed within a transaction only for an admitted write, and then exactly', async () => {
    const { asked, rights } = decided();
    vi.advanceTimersByTime(501);
    await rights.confirm();
    expect(asked).not.toHaveBeenCalled();
    rights.isAdmitted = true;
    await rights.confirm();
    expect(asked.mock.calls).toEqual([[true]]);
  });

  it('are not confirmed for the event of a refusal that they caused', async () => {
    const { asked, rights } = decided(async () => {
      vi.advanceTimersByTime(501);
      await rights.confirm();
      throw forbidden();
    });
    rights.isAdmitted = true;
    vi.advanceTimersByTime(501);
    await expect(rights.confirm()).rejects.toMatchObject({ code: 'Forbidden', isProven: true });
    expect(asked).toHaveBeenCalledTimes(1);
    expect(rights.areWithdrawn).toBe(true);
  });

  it('of a tool also need the current decision of the tool about the caller', async () => {
    const { asked, rights } = decided();
    const judge = vi.fn(async () => Promise.reject(forbidden()));
    const ofTool = rights.and(judge);
    vi.advanceTimersByTime(501);
    await expect(ofTool.renewIfOld()).rejects.toMatchObject({ code: 'Forbidden' });
    expect(judge).toHaveBeenCalledWith(principal);
    expect(asked).toHaveBeenCalledTimes(1);
  });
});
