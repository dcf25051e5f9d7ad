import { describe, expect, it, vi } from 'vitest';
import type { Rendered } from '../../../base/sql/index.js';
import type { Rows } from '../statements.js';
import { type FormForMany, type SharedRead, SharedReads } from './shared-reads.js';

const FORM: FormForMany = { rendered: values => ({ text: 'many', values: [values] }) };

function readOf(value: string, form = FORM): SharedRead {
  return { form, value, alone: () => ({ text: 'one', values: [value] }) };
}

/** Answers with the values of the statement, in reverse order. `fails` returns the error of a statement. */
function server(fails: (text: string, values: readonly unknown[]) => unknown = () => undefined) {
  const sent: unknown[] = [];
  const send = async ({ text, values }: Rendered): Promise<Rows> => {
    sent.push([text, ...values]);
    const failure = fails(text, values);
    if (failure !== undefined) throw failure;
    if (text === 'one') return [[`row of ${values[0]}`]];
    return (values[0] as string[]).map((value, index) => [`row of ${value}`, index + 1]).reverse();
  };
  const sendSoon = vi.fn();
  const reads = new SharedReads(send, sendSoon, () => reads.sendWaiting());
  const read = (value: string, form = FORM) => reads.add(readOf(value, form));
  return { sent, reads, sendSoon, read };
}

const refusal = (code: string) => Object.assign(new Error('refused'), { code, severity: 'ERROR' });

describe('reads that may share statements', () => {
  it('are one statement when they have the same form, and each gets its own row', async () => {
    const { sent, reads, read } = server();
    const answers = ['a', 'b', 'a'].map(value => read(value));
    reads.sendWaiting();
    const rows = await Promise.all(answers);
    expect(rows.map(([row]) => row?.[0])).toEqual(['row of a', 'row of b', 'row of a']);
    expect(sent).toEqual([['many', ['a', 'b', 'a']]]);
  });

  it('are statements of their own when the forms differ, and for one read', async () => {
    const { sent, reads, read } = server();
    const answers = [read('a'), read('b', { ...FORM })];
    reads.sendWaiting();
    await Promise.all(answers);
    expect(sent).toEqual([
      ['one', 'a'],
      ['one', 'b'],
    ]);
  });

  it('are sent once', async () => {
    const { sent, reads, read } = server();
    const answer = read('a');
    reads.sendWaiting();
    reads.sendWaiting();
    await answer;
    expect(sent).toHaveLength(1);
  });

  it('wait while a statement of the same form is running, and are the next one', async () => {
    const { sent, reads, sendSoon, read } = server();
    const first = read('a');
    reads.sendWaiting();
    sendSoon.mockClear();
    const others = [read('b'), read('c')];
    reads.sendWaiting();
    expect([sent.length, sendSoon.mock.calls.length]).toEqual([1, 0]);
    await first;
    await expect.poll(() => sendSoon.mock.calls.length).toBe(1);
    reads.sendWaiting();
    await Promise.all(others);
    expect(sent).toEqual([
      ['one', 'a'],
      ['many', ['b', 'c']],
    ]);
  });

  it('do not wait for each other when the connection is ending', async () => {
    const { sent, reads, read } = server();
    const first = read('a');
    reads.sendWaiting();
    const second = read('b');
    reads.sendWaiting(true);
    expect(sent).toHaveLength(2);
    expect(await Promise.all([first, second])).toEqual([[['row of a']], [['row of b']]]);
  });

  it('are sent at once when there are sixteen, also while a statement is running', async () => {
    const { sent, reads, read } = server();
    const first = read('first');
    reads.sendWaiting();
    const answers = Array.from({ length: 40 }, (_, n) => read(`${n}`));
    expect(sent).toHaveLength(3);
    await first;
    await new Promise(setImmediate);
    reads.sendWaiting();
    const rows = await Promise.all(answers);
    expect(rows.map(([row]) => row?.[0])).toEqual(answers.map((_, n) => `row of ${n}`));
    expect(sent).toHaveLength(4);
  });

  it('all get no row when the statement has none', async () => {
    const nothing = () => undefined;
    const reads = new SharedReads(async () => [], nothing, nothing);
    const answers = ['a', 'b'].map(value => reads.add(readOf(value)));
    reads.sendWaiting();
    expect(await Promise.all(answers)).toEqual([[], []]);
  });

  it('are sent again alone when the statement is refused, and only the refused one fails', async () => {
    const { reads, read } = server((text, [value]) =>
      text === 'many' || value === 'b' ? refusal('22P02') : undefined,
    );
    const answers = ['a', 'b', 'c'].map(value => read(value));
    reads.sendWaiting();
    const outcomes = await Promise.allSettled(answers);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  it.each([
    ['a table is locked', '55P03'],
    ['the connection is lost', 'ECONNRESET'],
  ])('all fail when %s', async (_, code) => {
    const { sent, reads, read } = server(() => refusal(code));
    const answers = ['a', 'b'].map(value => read(value));
    reads.sendWaiting();
    const outcomes = await Promise.allSettled(answers);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(sent).toHaveLength(1);
  });
});
