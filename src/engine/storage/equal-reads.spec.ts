import { describe, expect, it } from 'vitest';
import type { Rows } from '../../platform/database/statements.js';
import { EqualReads } from './equal-reads.js';

/** A read that waits until `begin` and runs until `end` or `fail`. */
class TestRead {
  readonly caller = new AbortController();
  /** True when it has not been answered by another read. */
  isSent = false;
  begin: () => void = () => undefined;
  end: (rows: Rows) => void = () => undefined;
  fail: (error: unknown) => void = () => undefined;
  readonly rows: Promise<Rows>;

  constructor(reads: EqualReads, values: string, text = 'SELECT', mayBegin = false) {
    this.rows = reads.run({
      keyOf: () => ({ text, values }),
      caller: this.caller,
      mayBegin: () => mayBegin,
      run: begins => {
        this.isSent = true;
        this.begin = begins;
        return new Promise((resolve, reject) => {
          this.end = resolve;
          this.fail = reject;
        });
      },
    });
    this.rows.catch(() => undefined);
  }
}

describe('equal reads', () => {
  it('that wait at the same time are one statement', async () => {
    const reads = new EqualReads();
    const [first, second, other] = ['a', 'a', 'b'].map(key => new TestRead(reads, key));
    const alike = new TestRead(reads, 'a', 'SELECT other');
    first?.begin();
    first?.end([['row']]);
    expect(await second?.rows).toEqual([['row']]);
    expect([first, second, other, alike].map(read => read?.isSent)).toEqual([true, false, true, true]);
  });

  it('do not wait for the place of another caller when they have one themselves', () => {
    const reads = new EqualReads();
    const [waits, begins] = [new TestRead(reads, 'a'), new TestRead(reads, 'a', 'SELECT', true)];
    expect([waits.isSent, begins.isSent]).toEqual([true, true]);
  });

  it('do not share a statement that was sent before they arrived', async () => {
    const reads = new EqualReads();
    const first = new TestRead(reads, 'a');
    first.begin();
    const second = new TestRead(reads, 'a');
    const third = new TestRead(reads, 'a');
    first.end([['old']]);
    second.begin();
    second.end([['new']]);
    expect(await Promise.all([first, second, third].map(({ rows }) => rows))).toEqual([
      [['old']],
      [['new']],
      [['new']],
    ]);
  });

  it('are sent when the caller of the one that they waited for has gone', async () => {
    const reads = new EqualReads();
    const [first, second, third] = ['a', 'a', 'a'].map(key => new TestRead(reads, key)) as [
      TestRead,
      TestRead,
      TestRead,
    ];
    first.caller.abort();
    first.fail(new Error('gone'));
    await expect(first.rows).rejects.toThrow('gone');
    await expect.poll(() => second.isSent).toBe(true);
    second.begin();
    second.end([['row']]);
    expect(await third.rows).toEqual([['row']]);
    expect(third.isSent).toBe(false);
  });

  it('are refused together', async () => {
    const reads = new EqualReads();
    const [first, second] = ['a', 'a'].map(key => new TestRead(reads, key));
    first?.fail(new Error('refused'));
    await expect(second?.rows).rejects.toThrow('refused');
    expect(second?.isSent).toBe(false);
  });

  it.each<[string, Rows]>([
    ['long', [['x'.repeat(300_000)]]],
    ['cut off', Object.assign([['row']], { isCut: true })],
  ])('do not share %s rows, of which each request has its own copy in memory', async (_, rows) => {
    const reads = new EqualReads();
    const [first, second] = ['a', 'a'].map(key => new TestRead(reads, key));
    first?.begin();
    first?.end(rows);
    await expect.poll(() => second?.isSent).toBe(true);
    second?.end([['own']]);
    expect(await second?.rows).toEqual([['own']]);
  });
});
